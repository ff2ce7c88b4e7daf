"""What chat assistants and the people who ask them say."""

import json
from functools import cache
from typing import Any

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.demonstration.material import MATERIAL
from rankme.importing import read_material
from rankme.models import Campaign, Output
from tests.browser.rating import campaign_of, small
from tests.campaigns import make_campaign

CHATS = ("chat-arena", "chat-likert")


def chat_campaign(
    name: str, *, items: int = 2, practice: list[Any] | None = None, **texts: str
) -> Campaign:
    """A launched campaign of a preset with our own answers, or with the given texts."""
    definition = small(name) if practice is None else small(name, practice=practice)
    systems = 2 if name == "chat-arena" else 1
    campaign = make_campaign(definition, items=items, systems=systems, launch=False)
    answers = our_answers()
    for item in campaign.items.all():
        request, said = answers[item.position % len(answers)]
        item.input = texts.get("input", request)
        item.save()
        for place, output in enumerate(item.outputs.order_by("system__position")):
            text = texts.get(f"output{place}", said[place % len(said)])
            Output.objects.filter(pk=output.pk).update(text=text)
    return launch_campaign(campaign, by=campaign.owner)


@cache
def our_answers() -> list[tuple[str, list[str]]]:
    with read_material(MATERIAL["chat-arena"].paths, "long") as read:
        items = {item.key: (item.input, []) for item in read.items()}
        for output in read.outputs():
            items[output.item_key][1].append(output.text)
    return list(items.values())


def long_answers() -> dict[str, str]:
    """Two answers of some 1,600 words, and the request for them."""
    request, said = max(our_answers(), key=lambda each: sum(map(len, each[1])))
    first, second = sorted(said, key=len)[-2:]
    return {"input": request, "output0": first, "output1": second}


def dialogue(*turns: tuple[str, str]) -> str:
    return json.dumps([{"role": role, "content": content} for role, content in turns])


def campaign_with_real_answers(name: str, items: int = 2) -> Campaign:
    """Chats are shown with answers in Markdown, as long as those of assistants."""
    return (chat_campaign if name in CHATS else campaign_of)(name, items=items)
