"""Who meets what at every address of the API; an address without a rule here fails."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from rest_framework.test import APIClient

from rankme import permissions
from rankme.actions.accounts.api_keys import KeyPlan, make_key
from rankme.actions.campaign import members
from rankme.actions.material import metric_jobs
from rankme.actions.panel import accounts
from rankme.actions.runs import publishing
from rankme.actions.webhooks import hooks
from rankme.api import view
from rankme.api.urls import urlpatterns
from rankme.models import (
    AnalysisRun,
    AuditEvent,
    Campaign,
    MaterialImport,
    PanelPayment,
    Report,
    TeamMember,
)
from rankme.models.campaigns import MEMBER_ROLES, Role
from rankme.permissions import Permission as P
from rankme.practice_panel.panel import PracticePanel
from tests.api.conftest import client_of, client_of_team, script_with
from tests.campaigns import make_campaign, make_owner
from tests.panels.in_process import connect
from tests.panels.loop import study_row
from tests.practice_panel.studies import study_document
from tests.runs import asked, executed, rated_campaign
from tests.shared_tasks.tasks import make_task, make_team, submit
from tests.sittings import complaint_of

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

# name: (the methods that there are, and what each needs in a campaign; who may see it)
# "anybody" needs no key, "organiser" any key, "campaign" the key of its owner or a member,
# "account" and "owner" the key of its owner alone (a member may know that it is there). "task" is
# for hosts of a shared task, "team" for its own members, and "call" for everybody.
POLICY: dict[str, tuple[Any, str]] = {
    "api-token": (("POST", "DELETE"), "token"),
    "api-presets": (("GET",), "organiser"),
    "api-preset-file": (("GET",), "organiser"),
    "api-definition-schema": (("GET",), "organiser"),
    "api-definition-check": (("POST",), "organiser"),
    "api-campaigns": (("GET", "POST"), "organiser"),
    "api-campaign": ({"GET": P.SEE, "PUT": P.EDIT, "DELETE": P.OWN}, "campaign"),
    "api-campaign-file": ({"GET": P.FILES}, "campaign"),
    "api-plan-outlook": ({"GET": P.EDIT}, "campaign"),
    "api-campaign-launch": ({"POST": P.EDIT}, "campaign"),
    "api-campaign-pause": ({"POST": P.EDIT}, "campaign"),
    "api-campaign-resume": ({"POST": P.EDIT}, "campaign"),
    "api-campaign-close": ({"POST": P.EDIT}, "campaign"),
    "api-extension": ({"GET": P.EDIT, "POST": P.EDIT}, "campaign"),
    "api-campaign-reopen": ({"POST": P.EDIT}, "campaign"),
    "api-versions": ({"GET": P.SEE, "POST": P.EDIT}, "campaign"),
    "api-version": ({"GET": P.FILES}, "campaign"),
    "api-progress": ({"GET": P.SEE}, "campaign"),
    "api-looks": ({"GET": P.REPORTS, "POST": P.EDIT}, "campaign"),
    "api-plan": ({"GET": P.EDIT, "POST": P.EDIT}, "campaign"),
    "api-links": ({"GET": P.IDENTITIES}, "campaign"),
    "api-links-personal": ({"GET": P.IDENTITIES, "POST": P.EDIT}, "campaign"),
    "api-link-mail": ({"POST": P.EDIT, "DELETE": P.EDIT}, "campaign"),
    "api-work-page": ({"POST": P.EDIT, "DELETE": P.EDIT}, "campaign"),
    "api-reminders": ({"GET": P.EDIT, "POST": P.EDIT}, "campaign"),
    "api-members": ({"GET": P.SEE}, "campaign"),
    "api-invitations": ({"GET": P.OWN, "POST": P.OWN}, "owner"),
    "api-invitation": ({"DELETE": P.OWN}, "owner"),
    "api-owner": ({"PUT": P.OWN}, "owner"),
    "api-deletion": ({"GET": P.OWN, "POST": P.OWN, "DELETE": P.OWN}, "owner"),
    "api-member": ({"PUT": P.OWN, "DELETE": P.OWN}, "campaign"),
    "api-history": ({"GET": P.HISTORY}, "campaign"),
    "api-webhooks": ({"GET": P.OWN, "POST": P.OWN}, "owner"),
    "api-webhook": ({"GET": P.OWN, "PUT": P.OWN, "DELETE": P.OWN}, "owner"),
    "api-deliveries": ({"GET": P.OWN}, "owner"),
    "api-delivery-again": ({"POST": P.OWN}, "owner"),
    "api-words": ({"GET": P.SEE}, "campaign"),
    "api-outline": ({"GET": P.SEE}, "campaign"),
    "api-tryout": ({"GET": P.EDIT, "POST": P.EDIT, "DELETE": P.EDIT}, "campaign"),
    "api-damaged-texts": ({"GET": P.EDIT, "PUT": P.EDIT}, "campaign"),
    "api-items": ({"GET": P.READ}, "campaign"),
    "api-item": ({"GET": P.READ}, "campaign"),
    "api-item-settle": ({"POST": P.SETTLE}, "campaign"),
    "api-disagreements": ({"GET": P.READ}, "campaign"),
    "api-settled-csv": ({"GET": P.FILES}, "campaign"),
    "api-declined-csv": ({"GET": P.FILES}, "campaign"),
    "api-quality": ({"GET": P.WATCH}, "campaign"),
    "api-leases": ({"GET": P.WATCH}, "campaign"),
    "api-lease-release": ({"POST": P.ATTEND}, "campaign"),
    "api-raters": ({"GET": P.WATCH}, "campaign"),
    "api-rater": ({"GET": P.WATCH}, "campaign"),
    "api-rater-exclusion": ({"POST": P.EDIT, "DELETE": P.EDIT}, "campaign"),
    "api-rater-end-access": ({"POST": P.EDIT}, "campaign"),
    "api-rater-erase-answers": ({"POST": P.EDIT}, "campaign"),
    "api-rater-erase": ({"POST": P.OWN}, "owner"),
    "api-imports": ({"GET": P.FILES, "POST": P.EDIT}, "campaign"),
    "api-import": ({"GET": P.FILES}, "campaign"),
    "api-import-columns": ({"POST": P.EDIT}, "campaign"),
    "api-import-take": ({"POST": P.EDIT}, "campaign"),
    "api-import-drop": ({"POST": P.EDIT}, "campaign"),
    "api-judgements": ({"GET": P.READ}, "campaign"),
    "api-judgements-csv": ({"GET": P.FILES}, "campaign"),
    "api-judgements-jsonl": ({"GET": P.FILES}, "campaign"),
    "api-checks-csv": ({"GET": P.READ}, "campaign"),
    "api-answers-csv": ({"GET": P.IDENTITIES}, "campaign"),
    "api-problems": ({"GET": P.WATCH}, "campaign"),
    "api-problem": ({"POST": P.ATTEND}, "campaign"),
    "api-spans": ({"GET": P.FILES}, "campaign"),
    "api-texts-csv": ({"GET": P.FILES}, "campaign"),
    "api-metrics": ({"GET": P.FILES, "POST": P.ANALYSE}, "campaign"),
    "api-metric": ({"GET": P.FILES, "DELETE": P.ANALYSE}, "campaign"),
    "api-metric-computation": ({"GET": P.FILES}, "campaign"),
    "api-metric-cancel": ({"POST": P.ANALYSE}, "campaign"),
    "api-scores-csv": ({"GET": P.FILES}, "campaign"),
    "api-panel-accounts": (("GET", "POST"), "organiser"),
    "api-panel-account": (("GET", "PUT", "DELETE"), "account"),
    "api-panel-webhooks": (("POST",), "account"),
    "api-panel-filters": (("GET",), "account"),
    "api-panel-eligible": (("POST",), "account"),
    "api-panel-account-studies": (("GET",), "account"),
    "api-panel": (
        {"GET": P.IDENTITIES, "POST": P.EDIT, "PUT": P.EDIT, "DELETE": P.EDIT},
        "campaign",
    ),
    "api-panel-cost": ({"GET": P.IDENTITIES}, "campaign"),
    "api-panel-transition": ({"POST": P.EDIT}, "campaign"),
    "api-panel-places": ({"POST": P.EDIT}, "campaign"),
    "api-panel-ceiling": ({"PUT": P.EDIT}, "campaign"),
    "api-panel-refresh": ({"POST": P.EDIT}, "campaign"),
    "api-panel-books": ({"GET": P.IDENTITIES}, "campaign"),
    "api-panel-bonuses": ({"POST": P.EDIT}, "campaign"),
    "api-panel-payment": ({"POST": P.EDIT}, "campaign"),
    "api-panel-submissions": ({"GET": P.IDENTITIES}, "campaign"),
    "api-panel-submission": ({"GET": P.IDENTITIES}, "campaign"),
    "api-panel-approve": ({"POST": P.EDIT}, "campaign"),
    "api-panel-share": ({"POST": P.EDIT}, "campaign"),
    "api-panel-bonus": ({"POST": P.EDIT}, "campaign"),
    "api-panel-message": ({"POST": P.EDIT}, "campaign"),
    "api-panel-reject": ({"GET": P.IDENTITIES, "POST": P.EDIT}, "campaign"),
    "api-panel-return": ({"POST": P.EDIT}, "campaign"),
    "api-runs": ({"GET": P.REPORTS, "POST": P.ANALYSE}, "campaign"),
    "api-run": ({"GET": P.REPORTS}, "campaign"),
    "api-run-file": ({"GET": P.REPORTS}, "campaign"),
    "api-paper-file": ({"GET": P.FILES}, "campaign"),
    "api-run-cancel": ({"POST": P.ANALYSE}, "campaign"),
    "api-run-report": ({"POST": P.EDIT, "DELETE": P.EDIT}, "campaign"),
    "api-reports": (("GET",), "organiser"),
    "api-report": (("GET",), "anybody"),
    "api-call": (("GET", "POST"), "call"),
    "api-team": (("GET",), "team"),
    "api-team-facts": (("PUT",), "team"),
    "api-team-withdrawal": (("POST",), "team"),
    "api-team-members": (("GET", "POST"), "team"),
    "api-team-member": (("DELETE",), "team"),
    "api-team-sources": (("GET",), "team"),
    "api-team-systems": (("GET", "POST"), "team"),
    "api-team-tickets": (("POST",), "team"),
    "api-team-uploads": (("GET", "POST"), "team"),
    "api-team-file": (("PUT", "POST"), "team"),
    "api-team-upload": (("GET",), "team"),
    "api-team-receipt": (("GET",), "team"),
    "api-team-role": (("POST",), "team"),
    "api-team-withdraw": (("POST",), "team"),
    "api-team-results": (("GET",), "team"),
    "api-team-judgements": (("GET",), "team"),
    "api-team-disputes": (("GET", "POST"), "team"),
    "api-tasks": (("GET", "POST"), "organiser"),
    "api-task": ({"GET": P.FILES, "PUT": P.EDIT}, "task"),
    "api-task-copies": ({"POST": P.EDIT}, "task"),
    "api-task-room": ({"POST": P.EDIT, "DELETE": P.EDIT}, "task"),
    "api-task-tracks": ({"POST": P.EDIT}, "task"),
    "api-task-track": ({"DELETE": P.EDIT}, "task"),
    "api-task-hosts": ({"GET": P.FILES, "POST": P.OWN}, "task"),
    "api-task-host": ({"DELETE": P.OWN}, "task"),
    "api-task-teams": ({"GET": P.FILES}, "task"),
    "api-task-decision": ({"POST": P.EDIT}, "task"),
    "api-task-captain": ({"POST": P.EDIT}, "task"),
    "api-task-links": ({"POST": P.EDIT}, "task"),
    "api-task-uploads": ({"GET": P.FILES}, "task"),
    "api-task-seal": ({"GET": P.FILES, "POST": P.OWN}, "task"),
    "api-task-publication": ({"POST": P.OWN, "DELETE": P.OWN}, "task"),
    "api-task-unseal": ({"GET": P.FILES, "POST": P.OWN}, "task"),
    "api-task-results": ({"GET": P.FILES}, "task"),
    "api-task-result-file": ({"GET": P.FILES}, "task"),
    "api-task-disputes": ({"GET": P.FILES}, "task"),
    "api-task-dispute-answer": ({"POST": P.EDIT}, "task"),
    "api-task-history": ({"GET": P.FILES}, "task"),
    "api-schema": (("GET",), "anybody"),
    "api-docs": (("GET",), "anybody"),
    "api-unknown": ((), "anybody"),
}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

# An extension that adds nothing is refused.
OF_DRAFTS = {"api-plan", "api-plan-outlook", "api-damaged-texts"}
# Numbers of items count from 1, and presets have names of their own.
OWN_PARTS = {
    "api-preset-file": {"name": "e2e-quality"},
    "api-paper-file": {"name": "heds.json"},
    "api-item": {"number": 1},
    "api-item-settle": {"number": 1},
    "api-team-file": {"name": "outputs.txt"},
}
# They are there once the task is unsealed, which that of these tests is not.
AFTER_THE_NAMES = {"api-team-results", "api-team-judgements"}
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
    return (
        {
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
            "link": campaign.invitations.create(token="nobody-has-it").pk,
            "assignment": campaign.assignments.first().pk,
            "member": members_of(campaign)["mira"],
            "invitation": members.invite_member(campaign, role=Role.VIEWER, by=campaign.owner)[
                0
            ].pk,
        }
        | paid(campaign, patch)
        | hosted(campaign.owner)
    )


def hosted(owner: User) -> dict[str, object]:
    """A shared task of the owner's, with a team that has uploaded."""
    task = make_task(owner=owner)
    upload = submit(make_team(task))
    return {
        "task": task.code,
        "team": upload.team_id,
        "track": upload.track_id,
        "system": upload.system_id,
        "upload": upload.pk,
        "host": task.hosts.create(user=make_owner("mira")).pk,
        "dispute": 1,
        "teammate": TeamMember.objects.create(team=upload.team, name="Cy", hash="cy").pk,
    }


def members_of(campaign: Campaign) -> dict[str, int]:
    """A member of each role; the editor is Mira."""
    found = {}
    for role in MEMBER_ROLES:
        account = make_owner(name_of(role))
        member = members.add_member(campaign, account, role=role, by=campaign.owner)
        found[account.username] = member.pk
    return found


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
            yield name, list(methods), _address(name, ids)


def _address(name, ids):
    (pattern,) = (each for each in urlpatterns if each.name == name)
    own = ids | OWN_PARTS.get(name, {})
    if name == "api-team-member":
        own = ids | {"member": ids["teammate"]}
    return reverse(name, kwargs={each: own[each] for each in pattern.pattern.converters})


def state_of_things():
    return (
        list(Campaign.objects.order_by("pk").values_list("state", "title")),
        list(AnalysisRun.objects.order_by("pk").values_list("state", flat=True)),
        list(Report.objects.values_list("withdrawn_at", flat=True)),
        list(MaterialImport.objects.order_by("pk").values_list("phase", flat=True)),
        AuditEvent.objects.exclude(verb__startswith="token").count(),
        list(PanelPayment.objects.values_list("state", flat=True)),
    )


def answers(ids, client: APIClient, *kinds: str, pick=list):
    """The status of each answer, by the name and the method; `pick` chooses among the methods."""
    for name, there, address in addresses(ids, *kinds):
        kind = "multipart/form-data; boundary=x" if name == "api-imports" else "application/json"
        for method in pick(there):
            yield (name, method), client.generic(method, address, content_type=kind).status_code


def other_than(status: int, found) -> dict[tuple[str, str], int]:
    return {what: each for what, each in found if each != status}


def test_without_a_key_nothing_but_the_open_addresses_answers(ids, anybody):
    before = state_of_things()
    kinds = ("organiser", "campaign", "account", "owner", "task", "team")
    assert other_than(401, answers(ids, anybody, *kinds, pick=lambda _: METHODS)) == {}
    assert other_than(200, answers(ids, anybody, "anybody")) == {}
    for _name, _methods, address in addresses(ids, "call"):
        assert (anybody.get(address).status_code, anybody.post(address).status_code) == (200, 400)
    assert anybody.delete("/api/v1/token/").status_code == 401
    assert state_of_things() == before


def test_another_organiser_meets_404_at_every_address_of_a_campaign(ids, stranger):
    before = state_of_things()
    kinds = ("campaign", "account", "owner", "task")
    assert other_than(404, answers(ids, stranger, *kinds)) == {}
    for part in ("campaigns", "tasks"):
        assert stranger.get(f"/api/v1/{part}/").json()["results"] == []
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


@pytest.mark.parametrize(("name", "more"), [("olga", ["owner"]), ("mira", [])])
def test_owner_and_member_read_everything(ids, name, more):
    client = client_of(name)
    for address_name, methods, address in addresses(ids, "organiser", "campaign", "anybody", *more):
        if "GET" in methods:
            answer = client.get(address + QUERIES.get(address_name, ""))
            expected = 409 if address_name in OF_DRAFTS else 200
            assert answer.status_code == expected, f"{address_name}: {answer.status_code}"


@pytest.mark.parametrize("role", list(Role))
def test_each_operation_opens_to_the_roles_that_may(ids, role):
    assert refused(ids, somebody(role)) == closed_to(role)


@pytest.mark.parametrize("role", list(Role))
def test_each_operation_opens_to_keys_of_the_roles_that_may(ids, role):
    assert refused(ids, script(owner_of(ids), KeyPlan(role=role))) == closed_to(role)


def test_a_key_for_another_campaign_meets_404_at_every_address(ids):
    other = make_campaign(owner=owner_of(ids), launch=False)
    client = script(other.owner, KeyPlan(role=Role.OWNER, campaigns=[other]))
    assert other_than(404, answers(ids, client, "campaign", "owner")) == {}


@pytest.mark.parametrize("role", list(Role))
def test_a_shared_task_opens_to_keys_of_its_host_by_their_role(ids, role):
    client = script(owner_of(ids), KeyPlan(role=role))
    assert refused(ids, client, "task") == closed_to(role, "task")


def test_a_key_for_some_campaigns_alone_finds_no_shared_task(ids):
    campaign = Campaign.objects.get(code=ids["code"])
    client = script(campaign.owner, KeyPlan(role=Role.OWNER, campaigns=[campaign]))
    assert {status for _what, status in answers(ids, client, "task")} == {403, 404}
    assert client.get("/api/v1/tasks/").json()["results"] == []


def test_addresses_of_a_team_open_to_its_members_and_not_to_keys(ids, olga):
    captain = TeamMember.objects.get(team=ids["team"], is_captain=True)
    member = client_of_team(captain.team)
    for name, methods, address in addresses(ids, "team"):
        for method in METHODS:
            assert olga.generic(method, address).status_code == 401, f"{method} {name}"
            with transaction.atomic():
                status = member.generic(method, address).status_code
                transaction.set_rollback(True)
            assert (status == 405) == (method not in methods), f"{method} {name}: {status}"
            assert status not in (401, 403, 404), f"{method} {name}: {status}"
            if method == "GET" and method in methods:
                assert status == (409 if name in AFTER_THE_NAMES else 200), name
    assert other_than(401, answers(ids, member, "campaign", "task", "organiser")) == {}


def test_a_site_that_forgets_the_role_of_keys_is_noticed(ids, monkeypatch):
    """The control of the tests of keys: without their role, they do what the account may."""
    client = script(owner_of(ids), KeyPlan(role=Role.VIEWER))
    monkeypatch.setattr(permissions, "key_of", lambda request: None)
    assert closed_to(Role.VIEWER)
    assert refused(ids, client) == set()


def test_an_operation_that_asks_for_no_more_than_to_see_is_noticed(ids, monkeypatch):
    """The control of the test above: without their permissions, operations open to viewers."""
    monkeypatch.setattr(view, "declare", lambda request, _: permissions.declare(request, P.SEE))
    assert closed_to(Role.VIEWER)
    assert refused(ids, somebody(Role.VIEWER)) == set()


def owner_of(ids) -> User:
    return Campaign.objects.get(code=ids["code"]).owner


def name_of(role: Role) -> str:
    """The account that has the role in the campaign."""
    return {Role.OWNER: "olga", Role.EDITOR: "mira"}.get(role, role.value)


def somebody(role: Role) -> APIClient:
    return client_of(name_of(role))


def script(maker: User, plan: KeyPlan) -> APIClient:
    return script_with(f"Token {make_key(maker, plan).secret}")


IN_A_CAMPAIGN = ("campaign", "owner")


def refused(ids, client: APIClient, *kinds: str) -> set[tuple[str, str]]:
    """What the API refuses to somebody; each request finds everything as it was."""
    found = set()
    for name, methods, address in addresses(ids, *(kinds or IN_A_CAMPAIGN)):
        kind = "multipart/form-data; boundary=x" if name == "api-imports" else "application/json"
        for method in methods:
            with transaction.atomic():
                answer = client.generic(method, address, content_type=kind)
                transaction.set_rollback(True)
            if answer.status_code == 403:
                found.add((name, method))
    return found


def closed_to(role: Role, *kinds: str) -> set[tuple[str, str]]:
    return {
        (name, method)
        for name, (methods, kind) in POLICY.items()
        if kind in (kinds or IN_A_CAMPAIGN)
        for method, needs in methods.items()
        if needs not in permissions.ROLES[role]
    }


def test_methods_that_there_are_not_are_405(ids, olga):
    kinds = ("organiser", "campaign", "account", "owner", "anybody", "task", "call")
    found = answers(ids, olga, *kinds, pick=lambda there: set(METHODS) - set(there))
    assert other_than(405, found) == {}


def test_a_withdrawn_report_is_gone_for_everybody(ids, anybody, olga):
    publishing.withdraw_report(Report.objects.get(), by=make_owner())
    for client in (anybody, olga):
        assert client.get(f"/api/v1/reports/{ids['report']}/").status_code == 404
