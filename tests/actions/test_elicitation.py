"""Texts that raters write: no outputs are needed, and nobody writes the same text twice."""

import uuid

import pytest

from rankme.actions.sitting import assignments
from rankme.errors import InvalidAnswer
from rankme.models import Judgement
from rankme.protocols.files import definition_from_document, definition_to_document, preset
from tests.campaigns import make_campaign, make_rater
from tests.sittings import store


@pytest.fixture
def campaign(db):
    document = definition_to_document(preset("e2e-elicitation")) | {"entry_questions": []}
    return make_campaign(definition_from_document(document), items=4, systems=0)


def write(rater, assignment, trial, text):
    return store(
        rater,
        {
            "version": 1,
            "key": str(uuid.uuid4()),
            "assignment": assignment.pk,
            "trial": trial,
            "screen": 0,
            "answers": [{"criterion": "text", "place": None, "value": text}],
        },
    )


def test_a_text_is_stored_for_its_item(campaign):
    rater = make_rater(campaign)
    held = assignments.claim_batch(rater)
    assert len(held.presentation) == 4
    write(rater, held, 0, "Place one serves a warm soup to all.")
    (judgement,) = Judgement.objects.all()
    assert (judgement.output, judgement.value) == (None, None)
    assert judgement.text == "Place one serves a warm soup to all."


def test_the_same_text_for_another_item_is_refused(campaign):
    rater = make_rater(campaign)
    held = assignments.claim_batch(rater)
    write(rater, held, 0, "Place one serves a warm soup to all.")
    with pytest.raises(InvalidAnswer, match="before"):
        write(rater, held, 1, "place one serves a warm SOUP to all.")
    assert write(rater, held, 1, "Another place has soup for everyone.").is_new


def test_another_rater_may_write_the_same(campaign):
    for name in ("w1", "w2"):
        rater = make_rater(campaign, name)
        held = assignments.claim_batch(rater)
        assert write(rater, held, 0, "Place one serves a warm soup to all.").is_new


@pytest.mark.parametrize("text", ["Soup!", "Soup", "Soup (warm) for all of the people here."])
def test_the_papers_validators_hold_on_the_server(campaign, text):
    rater = make_rater(campaign)
    with pytest.raises(InvalidAnswer):
        write(rater, assignments.claim_batch(rater), 0, text)
