"""The plan of a campaign is fixed at the launch, can be checked, and reports say what differs."""

import hashlib
import json
import shutil
import subprocess

import pytest
from django.urls import reverse

from rankme.actions.campaign import campaigns
from rankme.actions.runs.deviations import deviations_of
from rankme.exporting.bundle import read_member, run_table
from rankme.exporting.paper.preregistration import as_latex, as_markdown
from rankme.exporting.registered import document_sha256, registered_sha256, stored_preregistration
from rankme.models import AuditEvent
from rankme.models.campaigns import PREREGISTERED
from rankme.protocols.files import stored_definition
from rankme.verification import verify_campaign
from tests.campaigns import make_campaign, make_owner, rankme_definition
from tests.runs import asked, executed, rate
from tests.verification.forging import past_all_rules

pytestmark = pytest.mark.django_db

WICKED = "100 % of C:\\x_1 & {y} #2 ~ ^ $3$ <ä> “ok”: A beats B."


def definition(**changes):
    return rankme_definition(hypotheses=WICKED, primary="quality", raters_per_trial=2, **changes)


def file_of(client, campaign, kind: str = "json") -> bytes:
    name = f"preregistration.{kind}"
    address = reverse("rankme:campaign-paper-file", args=[campaign.code, name])
    answered = client.get(address)
    assert answered.status_code == 200
    return b"".join(answered) if answered.streaming else answered.content


def test_the_file_of_a_draft_is_the_one_that_its_launch_stores(olga, tmp_path):
    campaign = make_campaign(definition(), items=8, systems=5, launch=False)
    before = file_of(olga, campaign)
    page = olga.get(reverse("rankme:campaign-launch", args=[campaign.code])).content.decode()
    campaign = campaigns.launch_campaign(campaign, by=campaign.owner)
    sha256 = hashlib.sha256(before).hexdigest()
    assert sha256 in page
    assert file_of(olga, campaign) == before
    event = campaign.audit_events.get(verb=PREREGISTERED)
    assert event.detail["sha256"] == registered_sha256(campaign) == sha256
    for kind in ("md", "tex"):
        assert sha256 in file_of(olga, campaign, kind).decode()
    assert WICKED in as_markdown(json.loads(before))
    said = dict(fact for part in json.loads(before)["sections"] for fact in part["facts"])
    assert said["Primary criterion"] == "quality"
    # The seed decides who sees what, and the campaign has only begun.
    assert str(stored_definition(campaign.definition).seed) not in json.dumps(said)
    assert verify_campaign(campaign).fault == ""


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="There is no TeX here.")
def test_the_latex_compiles(tmp_path):
    document = stored_preregistration(make_campaign(definition()))
    (tmp_path / "a.tex").write_text(as_latex(document))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]


@pytest.mark.parametrize("keeps_hash", [False, True])
def test_verify_finds_a_changed_document(keeps_hash):
    """A forger who also writes a fitting hash has not changed the definition."""
    campaign = make_campaign(definition())
    event = campaign.audit_events.get(verb=PREREGISTERED)
    document = stored_preregistration(campaign)
    document["sections"][0]["facts"][0][1] = "B beats A."
    changed = event.detail | {"document": document}
    if not keeps_hash:
        changed["sha256"] = document_sha256(document)
    with past_all_rules():
        AuditEvent.objects.filter(pk=event.pk).update(detail=changed)
    expected = "does not match its hash" if keeps_hash else "differs from the campaign"
    assert expected in verify_campaign(campaign).fault


def test_a_campaign_that_went_as_planned_has_no_deviations(olga):
    options = {"runs": 40, "agreement_resamples": 20}
    campaign = make_campaign(definition(analysis={"options": options}), items=8, systems=5)
    balance = campaign.plan.balance
    campaign = rate(campaign, raters=balance["batches"] * 2)
    campaign.refresh_from_db()
    campaign = campaigns.close_campaign(campaign, by=make_owner())
    run = executed(asked(campaign), pictures=())
    assert deviations_of(run, run_table(run)) == []
    kept = json.loads(read_member(run, "deviations.json"))
    assert kept["deviations"] == run.result["deviations"] == []
    assert kept["cannot_be_seen"]
    assert kept["preregistration_sha256"] == registered_sha256(campaign)
    page = olga.get(reverse("rankme:analysis-run", args=[campaign.code, run.pk])).content.decode()
    assert "Nothing was done otherwise than planned" in page
