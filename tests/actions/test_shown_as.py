"""A share of the items is shown as pictures, and the record says which."""

import pytest

from rankme.exporting.texts import texts_csv
from rankme.pages.previews.preview import sample_trials
from rankme.protocols.files import preset
from tests.campaigns import make_campaign, slider_definition
from tests.pages.rater.visits import begin

pytestmark = pytest.mark.django_db
PRACTICE = [{"input": "name[A]", "outputs": ["A."]}, {"input": "name[B]", "outputs": ["B."]}]


def mixed(share=0.25, **changes):
    block = {"block": "input", "pictorial": True, "pictorial_share": share}
    screens = [{"name": "rate", "show": [block, "outputs"], "ask": ["fluency"]}]
    return slider_definition(screens=screens, input_kind="mr", **changes)


def test_the_share_is_drawn_at_the_launch_and_kept_with_the_items():
    campaign = make_campaign(mixed(), items=8, systems=1)
    shown_as = [item.factors["shown_as"] for item in campaign.items.all()]
    assert sorted(shown_as) == ["pictures"] * 2 + ["words"] * 6


def test_the_page_shows_each_item_as_it_was_drawn(client):
    campaign = make_campaign(mixed(practice=PRACTICE), items=8, systems=1)
    document = begin(client, campaign, id="w1")
    drawn = {
        item.input.partition("]")[0].partition("[")[2]: item.factors["shown_as"]
        for item in campaign.items.all()
    }
    for trial in document["trials"]:
        name = dict(trial["input"]["pairs"])["name"]
        assert trial["input"]["in_words"] == (drawn[name] == "words")
    assert [trial["input"]["in_words"] for trial in document["practice"]] == [True, False]


def test_a_preview_of_a_draft_shows_what_a_launch_would_draw():
    draft = make_campaign(mixed(share=0.5), items=4, systems=1, launch=False)
    assert {trial.in_words for trial in sample_trials(draft, mixed(share=0.5))} == {True, False}


def test_where_all_are_pictures_nothing_is_drawn(client):
    campaign = make_campaign(mixed(share=1), items=2, systems=1)
    assert not any("shown_as" in item.factors for item in campaign.items.all())
    document = begin(client, campaign, id="w1")
    assert not any(trial["input"]["in_words"] for trial in document["trials"])


def test_the_elicitation_has_the_share_of_the_paper():
    assert preset("e2e-elicitation").pictorial_share == 0.2


def test_the_data_set_says_how_its_items_were_shown():
    header = next(texts_csv(make_campaign(mixed(), items=4, systems=1), "long"))
    assert header.decode().strip().endswith(",shown_as")
