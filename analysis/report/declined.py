"""Raters who could not judge: how often, of which systems, why, and who."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analysis.report.table_model import SYSTEM, Column, Format, Role, Table, rows_of
from analysis.table import JudgementTable
from analysis.translatable import gettext_noop as _

__all__ = ["DeclinedAnswer", "count_declined", "declined_tables"]

WHAT_IT_MEANS = _(
    "Answers of raters who could not judge have no value: they are missing, and no mean counts "
    "them as zero. If raters decline the worst texts, or the best, then what is missing is not "
    "missing at random, and the systems with many such answers look better, or worse, than they "
    "are. Compare these shares before you compare the systems."
)


@dataclass(frozen=True)
class DeclinedAnswer:
    """One answer of a rater who could not judge; `system` is empty where it is about several."""

    criterion: str
    system: str
    reason: str
    rater: str


def count_declined(
    answers: Iterable[DeclinedAnswer], table: JudgementTable
) -> dict[str, dict[str, Any]]:
    """Counts by criterion, as JSON: systems with judged and declined answers, reasons, raters.

    Parameters
    ----------
    answers : those that count
    table : the judgements with values, of the same raters
    """
    by_criterion: dict[str, list[DeclinedAnswer]] = {}
    for answer in answers:
        by_criterion.setdefault(answer.criterion, []).append(answer)
    return {
        criterion: {
            "systems": _by_system(found, table, criterion),
            "reasons": _counted(answer.reason for answer in found),
            "raters": _counted(answer.rater for answer in found),
        }
        for criterion, found in by_criterion.items()
    }


def _by_system(
    answers: Iterable[DeclinedAnswer], table: JudgementTable, criterion: str
) -> list[list[Any]]:
    declined = Counter(answer.system for answer in answers)
    judged: Counter[str] = Counter()
    if criterion in table.criterion.labels:
        part = table.counted().for_criterion(criterion)
        judged.update(part.system.labels[code] for code in part.system.codes.tolist())
    return [[name, judged[name], declined[name]] for name in sorted({*judged, *declined})]


def _counted(names: Iterable[str]) -> list[list[Any]]:
    return [[name, count] for name, count in sorted(Counter(names).items(), key=_largest_first)]


def _largest_first(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def declined_tables(counts: Mapping[str, Any]) -> Iterator[Table]:
    """The tables of one criterion, from what `count_declined` counted; none without answers."""
    if not counts:
        return
    yield Table(
        "cannot-judge",
        _("Answers of raters who could not judge, by system"),
        (
            SYSTEM,
            Column(_("Judged"), Format.WHOLE),
            Column(_("Could not judge"), Format.WHOLE),
            Column(_("Share"), Format.NUMBER, 3),
        ),
        rows_of(
            *(
                (name or "–", judged, declined, declined / (judged + declined))
                for name, judged, declined in counts["systems"]
            )
        ),
        role=Role.HONEST,
        notes=(WHAT_IT_MEANS,),
    )
    for name, caption, title in (
        ("reasons", _("Why raters could not judge"), _("Reason")),
        ("raters", _("Raters who could not judge"), _("Rater")),
    ):
        yield Table(
            f"cannot-judge-{name}",
            caption,
            (Column(title), Column(_("Answers"), Format.WHOLE)),
            rows_of(*((label or "–", count) for label, count in counts[name])),
        )
