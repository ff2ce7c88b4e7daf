"""Any text that can be stored comes through unchanged, and no upload breaks anything."""

import csv
import io
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankme.importing import (
    LIMITS,
    ImportRefused,
    Material,
    read_judgement_material,
    read_material,
    read_scores,
)

# Hundreds of child processes would cost more than all that they read.
IN_THIS_PROCESS = replace(LIMITS, reader_memory=0)
STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


@settings(max_examples=60)
@given(texts=st.lists(STORABLE, min_size=1, max_size=4))
def test_text_comes_through_csv_and_json_lines_unchanged(texts: list[str]) -> None:
    for name, content in (("o.csv", as_csv(texts)), ("o.jsonl", as_json_lines(texts))):
        with read_one(name, content.encode()) as material:
            assert [row.text for row in material.outputs()] == texts


HEADERS = {
    read_material: [
        b"system,item,output\n",
        b"MR\toutput\n",
        b'{"system": "S", "item": 1, "output": "x"}\n',
        b'[{"box_score": ',
        b"<TRIAL ",
        b"PK\x03\x04",
        b"",
    ],
    read_judgement_material: [
        b"rater,item,system,criterion,value,screen\n",
        b"mr,_worker_id,sys1,ref1,quality1\n",
        b"",
    ],
    read_scores: [
        b"system,item,metric,score\n",
        b"question_id,model_a,model_b,winner\n",
        b'{"a": 1}\n',
        b"",
    ],
}


@pytest.mark.parametrize("read", HEADERS)
@settings(max_examples=80)
@given(data=st.data())
def test_any_bytes_are_read_or_refused_in_words(read, data) -> None:
    content = data.draw(st.sampled_from(HEADERS[read])) + data.draw(st.binary(max_size=200))
    name = "upload" if read is read_material else "table.csv"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            found = read(path, limits=IN_THIS_PROCESS)
        except ImportRefused as refused:
            assert refused.count >= 1
            assert all(problem.message.endswith(".") for problem in refused.problems)
        else:
            if read is not read_scores:
                found.close()


def read_one(name: str, content: bytes) -> Material:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        return read_material(path, limits=IN_THIS_PROCESS)


def as_csv(texts: list[str]) -> str:
    file = io.StringIO()
    rows = csv.writer(file, quoting=csv.QUOTE_ALL)
    rows.writerow(["system", "item", "output"])
    rows.writerows(["S", number, text] for number, text in enumerate(texts))
    return file.getvalue()


def as_json_lines(texts: list[str]) -> str:
    return "\n".join(
        json.dumps({"system": "S", "item": number, "output": text})
        for number, text in enumerate(texts)
    )
