"""Judgements collected elsewhere: RankME ratings of the E2E challenge, and our own export."""

from __future__ import annotations

import io
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from analysis.table_files import read_table, write_table
from rankme.importing import ImportRefused, JudgementMaterial, read_judgement_material
from tests.analysis.published import oracle_data

LONG = """rater,item,system,criterion,value,screen,time_ms,entity,hour
r1,a,S,quality,70,x1,1200,people,9
r1,a,T,quality,80.5,x1,900,people,9
r2,a,S,quality,60,x2,,people,10
r2,b,T,quality,50,x3,100,furniture,10
"""
E2E = """_worker_id,_unit_id,_id,_started_at,_created_at,mr,mr_id,sys1,ref1,quality1,check1,sys2,ref2,quality2,check2
w1,7,90,11/28/2017 14:42:14,11/28/2017 14:51:43,name[A],1,S,"A, it is.",100,ok,T,A.,60,"added
missing"
"""  # noqa: E501


def read(tmp_path: Path, text: str | bytes, **options: str) -> JudgementMaterial:
    path = tmp_path / "ratings.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_judgement_material(path, **options)


def places(tmp_path: Path, text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(ImportRefused) as refused:
        read(tmp_path, text)
    return [(problem.line, problem.column) for problem in refused.value.problems]


def test_a_long_file_brings_its_items_systems_and_screens(tmp_path: Path) -> None:
    with read(tmp_path, LONG) as material:
        preview, rows = material.preview, list(material.judgements())
        items = list(material.items())
        outputs = [(row.system, row.item_key, row.text) for row in material.outputs()]
    assert (preview.format, preview.n_judgements, preview.n_screens) == ("long", 4, 3)
    assert (preview.n_raters, preview.systems) == (2, ("S", "T"))
    [criterion] = preview.criteria
    assert (criterion.lowest, criterion.highest, criterion.whole_numbers) == (50, 80.5, False)
    assert [(row.screen_number, row.position, row.value, row.time_ms) for row in rows] == [
        (0, 0, 70, 1200),
        (0, 1, 80.5, 900),
        (1, 0, 60, None),
        (2, 0, 50, 100),
    ]
    assert [item.factors for item in items] == [{"entity": "people"}, {"entity": "furniture"}]
    assert [row.factors for row in rows] == [
        {"hour": "9"},
        {"hour": "9"},
        {"hour": "10"},
        {"hour": "10"},
    ]
    assert outputs == [("S", "a", ""), ("T", "a", ""), ("T", "b", "")]


def test_a_screen_whose_rows_lie_apart_is_put_together(tmp_path: Path) -> None:
    with read(tmp_path, LONG + "r1,a,U,quality,1,x1,,people,9\n") as material:
        screens = [
            [row.system for row in rows]
            for _, rows in groupby(material.judgements(), lambda row: row.screen_number)
        ]
    assert screens == [["S", "T", "U"], ["S"], ["T"]]


def test_judgements_bring_their_texts(tmp_path: Path) -> None:
    text = "rater,item,system,criterion,value,screen,input,output\n"
    text += "r,a,S,q,1,1,IN,OUT\nt,a,S,q,1,2,IN,OUT\n"
    with read(tmp_path, text) as material:
        assert [row.text for row in material.outputs()] == ["OUT"]
        assert [item.input for item in material.items()] == ["IN"]
    assert places(tmp_path, text + "u,a,S,q,1,3,IN,OTHER\n") == [(4, "output")]


def test_every_fault_is_reported_at_once(tmp_path: Path) -> None:
    faults = (
        "r1,a,S,quality,71,x1,,people,9\n"
        ",a,S,quality,1,x4,,people,9\n"
        "r1,a,s,quality,1,x4,,people,9\n"
        "r1,a,S,quality,nan,x4,,people,9\n"
        "r1,a,S,quality,1_0,x4,,people,9\n"
        "r1,a,S,quality,much,x4,-5,people,9\n"
        "r1,a,S\n"
    )
    assert places(tmp_path, LONG + faults) == [
        (6, ""),
        (7, "rater"),
        (8, "system"),
        (9, "value"),
        (10, "value"),
        (11, "value"),
        (11, "time_ms"),
        (12, "4"),
    ]


def test_flags_are_read_and_other_words_refused(tmp_path: Path) -> None:
    head = "rater,item,system,criterion,value,screen,late,excluded\n"
    with read(tmp_path, head + "r,a,S,q,1,1,1,\nr,b,S,q,1,2,0,true\n") as material:
        flags = [(row.late, row.excluded) for row in material.judgements()]
    assert flags == [(True, False), (False, True)]
    assert places(tmp_path, head + "r,a,S,q,1,1,maybe,\n") == [(2, "late")]


def test_our_own_export_is_read_back_with_its_guarded_labels(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(LONG.replace("r1", '"=SUM(A1)"').replace(",S,", ",-S,"))
    exported = io.BytesIO()
    write_table(read_table(path), exported)
    assert b"'=SUM" in exported.getvalue()
    with read(tmp_path, exported.getvalue()) as material:
        assert {row.rater for row in material.judgements()} == {"=SUM(A1)", "r2"}
        assert "-S" in material.preview.systems


def test_a_line_of_rankme_ratings_is_a_screen(tmp_path: Path) -> None:
    with read(tmp_path, E2E) as material:
        rows = list(material.judgements())
        assert [(row.text, row.system) for row in material.outputs()] == [
            ("A, it is.", "S"),
            ("A.", "T"),
        ]
        assert [(item.key, item.input, item.factors) for item in material.items()] == [
            ("1", "name[A]", {"unit": "7"})
        ]
    assert [(row.system, row.criterion, row.value, row.label, row.position) for row in rows] == [
        ("S", "quality", 100, "", 0),
        ("S", "coverage", 0, "ok", 0),
        ("T", "quality", 60, "", 1),
        ("T", "coverage", 3, "added+missing", 1),
    ]
    assert rows[0].started_at == "2017-11-28T14:42:14"
    assert rows[0].submitted_at == "2017-11-28T14:51:43"


@pytest.mark.parametrize(
    ("right", "wrong", "column"),
    [
        (",ok,", ",fine,", "check1"),
        ("11/28/2017 14:42:14", "28.11.2017", "_started_at"),
        (",100,", ",,", "value"),
        ("w1,", ",", "rater"),
    ],
)
def test_faults_in_rankme_ratings_have_their_column(
    tmp_path: Path, right: str, wrong: str, column: str
) -> None:
    assert (2, column) in places(tmp_path, E2E.replace(right, wrong, 1))


def test_other_tables_are_refused(tmp_path: Path) -> None:
    assert places(tmp_path, "a,b\n1,2\n") == [(1, "")]
    with pytest.raises(ImportRefused, match="choose e2e, long"):
        read(tmp_path, LONG, format="xml")
    with pytest.raises(ImportRefused, match="These columns are missing"):
        read(tmp_path, LONG, format="e2e")
    with pytest.raises(ImportRefused, match="The file has no judgements"):
        read(tmp_path, LONG.splitlines()[0])


TEAMS = """_created_at,_worker_id,inf1,inf2,mr,mr_id,ref1,ref2,team1,team2
1/6/2018 15:34:51,w1,100,60,name[A],1,"A, it is.",A.,S,T
"""
SINGLE = """_created_at,_worker_id,check_those_that_apply,quality,mr,ref,team
11/21/2017 16:02:58,w1,missing,6,name[A],A.,S
11/21/2017 16:03:58,w1,ok,5,name[B],B.,S
"""


@pytest.mark.parametrize("text", [E2E, TEAMS, SINGLE], ids=["numbered", "teams", "single"])
def test_site_and_command_line_read_the_same_ratings(tmp_path: Path, text: str) -> None:
    assert_both_read_the_same(_written(tmp_path, text))


def _written(folder: Path, text: str) -> Path:
    path = folder / "ratings.csv"
    path.write_text(text)
    return path


def assert_both_read_the_same(path: Path) -> int:
    """How many judgements there are, the same ones through both doors."""
    table = read_table(path)
    with read_judgement_material(path) as material:
        assert material.preview.format == "e2e"
        mine = Counter(
            (row.rater, row.item_key, row.system, row.criterion, row.value)
            for row in material.judgements()
        )
        assert all(row.text for row in material.outputs())
    columns = (table.rater, table.item, table.system, table.criterion)
    labels = ([column.labels[code] for code in column.codes] for column in columns)
    assert mine == Counter(zip(*labels, table.value.tolist(), strict=True))
    return len(table)


@pytest.mark.parametrize(
    ("name", "judgements"),
    [
        ("e2e-eval/human_ratings/quality", 29_790),
        *(("rankme-2018/stp1_" + name, count)
          for name, count in (("likert", 2_742), ("plainME", 2_700), ("rankME", 2_700))),
        *((f"rankme-2018/stp2_{method}_{criterion}", count)
          for method in ("likert", "plainME", "rankME")
          for criterion, count in (("inf", 900), ("nat", 900), ("qual", 1_800))),
    ],
)  # fmt: skip
def test_the_published_ratings_are_the_same_through_both_doors(name: str, judgements: int) -> None:
    assert assert_both_read_the_same(oracle_data(f"{name}.csv")) == judgements


@pytest.mark.parametrize("value", ["1e308", "-1e19", "nan", "9" * 400])
def test_a_value_that_no_definition_can_hold_is_refused_with_its_line(
    tmp_path: Path, value: str
) -> None:
    assert places(tmp_path, LONG.replace(",60,x2", f",{value},x2")) == [(4, "value")]


COMMON = """annotator,model,prompt_id,dimension,score,hour
r1,S,a,fluency,4,9
r1,T,a,fluency,5,9
r1,S,b,fluency,3,9
r2,S,a,fluency,4,10
"""


def test_common_names_are_understood_and_noted(tmp_path: Path) -> None:
    with read(tmp_path, COMMON) as material:
        preview, rows = material.preview, list(material.judgements())
    assert [(row.rater, row.system, row.item_key, row.criterion, row.value) for row in rows] == [
        ("r1", "S", "a", "fluency", 4),
        ("r1", "T", "a", "fluency", 5),
        ("r1", "S", "b", "fluency", 3),
        ("r2", "S", "a", "fluency", 4),
    ]
    assert {tuple(row.factors) for row in rows} == {("hour",)}
    assert preview.n_screens == 3
    [taken, screens] = preview.notes
    assert '"annotator" is the rater' in taken and '"score" is the value' in taken
    assert "each rater saw each item on one screen" in screens


def test_our_own_name_counts_more_than_a_common_one(tmp_path: Path) -> None:
    text = LONG.replace("entity,hour", "model,id")
    with read(tmp_path, text) as material:
        assert material.preview.systems == ("S", "T")
        assert {name for row in material.judgements() for name in row.factors} == {"id"}
        assert material.preview.notes == ()


def test_a_cell_under_a_common_name_is_reported_by_the_name_in_the_file(tmp_path: Path) -> None:
    found = places(tmp_path, COMMON + ",S,c,fluency,much,9\n")
    assert sorted(found) == [(6, "annotator"), (6, "score")]
