"""Judgements by people, and scores of metrics for the same outputs."""

import numpy as np

from analysis.meta_evaluation.compared import Compared
from analysis.meta_evaluation.judges import Verdict
from analysis.table import JudgementTable
from analysis.text_metrics.score_files import scores_from

SYSTEMS, ITEMS, JUDGED, RATERS = 5, 30, 20, 6
QUALITY = np.random.default_rng(3).normal(size=(SYSTEMS, ITEMS))  # of each output


def judged(seed: int = 1) -> JudgementTable:
    """Two of six raters judge each of the first items: system 4 is the best."""
    dice = np.random.default_rng(seed)
    rows = [
        (
            f"r{(item + k) % RATERS}",
            f"i{item}",
            f"s{system}",
            system + QUALITY[system, item] + dice.normal(),
        )
        for item in range(JUDGED)
        for k in range(2)
        for system in range(SYSTEMS)
    ]
    rater, item, system, value = (list(column) for column in zip(*rows, strict=True))
    return JudgementTable.from_columns(
        {
            "rater": rater,
            "item": item,
            "system": system,
            "criterion": ["quality"] * len(rows),
            "screen": [f"{a}-{b}" for a, b in zip(rater, item, strict=True)],
            "value": value,
        }
    )


def compared(seed: int = 2) -> Compared:
    dice = np.random.default_rng(seed)
    cells = {
        (metric, f"s{system}", f"i{item}"): sign * (system + QUALITY[system, item]) + dice.normal()
        for metric, sign in (("good", 1), ("errors", -1), ("noise", 0))
        for system in range(SYSTEMS)
        for item in range(ITEMS)
    }
    return Compared(scores_from(cells, ["errors"]), {"lm": (Verdict("i1", "s1", "s2", -1),)})
