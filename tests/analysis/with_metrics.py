"""Judgements by people, and scores of metrics for the same outputs."""

import numpy as np

from analysis.meta_evaluation.compared import Compared
from analysis.meta_evaluation.judges import Verdict
from analysis.table import JudgementTable
from analysis.text_metrics.score_files import scores_from
from tests.analysis.judged import from_rows

SYSTEMS, ITEMS, JUDGED, RATERS = 5, 30, 20, 6
QUALITY = np.random.default_rng(3).normal(size=(SYSTEMS, ITEMS))  # of each output


def judged(seed: int = 1) -> JudgementTable:
    """Two of six raters judge each of the first items: system 4 is the best."""
    dice = np.random.default_rng(seed)
    rows = []
    for item in range(JUDGED):
        for rater in (item % RATERS, (item + 1) % RATERS):
            for system in range(SYSTEMS):
                value = system + QUALITY[system, item] + dice.normal()
                place = (f"r{rater}", f"i{item}", f"s{system}", "quality")
                rows.append((*place, value, f"r{rater}-i{item}"))
    return from_rows(rows)


def compared(seed: int = 2) -> Compared:
    dice = np.random.default_rng(seed)
    cells = {
        (metric, f"s{system}", f"i{item}"): sign * (system + QUALITY[system, item]) + dice.normal()
        for metric, sign in (("good", 1), ("errors", -1), ("noise", 0))
        for system in range(SYSTEMS)
        for item in range(ITEMS)
    }
    return Compared(scores_from(cells, ["errors"]), {"lm": (Verdict("i1", "s1", "s2", -1),)})
