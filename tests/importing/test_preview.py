"""What the organiser is shown before taking material: coverage, sameness, strangeness."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankme.importing.characters import folded, strange_characters
from tests.importing.uploads import ITEMS, OUTPUTS, problems_of, read


def test_identical_outputs_and_whole_systems_are_found(tmp_path: Path) -> None:
    outputs = "system,item,output\nS,a,same\nS,b,one\nT,a,same\nT,b,two\nU,a,same\nU,b,one\n"
    with read(tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": outputs}) as material:
        preview = material.preview
    assert preview.identical_outputs == 5
    pairs = {(pair.first, pair.second): pair.items for pair in preview.identical_pairs}
    assert pairs == {("S", "T"): 1, ("S", "U"): 2, ("T", "U"): 1}
    assert preview.identical_systems == (("S", "U"),)


def test_the_coverage_counts_missing_and_empty_outputs(tmp_path: Path) -> None:
    outputs = "system,item,output\nS,a,  \nS,b,text\nT,b,\n"
    with read(tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": outputs}) as material:
        first, second = material.preview.systems
        preview = material.preview
    assert (first.outputs, first.missing, first.empty, first.mean_length) == (2, 0, 1, 3.0)
    assert (second.outputs, second.missing, second.missing_items) == (1, 1, ("a",))
    assert (preview.n_outputs, preview.missing, preview.empty) == (3, 1, 2)
    assert not preview.is_complete


def test_the_longest_texts_come_first_and_samples_are_as_read(tmp_path: Path) -> None:
    with read(
        tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": OUTPUTS.replace("T of b", "long " * 9)}
    ) as material:
        preview = material.preview
    assert (preview.longest[0].system, preview.longest[0].item) == ("T", "b")
    assert preview.longest[0].characters == 45
    assert preview.samples[0].outputs == {"S": "S of a", "T": "T of a"}
    assert preview.samples[0].factors == {"domain": "x"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("abc\u202edef", "text direction mark"),
        ("zero\u200bwidth", "invisible character"),
        ("inner\ufeffmark", "invisible character"),
        ("bell\x07", "control character"),
        ("next\x85line", "control character"),
        ("lost\ufffd", "replacement character"),
        ("own\ue001", "unassigned or private character"),
        ("e\u0301", "not in the normal form NFC"),
    ],
)
def test_strange_characters_are_kept_counted_and_shown(
    tmp_path: Path, text: str, kind: str
) -> None:
    outputs = OUTPUTS.replace("S of b", text)
    with read(tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": outputs}) as material:
        [strange] = material.preview.strange
        assert text in [row.text for row in material.outputs()], "the text itself stays as it is"
    assert (strange.kind, strange.outputs) == (kind, 1)
    assert strange.examples[0][:2] == ("S", "b")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_has_no_strange_characters(text: str) -> None:
    assert strange_characters(text) == []


@pytest.mark.parametrize("text", ["Ünïcode – “text” …", "日本語", "مرحبا", "line\nbreak", "👍🏽"])
def test_ordinary_text_of_any_script_is_not_strange(text: str) -> None:
    assert strange_characters(text) == []


@pytest.mark.parametrize(
    ("one", "other"), [("GPT", "gpt"), ("Straße", "STRASSE"), ("Café", "Cafe\u0301")]
)
def test_names_that_look_alike_are_one_name_and_refused_as_two(
    tmp_path: Path, one: str, other: str
) -> None:
    assert folded(one) == folded(other)
    outputs = f"system,item,output\n{one},a,x\n{other},b,y\n"
    [problem] = problems_of(tmp_path / "up", {"items.csv": ITEMS, "outputs.csv": outputs})
    assert "differ only in upper and lower case" in problem.message
    assert (problem.line, problem.column) == (3, "system")


def test_a_repeated_file_shows_by_its_hash(tmp_path: Path) -> None:
    tsv = "MR\toutput\nname[A]\tText.\n"
    with read(tmp_path / "up", {"one.tsv": tsv, "two.tsv": tsv}) as material:
        first, second = material.preview.files
        assert first.sha256 == second.sha256
        assert (first.rows, first.bytes) == (1, len(tsv))
        assert material.preview.identical_systems == (("one", "two"),)
