"""A rehearsal: an organiser's own campaign, with simulated raters who get paid by nobody."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from rankme.models import AnalysisRun, Campaign, PanelPayment, PanelStudy
from tests.campaigns import make_campaign, slider_definition
from tests.live import LiveSite

pytestmark = pytest.mark.slow


def test_a_rehearsal_ends_with_equal_books_and_a_report(live_site: LiveSite, settings):
    settings.SITE_URL = live_site.url
    campaign = make_campaign(
        slider_definition(raters_per_trial=2, crowd={"pay_per_batch": 2}), items=4, systems=4
    )
    before = Campaign.objects.values_list("state", "definition").get()
    said = StringIO()
    call_command("rehearse", campaign.code, seed=3, returns=0.3, time_outs=0.1, stdout=said)
    lines = {line.split("  ")[0].strip(): line.split() for line in said.getvalue().splitlines()}
    for state in PanelStudy.objects.get().submissions.values_list("state", flat=True):
        here, there = lines[state][-2:]
        assert here == there
    paid = sum(PanelPayment.objects.filter(state="paid").values_list("amount", flat=True))
    assert lines["rewards paid"][2:4] == [str(paid)] * 2 and paid > 0
    assert (
        Campaign.objects.filter(pk=campaign.pk).values_list("state", "definition").get() == before
    )
    copy = Campaign.objects.exclude(pk=campaign.pk).get()
    assert copy.title.startswith("Rehearsal: ")
    assert not copy.slots.exclude(state="done").exists()
    assert AnalysisRun.objects.get(campaign=copy).state == "done"
    assert f"/campaigns/{copy.code}/panel/books/" in said.getvalue()


def test_a_production_site_rehearses_nothing(db, settings):
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="production"):
        call_command("rehearse", "anything")
