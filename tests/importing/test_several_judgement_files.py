"""Judgements in several files: one for each rater, each system, or each form."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rankme.importing import ImportRefused, JudgementMaterial, read_judgement_material

HEADER = "participant,item,system,rating.response,rating.rt,session\n"
FORM = "Text 1 - System A,Text 1 - System B,Text 2 - System A,Text 2 - System B\n"
Reads = Callable[..., JudgementMaterial]


@pytest.fixture
def reads(tmp_path: Path) -> Reads:
    def read(**texts: str) -> JudgementMaterial:
        for name, text in texts.items():
            (tmp_path / f"{name}.csv").write_text(text)
        return read_judgement_material(sorted(tmp_path.iterdir()))

    return read


def of_rater(name: str) -> str:
    rows = [(item, system) for item in "xy" for system in "AB"]
    return HEADER + "".join(f"{name},{item},{system},4,1.5,1\n" for item, system in rows)


def test_files_of_several_raters_are_read_together_and_described_once(reads: Reads) -> None:
    with reads(**{name: of_rater(name) for name in ("ada", "ben", "cy")}) as material:
        preview = material.preview
    assert (preview.n_raters, preview.n_items, preview.n_judgements) == (3, 2, 12)
    assert preview.systems == ("A", "B")
    assert sum("Columns with values" in note for note in preview.notes) == 1
    assert [(table.file, table.alike) for table in preview.tables] == [("ada.csv", 2)]


def test_files_with_the_same_columns_are_read_alike(reads: Reads) -> None:
    """A column that varies in the first file is a factor of all."""
    varies = "participant,item,system,score,mood\nada,x,A,4,calm\nada,x,B,3,tired\n"
    constant = "participant,item,system,score,mood\nben,x,A,4,calm\nben,x,B,3,calm\n"
    with reads(ada=varies, ben=constant) as material:
        assert material.preview.tables[0].columns["factors"] == ["mood"]
        given = {(row.rater, row.factors.get("mood")) for row in material.judgements()}
    assert given == {("ada", "calm"), ("ada", "tired"), ("ben", "calm")}


def test_rows_of_two_forms_are_different_raters(reads: Reads) -> None:
    """Neither form says who filled it in."""
    with reads(monday=FORM + "1,2,3,4\n5,4,3,2\n", tuesday=FORM + "2,2,3,3\n") as material:
        assert (material.preview.n_raters, material.preview.n_judgements) == (3, 12)


def test_a_file_names_its_system_where_no_column_does(reads: Reads) -> None:
    text = "rater,item,fluency\na,x,4\na,y,5\n"
    with reads(gpt=text, llama=text) as material:
        assert material.preview.systems == ("gpt", "llama")
        assert material.preview.n_judgements == 4


def test_a_file_that_is_none_of_judgements_is_named(reads: Reads) -> None:
    with pytest.raises(ImportRefused) as refused:
        reads(ada=of_rater("ada"), notes="item,remark\nx,long\ny,short\n")
    assert [problem.file for problem in refused.value.problems] == ["notes.csv"]


def test_the_same_judgement_in_two_files_is_refused(reads: Reads) -> None:
    with pytest.raises(ImportRefused) as refused:
        reads(ada=of_rater("ada"), again=of_rater("ada"))
    assert "already appears on line 2 of ada.csv" in str(refused.value)
