"""Judgements in wide tables: a column for each criterion, or one for each system."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankme.importing import ImportRefused, JudgementMaterial, read_judgement_material

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


def read(tmp_path: Path, text: str, **options: str) -> JudgementMaterial:
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
    assert (preview.format, preview.n_judgements, preview.n_raters) == ("wide", 5, 2)
    assert preview.systems == ("gpt", "llama")
    assert any(
        'the values of one criterion: "fluency", "adequacy"' in note for note in preview.notes
    )
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


def test_a_table_without_values_or_with_neither_systems_nor_criteria_is_refused(
    tmp_path: Path,
) -> None:
    with pytest.raises(ImportRefused, match="No column has the values of a criterion"):
        read(tmp_path, "rater,item,system,topic\nada,p1,gpt,rain\n")
    with pytest.raises(ImportRefused, match="These columns are missing"):
        read(tmp_path, "rater,item,gpt,llama\nada,p1,1,2\n")
