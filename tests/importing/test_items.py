"""Items without outputs: what raters write about."""

from pathlib import Path

from tests.importing.uploads import ITEMS, OUTPUTS, places, problems_of, read


def test_items_alone_are_known_by_their_columns_and_need_no_output(tmp_path: Path) -> None:
    with read(tmp_path / "up", {"items.csv": ITEMS}) as material:
        assert material.preview.format == "items"
        assert (material.preview.n_items, material.preview.n_outputs) == (2, 0)
        assert [(item.key, item.input, item.factors) for item in material.items()] == [
            ("a", "INPUT A", {"domain": "x"}),
            ("b", "INPUT B", {"domain": "y"}),
        ]
        assert list(material.outputs()) == []


def test_items_with_outputs_are_not_read_as_items_alone(tmp_path: Path) -> None:
    with read(tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": OUTPUTS}) as material:
        assert material.preview.format == "long"


def test_a_file_of_another_kind_is_a_problem(tmp_path: Path) -> None:
    files = {"items.csv": ITEMS, "notes.csv": "item,remark\na,nice\n"}
    assert places(problems_of(tmp_path / "up", files)) == [("notes.csv", 2, "item")]
    found = problems_of(tmp_path / "up2", {"both.csv": OUTPUTS}, format="items")
    assert places(found) == [("both.csv", 1, "")]


def test_other_formats_still_need_outputs(tmp_path: Path) -> None:
    found = problems_of(tmp_path / "up", {"items.csv": ITEMS}, format="long")
    assert [problem.message for problem in found] == [
        "The upload has no outputs. Add a table or files with them."
    ]
