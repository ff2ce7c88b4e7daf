"""Trying a draft with simulated raters: pages of made-up numbers, and nothing left behind."""

import re

import pytest
from celery import current_app
from django.apps import apps
from django.core.files.storage import default_storage

from rankme.actions.campaign import tryouts
from rankme.actions.jobs import APOLOGY
from rankme.management import made_up
from rankme.models import Output, SiteProcess
from tests.campaigns import make_campaign, rankme_definition
from tests.pages.addresses import address

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads"), pytest.mark.slow]


@pytest.fixture
def sent(monkeypatch) -> list:
    """The messages to workers."""
    messages: list = []
    monkeypatch.setattr(
        current_app, "send_task", lambda name, args, retry: messages.append((name, args))
    )
    return messages


def rows() -> dict[str, int]:
    """Of all tables but one: the web server of other tests notes that it runs."""
    models = [model for model in apps.get_models() if model is not SiteProcess]
    return {model.__name__: model._default_manager.count() for model in models}


def test_a_click_shows_monitor_and_report_and_leaves_no_rows_behind(olga, sent):
    draft = make_campaign(rankme_definition(), items=4, systems=5, launch=False)
    page = address("campaign-tryout", draft)
    olga.post(page, {"do": "start"})
    ((task, arguments),) = sent
    assert task == tryouts.TASK
    assert "at work" in olga.get(page).text
    before = rows()
    made_up.try_out(*arguments)
    assert rows() == before
    assert not default_storage.exists("reports") or default_storage.listdir("reports") == ([], [])
    shown = olga.get(page).text
    (report,) = re.findall(r'href="([^"]+/analysis/\d+/)"', shown)
    for there in (address("campaign-made-up", draft, "monitor/"), report):
        text = olga.get(there).text
        assert "made up by simulated raters" in text and "<form" not in text
        assert f"Made up: {draft.title}" in text
        assert set(re.findall(r"/campaigns/(\w{12})/", text)) == {draft.code}
        for picture in re.findall(r'<img[^>]* src="(/campaigns/[^"]+)"', text):
            assert olga.get(picture).status_code == 200
    assert "Estimated" in text or "<svg" in text or "<img" in text
    olga.post(page, {"do": "end"})
    assert tryouts.tryout_state(draft.code) == {}
    assert olga.get(report)["Location"] == page


def test_a_launched_campaign_and_an_empty_draft_cannot_be_tried(olga, sent):
    launched = make_campaign(rankme_definition(), items=4, systems=5)
    empty = make_campaign(rankme_definition(), items=0, systems=0, launch=False)
    for campaign in (launched, empty):
        olga.post(address("campaign-tryout", campaign), {"do": "start"})
        assert sent == [] and tryouts.tryout_state(campaign.code) == {}


def test_a_try_that_is_refused_says_why_and_leaves_no_rows_behind(olga, sent):
    draft = make_campaign(rankme_definition(), items=4, systems=2, launch=False)
    Output.objects.filter(item__campaign=draft).delete()
    olga.post(address("campaign-tryout", draft), {"do": "start"})
    before = rows()
    made_up.try_out(draft.pk, draft.owner_id)
    state = tryouts.tryout_state(draft.code)
    assert state["status"] == "failed" and state["error"] not in ("", APOLOGY)
    assert state["error"] in olga.get(address("campaign-tryout", draft)).text
    assert rows() == before
