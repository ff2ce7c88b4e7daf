"""The database refuses marks that do not fit their texts, on outputs and on sources."""

import json
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from rankme.models import Item, Judgement, Output
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import claim, payload_for, store

pytestmark = pytest.mark.django_db

SPANS = {
    "name": "errors",
    "question": "?",
    "instrument": "spans",
    "options": {"source": True, "severities": {"minor": "Minor", "major": "Major"}},
}
MISFITS = [
    {"text": "abcd"},
    {"start": 3},
    {"end": 7},
    {"start": -1},
    {"start": 900, "end": 904},
    {"end": 1},
]


@pytest.fixture
def stored() -> Judgement:
    """A judgement with a mark on the source and one on the output, as the page sends them."""
    definition = slider_definition(
        criteria=[SPANS],
        screens=[{"name": "rate", "show": ["input", "outputs"], "ask": ["errors"]}],
        input_kind="text",
    )
    held = claim(make_rater(make_campaign(definition, items=1, systems=1)))
    texts = {"source": Item.objects.get().input, "output": Output.objects.get().text}
    marks = [mark(number, side, text) for number, (side, text) in enumerate(texts.items(), 1)]
    answer = {"criterion": "errors", "place": 0, "time_ms": 1.0}
    value = {"marks": marks, "events": []}
    store(held.participant, payload_for(held) | {"answers": [answer | {"value": value}]})
    return Judgement.objects.get()


def mark(number: int, side: str, text: str) -> dict[str, Any]:
    return {
        **{"id": number, "side": side, "start": 2, "end": 6, "text": text[2:6]},
        **{"severity": "minor", "category": "", "note": "", "missing": False},
    }


def changed(stored: Judgement, side: str, **change: Any) -> Judgement:
    """The judgement once more, not yet stored; its mark on this side is another."""
    document = json.loads(stored.text)
    (one,) = (one for one in document["marks"] if one["side"] == side)
    one.update(change)
    fields = ("submission_id", "criterion_id", "output_id", "position", "value", "time_ms")
    return Judgement(**{name: getattr(stored, name) for name in fields}, text=json.dumps(document))


def remove(stored: Judgement) -> None:
    """Past the rule that judgements stay, so that there is place for another."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("DELETE FROM rankme_judgement WHERE id = %s", [stored.pk])
        cursor.execute("SET session_replication_role = DEFAULT")


@pytest.mark.parametrize("side", ["source", "output"])
def test_a_mark_that_does_not_fit_its_text_is_refused(stored: Judgement, side: str):
    remove(stored)
    for misfit in MISFITS:
        with pytest.raises(IntegrityError, match="has another text"), transaction.atomic():
            changed(stored, side, **misfit).save()
    changed(stored, side).save()
    assert Judgement.objects.get().text


@pytest.mark.parametrize("side", ["source", "output"])
def test_without_the_trigger_each_of_them_would_be_stored(stored: Judgement, side: str):
    remove(stored)
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER judgement_marks_fit ON rankme_judgement")
    for misfit in MISFITS:
        one = changed(stored, side, **misfit)
        one.save()
        remove(one)


def test_a_mark_on_the_source_is_not_compared_with_the_output(stored: Judgement):
    remove(stored)
    output = Output.objects.get().text
    with pytest.raises(IntegrityError, match="has another text"), transaction.atomic():
        changed(stored, "source", text=output[2:6]).save()
