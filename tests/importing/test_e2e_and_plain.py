"""One file per system: the E2E challenge's TSVs and WMT's plain text."""

from pathlib import Path

import pytest

from rankme.importing import read_material
from tests.analysis.published import oracle_data
from tests.importing.uploads import places, problems_of, read, write_zip

GOOD = "MR\toutput\nname[A], area[x]\tIt's A.\nname[B]\tB it is.\n"
QUOTED = "MR\toutput\n'name[A], area[x]'\t'It's 'A'.'\n'name[B]'\t''\n"


def test_each_file_is_a_system_and_the_meaning_is_key_and_input(tmp_path: Path) -> None:
    with read(tmp_path / "up", {"good.tsv": GOOD, "quoted.tsv": QUOTED}) as material:
        assert material.preview.format == "e2e"
        assert [(item.key, item.input) for item in material.items()] == [
            ("name[A], area[x]",) * 2,
            ("name[B]",) * 2,
        ]
        texts = {(row.system, row.item_key): row.text for row in material.outputs()}
    assert texts["good", "name[A], area[x]"] == "It's A."
    assert texts["quoted", "name[A], area[x]"] == "It's 'A'."
    assert texts["quoted", "name[B]"] == ""


def test_references_make_the_items_and_their_order(tmp_path: Path) -> None:
    references = 'mr,ref\nname[B],B one.\nname[B],B two.\n"name[A], area[x]",A one.\n'
    with read(tmp_path / "up", {"good.tsv": GOOD, "refs.csv": references}) as material:
        assert [(item.key, item.reference) for item in material.items()] == [
            ("name[B]", "B one.\nB two."),
            ("name[A], area[x]", "A one."),
        ]


def test_a_repeated_meaning_is_refused(tmp_path: Path) -> None:
    found = problems_of(tmp_path / "up", {"good.tsv": GOOD + "name[B]\tAgain.\n"})
    assert places(found) == [("good.tsv", 4, "")]
    assert "(on line 3)" in found[0].message


PLAIN = {
    "source.txt": "one\ntwo\n\n",
    "reference.txt": "eins\nzwei\ndrei\n",
    "sys.A.txt": "1\n2\n\n",
    "sys-B.txt": "i\r\nii\r\niii",
}


def test_line_n_of_each_plain_file_belongs_to_item_n(tmp_path: Path) -> None:
    archive = write_zip(tmp_path / "up.zip", {f"wmt/{name}": text for name, text in PLAIN.items()})
    with read_material(archive) as material:
        assert material.preview.format == "plain"
        assert [(item.key, item.input, item.reference) for item in material.items()] == [
            ("1", "one", "eins"),
            ("2", "two", "zwei"),
            ("3", "", "drei"),
        ]
        texts = [(row.system, row.text) for row in material.outputs()]
        assert material.preview.empty == 1
    assert sorted(texts) == sorted(
        [
            ("sys-B", "i"),
            ("sys-B", "ii"),
            ("sys-B", "iii"),
            ("sys.A", "1"),
            ("sys.A", "2"),
            ("sys.A", ""),
        ]
    )


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("reference.txt", "eins\n", 2),
        ("sys-B.txt", "i\rii\niii\niv\n", 1),
    ],
)
def test_a_file_of_another_length_is_refused(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    found = problems_of(tmp_path / "up", PLAIN | {name: text})
    assert (name, line) in [(problem.file, problem.line) for problem in found]


def test_unicode_line_separators_end_no_line(tmp_path: Path) -> None:
    files = PLAIN | {"sys.A.txt": "1\u2028a\n2\x85b\n3\n"}
    with read(tmp_path / "up", files) as material:
        texts = [row.text for row in material.outputs() if row.system == "sys.A"]
    assert texts == ["1\u2028a", "2\x85b", "3"]


def test_a_format_can_be_demanded_and_unknown_files_are_refused(tmp_path: Path) -> None:
    found = problems_of(tmp_path / "up", {"x.txt": "one line, which no format has"})
    assert "The format is not recognised" in found[0].message
    found = problems_of(tmp_path / "picture", {"x.png": b"\x89PNG\r\n"})
    assert "no table whose rows name" in found[0].message
    found = problems_of(tmp_path / "other", PLAIN, format="e2e")
    assert len(found) == 4
    found = problems_of(tmp_path / "other", PLAIN, format="docx")
    assert "e2e, spans, long, plain" in found[0].message


def test_an_empty_upload_is_refused(tmp_path: Path) -> None:
    assert "no files" in problems_of(tmp_path / "up", {})[0].message
    assert "not recognised" in problems_of(tmp_path / "up", {"empty.csv": ""})[0].message


def test_the_21_systems_of_the_e2e_challenge_cover_its_630_meanings() -> None:
    with read_material(oracle_data("e2e-eval/system_outputs/primary")) as material:
        preview = material.preview
        outputs = list(material.outputs())
        items = list(material.items())
    assert (preview.format, preview.n_items, preview.n_outputs) == ("e2e", 630, 13_230)
    assert len(preview.systems) == 21
    assert preview.is_complete
    assert preview.empty == 0
    assert len({(row.system, row.item_key) for row in outputs}) == 13_230
    tnt = [row for row in outputs if row.system in ("tnt1", "tnt2")]
    assert not any(row.text.startswith("'") or row.item_key.startswith("'") for row in tnt)
    assert all(item.key.startswith("name[") for item in items)


def test_the_e2e_test_sets_references_fit_the_systems_outputs() -> None:
    folder = oracle_data("e2e-eval/system_outputs/primary")
    references = oracle_data("e2e-dataset/testset_w_refs.csv")
    with read_material([references, *sorted(folder.glob("*.tsv"))]) as material:
        assert material.preview.is_complete
        assert sum(item.reference.count("\n") + 1 for item in material.items()) == 4_693
