"""What organisers see of checks: before the launch, while raters work, and as a file."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from rankme.models import CheckTrial, DamagedText
from tests.campaigns import make_campaign, make_owner, make_rater, slider_definition
from tests.checks.raters import CHECKS, RULE, work
from tests.sittings import claim

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(client):
    client.force_login(make_owner())
    return client


def address(name: str, campaign) -> str:
    return reverse(f"rankme:{name}", args=[campaign.code])


def draft(**changes):
    definition = slider_definition(checks=CHECKS, rules={"exclude_if": RULE}, **changes)
    return make_campaign(definition, items=16, systems=2, launch=False)


def test_the_launch_page_says_what_the_rule_does(olga):
    page = olga.get(address("campaign-launch", draft())).content.decode()
    assert "Each batch has 12 extra pages" in page
    assert "<code>spoiled.paired_p &gt; .05</code>" in page
    assert "3.1 %" in page  # of careless raters pass five pairs by chance


def test_the_launch_page_warns_of_a_rule_that_cannot_work(olga):
    campaign = draft()
    campaign.definition["rules"] = {"exclude_if": "spoiled.paired_p > .01"}
    campaign.save(update_fields=["definition"])
    page = olga.get(address("campaign-launch", campaign)).content.decode()
    assert "With 5 pairs p is never below 0.031" in page


def test_each_damaged_text_can_be_changed_before_the_launch(olga):
    campaign = draft()
    here = address("campaign-damaged", campaign)
    found = olga.get(here)
    [first, *_others] = found.context["texts"]
    damage = first["damage"]
    assert first["what"] and damage.text != damage.original
    sent = {"check": "spoiled", "output": damage.output, "text": "Quite another text."}
    assert olga.post(here, sent).status_code == 302
    assert "changed by you" in olga.get(here).content.decode()
    refused = olga.post(here, sent | {"text": damage.original}, follow=True).content.decode()
    assert "A damaged copy must differ" in refused
    olga.post(address("campaign-launch", campaign), {"sure": "on"})
    shown = CheckTrial.objects.filter(campaign=campaign, name="spoiled")
    assert "Quite another text." in {check.shown["outputs"][0] for check in shown}
    olga.post(here, sent | {"text": "Too late."})
    assert DamagedText.objects.get().text == "Quite another text."


def test_a_change_can_be_taken_back(olga):
    campaign = draft()
    here = address("campaign-damaged", campaign)
    damage = olga.get(here).context["texts"][0]["damage"]
    sent = {"check": "spoiled", "output": damage.output, "text": "Quite another text."}
    olga.post(here, sent)
    olga.post(here, sent | {"reset": "1"})
    assert olga.get(here).context["texts"][0]["damage"] == damage


def test_the_page_on_quality_says_who_was_caught_by_what(olga):
    campaign = make_campaign(
        slider_definition(checks=CHECKS, rules={"exclude_if": "spoiled.paired_p > .05"}),
        items=16,
        systems=2,
    )
    careful, careless = make_rater(campaign, "w1"), make_rater(campaign, "w2")
    work(claim(careful), careful=True)
    work(claim(careless), careful=False)
    found = olga.get(address("campaign-quality", campaign))
    lines = {line.participant.pk: line for line in found.context["lines"]}
    assert lines[careful.pk].exclusion is None
    assert lines[careless.pk].exclusion.rule == "spoiled.paired_p > .05"
    assert "failed" in lines[careless.pk].sentence.lower()
    counts = found.context["counts"]
    assert (counts.worked, counts.excluded_by_rule, counts.excluded_by_hand) == (2, 1, 0)
    assert counts.by_part == (("Excluded", "spoiled.paired_p > .05", 1),)
    rater = olga.get(reverse("rankme:campaign-rater", args=[campaign.code, careless.label]))
    assert "by a rule of the campaign" in rater.content.decode()


def test_answers_to_checks_are_a_file_of_their_own(olga):
    campaign = make_campaign(slider_definition(checks=CHECKS), items=16, systems=2)
    rater = make_rater(campaign)
    work(claim(rater), careful=True)
    export = reverse("rankme:export-judgements", args=[campaign.code])
    assert "format=checks" in olga.get(export).content.decode()
    sent = b"".join(olga.get(f"{export}?format=checks").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(sent)))
    pages = [row for row in rows if row["screen"]]
    assert len(pages) == 12 and {row["rater"] for row in rows} == {rater.label}
    assert {row["passed"] for row in rows if row["check"] == "look"} == {"1"}
    assert all(row["other"] == "5.0" for row in rows if row["check"] == "spoiled")
    assert len([row for row in rows if row["check"] == "time"]) == 28
