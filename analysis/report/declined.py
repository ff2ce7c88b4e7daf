"""Raters who could not judge: how often, of which systems, why, and who."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from typing import Any

from analysis.errors import TableError
from analysis.report.layout.table_model import SYSTEM, Column, Role, Table, number, rows_of, whole
from analysis.table import JudgementTable
from analysis.table_files import guarded, unguarded
from analysis.translatable import gettext_noop as _

# Of a bundle: the answers one by one, and their counts as the report has them.
ANSWERS, COUNTS = "cannot_judge.csv", "cannot_judge.json"

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
    counts = sorted(Counter(names).items(), key=lambda each: (-each[1], each[0]))
    return [[name, count] for name, count in counts]


def recounted(
    answers: Iterable[DeclinedAnswer], table: JudgementTable, *, exclude_raters: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Count such answers again without some raters.

    Parameters
    ----------
    answers : of raters who could not judge
    table : all judgements of the report
    exclude_raters : labels
    """
    people = table.counted()
    return count_declined(
        (answer for answer in answers if answer.rater not in exclude_raters),
        people.without_raters(set(exclude_raters) & set(people.rater.labels)),
    )


def declined_files(
    answers: Collection[DeclinedAnswer], counts: Mapping[str, Any]
) -> dict[str, bytes]:
    """Make the files of a bundle that `read_answers` reads; none without counts.

    The order of criteria does not change them: a JSON store need not keep it.

    Parameters
    ----------
    answers : of raters who could not judge
    counts : by criterion
    """
    files = {}
    if counts:
        files[COUNTS] = json.dumps(counts, indent=1, ensure_ascii=False, sort_keys=True).encode()
    if answers:
        rows = io.StringIO()
        writer = csv.writer(rows, lineterminator="\n")
        writer.writerow(field.name for field in fields(DeclinedAnswer))
        in_order = sorted(answers, key=lambda answer: answer.criterion)
        writer.writerows(map(guarded, astuple(answer)) for answer in in_order)
        files[ANSWERS] = rows.getvalue().encode()
    return files


def read_answers(
    files: Mapping[str, bytes], table: JudgementTable, *, exclude_raters: Collection[str]
) -> list[DeclinedAnswer] | None:
    """Return the answers of a bundle, after they were counted again.

    Parameters
    ----------
    files : of the bundle, by name
    table, exclude_raters : the bundle's judgements, and the raters that its options leave out

    Returns
    -------
    None where the bundle does not have them.

    Raises
    ------
    TableError : a file is malformed, or the counts are not those of the answers
    """
    if ANSWERS not in files:
        return None
    try:
        rows = csv.DictReader(io.StringIO(files[ANSWERS].decode()), strict=True)
        names = [field.name for field in fields(DeclinedAnswer)]
        found = [DeclinedAnswer(*(unguarded(row[name]) for name in names)) for row in rows]
        counts = json.loads(files[COUNTS])
    except (csv.Error, AttributeError, KeyError, ValueError) as error:
        raise TableError([f"{ANSWERS} or {COUNTS} cannot be read: {error}."]) from error
    if counts != recounted(found, table, exclude_raters=exclude_raters):
        raise TableError([f"{COUNTS} has other counts than follow from {ANSWERS}."])
    return found


def declined_tables(counts: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the tables of one criterion; none without answers.

    Parameters
    ----------
    counts : what `count_declined` counted
    """
    if not counts:
        return
    yield Table(
        "cannot-judge",
        _("Answers of raters who could not judge, by system"),
        (SYSTEM, whole(_("Judged")), whole(_("Could not judge")), number(_("Share"))),
        rows_of(
            (name or "–", judged, declined, declined / (judged + declined))
            for name, judged, declined in counts["systems"]
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
            (Column(title), whole(_("Answers"))),
            rows_of((label or "–", count) for label, count in counts[name]),
        )
