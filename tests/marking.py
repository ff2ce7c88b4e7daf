"""Campaigns in which raters mark errors: a preset with its own material, rated as simulated."""

import random

from rankme.actions.campaign import campaigns
from rankme.actions.sitting import assignments
from rankme.demonstration.material import MATERIAL
from rankme.importing import read_material
from rankme.models import Campaign, Item, Output, System
from rankme.pages.rater.page_document import page_document
from rankme.pages.rater.shown_trials import trials_of
from rankme.protocols.files import preset
from rankme.simulation.answers import Taste, answers_to, quality_of
from tests.campaigns import make_owner, make_rater
from tests.sittings import answer, finish


class SteadyTaste(Taste):
    """A rater whom the same text always impresses the same, so that no test depends on a draw."""

    def impression(self, text: str) -> float:
        return quality_of(text, self.truth) + self.leniency


def marked_campaign(name: str = "esa", *, raters: int = 2) -> Campaign:
    """A preset that raters with opinions have gone through."""
    owner = make_owner()
    definition = preset(name).model_copy(update={"practice_gate": False, "seed": 1})
    campaign = campaigns.create_campaign(owner, definition)
    add_demonstration(campaign, name)
    campaign = campaigns.launch_campaign(campaign, by=owner)
    for number in range(raters):
        rate(campaign, f"w{number}", seed=number)
    return campaign


def add_demonstration(campaign: Campaign, name: str) -> None:
    """The preset's own texts, as an upload would bring them."""
    with read_material(MATERIAL[name].paths, MATERIAL[name].format) as read:
        items = {
            row.key: Item.objects.create(
                campaign=campaign, key=row.key, position=position, input=row.input
            )
            for position, row in enumerate(read.items())
        }
        outputs = list(read.outputs())
    systems = {
        each: System.objects.create(
            campaign=campaign, name=each, folded=each.casefold(), position=position
        )
        for position, each in enumerate(sorted({row.system for row in outputs}))
    }
    Output.objects.bulk_create(
        Output(item=items[row.item_key], system=systems[row.system], text=row.text)
        for row in outputs
    )


def rate(campaign: Campaign, name: str, *, seed: int) -> None:
    """One sitting: what the browser would send for each screen."""
    held = assignments.claim_batch(make_rater(campaign, name))
    document = page_document(campaigns.definition_of(campaign), trials_of(held))
    systems = dict(Output.objects.values_list("text", "system__position"))
    truth = {text: 1.5 - position for text, position in systems.items()}
    for number, trial in enumerate(document["trials"]):
        # The order of the trials is another in each run.
        taste = SteadyTaste(random.Random(f"{seed} {trial['outputs']}"), truth, 0)
        answer(held, number, answers=answers_to(document["screens"][0], trial, taste))
    finish(held)
