"""Simulated shares of each kind of rater that a rule catches, for `docs/quality.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.checks.joint import Planned, caught, simulated_measures
from analysis.checks.rater_models import MODELS
from analysis.checks.rules import parse_rule

WORKING_PAGES = 30
# Instructed answers are right on a seventh of the line, known ones on three tenths of it.
ACCEPTED = {"instructed": 0.14, "known_answer": 0.3}


def caught_shares(
    rules: Sequence[str], pages: Mapping[str, int], *, raters: int, seed: int
) -> list[dict[str, float]]:
    """For each rule, the share of each kind of rater whom it catches after these pages.

    Parameters
    ----------
    rules : as in a campaign file; all of them judge the same raters
    pages : how many pages of each kind of check a rater meets
    raters : how many of each kind are simulated
    seed : the same seed gives the same shares
    """
    checks = [Planned(kind, kind, count, ACCEPTED.get(kind, 0.2)) for kind, count in pages.items()]
    n_pages = WORKING_PAGES + sum(pages.values())
    shares: list[dict[str, float]] = [{} for _ in rules]
    for number, model in enumerate(MODELS):
        rng = np.random.default_rng([seed, number])
        measures = dict(simulated_measures(checks, model, rng, raters))
        seconds = model.seconds * np.exp(rng.normal(0, 0.5, (raters, n_pages)))
        measures["median_seconds"] = np.median(seconds, axis=1)
        for share, rule in zip(shares, rules, strict=True):
            found = caught(parse_rule(rule), measures)
            share[model.name] = 0.0 if found is None else float(np.mean(found))
    return shares


# Rules on a mixture: a fifth instructed, a half damaged copies, three tenths repetitions.
RULES = (
    "instructed.failed >= 2",
    "corruption.paired_p > .05 or instructed.failed >= 2",
    "corruption.paired_p > .05 or instructed.failed >= 2 or repeat.icc < .3 or median_seconds < 5",
)


def mixture(n_checks: int) -> dict[str, int]:
    """Divide pages of checks: a fifth of instructed ones, half of damaged copies, the rest
    repeated.

    Parameters
    ----------
    n_checks : pages in all
    """
    return {
        "instructed": n_checks // 5,
        "corruption": n_checks // 2,
        "repeat": n_checks - n_checks // 5 - n_checks // 2,
    }
