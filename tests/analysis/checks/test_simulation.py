"""The printed table on quality, on a reduced size, and what it must show at any size."""

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from analysis.checks.forecast import forecast
from analysis.checks.joint import Planned
from analysis.checks.rater_models import LINE, MODELS, Scale
from analysis.checks.rules import parse_rule
from analysis.checks.simulation import RULES, caught_shares, mixture

RATERS = 150
PAGE = Path(__file__).resolve().parents[3] / "docs/quality.md"
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


def test_the_first_rule_of_the_docs_loses_few_careful_raters():
    text = PAGE.read_text(encoding="utf-8").partition("```yaml")[2].partition("```")[0]
    document = yaml.safe_load(text)
    rule = parse_rule(document["rules"]["exclude_if"])
    for scale, most in ((LINE, 0.04), (Scale(1, 7, 7), 0.06), (Scale(1, 5, 5), 0.08)):
        checks = [
            Planned(check["name"], check["kind"], check["per_batch"], scale=scale)
            for check in document["checks"]
            if check["kind"] != "quiz"
        ]
        whole = forecast(rule, checks).whole
        assert whole.careful_lost < most and whole.careless_kept < 0.02


def test_failures_add_up_over_batches_as_the_docs_say():
    [after_one], [after_five] = (
        caught_shares(
            ["instructed.failed >= 2"], {"instructed": 10 * batches}, raters=4_000, seed=5
        )
        for batches in (1, 5)
    )
    assert after_one["careful"] == pytest.approx(0.024, abs=0.01)
    assert after_five["careful"] == pytest.approx(0.36, abs=0.04)
