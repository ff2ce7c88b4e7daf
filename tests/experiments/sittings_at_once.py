"""A whole sitting in two statements, as the actions would store it screen by screen.

It is for cohorts of hundreds of raters, where the claim is about the report. Every answer is read
as the actions read it; `test_cohorts.py` compares the rows of both ways.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg

from rankme.actions.judgements import judgements_in
from rankme.actions.payload_hashes import canonical, chained
from rankme.models import Assignment, Judgement, Submission, Trial
from rankme.protocols.sent_screen import SentScreen
from rankme.queries.definitions import definition_of_sitting
from rankme.queries.trial_material import material_of


def store_at_once(assignment: Assignment, payloads: Sequence[Mapping[str, Any]]) -> None:
    """Store the answers to the last screens of a sitting; none of them may be stored already."""
    screens = [SentScreen.read(payload) for payload in payloads]
    submissions = Submission.objects.bulk_create(_submissions(assignment, screens))
    Judgement.objects.bulk_create(_judgements(assignment, screens, submissions))


def _submissions(assignment: Assignment, screens: Sequence[SentScreen]) -> Iterator[Submission]:
    stored = assignment.submissions.order_by("pk").values_list("chain_sha256", flat=True)
    chain = stored.last() or ""
    for sent in screens:
        digest = hashlib.sha256(canonical(sent.document)).hexdigest()
        chain = chained(chain, digest)
        yield Submission(
            key=sent.key,
            assignment=assignment,
            version=assignment.version,
            trial_id=assignment.presentation[sent.trial][0],
            screen=sent.screen,
            revision=1,
            payload=sent.document,
            payload_sha256=digest,
            chain_sha256=chain,
        )


def _judgements(
    assignment: Assignment, screens: Sequence[SentScreen], submissions: Sequence[Submission]
) -> Iterator[Judgement]:
    frozen = definition_of_sitting(assignment)
    trials = (
        Trial.objects.select_related("item", "as_check")
        .annotate(output_ids=ArrayAgg("places__output_id", order_by="places__position"))
        .in_bulk([trial for trial, _order in assignment.presentation])
    )
    for sent, submission in zip(screens, submissions, strict=True):
        trial_id, order = assignment.presentation[sent.trial]
        trial = trials[trial_id]
        material = material_of(trial)
        assert not material.is_check, "answers to checks are read by the actions alone"
        readings = material.read(frozen.definition, sent.screen, sent.answers)
        outputs = [trial.output_ids[place] for place in order]
        yield from judgements_in(submission, readings, frozen, outputs)
