"""The page about five tools shows the numbers of the simulation, and these can be found again."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.five_tools import RESULTS, TASTES, TOOLS, campaign, cells, read, simulated

PAGE = (Path(__file__).parents[2] / "docs/five-tools.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("tastes", "systems"), [("with tastes", 2), ("with tastes", 5), ("without tastes", 2)]
)
def test_the_page_shows_the_numbers_of_the_file(tastes, systems):
    rows = read(RESULTS)
    for tool in TOOLS:
        assert f"| {tool} | {' | '.join(cells(rows, tool, tastes, systems))} |" in PAGE


def test_with_tastes_only_errors_of_raters_and_items_keep_the_level():
    """Forty campaigns; the same tools without tastes are the control."""
    false = {
        tastes: {row["tool"]: float(row["false"]) for row in simulated(tastes, 2, 3, 40)}
        for tastes in TASTES
    }
    assert false["with tastes"]["RankME"] <= 0.15
    others = set(TOOLS) - {"RankME"}
    assert all(false["with tastes"][tool] >= 0.15 for tool in others)
    assert all(false["without tastes"][tool] <= 0.15 for tool in others)


def test_every_tool_finds_a_difference_that_is_plain():
    rng = np.random.default_rng(1)
    values = campaign(rng, 12, 2, TASTES["with tastes"], effect=3.0)
    assert all(claim(values, rng) == {(0, 1)} for claim in TOOLS.values())
