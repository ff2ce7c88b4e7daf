"""Every form of the organiser's pages, sent the way a browser sends it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signing import Signer
from django.db import transaction
from django.urls import resolve, reverse

from rankme.actions.accounts.api_keys import KeyPlan, make_key
from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.accounts.link_mail_texts import STOP_SALT
from rankme.actions.accounts.work_pages import make_work_page
from rankme.actions.campaign import campaigns, members
from rankme.actions.imports.import_jobs import execute_import
from rankme.actions.imports.judgement_imports import start_archive
from rankme.actions.material import metric_jobs
from rankme.actions.runs import analysis_runs
from rankme.actions.sitting import assignments, exclusions
from rankme.actions.webhooks import hooks
from rankme.actions.webhooks.events import record_events
from rankme.models import Campaign, Role
from rankme.panel_calls.sealed import seal
from rankme.practice_panel.panel import PracticePanel
from tests.campaigns import make_campaign, make_owner, make_rater, slider_definition
from tests.looking import GROUP, looked_at
from tests.pages.addresses import address
from tests.pages.sent_forms import Form, forms_of
from tests.pages.world import POLICY, published_run
from tests.panels.loop import Loop, paid_campaign
from tests.runs import rated_campaign
from tests.sittings import complaint_of, sit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads"), pytest.mark.slow]

JUDGEMENTS = (
    "rater,item,system,criterion,value,screen,position\n"
    "ada,1,A,fluency,50,1,1\nada,1,B,fluency,70,1,2\n"
    "ben,1,A,fluency,40,2,1\nben,1,B,fluency,60,2,2\n"
)
OUTPUTS = "system,item,output\nA,1,The sun shines.\nB,1,Sunny.\n"
FILES = {
    "outputs": ("outputs.csv", OUTPUTS),
    "items": ("items.csv", "item,input\n1,sun\n"),
    "file": ("campaign.yaml", "title: ["),
    "table": ("ratings.csv", JUDGEMENTS),
}
# Their files are definitions, scores of systems, or a stranger's table, which are never large.
CAMPAIGN_FILES = {
    "doctor",
    "campaign-load",
    "campaign-file-edit",
    "campaign-change-file",
    "campaign-paper-earlier",
}
POSTS = {name for name, methods in POLICY.items() if "POST" in methods}


def upload(olga, campaign: Campaign, text: str) -> None:
    """Send a file through the page's own form, and check it as a worker would."""
    page = address("campaign-material", campaign)
    (form,) = [form for form in forms_of(olga.get(page).text) if form.files]
    file = SimpleUploadedFile("upload.csv", text.encode())
    answer = olga.post(page, form.fields | {"outputs": file})
    assert answer.status_code == 302, answer.text
    assert execute_import(campaign.material_imports.latest("pk").pk, "tester")


def new_pages() -> list[str]:
    make_key(make_owner(), KeyPlan(name="notebook"))
    names = ("campaigns", "campaign-start", "campaign-load", "keys", "doctor")
    return [reverse(f"rankme:{name}") for name in names] + [
        reverse("account_change_password"),
        reverse("rankme:campaign-new", args=["e2e-quality"]),
    ]


def draft_pages(olga) -> list[str]:
    spoiled = {"name": "spoiled", "kind": "corruption", "criterion": "fluency"}
    checked = slider_definition(checks=[spoiled | {"options": {"apart": 1}}])
    campaign = make_campaign(checked, launch=False)
    member = members.add_member(campaign, make_owner("mia"), by=campaign.owner)
    members.invite_member(campaign, role=Role.VIEWER, by=campaign.owner)
    ivans = make_campaign(owner=make_owner("ivan"), launch=False)
    _invited, secret = members.invite_member(ivans, role=Role.VIEWER, by=ivans.owner)
    upload(olga, campaign, OUTPUTS)
    waiting = campaign.material_imports.get().pk
    names = ("edit", "file-edit", "duplicate", "material", "launch", "delete", "members")
    names += ("damaged", "tryout", "leave")
    return [
        address("campaign-import", campaign, waiting),
        address("campaign-hand-over", campaign, member.pk),
        reverse("rankme:join", args=[secret]),
    ] + [address(f"campaign-{name}", campaign) for name in names]


def archive_pages(olga) -> list[str]:
    waiting, done = (start_archive(make_owner(), title=title) for title in ("One", "Two"))
    upload(olga, waiting, JUDGEMENTS)
    upload(olga, done, JUDGEMENTS)
    number = done.material_imports.get().pk
    olga.post(address("campaign-import-take", done, number))
    assert execute_import(number, "tester")
    assert done.participants.count() == 2
    rater = done.participants.first().label
    return [
        address("campaign-import", waiting, waiting.material_imports.get().pk),
        address("campaign-material", waiting),
        address("campaign-material", done),
        address("campaign-rater", done, rater),
        address("analysis-runs", done),
    ]


def running_pages(olga) -> list[str]:
    campaign = rated_campaign(raters=1, items=8)
    held, out = make_rater(campaign), make_rater(campaign, "w2")
    complaint_of(assignments.claim_batch(held))
    campaign.participants.filter(pk=held.pk).update(entry_answers={"age": "41"})
    exclusions.exclude_rater(out, reason="Too fast.", by=campaign.owner)
    (link,) = invite_raters(campaign, [""], by=campaign.owner)
    make_work_page(link, by=campaign.owner)
    campaign.invitations.update(mail=seal("nora@example.org"))
    run = published_run(campaign)
    unfinished = analysis_runs.request_run(campaign, {}, by=campaign.owner)
    computed = metric_jobs.request_metrics(campaign, ["bleu"], by=campaign.owner)
    metric_jobs.execute(computed.pk, "tester")
    busy = make_campaign(items=2, systems=2)
    metric_jobs.request_metrics(busy, ["bleu"], by=busy.owner)
    judged = campaign.items.filter(trials__submissions__isnull=False).earliest("position")
    names = ("links", "items", "disagreements", "monitor", "close", "members", "paper")
    names += ("change", "change-file", "extend")
    closed = campaigns.close_campaign(make_campaign(items=2, systems=2), by=campaign.owner)
    paused = campaigns.pause_campaign(make_campaign(), by=campaign.owner)
    return [
        *(address(f"campaign-{name}", campaign) for name in names),
        address("campaign-links-remind", campaign),
        reverse("rankme:mail-stop", args=[Signer(salt=STOP_SALT).sign(str(link.pk))]),
        address("campaign-link-mail", campaign, link.pk),
        address("campaign-extend", campaign) + "?raters_per_trial=9",
        address("campaign-item", campaign, judged.position + 1),
        *(address("campaign-rater", campaign, rater.label) for rater in (held, out)),
        address("campaign-monitor", paused),
        address("campaign-reopen", closed),
        address("campaign-identities", closed),
        address("campaign-metrics", campaign),
        address("campaign-metric-delete", campaign, campaign.metrics.get().pk),
        address("campaign-metrics", busy),
        address("analysis-runs", campaign),
        address("analysis-run", campaign, unfinished.pk),
        *(address(f"analysis-{name}", campaign, run.pk) for name in ("publish", "withdraw")),
    ]


def telling_pages() -> list[str]:
    """A webhook with a message that can be sent again."""
    campaign = make_campaign(slider_definition(raters_per_trial=2), items=2, systems=1)
    hook = hooks.add_webhook(campaign, "https://hooks.example.org/", by=campaign.owner).webhook
    sit(make_rater(campaign))
    record_events(campaign)
    return [
        address("campaign-webhooks", campaign),
        address("campaign-webhook", campaign, hook.pk),
    ]


def panel_pages(practice: PracticePanel) -> list[str]:
    drafted, published = Loop(practice, account="Lab 1"), Loop(practice, account="Lab 2").publish()
    person = published.row_of("a")
    return [
        reverse("rankme:panel-accounts"),
        address("campaign-panel", paid_campaign()),
        address("campaign-panel", drafted.campaign),
        address("campaign-panel", published.campaign),
        address("campaign-panel-books", published.campaign),
        address("campaign-panel-person", published.campaign, person.pk),
    ]


def sent_as_it_stands(form: Form) -> dict[str, object]:
    files = {
        name: SimpleUploadedFile(FILES[name][0], FILES[name][1].encode()) for name in form.files
    }
    return form.fields | files


def takes_two_megabytes(olga, target: str, form: Form) -> bool:
    sent = {name: SimpleUploadedFile("large.csv", b"a,b\n" * 2**19) for name in form.files}
    with transaction.atomic():
        answer = olga.post(target, form.fields | sent)
        transaction.set_rollback(True)
    return bool(answer.status_code != 413)


def hidden_page() -> str:
    """The list of hidden campaigns, with one in it."""
    campaign = Campaign.objects.exclude(launched_at=None).latest("pk")
    campaign.hidden_by.add(campaign.owner)
    return reverse("rankme:campaigns") + "?hidden=1"


def test_every_form_is_answered_on_every_page(olga, practice):
    pages = [
        *new_pages(),
        *draft_pages(olga),
        *archive_pages(olga),
        *running_pages(olga),
        address("campaign-monitor", looked_at(12, **GROUP)),
        *telling_pages(),
        *panel_pages(practice),
        hidden_page(),
    ]
    sent = set()
    for page in pages:
        answer = olga.get(page)
        assert answer.status_code == 200, page
        for form in forms_of(answer.text):
            for target in (form.action or page, *form.other_actions):
                name = resolve(target.partition("?")[0]).url_name
                sent.add(name)
                if name == "account_logout":
                    continue
                # Deleting one page's campaign must not take the next page away.
                with transaction.atomic():
                    # The client raises what the page raises: an error of the site fails here.
                    answer = olga.post(target, sent_as_it_stands(form))
                    transaction.set_rollback(True)
                assert answer.status_code in (200, 302, 422), page
                if form.files and name not in CAMPAIGN_FILES:
                    assert takes_two_megabytes(olga, target, form), f"{name} lacks @takes_files"
    # A change is confirmed on the page that answers its form: see test_changing.py.
    assert sent >= POSTS - {"campaign-change-confirm"}
