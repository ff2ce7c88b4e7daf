"""Whether two studies by different raters judged alike: the systems of both, as anchors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from analysis.errors import Undefined
from analysis.report.options import ReportOptions
from analysis.report.robustness_section import Judged, drift_of, fitted_versions
from analysis.robustness.drift import Drift
from analysis.scales.versions import VERSION
from analysis.table import Column, JudgementTable
from analysis.typing import Values

BEFORE, NOW = "1", "2"


@dataclass(frozen=True)
class Judging:
    """How a criterion is read, in both studies, and the options of claims about it."""

    is_relative: bool
    higher_is_better: bool
    options: ReportOptions


@dataclass(frozen=True)
class SharedScale:
    """How far systems moved between two studies, against the mean of all that are in both.

    `within` bounds all of these moves together, at the level of `drift`. `apart` is how far the
    best and the worst of the systems were apart in the earlier study.
    """

    drift: Drift
    within: float
    apart: float

    @property
    def agrees(self) -> bool | None:
        """False where a system was found to move; None where a move as large as `apart` remains."""
        if any(each.p < self.drift.alpha for each in self.drift.shifts):
            return False
        return True if self.within < self.apart else None


def shared_scale(
    before: JudgementTable, now: JudgementTable, anchors: Mapping[str, str], judging: Judging
) -> SharedScale:
    """Compare the anchors' distances from each other in two studies.

    Values are those that raters gave. A difference in level alone, as of stricter raters or harder
    items, changes no distance. Raters and items of the two studies are taken for different ones;
    where items are the same, intervals are wider than they need to be.

    Parameters
    ----------
    before, now : the judgements on one criterion
    anchors : the earlier name of each system of `now` that is in both
    judging : how the criterion is read

    Raises
    ------
    Undefined : fewer than two anchors were judged in both, or too few raters or items
    """
    earlier = {old: new for new, old in anchors.items()}
    table = _together(
        before.counted(),
        now.counted(),
        lambda name: earlier.get(name, f"{BEFORE}:{name}"),
        lambda name: name if name in anchors else f"{NOW}:{name}",
        judging.options.item_groups,
    )
    judged = Judged(
        table, judging.options, judging.higher_is_better, judging.is_relative, scale=False,
        unit="log-odds" if judging.is_relative else "",
    )  # fmt: skip
    moved = drift_of(judged)
    first: Values = fitted_versions(judged)[0][0].estimates
    common = [table.system.labels.index(name) for name in moved.common]
    within = max(abs(end) for each in moved.shifts for end in (each.low, each.high))
    return SharedScale(moved, within, float(np.ptp(first[common])))


def _together(
    before: JudgementTable,
    now: JudgementTable,
    name_before: Callable[[str], str],
    name_now: Callable[[str], str],
    item_groups: str,
) -> JudgementTable:
    """One table with the study as version, in which the two share the named systems alone."""
    if not len(before) or not len(now):
        raise Undefined("In one of the studies, no judgement counts.")
    columns: dict[str, Column | Values] = {
        name: _joined(getattr(before, name), getattr(now, name))
        for name in ("rater", "item", "screen")
    }
    if item_groups:
        columns[item_groups] = _joined(before.groups(item_groups), now.groups(item_groups))
    columns["criterion"] = _joined(before.criterion, now.criterion, lambda _: "it", lambda _: "it")
    columns["system"] = _joined(before.system, now.system, name_before, name_now)
    columns["value"] = np.concatenate([before.value, now.value])
    study = np.repeat(np.arange(2, dtype=np.int32), [len(before), len(now)])
    columns[VERSION] = Column(study, (BEFORE, NOW))
    return JudgementTable.from_columns(columns).in_order()


def _joined(
    before: Column,
    now: Column,
    name_before: Callable[[str], str] = f"{BEFORE}:{{}}".format,
    name_now: Callable[[str], str] = f"{NOW}:{{}}".format,
) -> Column:
    """Both columns as one, with each label under its new name."""
    labels = (*map(name_before, before.labels), *map(name_now, now.labels))
    return Column(np.concatenate([before.codes, now.codes + len(before.labels)]), labels)


# --- in words --------------------------------------------------------------------------------


def sentence_about(found: SharedScale, names: Mapping[str, str]) -> str:
    """Say whether the two studies' scales agree, and no more than the bounds hold.

    Parameters
    ----------
    found : of one criterion
    names : what to call the anchors
    """
    moved, unit = found.drift, f" {found.drift.unit}".rstrip()
    number, level = len(moved.common), f"{1 - moved.alpha:.0%}"
    within = f"{found.within:.2f}{unit}"
    if found.agrees is False:
        said = "; ".join(
            f"{names[each.system]} moved by {each.shift:+.2f}{unit} ({each.low:+.2f} to "
            f"{each.high:+.2f})"
            for each in moved.shifts
            if each.p < moved.alpha
        )
        return f"The two scales do not agree. Against the mean of {number} systems, {said}."
    if found.agrees:
        return (
            f"The two scales agree to within {within}: none of {number} systems that were judged "
            f"in both moved further against their mean ({level} confidence for all together)."
        )
    return (
        f"The judgements are too few to say whether the two scales agree. A system may have moved "
        f"by up to {within} against the mean of {number}; the best and the worst of them were "
        f"only {found.apart:.2f}{unit} apart before."
    )


LIMITS = (
    "Distances between the systems of both studies are compared, not levels: those depend on the "
    "raters and items. Moves are against the mean of these systems, so that one that rises moves "
    "the others down. Nothing is said about other systems."
)
