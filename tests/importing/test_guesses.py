"""What columns, headers, sheets and headings are proposed to be."""

import gzip
import io
import json
from pathlib import Path

import pytest

from rankme.importing import (
    ImportRefused,
    InvalidColumns,
    Reading,
    read_judgement_material,
    read_material,
    read_scores,
)
from rankme.importing.tabular.headings import likely_pattern, match_pattern, parsed_pattern
from rankme.importing.tabular.records import header_of
from tests.importing.uploads import problems_of, write, write_zip

PROMPTS = [f"Where is the {name} garden of the town, and who keeps it?" for name in "abcde"]
ANSWER = "It is behind the mill, and the neighbours of {} keep it."


def csv_of(header: str, *, constant: str = "", separator: str = ";") -> str:
    """Two systems times five items; the texts of an item differ in length by system."""
    rows = [
        separator.join([system, prompt, ANSWER.format(system) + "!" * number, constant])
        for number, prompt in enumerate(PROMPTS)
        for system in ("Alder", "Birch")
    ]
    return "\n".join([header, *rows]) + "\n"


def proposed(tmp_path: Path, content: str | bytes, name: str = "a.csv") -> dict:
    with read_material(write(tmp_path / "up", {name: content})) as material:
        return material.preview.tables[0].columns


def test_headings_in_any_language_are_read_by_their_content(tmp_path):
    found = proposed(tmp_path, csv_of("Xqz;Zwo;Drei;Vier", constant="jaro"))
    assert found["columns"] == {"system": "Xqz", "item": "Zwo", "input": "Zwo", "output": "Drei"}
    assert "factors" not in found, "a constant column is not a factor"


def test_a_long_text_that_an_item_shares_is_its_input(tmp_path):
    rows = [
        f"{system};q{number};{prompt};Answer {system} {number}"
        for number, prompt in enumerate(PROMPTS)
        for system in ("Alder", "Birch")
    ]
    found = proposed(tmp_path, "\n".join(["system;item;Facts given;output", *rows]))
    assert found["columns"]["input"] == "Facts given"


def test_the_context_is_the_input_if_nothing_else_is(tmp_path):
    content = "model;context;response\n" + "\n".join(
        f"{system};{prompt};Answer {system}" for prompt in PROMPTS for system in ("A", "B")
    )
    assert proposed(tmp_path, content)["columns"]["input"] == "context"


def test_parts_of_an_input_in_json_stay_together(tmp_path):
    records = [
        {"id": number, "input": {"title": "t", "text": prompt}, "output": {"a": "x", "b": "y"}}
        for number, prompt in enumerate(PROMPTS)
    ]
    content = "\n".join(map(json.dumps, [{**each, "output": "x"} for each in records]))
    with read_material(write(tmp_path / "up", {"S.jsonl": content})) as material:
        assert json.loads(next(material.items()).input)["title"] == "t"


def test_an_incomplete_proposal_is_kept_for_the_organiser(tmp_path):
    with pytest.raises(ImportRefused) as refused:
        read_material(write(tmp_path / "up", {"a.csv": "model,score,year\nA,1,2\nB,2,3\n"}))
    table = refused.value.tables[0]
    assert dict(zip(table.names, table.roles, strict=True))["model"] == "system"
    assert "No column has the outputs" in table.missing


def test_long_names_are_not_garbled_in_messages(tmp_path):
    name = "System outputs for the spring evaluation of the whole project team (v3)"
    (problem,) = problems_of(tmp_path / "up", {"a.csv": f"{name},year\nx,1\n"})
    assert "System outputs for the spring evaluation of the whole projec…, year." in problem.message


def test_a_workbook_with_a_single_column_is_shown(tmp_path):
    import pandas as pd

    file = io.BytesIO()
    pd.DataFrame({"remarks": ["one", "two"]}).to_excel(file, index=False)
    with pytest.raises(ImportRefused) as refused:
        read_material(write(tmp_path / "up", {"a.xlsx": file.getvalue()}))
    assert refused.value.tables[0].names == ("remarks",)


def rows(*cells: list[str]) -> list[tuple[int, list[str]]]:
    return list(enumerate(cells, start=1))


CRITERIA = ("Fluency", "Style")
DATA = [["a", "b", "c", "d"]] * 5


def test_the_header_is_below_titles():
    assert header_of(rows(["Outputs (v3)"], ["h", "i", "j", "k"], *DATA), 0) == (2, 2)
    assert header_of(rows(["Outputs", "", "", ""], ["", "i", "j", "k"], *DATA), 0) == (2, 2)
    assert header_of(rows(["h", "i", "j"], *DATA), 0) == (1, 1), "a heading may be missing"
    assert header_of(rows(["item", "output"], *DATA), 0) == (1, 1), "known names are headings"
    assert header_of(rows(["h", "i", "j", "k"], *DATA), 3) == (3, 3)


@pytest.mark.parametrize("parts", [(3, 4, 5), (4, 4, 4)])
def test_another_separator_within_texts_does_not_make_a_header(tmp_path, parts):
    texts = ["; ".join(["part: x"] * n) for n in parts]
    content = "item,input\n" + "".join(f"i{n},{text}\n" for n, text in enumerate(texts))
    with read_material(write(tmp_path / "up", {"items.csv": content})) as material:
        assert [item.input for item in material.items()] == texts


def test_a_line_break_in_a_heading_does_not_end_the_header(tmp_path):
    content = 'model,"the\nprompt",response\nA,Why?,So\nB,Why?,Thus\n'
    found = proposed(tmp_path, content)
    assert found["columns"] == {"system": "model", "output": "response"}
    with read_material(write(tmp_path / "up", {"a.csv": content})) as material:
        assert material.preview.tables[0].names == ("model", "the prompt", "response")


def test_many_texts_in_folders_are_one_problem(tmp_path):
    path = write_zip(
        tmp_path / "a.zip",
        {f"{system}/{number}.txt": "A text.\n" for system in "AB" for number in range(20)},
    )
    with pytest.raises(ImportRefused) as refused:
        read_material(path)
    (problem,) = refused.value.problems
    assert "40 files in folders (2)" in problem.message


def test_all_sheets_are_files_of_their_own(tmp_path):
    import pandas as pd

    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        for name in ("Alder", "Birch"):
            frame = pd.DataFrame({"question": PROMPTS, "answer": [name] * len(PROMPTS)})
            frame.to_excel(book, sheet_name=name, index=False)
    with read_material(path, reading=Reading(sheet="*")) as material:
        assert [system.name for system in material.preview.systems] == ["Alder", "Birch"]


def test_a_sheet_per_system_of_judgements(tmp_path):
    import pandas as pd

    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        for name in ("Alder", "Birch"):
            frame = pd.DataFrame({"rater": ["ada", "ben"], "item": [1, 1], "fluency": [4, 5]})
            frame.to_excel(book, sheet_name=name, index=False)
    with read_judgement_material(path, reading=Reading(sheet="*")) as material:
        assert {(row.system, row.rater, row.value) for row in material.judgements()} == {
            ("Alder", "ada", 4), ("Alder", "ben", 5), ("Birch", "ada", 4), ("Birch", "ben", 5),
        }  # fmt: skip


def test_a_single_line_of_turns_is_a_record(tmp_path):
    turns = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]
    content = json.dumps({"model": "A", "messages": turns})
    assert proposed(tmp_path, content, "a.jsonl")["columns"] == {
        "system": "model", "output": "messages",
    }  # fmt: skip


def test_a_packed_table_is_unpacked(tmp_path):
    content = gzip.compress(b"system,item,comet\nA,1,.5\nB,1,.25\n")
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(content)
    assert read_scores(path).scores.metrics == ("comet",)


# --- patterns --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headings", "pattern"),
    [
        (
            [f"Text {i} - System {s} [{c}]" for i in "12" for s in "AB" for c in CRITERIA],
            "Text {item} - System {system} [{criterion}]",
        ),
        (
            [f"How good? [Sentence {i}, Model {s}]" for i in "123" for s in ("gpt 4", "llama")],
            "How good? [Sentence {item}, Model {system}]",
        ),
        (
            [f"T{i}_{s}_{c}" for i in "123" for s in ("gpt", "llama") for c in CRITERIA],
            "T{item}_{system}_{criterion}",
        ),
        (["gpt_fluency", "gpt_style", "llama_fluency", "llama_style"], ""),
        (["age", "score"], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_a_pattern_is_proposed_from_headings_that_name_items(headings, pattern):
    assert likely_pattern(headings) == pattern
    if pattern:
        assert list(match_pattern(pattern, headings)) == headings


def test_a_pattern_reads_names_up_to_the_next_literal():
    pattern = "text {item}: {system} [{criterion}]"
    heading = "Text 1:\nGPT (v3) [Fluency]"
    assert match_pattern(pattern, [heading, "Text 2: x"]) == {
        heading: {"item": "1", "system": "GPT (v3)", "criterion": "Fluency"}
    }


@pytest.mark.parametrize(
    "pattern", ["Text", "{anything}", "{word}", "{item}{system}", "{item} {item}"]
)
def test_a_pattern_that_cannot_be_read_is_refused(pattern):
    with pytest.raises(InvalidColumns):
        parsed_pattern(pattern)


def test_a_pattern_reads_long_headings_in_linear_time():
    heading = "a" * 2_000
    assert match_pattern("{item}a{system}a{criterion}a{rater}b", [heading] * 100) == {}


def test_rows_without_a_rater_are_raters_where_headings_name_the_items(tmp_path):
    path = tmp_path / "form.csv"
    path.write_text("Text 1 [Fluency],Text 2 [Fluency]\n4,5\n3,\n")
    with read_judgement_material(path) as material:
        assert [(row.rater, row.item_key, row.value) for row in material.judgements()] == [
            ("row 2", "1", 4), ("row 2", "2", 5), ("row 3", "1", 3),
        ]  # fmt: skip
