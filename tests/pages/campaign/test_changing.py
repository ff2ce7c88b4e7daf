"""Changing a launched campaign by its pages, and two people at one version."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from rankme.actions.campaign import campaigns, changes
from rankme.models import Campaign
from rankme.protocols.files import definition_to_document, definition_to_yaml
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.pages.rater.visits import arrive, begin, payload_for, send
from tests.pages.sent_forms import fields_of, forms_of

pytestmark = pytest.mark.django_db
CORRECTED = {"consent": "Do you agree?", "instructions": "Click the line."}


@pytest.fixture
def campaign():
    return make_campaign()


def address(campaign, name="campaign-change", *more):
    return reverse(f"rankme:{name}", args=[campaign.code, *more])


def asked_on(page):
    """The fields of the page's last form: the one before is for logging out."""
    return forms_of(page.text)[-1].fields


def file_of(campaign, **changed):
    campaign.refresh_from_db()
    return {"text": definition_to_yaml(slider_definition(**changed)), "version": campaign.version}


def test_an_organiser_corrects_the_instructions_while_a_rater_works(olga, campaign):
    rater, newcomer = Client(), Client()
    document = begin(rater, campaign, id="p1")
    page = olga.get(address(campaign, "campaign-edit")).text
    assert "Change this campaign" in page
    sent = fields_of(olga.get(address(campaign)).text)
    review = olga.post(address(campaign), sent | {"texts.instructions": "Click the line."})
    assert review.status_code == 200
    (difference,) = review.context["differences"]
    assert (difference.saved, difference.typed) == ("Move the slider.", "Click the line.")
    assert "1 rater is working on a batch" in review.text
    asked = asked_on(review)
    confirm = address(campaign, "campaign-change-confirm")
    assert olga.post(confirm, asked | {"reason": ""}).status_code == 422
    assert Campaign.objects.get().version == 1
    answer = olga.post(confirm, asked | {"reason": "Nobody could move it."}, follow=True)
    page = answer.text
    assert "Version 2 is in force" in page and "Nobody could move it." in page
    again = rater.get(reverse("rankme:work", args=[campaign.code])).text
    assert "Move the slider." in again and "Click the line." not in again
    assert send(rater, campaign, payload_for(campaign, document)).status_code == 201
    begin(newcomer, campaign, id="p2")
    new = newcomer.get(reverse("rankme:work", args=[campaign.code])).text
    assert "Click the line." in new
    assert list(campaign.assignments.order_by("pk").values_list("version", flat=True)) == [1, 2]
    detail = olga.get(address(campaign, "campaign-version", 2)).text
    assert "Nobody could move it." in detail and "Move the slider." in detail
    assert olga.get(address(campaign, "campaign-version", 3)).status_code == 404


def test_a_rater_reads_changed_instructions_before_the_next_batch(campaign):
    rater = Client()
    arrive(rater, campaign, id="p1")
    instructions = reverse("rankme:instructions", args=[campaign.code])
    sent = asked_on(rater.get(instructions))
    changes.change_campaign(
        campaign, slider_definition(texts=CORRECTED), reason="x", by=make_owner(), base=1
    )
    # What was read is the page of version 1, so the new one comes before the work.
    at_once = rater.post(instructions, sent).text
    assert "have changed since you read them" in at_once and "Click the line." in at_once
    answer = rater.get(reverse("rankme:work", args=[campaign.code]))
    assert answer.headers["Location"] == instructions
    answer = rater.get(instructions)
    page = answer.text
    assert "have changed since you read them" in page and "Click the line." in page
    rater.post(instructions, asked_on(answer))
    assert rater.get(reverse("rankme:work", args=[campaign.code])).status_code == 200
    assert campaign.participants.get().version == 2


def test_what_may_not_change_is_named_in_the_form_and_the_file(olga, campaign):
    sent = fields_of(olga.get(address(campaign)).text)
    answer = olga.post(address(campaign), sent | {"raters_per_trial": "9"})
    assert answer.status_code == 422
    assert [finding.label for finding in answer.context["findings"]] == ["Raters per trial"]
    scale = {"name": "fluency", "question": "How?", "instrument": "likert", "options": {}}
    answer = olga.post(
        address(campaign, "campaign-change-file"), file_of(campaign, criteria=[scale])
    )
    assert answer.status_code == 422
    assert "criteria[0].instrument" in answer.text
    assert Campaign.objects.get().version == 1


@pytest.mark.parametrize("name", ["campaign-change-file", "campaign-change-confirm"])
def test_a_stale_edit_shows_both_versions(olga, campaign, name):
    mine = file_of(campaign, title="Mine") | {"reason": "Mine."}
    changes.change_campaign(
        campaign, slider_definition(title="Theirs"), reason="x", by=make_owner("mia"), base=1
    )
    answer = olga.post(address(campaign, name), mine)
    assert answer.status_code == 409
    page = answer.text
    assert "mia saved this definition" in page and "Theirs" in page and "Mine" in page
    assert Campaign.objects.get().title == "Theirs"
    review = olga.post(address(campaign), fields_of(page))
    asked = asked_on(review) | {"reason": "Mine after all."}
    olga.post(address(campaign, "campaign-change-confirm"), asked)
    assert Campaign.objects.get().title == "Mine"


def test_a_reviewed_change_can_be_edited_further(olga, campaign):
    review = olga.post(address(campaign, "campaign-change-file"), file_of(campaign, title="Mine"))
    asked = asked_on(review)
    page = olga.post(address(campaign), asked | {"do": "edit"}).text
    assert fields_of(page)["title"] == "Mine"


def test_a_closed_campaign_is_reopened_with_a_reason(olga, campaign):
    campaigns.close_campaign(campaign, by=make_owner())
    page = olga.get(address(campaign, "campaign-reopen"))
    assert re.search(r"\d+ batches are not done yet", page.text)
    sent = asked_on(page)
    assert olga.post(address(campaign, "campaign-reopen"), sent).status_code == 422
    olga.post(address(campaign, "campaign-reopen"), sent | {"reason": "More raters came."})
    campaign.refresh_from_db()
    assert (campaign.state, campaign.versions.last().reason) == ("running", "More raters came.")


def test_a_draft_is_not_changed_by_these_pages(olga):
    draft = make_campaign(launch=False)
    for name in ("campaign-change", "campaign-change-file", "campaign-reopen"):
        assert olga.get(address(draft, name)).status_code == 302
    sent = {
        "text": definition_to_yaml(slider_definition(title="x")),
        "version": 0,
        "reason": "x",
    }
    answer = olga.post(address(draft, "campaign-change-confirm"), sent)
    assert answer.status_code == 422
    draft.refresh_from_db()
    assert draft.definition == definition_to_document(slider_definition())


def test_a_plan_is_extended_after_a_look_at_the_balance(olga, campaign):
    page = olga.get(address(campaign, "campaign-extend"))
    assert "There is nothing to add" in page.text
    asked = olga.get(address(campaign, "campaign-extend"), {"raters_per_trial": 2})
    assert ("Sys0", 4, 8) in asked.context["systems"]
    assert asked.context["extension"]["new_sittings"] == 4
    sent = asked_on(asked)
    assert olga.post(address(campaign, "campaign-extend"), sent).status_code == 422
    sent |= {"reason": "A reviewer asked."}
    assert olga.post(address(campaign, "campaign-extend"), sent).status_code == 302
    assert campaign.slots.count() == 8
    assert olga.post(address(campaign, "campaign-extend"), sent).status_code == 409
    fewer = olga.get(address(campaign, "campaign-extend"), {"raters_per_trial": 1})
    assert "there can only be more" in fewer.text


def test_a_difference_far_into_a_long_text_is_shown(olga, campaign):
    long = "Read the text. " * 40
    changes.change_campaign(
        campaign,
        slider_definition(texts=CORRECTED | {"instructions": f"{long}Then move."}),
        reason="x",
        by=make_owner(),
        base=1,
    )
    sent = file_of(campaign, texts=CORRECTED | {"instructions": f"{long}Then click."})
    review = olga.post(address(campaign, "campaign-change-file"), sent)
    (difference,) = review.context["differences"]
    assert difference.saved.endswith("Then move.") and difference.typed.endswith("Then click.")
    assert difference.typed.startswith("…")
