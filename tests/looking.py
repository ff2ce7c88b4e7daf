"""Campaigns that are looked at while raters work."""

import numpy as np

from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import answer, claim, finish, outputs_in_order

ITEMS, PLANNED = 3, 24
ANYTIME = {"generality": "raters", "looks": {"mode": "anytime"}}
GROUP = {"looks": {"mode": "group-sequential", "number": 2}}


def looking_definition(**changes):
    outputs = {"block": "outputs"}
    return slider_definition(
        **{
            "design": {"kind": "complete"},
            "screens": [{"name": "rate", "show": [outputs], "ask": ["fluency"]}],
            "raters_per_trial": PLANNED,
            "crowd": {"batches_per_rater": 1},
        }
        | changes
    )


def looked_at(raters, *, better=20.0, **changes):
    """A campaign of two systems, the first of which these raters find better."""
    campaign = make_campaign(looking_definition(**changes), items=ITEMS, systems=2)
    for number in range(raters):
        judge(campaign, number, better)
    return campaign


def judge(campaign, number, better=20.0):
    held = claim(make_rater(campaign, f"w{number:02}"))
    fill_in(held, number, better)
    finish(held)
    return held


def fill_in(held, number, better):
    """Judge each output as this rater does in whatever order it is shown."""
    shown = outputs_in_order(held.presentation)
    first = min(output for outputs in shown.values() for output in outputs)
    for trial, (pk, _order) in enumerate(held.presentation):
        sent = [
            {
                "criterion": "fluency",
                "place": place,
                "value": opinion(number, output - first, better),
                "time_ms": 900.0,
            }
            for place, output in enumerate(shown[pk])
        ]
        answer(held, trial, answers=sent)


def opinion(rater, output, better):
    """What this rater thinks of the output with this number; every second one is better."""
    dice = np.random.default_rng([7, rater, output])
    return float(dice.integers(30, 50)) + (0.0 if output % 2 else better)
