"""Measures of raters that need no check: one number per rater."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from rankme.models import Campaign, Submission

from .counting import COUNTED, NEWEST
from .sql import rows_of

# Fewer pages or answers say nothing about habits, and fewer outputs nothing about agreement.
FEWEST_PAGES = 10
FEWEST_SHARED = 5
IMPOSSIBLE_TIME = "impossible time"


def impossible_times(participants: Sequence[int]) -> dict[int, float]:
    """By rater: the screens whose time cannot be, by the server's clock or the answers' own.

    A later answer to the same screen takes nothing back.
    """
    flagged = Submission.objects.filter(
        assignment__participant__in=participants,
        surplus=False,
        flags__contains=[IMPOSSIBLE_TIME],
    )
    screens = flagged.values_list("assignment__participant", "assignment", "trial", "screen")
    found = dict.fromkeys(participants, 0.0)
    for rater, *_screen in screens.order_by().distinct():
        found[rater] += 1
    return found


def same_answer_shares(participants: Sequence[int]) -> dict[int, float]:
    """By rater: the share of answers that are the commonest answer to their question."""
    query = f"""
        SELECT rater, (sum(most) / sum(answers))::float FROM (
            SELECT rater, criterion, max(times) AS most, sum(times) AS answers FROM (
                SELECT a.participant_id AS rater, j.criterion_id AS criterion, count(*) AS times
                FROM rankme_assignment a
                JOIN rankme_submission s ON s.assignment_id = a.id
                JOIN rankme_judgement j ON j.submission_id = s.id
                WHERE a.participant_id = ANY(%s) AND j.value IS NOT NULL AND {NEWEST}
                GROUP BY a.participant_id, j.criterion_id, j.value
            ) AS answers_by_value GROUP BY rater, criterion
        ) AS criteria GROUP BY rater HAVING sum(answers) >= {FEWEST_PAGES}"""
    return _by_rater(query, participants)


# The answers of raters (%s) after a submission (%s), with the means of all others in their campaign
# (%s) to the same outputs. Others who are excluded do not count. The campaign follows from the
# outputs, but PostgreSQL does not know that: without it, it reads the judgements of all campaigns.
COMPARED = f"""
    WITH own AS (
        SELECT a.participant_id AS rater, j.criterion_id, o.id AS output, avg(j.value) AS value
        FROM rankme_assignment a
        JOIN rankme_submission s ON s.assignment_id = a.id
        JOIN rankme_judgement j ON j.submission_id = s.id
        JOIN rankme_output o ON o.id = COALESCE(j.output_id, (
            SELECT min(p.output_id) FROM rankme_trialoutput p
            WHERE p.trial_id = s.trial_id HAVING count(*) = 1))
        WHERE a.participant_id = ANY(%s) AND s.id > %s AND j.value IS NOT NULL AND ({COUNTED})
        GROUP BY a.participant_id, j.criterion_id, o.id
    ), compared AS (
        SELECT own.rater, own.criterion_id, own.output, own.value, avg(j.value) AS others
        FROM own
        JOIN rankme_trialoutput p ON p.output_id = own.output
        JOIN rankme_submission s ON s.trial_id = p.trial_id
        JOIN rankme_assignment a ON a.id = s.assignment_id
        JOIN rankme_judgement j ON j.submission_id = s.id
            AND j.criterion_id = own.criterion_id
            AND COALESCE(j.output_id, own.output) = own.output
        WHERE a.campaign_id = %s AND a.participant_id <> own.rater AND j.value IS NOT NULL
            AND ({COUNTED})
            AND NOT EXISTS (SELECT FROM rankme_raterexclusion e
                WHERE e.participant_id = a.participant_id AND e.withdrawn_at IS NULL)
        GROUP BY own.rater, own.criterion_id, own.output, own.value
    )"""


def agreements(campaign: Campaign, participants: Sequence[int]) -> dict[int, float]:
    """By rater: the mean over criteria of the correlation with the mean of the other raters."""
    return {
        rater: fmean(value for value, _outputs in found.values())
        for rater, found in agreements_by_criterion(campaign, participants).items()
    }


def agreements_by_criterion(
    campaign: Campaign, participants: Sequence[int], *, since: int = 0
) -> dict[int, dict[int, tuple[float, int]]]:
    """By rater and criterion: the correlation with the mean of the others, and of how many outputs.

    Only outputs that others have judged too can show any; values that never vary have none. `since`
    leaves out submissions up to that one.
    """
    query = f"""{COMPARED}
        SELECT rater, criterion_id, corr(value, others), count(*) FROM compared
        GROUP BY rater, criterion_id HAVING count(*) >= {FEWEST_SHARED}"""
    values = [list(participants), since, campaign.pk]
    found: dict[int, dict[int, tuple[float, int]]] = defaultdict(dict)
    for rater, criterion, value, outputs in rows_of(query, values) if participants else ():
        if value is not None:
            found[rater][criterion] = (float(value), outputs)
    return found


def position_biases(participants: Sequence[int]) -> dict[int, float]:
    """By rater: the correlation of a score with its place on the screen, within screens.

    Orders are random, so that nothing but the place itself explains it. Screens with one output
    show nothing.
    """
    query = f"""
        SELECT rater, corr(deviation, place) FROM (
            SELECT a.participant_id AS rater, j.submission_id, j.position AS place,
                j.value - avg(j.value) OVER (PARTITION BY j.submission_id, j.criterion_id)
                    AS deviation,
                count(*) OVER (PARTITION BY j.submission_id, j.criterion_id) AS outputs
            FROM rankme_assignment a
            JOIN rankme_submission s ON s.assignment_id = a.id
            JOIN rankme_judgement j ON j.submission_id = s.id
            WHERE a.participant_id = ANY(%s) AND NOT s.surplus
                AND j.value IS NOT NULL AND j.position IS NOT NULL
        ) AS scores
        WHERE outputs > 1 GROUP BY rater HAVING count(DISTINCT submission_id) >= {FEWEST_PAGES}"""
    return _by_rater(query, participants)


def untouched_suggestions(participants: Sequence[int], criteria: Sequence[str]) -> dict[int, float]:
    """By rater: the share of suggested marks, of those not removed, that were left untouched.

    `criteria` are those for which errors are marked.
    """
    query = f"""
        SELECT a.participant_id, avg((mark ->> 'confirmed' IS DISTINCT FROM 'true')::int)::float
        FROM rankme_assignment a
        JOIN rankme_submission s ON s.assignment_id = a.id
        JOIN rankme_judgement j ON j.submission_id = s.id
        JOIN rankme_criterion c ON c.id = j.criterion_id
        CROSS JOIN LATERAL (SELECT
            CASE WHEN j.text LIKE '{{%%' THEN j.text::jsonb ELSE '{{}}' END AS answer) AS read
        CROSS JOIN LATERAL jsonb_array_elements(
            COALESCE(answer -> 'marks', '[]') || COALESCE(answer -> 'left_out', '[]')) AS mark
        WHERE a.participant_id = ANY(%s) AND c.name = ANY(%s) AND mark ? 'prefilled' AND {NEWEST}
        GROUP BY a.participant_id"""
    return _by_rater(query, participants, list(criteria)) if criteria else {}


def _by_rater(query: str, participants: Sequence[int], *values: Any) -> dict[int, float]:
    rows = rows_of(query, [list(participants), *values])
    return {rater: float(value) for rater, value in rows if value is not None}
