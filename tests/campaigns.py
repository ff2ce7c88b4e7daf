"""Small campaigns of our own for tests: a definition, material, a launch, a rater."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models.functions import Now

from rankme.actions.campaign import campaigns
from rankme.actions.sitting import participation
from rankme.models import Assignment, Campaign, Item, Output, Participant, System
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_document


def slider_definition(**changes: Any) -> Definition:
    """One slider on one output: the smallest campaign there is."""
    document: dict[str, Any] = {
        "title": "Fluency",
        "criteria": [
            {
                "name": "fluency",
                "question": "How fluent is this text?",
                "instrument": "slider",
                "low": "not at all",
                "high": "entirely",
            }
        ],
        "screens": [{"name": "rate", "show": ["input", "outputs"], "ask": ["fluency"]}],
        "design": {"kind": "latin_square"},
        "raters_per_trial": 1,
        "seed": 11,
        "texts": {"consent": "Do you agree?", "instructions": "Move the slider."},
    }
    return definition_from_document(document | changes)


def rankme_definition(**changes: Any) -> Definition:
    """Three outputs on a screen, scored against a standard."""
    document: dict[str, Any] = {
        "criteria": [{"name": "quality", "question": "How good is it?", "instrument": "rankme"}],
        "screens": [{"name": "rate", "show": ["input", "standard", "outputs"], "ask": ["quality"]}],
        "standard": {"output": "A plain sentence.", "score": 100},
        "design": {
            "kind": "random_blocks",
            "options": {"outputs_per_screen": 3, "trials_per_batch": 4},
        },
        "title": "Quality",
    }
    return slider_definition(**(document | changes))


def make_owner(name: str = "olga") -> Any:
    user, _ = get_user_model().objects.get_or_create(username=name)
    return user


def make_campaign(
    definition: Definition | None = None,
    *,
    items: int = 4,
    systems: int = 4,
    launch: bool = True,
    owner: Any = None,
) -> Campaign:
    """A campaign with `items` × `systems` outputs, launched unless told otherwise."""
    owner = owner or make_owner()
    campaign = campaigns.create_campaign(owner, definition or slider_definition())
    add_material(campaign, items=items, systems=systems)
    if launch:
        campaign = campaigns.launch_campaign(campaign, by=owner)
    return campaign


def add_material(campaign: Campaign, *, items: int, systems: int) -> None:
    made_items = Item.objects.bulk_create(
        Item(
            campaign=campaign,
            key=f"item-{number}",
            position=number,
            input=f"name[Place {number}], food[Soup]",
            reference=f"Place {number} serves soup.",
            context=f"A street. [[SENTENCE]] End {number}.",
            factors={"domain": "food" if number % 2 else "drink"},
        )
        for number in range(items)
    )
    made_systems = System.objects.bulk_create(
        System(campaign=campaign, name=f"Sys{name}", folded=f"sys{name}".casefold(), position=name)
        for name in range(systems)
    )
    Output.objects.bulk_create(
        Output(item=item, system=system, text=f"Text {system.position} of place {item.position}.")
        for item in made_items
        for system in made_systems
    )


def make_rater(campaign: Campaign, name: str = "w1") -> Participant:
    """A rater who has consented and may work."""
    rater = participation.enter(campaign, panel="generic", external_id=name)
    participation.give_consent(rater)
    rater.refresh_from_db()
    return rater


def make_raters(campaign: Campaign, names: Iterable[str]) -> list[Participant]:
    """The same for many, in one statement."""
    made = Participant.objects.bulk_create(
        Participant(
            campaign=campaign,
            panel="generic",
            external_id=name,
            label=participation.keyed_label(campaign, "generic", name),
            state=Participant.State.WORKING,
            consented_at=Now(),
            version=campaign.version,
            consent_version=campaign.version,
        )
        for name in names
    )
    return list(campaign.participants.filter(pk__in=[rater.pk for rater in made]).order_by("pk"))


def answers_for(
    campaign: Campaign, assignment: Assignment, trial: int, screen: int = 0, value: float = 50
) -> list[dict[str, Any]]:
    """Every question of a screen answered with the same number (sliders and RankME)."""
    definition = campaigns.definition_of(campaign)
    outputs = len(assignment.presentation[trial][1])
    return [
        {"criterion": criterion.name, "place": place, "value": value, "time_ms": 1500.0}
        for criterion in definition.questions(screen)
        for place in (range(outputs) if criterion.about == "output" else [None])
    ]
