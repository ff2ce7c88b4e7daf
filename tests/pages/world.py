"""Every page of the organiser with who may use it, and a campaign with one of everything."""

from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, reverse
from django.utils.functional import cached_property

from rankme.actions.campaign import campaigns
from rankme.actions.material import metric_jobs
from rankme.actions.runs import analysis_runs, publishing
from rankme.actions.sitting import assignments, exclusions
from rankme.actions.webhooks import hooks
from rankme.actions.webhooks.events import record_events
from rankme.exporting import bundle
from rankme.models import (
    AnalysisRun,
    Campaign,
    MaterialImport,
    PanelSubmission,
)
from rankme.pages.urls import urlpatterns
from tests.campaigns import make_owner, make_rater
from tests.panels.loop import study_row
from tests.runs import executed
from tests.sittings import complaint_of

# Who may: everybody; people with an account; members of the campaign; its owner alone.
ALL, ACCOUNT, INSIDE, OWNER = "all", "account", "inside", "owner"
MINE = "mine"  # the person alone to whom it belongs


POLICY: dict[str, dict[str, str]] = {
    "welcome": {"GET": ALL},
    "key-end": {"POST": ACCOUNT},
    "campaigns": {"GET": ACCOUNT},
    "campaign-start": {"GET": ACCOUNT},
    "campaign-load": {"GET": ACCOUNT, "POST": ACCOUNT},
    "campaign-archive": {"POST": ACCOUNT},
    "campaign-new": {"GET": ACCOUNT, "POST": ACCOUNT},
    "campaign-new-preview": {"POST": ACCOUNT},
    "campaign": {"GET": INSIDE},
    "campaign-edit": {"GET": INSIDE, "POST": INSIDE},
    "campaign-edit-preview": {"POST": INSIDE},
    "campaign-file-edit": {"GET": INSIDE, "POST": INSIDE},
    "campaign-change": {"GET": INSIDE, "POST": INSIDE},
    "campaign-change-file": {"GET": INSIDE, "POST": INSIDE},
    "campaign-change-confirm": {"POST": INSIDE},
    "campaign-version": {"GET": INSIDE},
    "campaign-extend": {"GET": INSIDE, "POST": INSIDE},
    "campaign-reopen": {"GET": INSIDE, "POST": INSIDE},
    "campaign-file": {"GET": INSIDE},
    "campaign-words": {"GET": INSIDE},
    "campaign-duplicate": {"GET": INSIDE, "POST": INSIDE},
    "campaign-delete": {"GET": OWNER, "POST": OWNER},
    "campaign-material": {"GET": INSIDE, "POST": INSIDE},
    "campaign-items": {"GET": INSIDE},
    "campaign-disagreements": {"GET": INSIDE},
    "campaign-item": {"GET": INSIDE},
    "campaign-item-settle": {"POST": INSIDE},
    "campaign-item-names": {"POST": INSIDE},
    "campaign-import": {"GET": INSIDE},
    "campaign-import-columns": {"POST": INSIDE},
    "campaign-import-take": {"POST": INSIDE},
    "campaign-import-drop": {"POST": INSIDE},
    "campaign-metrics": {"GET": INSIDE, "POST": INSIDE},
    "campaign-metrics-file": {"GET": INSIDE},
    "campaign-metrics-upload": {"POST": INSIDE},
    "campaign-metrics-cancel": {"POST": INSIDE},
    "campaign-metric-delete": {"GET": INSIDE, "POST": INSIDE},
    "campaign-launch": {"GET": INSIDE, "POST": INSIDE},
    "campaign-tryout": {"GET": INSIDE, "POST": INSIDE},
    "campaign-made-up-first": {"GET": INSIDE},
    "campaign-made-up": {"GET": INSIDE},
    "campaign-planner": {"GET": INSIDE, "POST": INSIDE},
    "campaign-damaged": {"GET": INSIDE, "POST": INSIDE},
    "campaign-quality": {"GET": INSIDE},
    "campaign-links": {"GET": INSIDE, "POST": INSIDE},
    "campaign-invitations": {"GET": INSIDE},
    "campaign-monitor": {"GET": INSIDE},
    "campaign-look": {"POST": INSIDE},
    "campaign-lease-free": {"POST": INSIDE},
    "campaign-complaint": {"POST": INSIDE},
    "panel-accounts": {"GET": ACCOUNT, "POST": ACCOUNT},
    "panel-account": {"POST": MINE},
    "campaign-panel": {"GET": INSIDE, "POST": INSIDE},
    "campaign-panel-change": {"POST": INSIDE},
    "campaign-panel-books": {"GET": INSIDE, "POST": INSIDE},
    "campaign-panel-person": {"GET": INSIDE, "POST": INSIDE},
    "campaign-pause": {"POST": INSIDE},
    "campaign-resume": {"POST": INSIDE},
    "campaign-close": {"GET": INSIDE, "POST": INSIDE},
    "campaign-raters": {"GET": INSIDE},
    "campaign-rater": {"GET": INSIDE, "POST": INSIDE},
    "campaign-rater-readmit": {"POST": INSIDE},
    "campaign-rater-end-access": {"POST": INSIDE},
    "campaign-rater-erase-answers": {"POST": INSIDE},
    "campaign-rater-erase": {"POST": OWNER},
    "campaign-identities": {"GET": INSIDE, "POST": OWNER},
    "campaign-raters-file": {"GET": INSIDE},
    "campaign-members": {"GET": INSIDE, "POST": OWNER},
    "campaign-member-remove": {"POST": OWNER},
    "campaign-webhooks": {"GET": OWNER, "POST": OWNER},
    "campaign-webhook": {"GET": OWNER, "POST": OWNER},
    "campaign-webhook-again": {"POST": OWNER},
    "campaign-history": {"GET": INSIDE},
    "preview": {"GET": INSIDE},
    "export-judgements": {"GET": INSIDE},
    "campaign-paper": {"GET": INSIDE, "POST": INSIDE},
    "campaign-paper-file": {"GET": INSIDE},
    "campaign-paper-earlier": {"POST": INSIDE},
    "analysis-runs": {"GET": INSIDE, "POST": INSIDE},
    "analysis-run": {"GET": INSIDE},
    "analysis-cancel": {"POST": INSIDE},
    "analysis-publish": {"GET": INSIDE, "POST": INSIDE},
    "analysis-withdraw": {"GET": INSIDE, "POST": INSIDE},
    "analysis-file": {"GET": INSIDE},
    "analysis-metrics": {"GET": INSIDE},
    "report-public": {"GET": ALL},
    "report-public-metrics": {"GET": ALL},
    "doctor": {"GET": ALL, "POST": ALL},
    "gallery": {"GET": ALL},
    "gallery-preset": {"GET": ALL},
    "gallery-media": {"GET": ALL},
    "report-file": {"GET": ALL},
    "help": {"GET": ALL},
    "help-page": {"GET": ALL},
}


# What a part of an address stands for at these alone.
OWN_PARTS: dict[str, dict[str, Any]] = {
    "gallery-preset": {"name": "e2e-quality"},
    "help-page": {"name": "organisers"},
    "campaign-made-up": {"path": "monitor/"},
    "gallery-media": {"name": "image-captions", "number": 0},
    "campaign-version": {"number": 1},
    "campaign-item": {"number": 1},
    "campaign-paper-file": {"name": "heds.json"},
    "campaign-item-settle": {"number": 1},
}


@dataclass
class World:
    """A launched campaign of Olga's, with one of everything that an address can name."""

    campaign: Campaign

    @cached_property
    def parts(self) -> dict[str, Any]:
        rater = make_rater(self.campaign)
        held = assignments.claim_batch(rater)
        exclusions.exclude_rater(rater, reason="Too fast.", by=self.campaign.owner)
        membership = campaigns.add_member(
            self.campaign, make_owner("mia").username, by=self.campaign.owner
        )
        # Not the number of one of the campaign's versions, which an address can name, too.
        upload = MaterialImport.objects.create(pk=10**9, campaign=self.campaign, state="failed")
        computation = metric_jobs.request_metrics(self.campaign, ["bleu"], by=self.campaign.owner)
        metric_jobs.execute(computation.pk, "tester")
        webhook = hooks.add_webhook(self.campaign, "https://a.example/", by=self.campaign.owner)
        run = published_run(self.campaign)
        record_events(self.campaign)
        person = panel_submission(self.campaign)
        return {
            "account": person.study.account_id,
            "submission": person.pk,
            "code": self.campaign.code,
            "start": "e2e-quality",
            "number": upload.pk,
            "assignment": held.pk,
            "complaint": complaint_of(held).pk,
            "label": rater.label,
            "member": membership.pk,
            "webhook": webhook.webhook.pk,
            "delivery": webhook.webhook.deliveries.get().pk,
            "computation": computation.pk,
            "metric": self.campaign.metrics.get().pk,
            "run": run.pk,
            "report": run.report.code,
            "name": bundle.members(run)[0],
            "output": self.campaign.systems.earliest("pk").outputs.earliest("pk").pk,
        }

    def address(self, name: str) -> str:
        needed = pattern_named(name).pattern.converters
        parts = self.parts | OWN_PARTS.get(name, {})
        return reverse(f"rankme:{name}", kwargs={part: parts[part] for part in needed})


def panel_submission(campaign: Campaign) -> PanelSubmission:
    """Somebody whom a panel sent, with the study and the account."""
    study = study_row(campaign)
    return PanelSubmission.objects.create(
        study=study, external_id="s1", person="p1", state="ACTIVE"
    )


def published_run(campaign: Campaign) -> AnalysisRun:
    """The run of a report that is small enough to be computed for every entry."""
    run = analysis_runs.request_run(
        campaign, {"agreement_resamples": 2, "metric_resamples": 2}, by=campaign.owner
    )
    executed(run, pictures=("svg",))
    publishing.publish_report(run, by=campaign.owner)
    return run


def pattern_named(name: str) -> URLPattern:
    return next(pattern for pattern in urlpatterns if pattern.name == name)
