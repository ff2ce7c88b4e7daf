"""Files whose size is allowed, but whose shape would keep a worker busy for minutes."""

import json
import time
from itertools import product

import pytest

from rankme.importing import ImportRefused, read_material
from rankme.untrusted import strict_json

MOST_SECONDS = 20  # quadratic searches took minutes


def refusal_of(tmp_path, name: str, content: str) -> str:
    path = tmp_path / name
    path.write_text(content)
    began = time.process_time()
    with pytest.raises(ImportRefused) as refused:
        read_material([path])
    assert time.process_time() - began < MOST_SECONDS
    return str(refused.value)


def test_a_header_of_a_hundred_thousand_columns_is_refused_at_once(tmp_path):
    columns = ",".join(f"c{number}" for number in range(100_000))
    content = f"system,item,output,{columns}\na,b,c,{','.join('x' * 100_000)}\n"
    assert "The header has 100,003 columns; at most 1,000 are allowed." in refusal_of(
        tmp_path, "wide.csv", content
    )


def test_an_object_of_a_hundred_thousand_names_is_refused(tmp_path):
    first = {"system": "a", "item": "b", "output": "c"}
    wide = first | {f"c{number}": "x" for number in range(100_000)}
    content = f"{json.dumps(first)}\n{json.dumps(wide)}\n"
    assert "The object has 100,003 names" in refusal_of(tmp_path, "wide.jsonl", content)


def test_the_one_name_of_many_that_appears_twice_is_found_quickly():
    names = ",".join(f'"n{number}":1' for number in range(200_000))
    began = time.process_time()
    with pytest.raises(strict_json.InvalidJson, match='"n199999" appears twice'):
        strict_json.parse(f'{{{names},"n199999":1}}', deepest=4)
    assert time.process_time() - began < MOST_SECONDS


def test_hundreds_of_systems_that_say_nearly_the_same_are_compared_quickly(tmp_path):
    """Each item has another group of equal outputs, and each group has 125,000 pairs."""
    path = tmp_path / "same.tsv"
    with path.open("w") as file:
        file.write("system\titem\toutput\n")
        for item, system in product(range(200), range(500)):
            file.write(f"s{system}\ti{item}\t{'other' if system == item else 'same'}\n")
    began = time.process_time()
    with read_material([path]) as material:
        pairs = material.preview.identical_pairs
    assert time.process_time() - began < MOST_SECONDS
    assert [(pair.first, pair.second, pair.items) for pair in pairs[:1]] == [("s200", "s201", 200)]
