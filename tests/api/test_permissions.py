"""Who meets what at every address of the API; an address without a rule here fails."""

import pytest
from django.urls import NoReverseMatch, reverse

from rankme.actions.campaign import campaigns
from rankme.actions.material import metric_jobs
from rankme.actions.panel import accounts
from rankme.actions.runs import publishing
from rankme.actions.webhooks import hooks
from rankme.api.urls import urlpatterns
from rankme.models import (
    AnalysisRun,
    AuditEvent,
    Campaign,
    MaterialImport,
    PanelPayment,
    Report,
)
from rankme.practice_panel.panel import PracticePanel
from tests.api.conftest import client_of
from tests.campaigns import make_owner
from tests.panels.in_process import connect
from tests.panels.loop import study_row
from tests.practice_panel.studies import study_document
from tests.runs import asked, executed, rated_campaign
from tests.sittings import complaint_of

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

# name: (the methods that there are, who may see it)
# "anybody" needs no key, "organiser" any key, "campaign" the key of its owner or a member,
# "account" and "owner" the key of its owner alone (a member may know that it is there).
POLICY = {
    "api-token": ("POST DELETE", "token"),
    "api-presets": ("GET", "organiser"),
    "api-preset-file": ("GET", "organiser"),
    "api-definition-schema": ("GET", "organiser"),
    "api-definition-check": ("POST", "organiser"),
    "api-campaigns": ("GET POST", "organiser"),
    "api-campaign": ("GET PUT DELETE", "campaign"),
    "api-campaign-file": ("GET", "campaign"),
    "api-plan-outlook": ("GET", "campaign"),
    "api-campaign-launch": ("POST", "campaign"),
    "api-campaign-pause": ("POST", "campaign"),
    "api-campaign-resume": ("POST", "campaign"),
    "api-campaign-close": ("POST", "campaign"),
    "api-extension": ("GET POST", "campaign"),
    "api-campaign-reopen": ("POST", "campaign"),
    "api-versions": ("GET POST", "campaign"),
    "api-version": ("GET", "campaign"),
    "api-progress": ("GET", "campaign"),
    "api-looks": ("GET POST", "campaign"),
    "api-plan": ("GET POST", "campaign"),
    "api-links": ("GET", "campaign"),
    "api-links-personal": ("GET POST", "campaign"),
    "api-members": ("GET POST", "campaign"),
    "api-member": ("DELETE", "campaign"),
    "api-history": ("GET", "campaign"),
    "api-webhooks": ("GET POST", "owner"),
    "api-webhook": ("GET PUT DELETE", "owner"),
    "api-deliveries": ("GET", "owner"),
    "api-delivery-again": ("POST", "owner"),
    "api-words": ("GET", "campaign"),
    "api-outline": ("GET", "campaign"),
    "api-tryout": ("GET POST DELETE", "campaign"),
    "api-damaged-texts": ("GET PUT", "campaign"),
    "api-items": ("GET", "campaign"),
    "api-item": ("GET", "campaign"),
    "api-item-settle": ("POST", "campaign"),
    "api-disagreements": ("GET", "campaign"),
    "api-settled-csv": ("GET", "campaign"),
    "api-declined-csv": ("GET", "campaign"),
    "api-quality": ("GET", "campaign"),
    "api-leases": ("GET", "campaign"),
    "api-lease-release": ("POST", "campaign"),
    "api-raters": ("GET", "campaign"),
    "api-rater": ("GET", "campaign"),
    "api-rater-exclusion": ("POST DELETE", "campaign"),
    "api-rater-end-access": ("POST", "campaign"),
    "api-rater-erase-answers": ("POST", "campaign"),
    "api-rater-erase": ("POST", "owner"),
    "api-imports": ("GET POST", "campaign"),
    "api-import": ("GET", "campaign"),
    "api-import-columns": ("POST", "campaign"),
    "api-import-take": ("POST", "campaign"),
    "api-import-drop": ("POST", "campaign"),
    "api-judgements": ("GET", "campaign"),
    "api-judgements-csv": ("GET", "campaign"),
    "api-judgements-jsonl": ("GET", "campaign"),
    "api-checks-csv": ("GET", "campaign"),
    "api-answers-csv": ("GET", "campaign"),
    "api-problems": ("GET", "campaign"),
    "api-problem": ("POST", "campaign"),
    "api-spans": ("GET", "campaign"),
    "api-texts-csv": ("GET", "campaign"),
    "api-metrics": ("GET POST", "campaign"),
    "api-metric": ("GET DELETE", "campaign"),
    "api-metric-computation": ("GET", "campaign"),
    "api-metric-cancel": ("POST", "campaign"),
    "api-scores-csv": ("GET", "campaign"),
    "api-panel-accounts": ("GET POST", "organiser"),
    "api-panel-account": ("GET PUT DELETE", "account"),
    "api-panel-webhooks": ("POST", "account"),
    "api-panel-filters": ("GET", "account"),
    "api-panel-eligible": ("POST", "account"),
    "api-panel-account-studies": ("GET", "account"),
    "api-panel": ("GET POST PUT DELETE", "campaign"),
    "api-panel-cost": ("GET", "campaign"),
    "api-panel-transition": ("POST", "campaign"),
    "api-panel-places": ("POST", "campaign"),
    "api-panel-ceiling": ("PUT", "campaign"),
    "api-panel-refresh": ("POST", "campaign"),
    "api-panel-books": ("GET", "campaign"),
    "api-panel-bonuses": ("POST", "campaign"),
    "api-panel-payment": ("POST", "campaign"),
    "api-panel-submissions": ("GET", "campaign"),
    "api-panel-submission": ("GET", "campaign"),
    "api-panel-approve": ("POST", "campaign"),
    "api-panel-share": ("POST", "campaign"),
    "api-panel-bonus": ("POST", "campaign"),
    "api-panel-message": ("POST", "campaign"),
    "api-panel-reject": ("GET POST", "campaign"),
    "api-panel-return": ("POST", "campaign"),
    "api-runs": ("GET POST", "campaign"),
    "api-run": ("GET", "campaign"),
    "api-run-file": ("GET", "campaign"),
    "api-run-cancel": ("POST", "campaign"),
    "api-run-report": ("POST DELETE", "campaign"),
    "api-reports": ("GET", "organiser"),
    "api-report": ("GET", "anybody"),
    "api-schema": ("GET", "anybody"),
    "api-docs": ("GET", "anybody"),
    "api-unknown": ("", "anybody"),
}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

# An extension that adds nothing is refused.
OF_DRAFTS = {"api-plan", "api-plan-outlook", "api-damaged-texts"}
# Numbers of items count from 1, and presets have names of their own.
OWN_PARTS = {
    "api-preset-file": {"name": "e2e-quality"},
    "api-item": {"number": 1},
    "api-item-settle": {"number": 1},
}
QUERIES = {"api-extension": "?raters_per_trial=9"}


def test_every_address_has_a_rule():
    assert {pattern.name for pattern in urlpatterns} == set(POLICY)


@pytest.fixture(scope="module")
def ids(rows_of_the_module):
    """What the addresses name. Tests roll back what they do to it."""
    with pytest.MonkeyPatch.context() as patch:
        yield whatever_an_address_names(patch)


def whatever_an_address_names(patch: pytest.MonkeyPatch) -> dict[str, object]:
    """One campaign of olga's with a run, a report and an upload."""
    campaign = rated_campaign(raters=2, items=4)
    run = executed(asked(campaign, resample=["none"]), pictures=())
    report = publishing.publish_report(run, by=make_owner())
    upload = MaterialImport.objects.create(campaign=campaign, state="done", phase="previewed")
    computation = metric_jobs.request_metrics(campaign, ["bleu"], by=campaign.owner)
    metric_jobs.execute(computation.pk, "tester")
    webhook = hooks.add_webhook(campaign, "https://a.example/", by=campaign.owner).webhook
    event = campaign.webhook_events.first()
    return {
        "webhook": webhook.pk,
        "delivery": webhook.deliveries.create(event=event).pk,
        "code": campaign.code,
        "version": campaign.version,
        "run": run.pk,
        "report": report.code,
        "number": upload.pk,
        "name": "report.json",
        "metric": campaign.metrics.get().pk,
        "computation": computation.pk,
        "complaint": complaint_of(campaign.assignments.first()).pk,
        "label": campaign.participants.first().label,
        "assignment": campaign.assignments.first().pk,
        "member": campaigns.add_member(campaign, make_owner("mira").username, by=campaign.owner).pk,
    } | paid(campaign, patch)


def paid(campaign, patch: pytest.MonkeyPatch) -> dict[str, int]:
    """The campaign's study at a practice panel, with one rater who is paid."""
    panel = PracticePanel()
    connect(panel, patch)
    account = accounts.add_account(owner=campaign.owner, name="Lab", token=panel.token)
    document = study_document(panel.books.project)
    there = panel.books.create_study(document)
    paid = {"reward": 225, "minutes": 15, "places_cost": 612}
    study = study_row(campaign, account, external_id=there.id, state="ACTIVE", **paid)
    one = study.submissions.create(external_id="s1", person="p1", state="AWAITING REVIEW")
    payment = one.payments.create(
        study=study, kind="approval", amount=225, cost=225, currency="GBP", state="lost"
    )
    return {"account": account.pk, "submission": one.pk, "payment": payment.pk}


def addresses(ids, *kinds):
    for name, (methods, kind) in POLICY.items():
        if kind in kinds and name != "api-unknown":
            yield name, methods.split(), _address(name, ids)


def _address(name, ids):
    """The address by the one choice of ids that fits it."""
    for chosen in (
        (),
        ("name",),
        ("code",),
        ("report",),
        ("code", "run"),
        ("code", "run", "name"),
        ("code", "number"),
        ("code", "version"),
        ("code", "metric"),
        ("code", "computation"),
        ("account",),
        ("code", "submission"),
        ("code", "payment"),
        ("code", "complaint"),
        ("code", "label"),
        ("code", "assignment"),
        ("code", "member"),
        ("code", "webhook"),
        ("code", "webhook", "delivery"),
    ):
        try:
            own = ids | OWN_PARTS.get(name, {})
            return reverse(name, kwargs={each: own[each] for each in chosen})
        except NoReverseMatch:
            continue
    raise AssertionError(f"no address for {name}")


def state_of_things():
    return (
        list(Campaign.objects.order_by("pk").values_list("state", "title")),
        list(AnalysisRun.objects.order_by("pk").values_list("state", flat=True)),
        list(Report.objects.values_list("withdrawn_at", flat=True)),
        list(MaterialImport.objects.order_by("pk").values_list("phase", flat=True)),
        AuditEvent.objects.exclude(verb__startswith="token").count(),
        list(PanelPayment.objects.values_list("state", flat=True)),
    )


def test_without_a_key_nothing_but_the_open_addresses_answers(ids, anybody):
    before = state_of_things()
    for name, _, address in addresses(ids, "organiser", "campaign", "account", "owner"):
        for method in METHODS:
            status = anybody.generic(method, address).status_code
            assert status == 401, f"{method} {name}: {status}"
    for name, methods, address in addresses(ids, "anybody"):
        for method in methods:
            assert anybody.generic(method, address).status_code == 200, name
    assert anybody.delete("/api/v1/token/").status_code == 401
    assert state_of_things() == before


def test_another_organiser_meets_404_at_every_address_of_a_campaign(ids, stranger):
    before = state_of_things()
    for name, methods, address in addresses(ids, "campaign", "account", "owner"):
        for method in methods:
            kind = "multipart/form-data; boundary=x" if name == "api-imports" else None
            answer = stranger.generic(method, address, content_type=kind or "application/json")
            assert answer.status_code == 404, f"{method} {name}: {answer.status_code}"
    assert stranger.get("/api/v1/campaigns/").json()["results"] == []
    assert stranger.get("/api/v1/reports/").json() == []
    assert state_of_things() == before


def test_another_campaigns_runs_and_uploads_are_404_under_ones_own(ids, olga):
    own = rated_campaign(raters=1, items=4)
    mixed = ids | {"code": own.code}
    for name, methods, address in addresses(mixed, "campaign"):
        if "{" in name or not any(
            word in name for word in ("run-", "import-", "api-run", "api-import", "api-panel")
        ):
            continue
        if name in ("api-runs", "api-imports", "api-panel"):
            continue  # the campaign has none, but could have
        for method in methods:
            answer = olga.generic(method, address)
            assert answer.status_code == 404, f"{method} {name}: {answer.status_code}"


@pytest.mark.parametrize("name", ["olga", "mira"])
def test_owner_and_member_read_everything(ids, name):
    client = client_of(name)
    for address_name, methods, address in addresses(ids, "organiser", "campaign", "anybody"):
        if "GET" in methods:
            answer = client.get(address + QUERIES.get(address_name, ""))
            expected = 409 if address_name in OF_DRAFTS else 200
            assert answer.status_code == expected, f"{address_name}: {answer.status_code}"


def test_only_the_owner_reads_and_changes_webhooks(ids, olga):
    mira = client_of("mira")
    for name, methods, address in addresses(ids, "owner"):
        for method in methods:
            assert mira.generic(method, address).status_code == 403, f"{method} {name}"
        if "GET" in methods:
            assert olga.get(address).status_code == 200, name


def test_methods_that_there_are_not_are_405(ids, olga):
    kinds = ("organiser", "campaign", "account", "owner", "anybody")
    for name, methods, address in addresses(ids, *kinds):
        for method in set(METHODS) - set(methods):
            status = olga.generic(method, address).status_code
            assert status == 405, f"{method} {name}: {status}"


def test_a_withdrawn_report_is_gone_for_everybody(ids, anybody, olga):
    publishing.withdraw_report(Report.objects.get(), by=make_owner())
    for client in (anybody, olga):
        assert client.get(f"/api/v1/reports/{ids['report']}/").status_code == 404
