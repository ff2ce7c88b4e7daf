"""The rater's screen of a form that is not saved: what is typed is shown, and nothing is stored."""

import pytest
from django.urls import reverse

from rankme.models import Campaign
from rankme.protocols.files import preset_names
from tests.campaigns import make_campaign, slider_definition
from tests.pages.rater.visits import document_of
from tests.pages.sent_forms import fields_of

pytestmark = pytest.mark.django_db

PREVIEW = reverse("rankme:campaign-new-preview")


def form_of(olga, start: str = "blank") -> dict[str, str]:
    return fields_of(olga.get(reverse("rankme:campaign-new", args=[start])).text)


def test_a_half_filled_form_is_shown_as_far_as_it_goes(olga):
    sent = form_of(olga) | {"criteria.0.question": "How fluent is it?", "crowd.currency": "E"}
    answer = olga.post(PREVIEW, sent)
    document = document_of(answer)
    [asked] = document["screens"][0]["ask"]
    assert asked["options"]["labels"][0] == "very poor"
    assert "How fluent is it?" in answer.text
    assert [len(trial["outputs"]) for trial in document["trials"]] == [1, 1, 1]
    assert document["preview"] is True and not Campaign.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", preset_names())
def test_every_preset_has_a_preview_with_our_examples(olga, name):
    document = document_of(olga.post(PREVIEW, form_of(olga, name)))
    assert len(document["trials"]) == 3
    assert set(document["instruments"]) >= {asked["instrument"] for asked in _asked(document)}


def _asked(document):
    return [asked for screen in document["screens"] for asked in screen["ask"]]


def test_a_criterion_that_was_just_named_is_on_its_screen(olga):
    sent = form_of(olga, "likert-criteria") | {"criteria.1.name": "tone"}
    [screen] = document_of(olga.post(PREVIEW, sent))["screens"]
    assert [asked["criterion"] for asked in screen["ask"]] == ["fluency", "tone", "overall"]


@pytest.mark.parametrize(
    ("at", "seen"),
    [
        ("screens.1.title", ["meaning_similarity"]),
        ("criteria.2.question", ["meaning_similarity"]),
        ("criteria.0.question", ["clarity", "readability"]),
        ("title", ["clarity", "readability"]),
        ("screens.99.title", ["clarity", "readability"]),
        ("criteria.99.name", ["clarity", "readability"]),
        ("screens.x", ["clarity", "readability"]),
    ],
)
def test_the_screen_is_the_one_that_is_edited(olga, at, seen):
    document = document_of(olga.post(PREVIEW, form_of(olga, "sr11-shallow") | {"preview_at": at}))
    assert [asked["criterion"] for asked in document["screens"][0]["ask"]] == seen


@pytest.mark.parametrize(
    ("more", "seen"),
    [
        ({"preview_at": "texts.consent", "texts.consent": "My own terms"}, "My own terms"),
        ({"preview_at": "texts.instructions", "texts.instructions": "Read twice"}, "Read twice"),
        ({"preview_at": "title", "preview_page": "done", "texts.thanks": "Bye <b>"}, "Bye &lt;b"),
        ({"preview_page": "nonsense"}, "I agree to take part"),
    ],
)
def test_the_page_is_the_one_that_is_edited_or_chosen(olga, more, seen):
    assert seen in olga.post(PREVIEW, form_of(olga) | more).text


def test_what_cannot_be_shown_says_why(olga):
    sent = form_of(olga) | {"criteria.0.options.points": "40", "criteria.0.question": "Good?"}
    answer = olga.post(PREVIEW, sent)
    assert answer.status_code == 422
    assert "No preview yet" in answer.text and "Points" in answer.text


def test_a_campaign_with_material_shows_its_own_first_texts(olga):
    campaign = make_campaign(slider_definition(), launch=False)
    before = campaign.definition
    page = olga.get(reverse("rankme:campaign-edit", args=[campaign.code])).text
    address = reverse("rankme:campaign-edit-preview", args=[campaign.code])
    document = document_of(olga.post(address, fields_of(page) | {"title": "Never stored"}))
    first = campaign.items.order_by("position").first()
    own = list(first.outputs.order_by("system__position").values_list("text", flat=True))
    assert document["trials"][0]["outputs"] == own[: len(document["trials"][0]["outputs"])]
    campaign.refresh_from_db()
    assert campaign.definition == before


def test_only_our_own_pages_may_frame_it_and_only_the_form_frames(olga):
    shown = olga.post(PREVIEW, form_of(olga))
    assert "frame-ancestors 'self'" in shown["Content-Security-Policy"]
    assert shown["X-Frame-Options"] == "SAMEORIGIN"
    form = olga.get(reverse("rankme:campaign-new", args=["blank"]))
    assert "frame-src 'self'" in form["Content-Security-Policy"]
    for page in (shown, form):
        assert "unsafe" not in page["Content-Security-Policy"]
        assert "script-src 'self'" in page["Content-Security-Policy"]
    other = olga.get(reverse("rankme:campaign-start"))
    assert "frame-ancestors 'none'" in other["Content-Security-Policy"]
    assert "frame-src" not in other["Content-Security-Policy"]
