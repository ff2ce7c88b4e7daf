"""A campaign of three raters who disagree in ways that one can compute by hand."""

from collections.abc import Callable
from itertools import chain
from typing import Any

from rankme.actions.campaign import campaigns
from rankme.models import Campaign
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import answer, claim, finish, outputs_in_order

CRITERIA = [
    {"name": "fluency", "question": "How fluent?", "instrument": "slider"},
    {"name": "points", "question": "How good?", "instrument": "likert", "options": {"points": 3}},
    {
        "name": "verdict",
        "question": "What is it?",
        "instrument": "choice",
        "options": {"choices": {"good": "Good", "bad": "Bad"}},
    },
]
ITEMS, SYSTEMS = 6, 2


def disagreeing_campaign(add_files: Callable[[Campaign], None] | None = None) -> Campaign:
    """Three raters: the second is 10 more lenient than the first, the third is at odds.

    `add_files` gives each output a file before the launch.
    """
    outputs = {"block": "outputs", "files": add_files is not None}
    definition = slider_definition(
        criteria=CRITERIA,
        screens=[{"name": "rate", "show": [outputs], "ask": [each["name"] for each in CRITERIA]}],
        design={"kind": "complete"},
        raters_per_trial=3,
    )
    campaign = make_campaign(definition, items=ITEMS, systems=SYSTEMS, launch=False)
    if add_files:
        add_files(campaign)
    campaign = campaigns.launch_campaign(campaign, by=campaign.owner)
    for number, name in enumerate(("ann", "ben", "cem")):
        held = claim(make_rater(campaign, name))
        shown = outputs_in_order(held.presentation)
        places = {pk: place for place, pk in enumerate(sorted(chain(*shown.values())))}
        for trial, (pk, _order) in enumerate(held.presentation):
            sent: list[dict[str, Any]] = []
            for place, output in enumerate(shown[pk]):
                at = places[output]
                given = [20 + 5 * at, 30 + 5 * at, 90 - 5 * at][number]
                points = [1 + at % 3, 1 + at % 3, 1 + (at + 1) % 3][number]
                verdict = "good" if number < 2 or at % 2 else "bad"
                for criterion, value in zip(CRITERIA, (given, points, verdict), strict=True):
                    answered = {"criterion": criterion["name"], "place": place, "value": value}
                    sent.append(answered | {"time_ms": 900.0})
            answer(held, trial, answers=sent, comment=f"read {trial}" if trial else "")
        finish(held)
    return campaign
