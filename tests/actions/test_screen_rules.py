"""Each rule about sent screens refuses something that no other rule does."""

from collections.abc import Callable
from typing import Any

import pytest

from rankme.actions.campaign import campaigns
from rankme.actions.sitting import screen_rules
from rankme.errors import InvalidAnswer
from rankme.models import Assignment, Item, MediaFile, Output, Submission
from rankme.protocols.files import definition_to_document, preset
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import claim, payload_for, store

pytestmark = pytest.mark.django_db

Case = tuple[Assignment, dict[str, Any]]
SOUNDS = {"block": "outputs", "files": True, "play_to_end": True}
CHOICES = {"a": "One", "b": "Two", "c": "Three"}
MARK = {
    **{"id": 1, "side": "output", "start": 0, "end": 4, "text": "Text", "severity": "minor"},
    **{"category": "", "note": "", "missing": False, "prefilled": "a model", "confirmed": True},
}


def asking(instrument: str, change: Callable[[], object] = int, **more: Any) -> Assignment:
    """A batch of a campaign with one question, whose material was changed before the launch."""
    question = {"name": "asked", "question": "?", "instrument": instrument}
    question |= {"low": "bad", "high": "good"} if instrument == "slider" else {}
    question["options"] = more.pop("options", {})
    screen = {"name": "rate", "show": ["outputs"], "ask": ["asked"]} | more.pop("screen", {})
    definition = slider_definition(**{"criteria": [question], "screens": [screen]} | more)
    campaign = make_campaign(definition, launch=False)
    change()
    return claim(make_rater(campaigns.launch_campaign(campaign, by=campaign.owner)))


def answering(held: Assignment, trial: int = 0, **answer: Any) -> Case:
    given = {"criterion": "asked", "place": 0, "time_ms": 9.0} | answer
    return held, payload_for(held, trial) | {"answers": [given]}


def changed_too_often(monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.setattr(screen_rules, "MOST_REVISIONS", 1)
    held = asking("slider")
    first = payload_for(held)
    store(held.participant, first)
    return held, payload_for(held, replaces=first["key"])


def with_a_long_comment(_: pytest.MonkeyPatch) -> Case:
    held = asking("slider")
    return held, payload_for(held, comment="x" * 30_000)


def before_the_document_ends(_: pytest.MonkeyPatch) -> Case:
    def put_into_documents() -> None:
        for item in Item.objects.all():
            document, segment = divmod(item.position, 2)
            item.factors = {"document": str(document), "segment": str(segment + 1)}
            item.save()

    document = definition_to_document(preset("document-esa"))
    parts = {name: document[name] for name in ("criteria", "screens", "design")}
    whole = next(
        number
        for number, screen in enumerate(document["screens"])
        if screen.get("scope") == "document"
    )
    held = asking("slider", put_into_documents, **parts)
    return held, payload_for(held, screen=whole, value=50)


def with_an_impossible_value(_: pytest.MonkeyPatch) -> Case:
    return answering(asking("slider"), value=101)


def in_an_order_that_was_not_drawn(_: pytest.MonkeyPatch) -> Case:
    held = asking("choice", options={"choices": CHOICES, "shuffle": True})
    return answering(held, value="a", order=["a"])


def with_an_invented_suggestion(_: pytest.MonkeyPatch) -> Case:
    held = asking("spans", options={"severities": {"minor": "Minor", "major": "Major"}})
    return answering(held, value={"marks": [MARK], "events": []})


def with_a_repeated_text(_: pytest.MonkeyPatch) -> Case:
    held = asking("text", options={"unique": True})
    text = "Place one serves a warm soup to all."
    store(held.participant, answering(held, value=text)[1])
    return answering(held, trial=1, value=text)


def without_playing_the_sounds(_: pytest.MonkeyPatch) -> Case:
    def give_sounds() -> None:
        campaign = Item.objects.select_related("campaign")[0].campaign
        sound = MediaFile.objects.create(
            campaign=campaign, name="s1", path="s.wav", kind="sound", size=9, seconds=2.0
        )
        Output.objects.update(text="", media=sound)

    held = asking("slider", give_sounds, screen={"show": [SOUNDS]})
    return held, payload_for(held)


CASES = {
    screen_rules.too_often: changed_too_often,
    screen_rules.too_long: with_a_long_comment,
    screen_rules.asked_too_early: before_the_document_ends,
    screen_rules.invalid_answers: with_an_impossible_value,
    screen_rules.other_orders: in_an_order_that_was_not_drawn,
    screen_rules.invented_suggestions: with_an_invented_suggestion,
    screen_rules.repeated_texts: with_a_repeated_text,
    screen_rules.not_played: without_playing_the_sounds,
}


def test_every_rule_has_its_case():
    """But for a screen that does not exist, which has no questions that could be stored."""
    assert {*CASES, screen_rules.unknown_screen} == set(screen_rules.RULES)


@pytest.mark.parametrize("rule", CASES, ids=lambda rule: rule.__name__)
def test_a_screen_that_one_rule_refuses_is_stored_without_it(rule, monkeypatch):
    held, payload = CASES[rule](monkeypatch)
    stored = Submission.objects.count()
    with pytest.raises(InvalidAnswer):
        store(held.participant, payload)
    assert Submission.objects.count() == stored
    others = tuple(each for each in screen_rules.RULES if each is not rule)
    monkeypatch.setattr(screen_rules, "RULES", others)
    assert store(held.participant, payload).is_new
    assert Submission.objects.count() == stored + 1


def test_without_its_rule_an_unknown_screen_is_a_fault_of_the_server(monkeypatch):
    held = asking("slider")
    payload = payload_for(held) | {"screen": 1}
    with pytest.raises(InvalidAnswer, match="not in this campaign"):
        store(held.participant, payload)
    others = tuple(rule for rule in screen_rules.RULES if rule is not screen_rules.unknown_screen)
    monkeypatch.setattr(screen_rules, "RULES", others)
    with pytest.raises(IndexError):
        store(held.participant, payload)
