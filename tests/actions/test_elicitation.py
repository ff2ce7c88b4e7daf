"""Texts that raters write: no outputs are needed, and nobody writes the same text twice."""

import pytest

from rankme.errors import InvalidAnswer
from rankme.models import Judgement
from rankme.protocols.files import definition_from_document, definition_to_document, preset
from tests.campaigns import make_campaign, make_rater
from tests.sittings import answer, claim


@pytest.fixture
def campaign(db):
    document = definition_to_document(preset("e2e-elicitation")) | {"entry_questions": []}
    return make_campaign(definition_from_document(document), items=4, systems=0)


SOUP = "Place one serves a warm soup to all."


def write(held, trial, text):
    return answer(held, trial, answers=[{"criterion": "text", "place": None, "value": text}])


def test_a_text_is_stored_for_its_item(campaign):
    held = claim(make_rater(campaign))
    assert len(held.presentation) == 4
    write(held, 0, SOUP)
    (judgement,) = Judgement.objects.all()
    assert (judgement.output, judgement.value) == (None, None)
    assert judgement.text == SOUP


def test_the_same_text_for_another_item_is_refused_unless_another_rater_wrote_it(campaign):
    held = claim(make_rater(campaign))
    write(held, 0, SOUP)
    with pytest.raises(InvalidAnswer, match="before"):
        write(held, 1, "place one serves a warm SOUP to all.")
    assert write(held, 1, "Another place has soup for everyone.").is_new
    assert write(claim(make_rater(campaign, "w2")), 0, SOUP).is_new


@pytest.mark.parametrize("text", ["Soup!", "Soup", "Soup (warm) for all of the people here."])
def test_the_papers_validators_hold_on_the_server(campaign, text):
    with pytest.raises(InvalidAnswer):
        write(claim(make_rater(campaign)), 0, text)
