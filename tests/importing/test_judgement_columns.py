"""Judgements in tables with several columns of values, and with columns of any name."""

from pathlib import Path
from typing import Any

import pytest

from rankme.importing import (
    ImportRefused,
    InvalidColumns,
    JudgementMaterial,
    columns_from_roles,
    read_judgement_material,
    reading_from,
)

BY_CRITERION = """annotator,prompt_id,model,fluency,adequacy,topic
ada,p1,gpt,4,5,rain
ada,p1,llama,2,,rain
ben,p2,gpt,3,4.5,snow
"""
BY_SYSTEM = """rater;item;criterion;gpt;llama
ada;p1;fluency;4;2
ada;p1;adequacy;5;
ben;p2;fluency;3;1
"""


def read(tmp_path: Path, text: str, **options: Any) -> JudgementMaterial:
    path = tmp_path / "ratings.csv"
    path.write_text(text, encoding="utf-8")
    return read_judgement_material(path, **options)


def values(material: JudgementMaterial) -> set[tuple[str, str, float]]:
    rows = material.judgements()
    return {(row.system, row.criterion, row.value) for row in rows}


def test_a_column_for_each_criterion(tmp_path: Path) -> None:
    with read(tmp_path, BY_CRITERION) as material:
        preview = material.preview
        assert values(material) == {
            ("gpt", "fluency", 4),
            ("gpt", "adequacy", 5),
            ("llama", "fluency", 2),
            ("gpt", "fluency", 3),
            ("gpt", "adequacy", 4.5),
        }
        assert [item.factors for item in material.items()] == [{"topic": "rain"}, {"topic": "snow"}]
    assert (preview.n_judgements, preview.n_raters) == (5, 2)
    assert preview.tables[0].columns["layout"] == "wide"
    assert preview.systems == ("gpt", "llama")
    assert any('"fluency" (criterion fluency), "adequacy"' in note for note in preview.notes)
    assert any('"annotator" is the rater' in note for note in preview.notes)


def test_a_column_for_each_system(tmp_path: Path) -> None:
    with read(tmp_path, BY_SYSTEM) as material:
        assert values(material) == {
            ("gpt", "fluency", 4),
            ("llama", "fluency", 2),
            ("gpt", "adequacy", 5),
            ("gpt", "fluency", 3),
            ("llama", "fluency", 1),
        }
        assert material.preview.n_items == 2


def test_a_wrong_cell_is_named_by_its_column_and_a_missing_rater_once(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused) as refused:
        # The first rows decide what a column is; a word further down is a mistake.
        lines = [f"ada,q{number},gpt,1,1,rain" for number in range(200)]
        read(
            tmp_path,
            BY_CRITERION + "\n".join([*lines, "ada,r1,gpt,good,3,rain", ",r2,gpt,1,2,rain"]),
        )
    found = [(problem.line, problem.column) for problem in refused.value.problems]
    assert found == [(205, "fluency"), (206, "annotator")]


def test_a_table_without_values_or_raters_is_refused_with_what_it_has(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match=r"No column has the values.*The file has: rater, item"):
        read(tmp_path, "rater,item,system,topic\nada,p1,gpt,rain\n")
    with pytest.raises(ImportRefused, match="Say which column names the raters"):
        read(tmp_path, "item,system,bleu,rouge\np1,gpt,.1,.2\n")


CELLS = {
    ("gpt", "fluency", 4),
    ("gpt", "adequacy", 5),
    ("lla_ma", "fluency", 2),
    ("lla_ma", "adequacy", 1),
}


@pytest.mark.parametrize(
    "headings",
    [
        "gpt_fluency,gpt_adequacy,lla_ma_fluency,lla_ma_adequacy",
        "fluency_gpt,adequacy_gpt,fluency_lla_ma,adequacy_lla_ma",
        "gpt: fluency,gpt: adequacy,lla_ma: fluency,lla_ma: adequacy",
        "gpt / fluency,gpt / adequacy,lla_ma / fluency,lla_ma / adequacy",
    ],
)
def test_a_column_for_each_system_and_criterion(tmp_path: Path, headings: str) -> None:
    """A number that is in no combination is a property of the item."""
    with read(tmp_path, f"rater,item,group_size,{headings}\nada,p1,31,4,5,2,1\n") as material:
        assert values(material) == CELLS
        assert [row.factors for row in material.judgements()] == [{}] * 4
        assert [item.factors for item in material.items()] == [{"group_size": "31"}]


def test_a_column_for_each_rater(tmp_path: Path) -> None:
    text = "item,system,criterion,annotator1,annotator2\np1,gpt,fluency,4,5\n"
    with read(tmp_path, text) as material:
        assert [(row.rater, row.value) for row in material.judgements()] == [
            ("annotator1", 4),
            ("annotator2", 5),
        ]
    text = "item,system,rater1_fluency,rater1_style,rater2_fluency,rater2_style\np1,gpt,1,2,3,4\n"
    with read(tmp_path, text) as material:
        rows = {(row.rater, row.criterion, row.value) for row in material.judgements()}
    assert rows == {
        ("rater1", "fluency", 1),
        ("rater1", "style", 2),
        ("rater2", "fluency", 3),
        ("rater2", "style", 4),
    }


def test_one_question_needs_no_name_and_one_system_is_the_file(tmp_path: Path) -> None:
    with read(tmp_path, "rater,item,gpt,llama\nada,p1,1,2\n") as material:
        assert values(material) == {("gpt", "score", 1), ("llama", "score", 2)}
    with read(tmp_path, "rater,item,fluency,adequacy\nada,p1,1,2\n") as material:
        assert values(material) == {("ratings", "fluency", 1), ("ratings", "adequacy", 2)}


DESCRIBED = {
    "layout": "wide",
    "columns": {"rater": "who", "input": "text"},
    "value_columns": {
        "one": {"system": "A", "criterion": "q"},
        "two": {"system": "B", "criterion": "q"},
    },
    "factors": ["topic"],
}


def test_columns_are_read_as_described(tmp_path: Path) -> None:
    text = "who,text,one,two,topic,other\nada,Why?,1,2,rain,x\n"
    with read(tmp_path, text, reading=reading_from({"tables": [DESCRIBED]})) as material:
        assert values(material) == {("A", "q", 1), ("B", "q", 2)}
        [item] = material.items()
        [table] = material.preview.tables
    assert (item.key, item.input, item.factors) == ("Why?", "Why?", {"topic": "rain"})
    assert table.columns == DESCRIBED
    assert table.roles == ("rater", "input", "value", "value", "factor", "leave out")
    assert any("left out: other" in note for note in material.preview.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": {"rater": "who"}}, "names the items"),
        ({"columns": {"input": "text"}}, "names the raters"),
        ({"columns": {"rater": "who", "item": "text", "system": "x"}}, "in the headings"),
        ({"columns": {"rater": "who", "item": "text", "mood": "x"}}, "no role"),
        ({"value_columns": {}}, "have the values"),
        ({"value_columns": {"one": {"mood": "A"}}}, "what they say"),
    ],
)
def test_descriptions_that_make_no_sense_are_refused(change: dict, message: str) -> None:
    with pytest.raises(InvalidColumns, match=message):
        reading_from({"tables": [DESCRIBED | change]})


FORM = [
    ("who", "rater"),
    ("text", "item"),
    ("gpt_a", "value"),
    ("gpt_b", "value"),
    ("x", "leave out"),
]


def test_a_form_says_roles_and_what_headings_name() -> None:
    """Both headings share a system: the automatic reading takes what varies as the criterion."""
    assert columns_from_roles(FORM, "judgements").headings == {
        "gpt_a": {"system": "gpt", "criterion": "a"},
        "gpt_b": {"system": "gpt", "criterion": "b"},
    }
    turned = columns_from_roles(FORM, "judgements", says=("criterion", "system"))
    assert turned.headings["gpt_a"] == {"criterion": "gpt", "system": "a"}
    whole = columns_from_roles(FORM, "judgements", says=("system",))
    assert whole.headings["gpt_a"] == {"system": "gpt_a"}
    with pytest.raises(InvalidColumns, match="says only one thing"):
        columns_from_roles([*FORM, ("alone", "value")], "judgements", says=("system", "criterion"))
    with pytest.raises(InvalidColumns, match="Two columns are the rater"):
        columns_from_roles([*FORM, ("y", "rater")], "judgements")
