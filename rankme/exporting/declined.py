"""Answers of raters who could not judge: as CSV, and as an analysis run keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from analysis.report.declined import DeclinedAnswer, declined_files
from rankme.models import Campaign
from rankme.queries.cannot_judge import declined_of

from .files import CSV, ExportedFile, csv_line

COLUMNS = ("criterion", "system", "item", "rater", "reason", "version", "excluded")


def declined_csv(campaign: Campaign) -> Iterator[bytes]:
    """One row for each such answer that counts; the reason is its name in the campaign file."""
    yield csv_line(COLUMNS)
    for answer in declined_of(campaign):
        yield csv_line(
            (
                *(answer.criterion, answer.system, answer.item, answer.rater, answer.reason),
                *(answer.version, int(answer.excluded)),
            )
        )


def declined_file(campaign: Campaign) -> ExportedFile:
    return ExportedFile(f"{campaign.code}-cannot-judge.csv", CSV, declined_csv(campaign))


# In a run: what its report needs, and with each criterion's counts the answers behind them.
KEPT_ANSWERS = "answers"


def kept_declined(answers: Iterable[DeclinedAnswer], counts: Mapping[str, Any]) -> dict[str, Any]:
    """Counts and answers as one JSON document; `declined_of_run` takes them apart."""
    kept: dict[str, Any] = {
        name: dict(found) | {KEPT_ANSWERS: []} for name, found in counts.items()
    }
    for answer in answers:
        kept[answer.criterion][KEPT_ANSWERS].append([answer.system, answer.reason, answer.rater])
    return kept


def declined_of_run(kept: Mapping[str, Any]) -> tuple[list[DeclinedAnswer], dict[str, Any]]:
    """The answers and the counts of a run; older runs have the counts alone."""
    answers = [
        DeclinedAnswer(criterion, *row)
        for criterion, found in kept.items()
        for row in found.get(KEPT_ANSWERS, ())
    ]
    counts = {
        criterion: {name: value for name, value in found.items() if name != KEPT_ANSWERS}
        for criterion, found in kept.items()
    }
    return answers, counts


def declined_files_of_run(kept: Mapping[str, Any]) -> dict[str, bytes]:
    """Files of the run's bundle about raters who could not judge."""
    answers, counts = declined_of_run(kept)
    return declined_files(answers, counts)
