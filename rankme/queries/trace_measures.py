"""Measures of raters from their traces: shares from 0 to 1, over each rater's newest screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankme.queries.sql import rows_of

SAMPLED_SCREENS = 200  # the newest ones of a rater, for alarms too
# A share of fewer says nothing.
FEWEST_PRESSES = 10
FEWEST_CHARACTERS = 20
FEWEST_EVENTS = 10

# Of compositions only the number of inputs is known, each of which is one character or more.
CHARACTERS = ("typed", "composed", "pasted", "pasted_own", "dropped", "inserted")
# By measure: what is counted, what it is a share of, and the least of that.
SHARES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], float]] = {
    "pasted_share": (("pasted", "dropped"), CHARACTERS, FEWEST_CHARACTERS),
    "inserted_share": (("inserted",), CHARACTERS, FEWEST_CHARACTERS),
    "untrusted_share": (("untrusted",), ("events",), FEWEST_EVENTS),
    "centred_share": (("centred",), ("presses",), FEWEST_PRESSES),
    "instant_share": (("instant",), ("presses",), FEWEST_PRESSES),
    "jump_share": (("jumps",), ("presses",), FEWEST_PRESSES),
    "webdriver_share": (("webdriver",), ("screens",), 1),
    "away_share": (("away_ms",), ("spent_ms",), 1),
}
NEWEST = """
    SELECT rater, name, sum(value) FROM (
        SELECT a.participant_id AS rater, t.summary,
            CASE WHEN jsonb_typeof(s.payload #> '{times,spent_ms}') = 'number'
                THEN (s.payload #>> '{times,spent_ms}')::float ELSE 0 END AS spent,
            row_number() OVER (PARTITION BY a.participant_id ORDER BY s.id DESC) AS place
        FROM rankme_assignment a
        JOIN rankme_submission s ON s.assignment_id = a.id
        JOIN rankme_screentrace t ON t.submission_id = s.id
        WHERE a.participant_id = ANY(%s)
    ) AS traced
    CROSS JOIN LATERAL (
        SELECT key AS name, value::float AS value FROM jsonb_each_text(summary)
        UNION ALL SELECT 'spent_ms', spent UNION ALL SELECT 'screens', 1
    ) AS counted
    WHERE place <= %s GROUP BY rater, name
"""
# Sums of many milliseconds and pixels are never those of another person: who sends the same ones
# later has them from the first. Traces of fingers have neither, and those of careful people on
# phones are often the same.
# Only traces that equal one of the asked raters' newest are sorted: all others are read once.
REPEATED = """
    WITH own AS MATERIALIZED (
        SELECT rater, summary FROM (
            SELECT a.participant_id AS rater, t.summary,
                row_number() OVER (PARTITION BY a.participant_id ORDER BY s.id DESC) AS place
            FROM rankme_assignment a
            JOIN rankme_submission s ON s.assignment_id = a.id
            JOIN rankme_screentrace t ON t.submission_id = s.id
            WHERE a.participant_id = ANY(%s)
                AND ((t.summary ->> 'path_px')::float > 0
                    OR (t.summary ->> 'key_mean_ms')::float > 0)
        ) AS traced WHERE place <= %s
    ), first AS (
        SELECT DISTINCT ON (t.summary) t.summary, a.participant_id AS rater
        FROM rankme_assignment a
        JOIN rankme_submission s ON s.assignment_id = a.id
        JOIN rankme_screentrace t ON t.submission_id = s.id
        WHERE a.campaign_id IN (SELECT campaign_id FROM rankme_participant WHERE id = ANY(%s))
            AND t.summary IN (SELECT summary FROM own)
        ORDER BY t.summary, s.id
    )
    SELECT own.rater, avg((first.rater <> own.rater)::int)::float
    FROM own JOIN first USING (summary) GROUP BY own.rater
"""


@dataclass(frozen=True)
class Traces:
    """Sums over a rater's newest traced screens, with their number and their time.

    `repeated` is the share of screens whose trace is exactly that of another, earlier rater: of
    those on which a mouse was moved or keys were pressed, and None without any.
    """

    sums: Mapping[str, float]
    repeated: float | None

    @property
    def measures(self) -> dict[str, float | None]:
        """Each measure, and None where there is too little to take a share of."""
        return _shares_of(self.sums) | {"repeated_share": self.repeated}


def traces_of(participants: Sequence[int]) -> dict[int, Traces]:
    """By rater: the traces, without any sums where there are none."""
    raters = list(participants)
    sums: dict[int, dict[str, float]] = {rater: {} for rater in raters}
    for rater, name, value in rows_of(NEWEST, [raters, SAMPLED_SCREENS]):
        sums[rater][name] = value
    repeated = dict(rows_of(REPEATED, [raters, SAMPLED_SCREENS, raters]))
    return {rater: Traces(sums[rater], repeated.get(rater)) for rater in raters}


def trace_measures(participants: Sequence[int]) -> dict[int, dict[str, float | None]]:
    """By rater: each measure, and None where there is too little to take a share of."""
    return {rater: traces.measures for rater, traces in traces_of(participants).items()}


def _shares_of(sums: Mapping[str, float]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for measure, (counted, of, least) in SHARES.items():
        total = sum(sums.get(name, 0) for name in of)
        share = sum(sums.get(name, 0) for name in counted) / total if total >= least else None
        # Nothing that a browser sends is certain, not even that a part is smaller than its whole.
        found[measure] = None if share is None else min(1.0, share)
    return found
