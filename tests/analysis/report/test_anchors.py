"""Scales of two studies that share systems: agreement is bounded, and a move is named."""

import re
from dataclasses import replace

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.report.anchors import Judging, sentence_about, shared_scale
from analysis.report.options import ReportOptions
from analysis.table import JudgementTable
from tests.analysis.judged import from_rows

JUDGING = Judging(is_relative=False, higher_is_better=True, options=ReportOptions())
ANCHORS = {"a": "S03", "b": "S01", "c": "S02"}
NAMES = {name: name.upper() for name in ANCHORS}
BEFORE = {"S03": 0.0, "S01": 1.0, "S02": 2.0, "S04": 5.0}
NOW = {"a": 0.0, "b": 1.0, "c": 2.0, "new": 9.0}


def study(means, rng, *, raters=12, items=20, noise=0.7, level=0.0) -> JudgementTable:
    """Each rater judges each item's outputs, with a strictness of the own."""
    rows = []
    strictness, hardness = rng.normal(0, 0.4, raters), rng.normal(0, 0.4, items)
    tastes = rng.normal(0, 0.2, (items, len(means)))
    for rater in range(raters):
        for item in range(items):
            for place, (system, mean) in enumerate(means.items()):
                value = mean + level + strictness[rater] + hardness[item] + tastes[item, place]
                value += rng.normal(0, noise)
                rows.append((f"r{rater}", f"i{item}", system, "quality", value, f"{rater}-{item}"))
    return from_rows(rows)


def test_scales_that_agree_are_said_to_agree_within_a_bound():
    rng = np.random.default_rng(1)
    found = shared_scale(study(BEFORE, rng), study(NOW, rng), ANCHORS, JUDGING)
    assert found.agrees is True
    assert set(found.drift.common) == {"a", "b", "c"}
    assert set(found.drift.joined) == {"1:S04", "2:new"}
    assert found.apart == pytest.approx(2, abs=0.3)
    said = sentence_about(found, NAMES)
    assert said.startswith(f"The two scales agree to within {found.within:.2f}: none of 3 systems")
    assert "95% confidence" in said and "value" not in said


def test_a_system_that_moved_is_named_and_the_scales_do_not_agree():
    rng = np.random.default_rng(2)
    found = shared_scale(study(BEFORE, rng), study(NOW | {"c": 0.5}, rng), ANCHORS, JUDGING)
    assert found.agrees is False
    said = sentence_about(found, NAMES)
    assert said.startswith("The two scales do not agree. Against the mean of 3 systems, ")
    assert re.search(r"C moved by -(0\.9|1\.0)", said)


def test_few_judgements_are_not_taken_for_agreement():
    rng = np.random.default_rng(3)
    small = {"raters": 3, "items": 4, "noise": 3.0}
    found = shared_scale(study(BEFORE, rng, **small), study(NOW, rng, **small), ANCHORS, JUDGING)
    assert found.agrees is None and found.within > found.apart
    assert sentence_about(found, NAMES).startswith("The judgements are too few to say")


def test_a_change_of_level_alone_changes_nothing():
    ends = []
    for level in (0.0, 30.0):
        rng = np.random.default_rng(4)
        before = study(BEFORE, rng)
        found = shared_scale(before, study(NOW, rng, level=level), ANCHORS, JUDGING)
        ends.append([(each.low, each.high) for each in found.drift.shifts])
    assert np.allclose(*ends)


def test_raters_and_items_of_both_studies_are_different_ones():
    """Their names are the same by chance; renamed, the numbers must not change."""
    rng = np.random.default_rng(5)
    before, now = study(BEFORE, rng), study(NOW, rng)
    renamed = replace(
        now,
        rater=now.rater._replace(labels=tuple(f"x{each}" for each in now.rater.labels)),
        item=now.item._replace(labels=tuple(f"x{each}" for each in now.item.labels)),
    )
    once, again = (shared_scale(before, each, ANCHORS, JUDGING) for each in (now, renamed))
    assert once == again


def test_one_system_in_both_studies_is_too_few():
    rng = np.random.default_rng(6)
    with pytest.raises(Undefined, match="there is one"):
        shared_scale(study(BEFORE, rng), study(NOW, rng), {"a": "S03"}, JUDGING)


def test_comparisons_are_read_as_log_odds():
    rng = np.random.default_rng(7)
    judging = replace(JUDGING, is_relative=True)
    found = shared_scale(study(BEFORE, rng), study(NOW, rng), ANCHORS, judging)
    assert found.drift.unit == "log-odds" and found.agrees is not False


def test_the_bound_holds_and_moves_that_do_not_exist_are_rarely_claimed():
    """Of 200 pairs of studies at .05, two standard errors above it; the control always moves."""
    rng = np.random.default_rng(8)
    small = {"raters": 6, "items": 12}
    claimed = missed = 0
    for _ in range(200):
        found = shared_scale(
            study(BEFORE, rng, **small), study(NOW, rng, level=1, **small), ANCHORS, JUDGING
        )
        claimed += found.agrees is False
        missed += any(not each.low <= 0 <= each.high for each in found.drift.shifts)
    assert max(claimed, missed) / 200 <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5
    moved = [
        shared_scale(
            study(BEFORE, rng, **small), study(NOW | {"c": 4.0}, rng, **small), ANCHORS, JUDGING
        )
        for _ in range(10)
    ]
    assert all(each.agrees is False for each in moved)
