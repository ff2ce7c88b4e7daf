"""Move words of raters out of payloads of before 2.2.0, so that they can be erased.

Payloads, their hashes and the chains of their sittings are written again, some sittings at a time:
after each step the record is whole, and the next one goes on from there. Only the owner of the
tables can do this, and only while the campaign's epoch is open (a trigger).
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.exporting import bundle
from rankme.exporting.anchor import anchor_of
from rankme.models import (
    AnalysisRun,
    Assignment,
    Campaign,
    Judgement,
    Submission,
    SubmissionWords,
    WordsEpoch,
)
from rankme.protocols.exchange.payload_hashes import canonical, chained
from rankme.protocols.exchange.words import DIGEST, Word, kept_screen, new_salt
from rankme.queries.definitions import definition_of_sitting
from rankme.queries.watching.own_words import WORDS_INSIDE

SITTINGS_AT_ONCE = 50
# Pairs of a sitting and a length, whose links are the ends of the chains in an anchor.
LINKS = """
    SELECT numbered.assignment_id, numbered.length, numbered.chain_sha256
    FROM (
        SELECT assignment_id, chain_sha256,
            row_number() OVER (PARTITION BY assignment_id ORDER BY id) AS length
        FROM rankme_submission WHERE assignment_id = ANY(%(sittings)s)
    ) numbered
    JOIN unnest(%(sittings)s::bigint[], %(lengths)s::bigint[]) AS wanted (sitting, length)
        ON wanted.sitting = numbered.assignment_id AND wanted.length = numbered.length
"""
UPDATE_SUBMISSIONS = """
    UPDATE rankme_submission sent SET payload = coalesce(given.payload::jsonb, sent.payload),
        payload_sha256 = given.digest, chain_sha256 = given.link
    FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[])
        AS given (id, payload, digest, link)
    WHERE sent.id = given.id
"""


@dataclass
class Moved:
    """What one step writes."""

    words: list[SubmissionWords] = field(default_factory=list)
    submissions: list[tuple[int, str | None, str, str]] = field(default_factory=list)
    judged: dict[int, tuple[Word, ...]] = field(default_factory=dict)


def begin_epoch(campaign: Campaign) -> WordsEpoch | None:
    """Open the epoch of a campaign, or find the one that is open; None if there is nothing to do.

    Archives were collected elsewhere, and have no words of raters of this site.
    """
    found = WordsEpoch.objects.filter(campaign=campaign).first()
    if found is not None:
        return None if found.finished_at else found
    sent = Submission.objects.filter(assignment__campaign=campaign)
    if campaign.is_archive or not sent.extra(where=[WORDS_INSIDE]).exists():
        return None
    salt = new_salt()
    return WordsEpoch.objects.create(
        campaign=campaign, salt=salt, old_sha256=digest_of_ends(anchor_of(campaign), salt)
    )


def digest_of_ends(anchor: Mapping[str, Any], salt: str = "") -> str:
    """Return the digest of the ends of all chains of a campaign."""
    written = canonical({"sittings": anchor["sittings"]})
    return hmac.new(bytes.fromhex(salt), written, hashlib.sha256).hexdigest()


@transaction.atomic
def move_some(epoch: WordsEpoch) -> bool:
    """Move the words of some sittings; False when there are no more.

    Raises
    ------
    RefusedAction : a hash is wrong, so that a fault would be hidden for good
    """
    after = Assignment.objects.filter(campaign=epoch.campaign_id, pk__gt=epoch.last_sitting)
    after = after.select_related("participant", "campaign").order_by("pk")
    sittings = {each.pk: each for each in after[:SITTINGS_AT_ONCE]}
    if not sittings:
        return False
    # No rater sends the next screen of these sittings meanwhile: it would chain to an old link.
    slots = [each.slot_id for each in sittings.values()]
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM rankme_slot WHERE id = ANY(%s) ORDER BY id FOR UPDATE", [slots])
    moved = Moved()
    sent = Submission.objects.filter(assignment__in=sittings).order_by("assignment_id", "id")
    for pk, submissions in groupby(sent, attrgetter("assignment_id")):
        _move_sitting(sittings[pk], submissions, moved)
    _write(epoch, moved)
    epoch.last_sitting = max(sittings)
    epoch.submissions += len(moved.words)
    epoch.save(update_fields=["last_sitting", "submissions"])
    return True


def _move_sitting(sitting: Assignment, submissions: Iterator[Submission], moved: Moved) -> None:
    personal = definition_of_sitting(sitting).definition.personal_texts
    old = new = ""
    for sent in submissions:
        old = chained(old, sent.payload_sha256)
        if old != sent.chain_sha256:
            raise RefusedAction(f"submission {sent.key}: the hash chain is broken.")
        digest = sent.payload_sha256
        # A payload with a digest was stored without its words already.
        if DIGEST not in sent.payload:
            salt = new_salt()
            screen = kept_screen(sent.payload, personal, salt)
            if screen.words:
                if hashlib.sha256(canonical(sent.payload)).hexdigest() != digest:
                    raise RefusedAction(f"submission {sent.key}: the payload has another hash.")
                words = SubmissionWords(submission=sent, moved=True)
                if sitting.participant.erased_at is None:
                    words.salt, words.words = salt, list(screen.words)
                moved.words.append(words)
                digest = screen.digest
                if any(word["at"][0] == "answers" for word in screen.words):
                    moved.judged[sent.pk] = screen.words
                new = chained(new, digest)
                moved.submissions.append((sent.pk, screen.payload.decode(), digest, new))
                continue
        new = chained(new, digest)
        if new != old:
            moved.submissions.append((sent.pk, None, digest, new))


def _write(epoch: WordsEpoch, moved: Moved) -> None:
    SubmissionWords.objects.bulk_create(moved.words)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('rankme.moved_words_of', %s, true)", [str(epoch.campaign_id)]
        )
        if moved.submissions:
            columns = zip(*moved.submissions, strict=True)
            cursor.execute(UPDATE_SUBMISSIONS, [list(column) for column in columns])
        judged = Judgement.objects.filter(submission__in=moved.judged).exclude(text="")
        for judgement in judged.select_related("criterion"):
            judgement.text = _without_words(judgement, moved.judged[judgement.submission_id])
            judgement.save(update_fields=["text"])
        cursor.execute("SELECT set_config('rankme.moved_words_of', '', true)")


def _without_words(judgement: Judgement, words: Sequence[Word]) -> str:
    """The text of a judgement as it is stored where words are apart."""
    place = (judgement.criterion.name, judgement.position)
    own = [word["at"] for word in words if (word.get("criterion"), word.get("place")) == place]
    if any(at[2:] == ["value"] for at in own):
        return ""
    if not own:
        return judgement.text
    answer = json.loads(judgement.text)
    for mark in [*answer["marks"], *answer.get("left_out", ())]:
        mark["note"] = ""
    for event in answer.get("events", ()):
        if event.get("note"):
            del event["note"]
    return json.dumps(answer, ensure_ascii=False, sort_keys=True)


def renew_anchors(epoch: WordsEpoch) -> int:
    """Give the campaign's analyses and their bundles the chains' links as they are now.

    The older ones are of whole payloads, so that somebody with the rest could try short comments.
    Check the record before: afterwards these anchors say nothing about the time before the epoch.
    """
    runs = AnalysisRun.objects.filter(campaign=epoch.campaign_id, anchor__isnull=False)
    for run in runs.defer("table_csv_gz", "result").iterator(chunk_size=1):
        anchor = dict(run.anchor or {})
        ends = anchor["sittings"]
        links = {
            (sitting, length): link
            for sitting, length, link in _links(
                {
                    "sittings": [sitting for sitting, _length, _link in ends],
                    "lengths": [length for _sitting, length, _link in ends],
                }
            )
        }
        anchor["sittings"] = [
            [sitting, length, links[sitting, length]] for sitting, length, _link in ends
        ]
        AnalysisRun.objects.filter(pk=run.pk).update(anchor=anchor)
        run.anchor = anchor
        bundle.replace_anchor(run)
    return len(runs)


def _links(wanted: Mapping[str, list[int]]) -> list[tuple[int, int, str]]:
    with connection.cursor() as cursor:
        cursor.execute(LINKS, wanted)
        found: list[tuple[int, int, str]] = cursor.fetchall()
    return found


@transaction.atomic
def finish_epoch(epoch: WordsEpoch, *, account: str) -> None:
    """Close the epoch, and bind it into the campaign's history."""
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=epoch.campaign_id)
    epoch.new_sha256 = digest_of_ends(anchor_of(campaign))
    epoch.finished_at = Now()
    epoch.save(update_fields=["new_sha256", "finished_at"])
    note(
        campaign,
        None,
        gettext_noop("words moved out of the record"),
        submissions=epoch.submissions,
        old_sha256=epoch.old_sha256,
        new_sha256=epoch.new_sha256,
        account=account,
    )
