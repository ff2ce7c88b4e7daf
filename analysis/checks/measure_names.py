"""The names of what rules can ask about a rater."""

from __future__ import annotations

import math
from collections.abc import Iterable

# Measures by kind of check; see `docs/quality.md`.
MEASURES: dict[str, tuple[str, ...]] = {
    "instructed": ("answered", "failed", "failed_share"),
    "known_answer": ("answered", "failed", "failed_share"),
    "better_than": ("answered", "failed", "failed_share"),
    "corruption": ("answered", "failed", "failed_share", "paired_p", "unpaired_p", "mean_drop"),
    "repeat": ("answered", "icc", "mean_difference"),
    "quiz": ("answered", "failed", "failed_share"),
    "time": ("answered", "failed", "failed_share"),
    # Shown, and never counted: who does not see movement well must not fail by it.
    "figure": (),
}
# Those of kinds that other packages add.
COUNTED = ("answered", "failed", "failed_share")
HABITS = ("impossible_times", "same_answer_share", "agreement")
# From traces of how screens were worked on, in campaigns that keep them: shares from 0 to 1.
TRACES = (
    *("pasted_share", "inserted_share", "untrusted_share", "centred_share", "instant_share"),
    *("jump_share", "webdriver_share", "away_share", "repeated_share"),
)
OF_EVERY_RATER = ("median_seconds", "median_active_seconds", "screens", *HABITS)
# The least and the largest value that a measure can have, where there are such.
RANGES = {
    **dict.fromkeys(("answered", "failed", "screens", "impossible_times"), (0, math.inf)),
    **dict.fromkeys(("mean_difference", "median_seconds", "median_active_seconds"), (0, math.inf)),
    **dict.fromkeys(("failed_share", "paired_p", "unpaired_p", "same_answer_share"), (0, 1)),
    **dict.fromkeys(TRACES, (0, 1)),
    "agreement": (-1, 1),
    "icc": (-math.inf, 1),
}
BEFORE_THE_WORK = ("quiz",)


def measures_of_kind(kind: str) -> tuple[str, ...]:
    """Name the measures that rules can use of a kind of check.

    Parameters
    ----------
    kind : of check
    """
    return MEASURES.get(kind, COUNTED)


def known_measures(checks: Iterable[tuple[str, str]]) -> set[str]:
    """Collect the names that rules may use: by name of a check, by its kind, and the general ones.

    Parameters
    ----------
    checks : (name, kind) of each check
    """
    known = set(OF_EVERY_RATER)
    for name, kind in checks:
        known |= {
            f"{owner}.{measure}" for owner in (name, kind) for measure in measures_of_kind(kind)
        }
    return known
