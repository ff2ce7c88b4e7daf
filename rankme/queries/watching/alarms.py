"""Alarms about raters, in words: from the newest screens of each, so that a page costs a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.checks.alarms import (
    ONE_IN,
    Alarm,
    Commonness,
    ScreenFacts,
    alarms_of,
    commonness_among,
    is_uniform,
)
from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.protocols.files import stored_definition
from rankme.queries.counting import NEWEST
from rankme.queries.reading import seconds_by_trial
from rankme.queries.sql import rows_of
from rankme.queries.trace_measures import SAMPLED_SCREENS

from .traces import signs_of_programs

# Of the sampled screens, the newest whose texts are counted.
READ_SCREENS = 30
# With whose answers those of a rater are compared who always gives the same: the first to come.
COMPARED_RATERS = 40
# An archive has no times, and its order is that of a file.
OF_ARCHIVES = ("same",)

# Alike if every value, text and refusal to judge is, at the same place of the screen. Texts that
# are kept apart from it are never alike: then the digest of the screen's words is in their place.
SCREENS = f"""
    SELECT rater.id, sent.trial_id, sent.screen, sent.seconds, sent.is_impossible, (
        SELECT md5(string_agg(concat_ws(' ', j.criterion_id, COALESCE(j.position, -1),
            COALESCE(j.value::text, CASE WHEN j.text = '' AND j.cannot_judge IS NULL
                THEN sent.words ELSE btrim(lower(j.text)) END),
            COALESCE('cannot ' || j.cannot_judge, '')), chr(10)
            ORDER BY j.criterion_id, j.position))
        FROM rankme_judgement j
        WHERE j.submission_id = sent.id AND j.criterion_id <> ALL(%(timed)s))
    FROM unnest(%(raters)s::bigint[]) AS rater (id), LATERAL (
        SELECT s.id, s.trial_id, s.screen, s.payload ->> 'words' AS words,
            CASE WHEN jsonb_typeof(s.payload #> '{{times,spent_ms}}') = 'number'
                THEN (s.payload #>> '{{times,spent_ms}}')::float / 1000 END AS seconds,
            EXISTS (SELECT FROM rankme_submission earlier
                WHERE earlier.assignment_id = s.assignment_id AND earlier.trial_id = s.trial_id
                    AND earlier.screen = s.screen AND NOT earlier.surplus
                    AND earlier.flags @> '["impossible time"]') AS is_impossible
        FROM rankme_assignment a JOIN rankme_submission s ON s.assignment_id = a.id
        WHERE a.participant_id = rater.id AND {NEWEST}
        ORDER BY s.id DESC LIMIT %(most)s) AS sent
    ORDER BY rater.id, sent.id"""

TITLES = {
    "same": gettext_noop("same answer"),
    "run": gettext_noop("long run"),
    "hasty": gettext_noop("too fast"),
    "unread": gettext_noop("not read"),
    "times": gettext_noop("impossible times"),
    "program": gettext_noop("like a program"),
}
SENTENCES = {
    "same": gettext_noop(
        "%(found)s %% of %(screens)s screens have the same answer. It is innocent if nearly all "
        "texts deserve it, or if the question rarely applies."
    ),
    "run": gettext_noop(
        "%(found)s screens in a row have the same answer, which the random order of the screens "
        "does not explain. It is innocent if the rater became more lenient or strict on the way."
    ),
    "hasty": gettext_noop(
        "Half of %(screens)s screens took %(found)s %% of the expected time or less. It is "
        "innocent if you expect far too much time."
    ),
    "unread": gettext_noop(
        "Half of %(screens)s screens took %(found)s %% or less of the time that reading their "
        "texts takes. It is innocent if the texts were known, or only a small part of them matters."
    ),
    "times": gettext_noop(
        "%(found)s of %(screens)s screens have no time, or one that contradicts the server's clock "
        "or the times of their own answers. It is innocent if two windows were open side by side, "
        "or if the browser or an extension of it hides times."
    ),
}


@dataclass(frozen=True)
class ToldAlarm:
    """An alarm as people read it."""

    name: str
    title: str
    sentence: str
    rate: str


def told(alarm: Alarm) -> ToldAlarm:
    """Put an alarm into words, with how often it is false."""
    is_share = alarm.name in ("same", "hasty", "unread")
    found = f"{100 * alarm.found:.2g}" if is_share and alarm.found < 1 else f"{alarm.found:g}"
    if is_share and alarm.found >= 1:
        found = "100"
    words = _(SENTENCES[alarm.name]) % {"found": found, "screens": alarm.screens}
    rate = _("Fewer than 1 in %(raters)s careful raters get this alarm.") % {
        "raters": ONE_IN[alarm.name]
    }
    return ToldAlarm(alarm.name, _(TITLES[alarm.name]), words, rate)


def _of_signs(sentences: Sequence[str]) -> ToldAlarm:
    """The alarm about traces, with its own rate."""
    rate = _(
        "Fewer than 1 in 100 careful people of each device and assistive technology that was "
        "measured get this alarm."
    )
    return ToldAlarm("program", _(TITLES["program"]), " ".join(sentences), rate)


def alarms_by_rater(
    campaign: Campaign, participants: Sequence[int]
) -> dict[int, tuple[ToldAlarm, ...]]:
    """Find the alarms about these raters, from the newest screens of each."""
    definition = stored_definition(campaign.definition)
    facts = screens_by_rater(campaign, participants, definition)
    common: Commonness = {}
    if any(is_uniform(screens) for screens in facts.values()):
        common = _commonness(campaign, definition)
    signs = signs_of_programs(participants) if definition.crowd.traces else {}
    found = {
        rater: alarms_of(
            screens,
            expected_seconds=definition.crowd.expected_seconds_per_screen,
            commonness=common,
            # Documents keep the order of their segments, and so texts that are alike follow.
            in_random_order=not definition.has_documents,
        )
        for rater, screens in facts.items()
    }
    return {
        rater: (
            *([_of_signs(signs[rater])] if rater in signs else ()),
            *(
                told(alarm)
                for alarm in alarms
                if not campaign.is_archive or alarm.name in OF_ARCHIVES
            ),
        )
        for rater, alarms in found.items()
    }


def screens_by_rater(
    campaign: Campaign,
    participants: Sequence[int],
    definition: Definition,
    *,
    is_read: bool = True,
) -> dict[int, list[ScreenFacts]]:
    """Read the newest screens of these raters, in the order in which they came; without checks."""
    timed = [name for name, kind in definition.kinds.items() if kind == "time"]
    given = {
        "raters": list(participants),
        "most": SAMPLED_SCREENS,
        "timed": list(campaign.criteria.filter(name__in=timed).values_list("pk", flat=True)),
    }
    rows: dict[int, list[tuple[int, int, float | None, bool, str]]] = defaultdict(list)
    for rater, *screen in rows_of(SCREENS, given):
        rows[rater].append(tuple(screen))
    newest = {row[0] for own in rows.values() for row in own[-READ_SCREENS:]} if is_read else set()
    reading = seconds_by_trial(newest, definition) if newest else {}
    return {
        rater: [
            ScreenFacts(
                answer or "",
                kind,
                seconds,
                reading[trial][kind] if trial in reading else 0.0,
                is_impossible,
            )
            for trial, kind, seconds, is_impossible, answer in rows[rater]
        ]
        for rater in participants
    }


def _commonness(campaign: Campaign, definition: Definition) -> Commonness:
    first = campaign.participants.filter(assignments__isnull=False).distinct().order_by("id")
    ids = list(first.values_list("pk", flat=True)[:COMPARED_RATERS])
    return commonness_among(screens_by_rater(campaign, ids, definition, is_read=False).values())
