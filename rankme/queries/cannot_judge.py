"""Count the answers “cannot judge” by criterion, system, reason and rater."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankme.models import Campaign

from .counting import ANSWERS, COUNTED
from .sql import rows_of

# As in the judgement table, a question about the item counts for the only output of its trial.
DECLINED = f"""
    SELECT c.name, COALESCE(sy.name, ''), i.key, p.label, j.cannot_judge, s.version,
        e.id IS NOT NULL
    {ANSWERS}
    LEFT JOIN rankme_output o ON o.id = COALESCE(j.output_id, (
        SELECT min(place.output_id) FROM rankme_trialoutput place
        WHERE place.trial_id = s.trial_id HAVING count(*) = 1))
    LEFT JOIN rankme_system sy ON sy.id = o.system_id
    LEFT JOIN rankme_raterexclusion e
        ON e.participant_id = a.participant_id AND e.withdrawn_at IS NULL
    WHERE a.campaign_id = %s AND j.cannot_judge IS NOT NULL AND ({COUNTED})
    ORDER BY c.position, sy.position, i.position, p.id, j.id"""


@dataclass(frozen=True)
class Declined:
    """One answer of a rater who could not judge; the reason is its name in the campaign file."""

    criterion: str
    system: str
    item: str
    rater: str
    reason: str
    version: int
    excluded: bool


def declined_of(campaign: Campaign) -> Iterator[Declined]:
    """Every such answer that counts; those of excluded raters are among them, and marked."""
    for row in rows_of(DECLINED, [campaign.pk]):
        yield Declined(*row)


def declined_by_rater(participants: Sequence[int]) -> dict[int, tuple[int, int]]:
    """By rater: how many answers could not be judged, of how many."""
    query = f"""
        SELECT a.participant_id, count(j.cannot_judge), count(*)
        FROM rankme_submission s
        JOIN rankme_assignment a ON a.id = s.assignment_id
        JOIN rankme_judgement j ON j.submission_id = s.id
        WHERE a.participant_id = ANY(%s) AND ({COUNTED})
        GROUP BY a.participant_id"""
    rows = rows_of(query, [list(participants)])
    return {rater: (declined, answers) for rater, declined, answers in rows}
