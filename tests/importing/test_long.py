"""The long format: one row per output, in CSV, TSV and JSON lines."""

import json
from pathlib import Path

import pytest

from rankme.importing import LIMITS, ItemRow, OutputRow, read_material
from rankme.importing.limits import Limits
from tests.importing.uploads import ITEMS, OUTPUTS, places, problems_of, read, write_zip


def test_items_and_outputs_come_in_the_order_of_the_files(tmp_path: Path) -> None:
    with read(tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": OUTPUTS}) as material:
        assert material.preview.format == "long"
        assert list(material.items()) == [
            ItemRow(0, "a", "INPUT A", "REF A", factors={"domain": "x"}),
            ItemRow(1, "b", "INPUT B", "REF B", factors={"domain": "y"}),
        ]
        outputs = list(material.outputs())
        assert outputs[0] == OutputRow("S", "a", "S of a", 0, 0)
        assert [(row.system, row.item_key) for row in outputs] == [
            ("S", "a"),
            ("S", "b"),
            ("T", "a"),
            ("T", "b"),
        ]
        assert list(material.outputs()) == outputs, "rows can be read again"


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace(",", "\t"),
        lambda text: text.replace(",", ";"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r\r\n"),
        lambda text: text.replace("S,a,S of a\n", 'S,a,"S of a"\r\n\n'),
        lambda text: text.replace("item", " Item "),
        lambda text: text.rstrip("\n"),
    ],
)
def test_ways_of_writing_a_table_make_no_difference(tmp_path: Path, rewrite) -> None:
    files = {"items.csv": rewrite(ITEMS), "outputs.csv": rewrite(OUTPUTS)}
    files["items.csv"] = files["items.csv"].replace(" Item ", "item")
    if " Item " in files["outputs.csv"]:
        files["outputs.csv"] = OUTPUTS.replace("item", " Item ")
    with read(tmp_path / "up", files) as material:
        assert [row.text for row in material.outputs()] == ["S of a", "S of b", "T of a", "T of b"]
        assert [item.input for item in material.items()] == ["INPUT A", "INPUT B"]


def test_json_lines_say_the_same_as_a_table(tmp_path: Path) -> None:
    items = [{"item": 1, "input": {"rows": [1, 2.5]}}, {"item": "b", "input": "Ü"}]
    outputs = [
        {"system": "S", "item": 1, "output": "one\ntwo"},
        {"system": "S", "item": "b", "output": None},
    ]
    files = {
        "items.jsonl": "\n".join(map(json.dumps, items)),
        "outputs.jsonl": "\n".join(map(json.dumps, outputs)),
    }
    with read(tmp_path / "up", files) as material:
        assert [(item.key, item.input) for item in material.items()] == [
            ("1", '{"rows": [1, 2.5]}'),
            ("b", "Ü"),
        ]
        assert [row.text for row in material.outputs()] == ["one\ntwo", ""]


def test_cells_may_hold_line_ends_and_quotation_marks(tmp_path: Path) -> None:
    outputs = 'system,item,output\nS,a,"one\r\ntwo, ""three"""\nS,b,"1,5"\n'
    with read(tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": outputs}) as material:
        assert [row.text for row in material.outputs()] == ['one\r\ntwo, "three"', "1,5"]


def test_the_highlighted_sentence_leaves_its_mark_in_the_context(tmp_path: Path) -> None:
    items = "item,context,highlight\na,One. Two. Three.,Two.\n"
    outputs = "system,item,output\nS,a,Zwei.\n"
    with read(tmp_path / "up", {"items.csv": items, "outputs.csv": outputs}) as material:
        [item] = material.items()
    assert (item.context, item.highlight) == ("One. [[SENTENCE]] Three.", "Two.")


def test_a_highlight_that_is_not_in_the_context_once_is_refused(tmp_path: Path) -> None:
    items = "item,context,highlight\na,One. Two.,Three.\nb,One. One.,One.\n"
    found = problems_of(tmp_path / "up", {"items.csv": items, "outputs.csv": OUTPUTS})
    assert places(found) == [("items.csv", 2, "highlight"), ("items.csv", 3, "highlight")]


def test_without_a_file_of_items_the_outputs_name_them_and_a_note_says_so(tmp_path: Path) -> None:
    with read(tmp_path / "up", {"outputs.csv": OUTPUTS}) as material:
        assert [item.key for item in material.items()] == ["a", "b"]
        assert "no file of items" in material.preview.notes[0]


def test_columns_that_are_not_read_are_named(tmp_path: Path) -> None:
    outputs = "system,item,output,score\nS,a,text,1\n"
    with read(tmp_path / "up", {"outputs.csv": outputs}) as material:
        assert any("score" in note for note in material.preview.notes)


def test_a_zip_of_both_files_is_the_same_upload(tmp_path: Path) -> None:
    archive = write_zip(
        tmp_path / "up.zip",
        {
            "data/items.csv": ITEMS,
            "data/outputs.csv": OUTPUTS,
            "__MACOSX/data/._items.csv": b"\0\5",
        },
    )
    with read_material(archive) as material:
        assert material.preview.n_outputs == 4
        assert [file.label for file in material.preview.files] == [
            "up.zip/data/items.csv",
            "up.zip/data/outputs.csv",
        ]


def test_the_organisers_names_are_used_in_place_of_the_stored_ones(tmp_path: Path) -> None:
    stored = tmp_path / "5f2c"
    stored.write_text("system,item,output\nS\n")
    with pytest.raises(ValueError, match=r"^mine\.csv, line 2, column 2: The row has 1 cells"):
        read_material({"mine.csv": stored})


def test_every_fault_is_reported_at_once_with_its_place(tmp_path: Path) -> None:
    items = ITEMS + "a,again,,\n,no key,,\nc,ragged\n"
    outputs = (
        OUTPUTS
        + "S,a,again\n"
        + "S,z,unknown item\n"
        + "s,a,only case differs\n"
        + ",a,no system\n"
        + "S,a\n"
        + 'T,"a"b,marks\n'
    )
    found = problems_of(tmp_path / "up", {"items.csv": items, "outputs.csv": outputs})
    assert places(found) == [
        ("items.csv", 4, "item"),
        ("items.csv", 5, "item"),
        ("items.csv", 6, "3"),
        ("outputs.csv", 6, ""),
        ("outputs.csv", 7, "item"),
        ("outputs.csv", 8, "system"),
        ("outputs.csv", 9, "system"),
        ("outputs.csv", 10, "3"),
        ("outputs.csv", 11, ""),
    ]
    assert "already appears on line 2" in found[0].message
    assert "(on line 2)" in found[3].message
    assert 'The item "z" is not in the file of items.' in found[4].message
    assert str(found[4]).startswith("outputs.csv, line 7, column item: ")


def test_an_unclosed_quotation_mark_swallows_nothing_unseen(tmp_path: Path) -> None:
    outputs = 'system,item,output\nS,a,"never closed\nS,b,two\nT,a,three\n'
    found = problems_of(tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": outputs})
    assert places(found) == [("outputs.csv", 2, "")]
    assert "never closed (up to line 4)" in found[0].message


def test_only_the_first_faults_are_listed_but_all_are_counted(tmp_path: Path) -> None:
    outputs = "system,item,output\n" + "S,unknown,x\n" * 1_500
    with pytest.raises(ValueError) as refused:
        read(tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": outputs})
    assert (len(refused.value.problems), refused.value.count) == (1_000, 1_500)


@pytest.mark.parametrize(
    ("outputs", "place", "message"),
    [
        ("äöü\n".encode() + b"S,a,\xff", (3, "5"), "not UTF-8"),
        (b"S,a,x\0y\n", (2, "6"), "NUL"),
        (b"S,a,x\ry\n", (2, ""), "line break within"),
    ],
)
def test_bytes_that_are_not_text_are_refused_with_their_column(
    tmp_path: Path, outputs: bytes, place: tuple[int, str], message: str
) -> None:
    if outputs.startswith("äöü".encode()):
        outputs = b"S,b,x" + outputs + b"\n"
    content = b"system,item,output\n" + outputs
    found = problems_of(tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": content})
    assert (found[0].line, found[0].column) == place
    assert message in found[0].message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"system": "S", "system": "T", "item": "a", "output": ""}', "appears twice"),
        ('{"system": "S", "item": "a", "output": "\\ud800"}', "U+D800 cannot be stored"),
        ('{"system": "S", "item": "a", "output": "\\u0000"}', "U+0000 cannot be stored"),
        ('{"system": "S", "item": "a", "output": 1e400}', "too large"),
        ('{"system": "S", "item": "a", "output": NaN}', "not a number"),
        ('{"system": "S", "item": "a", "output": ' + "9" * 5_000 + "}", "too long"),
        ('{"system": "S", "item": "a", "output": ' + "[" * 40 + "]" * 40 + "}", "nested"),
        ('{"system": "S", "item": "a", "output": ' + "[" * 90_000 + "}", "nested too deep"),
        ('{"system": "S", "item": "a"}', 'has no "output"'),
        ('["S", "a", "x"]', "not a JSON object"),
        ('{"system": "S", ', "not JSON"),
    ],
)
def test_json_lines_are_read_strictly(tmp_path: Path, line: str, message: str) -> None:
    good = '{"system": "S", "item": "b", "output": ""}'
    found = problems_of(tmp_path / "up", {"outputs.jsonl": f"{good}\n{line}\n"})
    assert [problem.line for problem in found] == [2]
    assert message in found[0].message


def test_brackets_in_a_text_do_not_count_as_nesting(tmp_path: Path) -> None:
    line = json.dumps({"system": "S", "item": "a", "output": "[{" * 60})
    with read(tmp_path / "up", {"outputs.jsonl": line}) as material:
        assert next(material.outputs()).text == "[{" * 60


@pytest.mark.parametrize(
    ("limit", "column"),
    [
        (Limits(text=5), "output"),
        (Limits(item_key=0), "item"),
        (Limits(system_name=0), "system"),
        (Limits(systems=1), "system"),
        (Limits(rows=2), ""),
        (Limits(factor_value=0), "domain"),
        (Limits(line_bytes=10), ""),
        (Limits(items=1), ""),
        (Limits(factors=0), ""),
    ],
)
def test_texts_and_files_over_the_limits_are_refused(
    tmp_path: Path, limit: Limits, column: str
) -> None:
    files = {"items.csv": ITEMS, "outputs.csv": OUTPUTS}
    found = problems_of(tmp_path / "up", files, limits=limit)
    assert column in [problem.column for problem in found]
    with read(tmp_path / "up", files, limits=LIMITS):
        pass


def test_a_file_may_have_as_many_rows_as_the_limit_says(tmp_path: Path) -> None:
    rows = OUTPUTS.count("\n") - 1  # without the header
    with read(tmp_path / "up", {"outputs.csv": OUTPUTS}, limits=Limits(rows=rows)):
        pass
    found = problems_of(tmp_path / "more", {"outputs.csv": OUTPUTS}, limits=Limits(rows=rows - 1))
    assert [(each.line, each.message) for each in found] == [
        (rows + 1, f"There are more than {rows - 1:,} rows.")
    ]


def test_doubled_and_nameless_columns_are_refused(tmp_path: Path) -> None:
    outputs = "system,item,output,item,\nS,a,x,y,z\n"
    found = problems_of(tmp_path / "up", {"outputs.csv": outputs})
    assert {problem.column for problem in found} >= {"item", "5"}


def test_a_refused_upload_leaves_nothing_behind(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    problems_of(tmp_path / "up", {"outputs.csv": "system,item,output\nS\n"})
    with read(tmp_path / "up", {"outputs.csv": OUTPUTS}):
        assert len(list((tmp_path / "temporary").iterdir())) == 1
    assert list((tmp_path / "temporary").iterdir()) == []


def test_progress_rises_to_the_whole(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    outputs = "system,item,output\n" + "".join(f"S,{n},{'word ' * 50}\n" for n in range(20_000))
    read(
        tmp_path / "up",
        {"outputs.csv": outputs},
        progress=lambda done, total: told.append((done, total)),
    ).close()
    assert len(told) >= 4
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (len(outputs), len(outputs))


@pytest.mark.parametrize("blank_first", [False, True])
def test_a_first_line_of_json_may_be_longer_than_the_beginning_that_is_looked_at(
    tmp_path: Path, blank_first: bool
) -> None:
    long_input = "word " * 30_000
    items = json.dumps({"input": long_input, "item": "a"}) + "\n"
    outputs = json.dumps({"output": long_input[:90_000], "system": "S", "item": "a"}) + "\n"
    start = "\n" if blank_first else ""
    files = {"items.jsonl": start + items, "outputs.jsonl": start + outputs}
    with read(tmp_path / "up", files) as material:
        assert [item.input for item in material.items()] == [long_input]
        assert material.preview.n_outputs == 1


def test_a_long_first_line_in_an_archive_is_read_too(tmp_path: Path) -> None:
    line = json.dumps({"output": "word " * 15_000, "system": "S", "item": "a"}) + "\n"
    archive = write_zip(tmp_path / "up.zip", {"outputs.jsonl": line})
    with read_material(archive) as material:
        assert material.preview.n_outputs == 1


def test_a_file_without_the_columns_is_told_which_are_missing_and_which_it_has(
    tmp_path: Path,
) -> None:
    (problem,) = problems_of(tmp_path / "up", {"data.csv": "model,prompt,item\nS,Hi,a\n"})
    assert (problem.file, problem.line) == ("data.csv", 1)
    assert "These columns are missing: system, output." in problem.message
    assert "The file has: model, prompt, item." in problem.message
