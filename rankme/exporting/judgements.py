"""Judgements in files: the table that is analysed as CSV, and everything stored as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.table_files import csv_parts
from rankme.models import Campaign
from rankme.queries.counting import COUNTED
from rankme.queries.judgement_table import table_in_parts
from rankme.queries.sql import rows_of

from .files import CSV, JSON_LINES, ExportedFile

ASSIGNMENTS_AT_ONCE = 200

# One line for each submission as it was sent, whether it counts or not, with its judgements.
# `words` are those in whose place the payload has a digest, as long as they are kept. The database
# writes the JSON: Django would make an object of each judgement first.
RAW = f"""
    SELECT json_build_object(
        'key', s.key, 'screen', concat_ws('.', s.assignment_id, s.trial_id, s.screen, s.revision),
        'rater', p.label, 'item', i.key, 'assignment', s.assignment_id, 'trial', s.trial_id,
        'screen_number', s.screen, 'version', s.version, 'revision', s.revision,
        'counted', {COUNTED},
        'late', s.late, 'surplus', s.surplus, 'held_out', a.held_out @> to_jsonb(s.trial_id),
        'excluded', e.id IS NOT NULL, 'flags', s.flags,
        'received_at', s.received_at, 'payload', s.payload, 'payload_sha256', s.payload_sha256,
        'words', w.words,
        'chain_sha256', s.chain_sha256, 'judgements', (
            SELECT json_agg(json_build_object(
                'criterion', c.name, 'system', sy.name, 'position', j.position,
                'value', j.value, 'text', j.text, 'cannot_judge', j.cannot_judge,
                'time_ms', j.time_ms) ORDER BY j.id)
            FROM rankme_judgement j
            JOIN rankme_criterion c ON c.id = j.criterion_id
            LEFT JOIN rankme_output o ON o.id = j.output_id
            LEFT JOIN rankme_system sy ON sy.id = o.system_id
            WHERE j.submission_id = s.id))::text
    FROM rankme_submission s
    JOIN rankme_assignment a ON a.id = s.assignment_id
    JOIN rankme_participant p ON p.id = a.participant_id
    JOIN rankme_trial t ON t.id = s.trial_id
    JOIN rankme_item i ON i.id = t.item_id
    LEFT JOIN rankme_submissionwords w ON w.submission_id = s.id
    LEFT JOIN rankme_raterexclusion e
        ON e.participant_id = p.id AND e.withdrawn_at IS NULL
    WHERE s.assignment_id = ANY(%s)
    ORDER BY s.assignment_id, s.id"""


def judgements_csv(campaign: Campaign, *, stored: bool = False) -> Iterator[bytes]:
    """The judgement table, ready for `python -m analysis`; with `stored` also what is not counted.

    Memory stays flat however many parts there are. Nothing is read before the first is asked for:
    an answer that nobody reads must leave no transaction open.
    """
    for number, table in enumerate(table_in_parts(campaign, stored=stored)):
        yield from csv_parts(table, header=number == 0)


def judgements_jsonl(campaign: Campaign) -> Iterator[bytes]:
    """Everything that was submitted, as it was sent; memory stays flat however much it is."""
    assignments = list(campaign.assignments.order_by("id").values_list("id", flat=True))
    for first in range(0, len(assignments), ASSIGNMENTS_AT_ONCE):
        portion = assignments[first : first + ASSIGNMENTS_AT_ONCE]
        yield from (f"{line}\n".encode() for (line,) in rows_of(RAW, [portion]))


def csv_file(campaign: Campaign, *, stored: bool = False) -> ExportedFile:
    name = f"{campaign.code}-{'stored' if stored else 'judgements'}.csv"
    return ExportedFile(name, CSV, judgements_csv(campaign, stored=stored))


def jsonl_file(campaign: Campaign) -> ExportedFile:
    return ExportedFile(f"{campaign.code}-raw.jsonl", JSON_LINES, judgements_jsonl(campaign))
