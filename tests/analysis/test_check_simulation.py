"""The printed table on quality, on a reduced size, and what it must show at any size."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from analysis.checks.simulation import MODELS, RULES, caught_shares, mixture

RATERS = 150
PAGE = Path(__file__).resolve().parents[2] / "docs/quality.md"
ROW = re.compile(r"^\| (\d+ [a-z_0-9, ]+) \| `(.+?)` \| (.+) \|$", re.M)


def pages_in_words(pages: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in pages.items())


def printed() -> dict[tuple[str, str], dict[str, float]]:
    names = [model.name for model in MODELS]
    return {
        (pages, rule): {
            name: float(share.removesuffix(" %")) / 100
            for name, share in zip(names, shares.split(" | "), strict=True)
        }
        for pages, rule, shares in ROW.findall(PAGE.read_text(encoding="utf-8"))
    }


@cache
def shares_of_rules(n_checks: int) -> list[dict[str, float]]:
    return caught_shares(RULES, mixture(n_checks), raters=RATERS, seed=2)


@pytest.mark.parametrize("n_checks", [10, 20])
@pytest.mark.parametrize("rule", RULES)
def test_the_printed_shares_are_those_of_the_simulation(rule, n_checks):
    expected = printed()[pages_in_words(mixture(n_checks)), rule]
    found = dict(zip(RULES, shares_of_rules(n_checks), strict=True))[rule]
    assert found.keys() == {model.name for model in MODELS}
    for name, share in found.items():
        # Four standard errors of a share among so many raters.
        assert share == pytest.approx(expected[name], abs=4 * 0.5 / RATERS**0.5), name


def test_pairs_lose_fewer_careful_raters_than_the_unpaired_test():
    for n_checks in (10, 20):
        paired = printed()[f"{n_checks} corruption", "corruption.paired_p > .05"]
        unpaired = printed()[f"{n_checks} corruption", "corruption.unpaired_p > .05"]
        assert paired["careful"] <= unpaired["careful"]


def test_the_table_has_every_rule_at_both_numbers():
    assert len(printed()) == 18
