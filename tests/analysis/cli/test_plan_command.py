"""The plan command says what a pilot cannot tell."""

import pytest

from analysis.cli import main
from benchmarks.false_claims import Cell
from tests.analysis.judged import stored


@pytest.mark.parametrize(("systems", "is_warned"), [(2, True), (3, False)])
def test_a_plan_says_what_one_difference_cannot_tell(tmp_path, capsys, systems, is_warned):
    pilot = stored(Cell(4, 12, systems, "tasteful raters").campaign(1), tmp_path / "pilot.csv")
    assert main(["plan", pilot, "--raters", "12", "--items", "40"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "The pilot lets expect that" in shown
    assert ("A pilot of two systems has one difference" in shown) == is_warned
