"""Export raters' answers about themselves, before and after the work, as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from rankme.models import Campaign

from .files import CSV, ExportedFile, csv_line

COLUMNS = ("rater", "when", "question", "answer", "excluded")


def own_answers_csv(campaign: Campaign) -> Iterator[bytes]:
    """One row for each answer, by rater; choices by their names."""
    yield csv_line(COLUMNS)
    excluded = set(
        campaign.rater_exclusions.filter(withdrawn_at=None).values_list("participant_id", flat=True)
    )
    raters = campaign.participants.order_by("pk").only("label", "entry_answers", "end_answers")
    for rater in raters.iterator():
        for when, answers in (("entry", rater.entry_answers), ("end", rater.end_answers)):
            for question, answer in answers.items():
                yield csv_line((rater.label, when, question, answer, int(rater.pk in excluded)))


def own_answers_file(campaign: Campaign) -> ExportedFile:
    return ExportedFile(f"{campaign.code}-answers.csv", CSV, own_answers_csv(campaign))
