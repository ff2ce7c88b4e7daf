"""Every page of the organiser with who may use it, and a campaign with one of everything."""

from dataclasses import dataclass
from typing import Any

from django.core.signing import Signer
from django.urls import URLPattern, reverse
from django.utils.functional import cached_property

from rankme.actions.accounts.api_keys import KeyPlan, make_key
from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.accounts.link_mail_texts import STOP_SALT
from rankme.actions.accounts.work_pages import make_work_page
from rankme.actions.campaign import members
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
from rankme.models.campaigns import MEMBER_ROLES, Role
from rankme.pages.urls import urlpatterns
from rankme.permissions import Permission as P
from tests.campaigns import make_owner, make_rater
from tests.panels.loop import study_row
from tests.runs import executed
from tests.sittings import complaint_of

# Who may: everybody, or people with an account; else members whose role has a permission.
ALL, ACCOUNT = "all", "account"
MINE = "mine"  # the person alone to whom it belongs


# Who has which role in the campaign.
MEMBERS = {role: role.value for role in MEMBER_ROLES} | {Role.EDITOR: "mia"}

POLICY: dict[str, dict[str, str]] = {
    "welcome": {"GET": ALL},
    "keys": {"GET": ACCOUNT, "POST": ACCOUNT},
    "key-revoke": {"POST": MINE},
    "campaigns": {"GET": ACCOUNT},
    "campaign-start": {"GET": ACCOUNT},
    "campaign-load": {"GET": ACCOUNT, "POST": ACCOUNT},
    "campaign-archive": {"POST": ACCOUNT},
    "campaign-new": {"GET": ACCOUNT, "POST": ACCOUNT},
    "campaign-new-preview": {"POST": ACCOUNT},
    "campaign": {"GET": P.SEE},
    "campaign-edit": {"GET": P.FILES, "POST": P.EDIT},
    "campaign-edit-preview": {"POST": P.EDIT},
    "campaign-file-edit": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-change": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-change-file": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-change-confirm": {"POST": P.EDIT},
    "campaign-version": {"GET": P.FILES},
    "campaign-extend": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-reopen": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-file": {"GET": P.FILES},
    "campaign-words": {"GET": P.SEE},
    "campaign-duplicate": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-delete": {"GET": P.OWN, "POST": P.OWN},
    "campaign-hide": {"POST": P.SEE},
    "campaign-unhide": {"POST": P.SEE},
    "campaign-material": {"GET": P.FILES, "POST": P.EDIT},
    "campaign-items": {"GET": P.READ},
    "campaign-disagreements": {"GET": P.READ},
    "campaign-item": {"GET": P.READ},
    "campaign-item-settle": {"POST": P.SETTLE},
    "campaign-item-names": {"POST": P.SYSTEMS},
    "campaign-import": {"GET": P.FILES},
    "campaign-import-columns": {"POST": P.EDIT},
    "campaign-import-take": {"POST": P.EDIT},
    "campaign-import-drop": {"POST": P.EDIT},
    "campaign-metrics": {"GET": P.FILES, "POST": P.ANALYSE},
    "campaign-metrics-file": {"GET": P.FILES},
    "campaign-metrics-upload": {"POST": P.ANALYSE},
    "campaign-metrics-cancel": {"POST": P.ANALYSE},
    "campaign-metric-delete": {"GET": P.ANALYSE, "POST": P.ANALYSE},
    "campaign-launch": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-tryout": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-made-up-first": {"GET": P.EDIT},
    "campaign-made-up": {"GET": P.EDIT},
    "campaign-planner": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-damaged": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-quality": {"GET": P.WATCH},
    "campaign-rule-trial": {"GET": P.WATCH},
    "campaign-links": {"GET": P.IDENTITIES, "POST": P.EDIT},
    "campaign-invitations": {"GET": P.IDENTITIES},
    "campaign-link-mail": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-link-mail-forget": {"POST": P.EDIT},
    "campaign-links-remind": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-work-page": {"POST": P.EDIT},
    "campaign-work-page-revoke": {"POST": P.EDIT},
    "campaign-monitor": {"GET": P.WATCH},
    "campaign-look": {"POST": P.EDIT},
    "campaign-lease-free": {"POST": P.ATTEND},
    "campaign-complaint": {"POST": P.ATTEND},
    "panel-accounts": {"GET": ACCOUNT, "POST": ACCOUNT},
    "panel-account": {"POST": MINE},
    "campaign-panel": {"GET": P.IDENTITIES, "POST": P.EDIT},
    "campaign-panel-change": {"POST": P.EDIT},
    "campaign-panel-books": {"GET": P.IDENTITIES, "POST": P.EDIT},
    "campaign-panel-person": {"GET": P.IDENTITIES, "POST": P.EDIT},
    "campaign-pause": {"POST": P.EDIT},
    "campaign-resume": {"POST": P.EDIT},
    "campaign-close": {"GET": P.EDIT, "POST": P.EDIT},
    "campaign-raters": {"GET": P.WATCH},
    "campaign-rater": {"GET": P.WATCH, "POST": P.EDIT},
    "campaign-rater-readmit": {"POST": P.EDIT},
    "campaign-rater-end-access": {"POST": P.EDIT},
    "campaign-rater-erase-answers": {"POST": P.EDIT},
    "campaign-rater-erase": {"POST": P.OWN},
    "campaign-identities": {"GET": P.IDENTITIES, "POST": P.OWN},
    "campaign-raters-file": {"GET": P.IDENTITIES},
    "campaign-members": {"GET": P.SEE, "POST": P.OWN},
    "campaign-member-remove": {"POST": P.OWN},
    "campaign-member-role": {"POST": P.OWN},
    "campaign-hand-over": {"GET": P.OWN, "POST": P.OWN},
    "campaign-leave": {"GET": P.SEE, "POST": P.SEE},
    "campaign-invitation-revoke": {"POST": P.OWN},
    "join": {"GET": ALL, "POST": ALL},
    "campaign-webhooks": {"GET": P.OWN, "POST": P.OWN},
    "campaign-webhook": {"GET": P.OWN, "POST": P.OWN},
    "campaign-webhook-again": {"POST": P.OWN},
    "campaign-history": {"GET": P.HISTORY},
    "preview": {"GET": P.READ},
    "export-judgements": {"GET": P.READ},
    "campaign-paper": {"GET": P.FILES, "POST": P.EDIT},
    "campaign-paper-file": {"GET": P.FILES},
    "campaign-paper-earlier": {"POST": P.EDIT},
    "analysis-runs": {"GET": P.REPORTS, "POST": P.ANALYSE},
    "analysis-run": {"GET": P.REPORTS},
    "analysis-cancel": {"POST": P.ANALYSE},
    "analysis-publish": {"GET": P.EDIT, "POST": P.EDIT},
    "analysis-withdraw": {"GET": P.EDIT, "POST": P.EDIT},
    "analysis-file": {"GET": P.REPORTS},
    "analysis-metrics": {"GET": P.REPORTS},
    "report-public": {"GET": ALL},
    "report-public-metrics": {"GET": ALL},
    "doctor": {"GET": ALL, "POST": ALL},
    "my-work": {"GET": ALL},
    "mail-stop": {"GET": ALL, "POST": ALL},
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
        for role in MEMBER_ROLES:
            membership = members.add_member(
                self.campaign, make_owner(MEMBERS[role]), role=role, by=self.campaign.owner
            )
        invited, secret = members.invite_member(
            self.campaign, role=Role.VIEWER, by=self.campaign.owner
        )
        (personal,) = invite_raters(self.campaign, [""], by=self.campaign.owner)
        # Not the number of one of the campaign's versions, which an address can name, too.
        upload = MaterialImport.objects.create(pk=10**9, campaign=self.campaign, state="failed")
        computation = metric_jobs.request_metrics(self.campaign, ["bleu"], by=self.campaign.owner)
        metric_jobs.execute(computation.pk, "tester")
        webhook = hooks.add_webhook(self.campaign, "https://a.example/", by=self.campaign.owner)
        run = published_run(self.campaign)
        record_events(self.campaign)
        person = panel_submission(self.campaign)
        return {
            "key": make_key(self.campaign.owner, KeyPlan(name="notebook")).key.pk,
            "account": person.study.account_id,
            "submission": person.pk,
            "code": self.campaign.code,
            "start": "e2e-quality",
            "number": upload.pk,
            "assignment": held.pk,
            "complaint": complaint_of(held).pk,
            "label": rater.label,
            "member": membership.pk,
            "invitation": invited.pk,
            "link": personal.pk,
            "page": make_work_page(personal, by=self.campaign.owner),
            "signed": Signer(salt=STOP_SALT).sign(str(personal.pk)),
            "secret": secret,
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
