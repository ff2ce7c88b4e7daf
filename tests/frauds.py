"""A crowd of simulated raters with frauds among them, for tests of what organisers see of it."""

import random
from collections.abc import Callable
from datetime import timedelta

from django.db.models.functions import Now

from rankme.models import Assignment, Campaign, Participant
from rankme.pages.rater.page_document import page_document
from rankme.pages.rater.shown_trials import trials_of
from rankme.queries.definitions import frozen_definition
from rankme.simulation.answers import Taste, answers_to
from rankme.simulation.characters import Anywhere
from rankme.simulation.traces import Trace, trace_of
from tests.campaigns import make_campaign, make_raters, slider_definition
from tests.sittings import claim, finish, payload_for, store

CRITERION = {
    "name": "fluency",
    "question": "How fluent is it?",
    "instrument": "likert",
    "options": {"points": 5},
}


def sit_as(
    rater: Participant, kind: str, seed: int, traces: Callable[[], Trace] | None = None
) -> Assignment:
    """Let a simulated rater answer a batch, whose clock began ten hours ago.

    `traces` gives what the browser sends about the hands on each screen.
    """
    rng = random.Random(seed)
    held = claim(rater)
    Assignment.objects.filter(pk=held.pk).update(claimed_at=Now() - timedelta(hours=10))
    definition = frozen_definition(held.campaign).definition
    document = page_document(definition, trials_of(held), seed=1)
    taste = Anywhere(rng, {}, 0) if kind in ("fast", "forged") else Taste(rng, {}, 0)
    for place, trial in enumerate(document["trials"]):
        [screen] = document["screens"]
        given = answers_to(screen, trial, taste)
        seconds = {"fast": 0.4, "forged": 40_000}.get(kind, rng.lognormvariate(3.2, 0.4))
        for each in given:
            each["time_ms"] = 100.0
            if kind == "same":
                each["value"] = 4
        times = {"spent_ms": 1000 * seconds}
        more = {"trace": traces()} if traces else {}
        store(rater, payload_for(held, place) | {"answers": given, "times": times} | more)
    return finish(held)


def crowd_with_frauds() -> tuple[Campaign, set[str]]:
    """Thirty raters, three of whom read nothing: they came neither first nor last."""
    definition = slider_definition(
        criteria=[CRITERION], design={"kind": "complete"}, raters_per_trial=30
    )
    campaign = make_campaign(definition, items=12, systems=2)
    kinds = {4: "same", 13: "fast", 22: "forged"}
    frauds = set()
    for number, rater in enumerate(make_raters(campaign, [f"w{n}" for n in range(30)])):
        sit_as(rater, kinds.get(number, "careful"), number)
        if number in kinds:
            frauds.add(rater.label)
    return campaign, frauds


def crowd_with_programs() -> tuple[Campaign, set[str]]:
    """Thirty raters whose answers and times are those of careful people; three are none.

    One is a script in the page, one a browser that a program controls, and one sends the session of
    an earlier rater again.
    """
    definition = slider_definition(
        criteria=[CRITERION],
        design={"kind": "complete"},
        raters_per_trial=30,
        crowd={"traces": True},
    )
    campaign = make_campaign(definition, items=12, systems=2)
    kinds = {6: "script", 15: "driven", 24: "replayed"}
    programs = set()
    for number, rater in enumerate(make_raters(campaign, [f"w{n}" for n in range(30)])):
        kind = kinds.get(number, "")
        sit_as(rater, "careful", number, _hands(kind, seed=3 if kind == "replayed" else number))
        if kind:
            programs.add(rater.label)
    return campaign, programs


def _hands(kind: str, seed: int) -> Callable[[], Trace]:
    dice = random.Random(seed)
    more: Trace = {"webdriver": 1} if kind == "driven" else {}
    return lambda: trace_of("script" if kind == "script" else "person", dice, 20_000) | more
