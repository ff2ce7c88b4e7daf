"""Every page shows text from any column as text, never as markup or script."""

import csv
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin import site as admin_site
from django.contrib.auth import get_user_model
from django.db import connection, models
from django.urls import reverse
from playwright.sync_api import Browser, Page

from rankme.actions.campaign import campaigns
from rankme.actions.imports import import_jobs
from rankme.actions.material import materials
from rankme.actions.sitting import assignments, participation
from rankme.exporting import bundle
from rankme.models import AnalysisRun, AuditEvent, Campaign, MaterialImport, Output, Participant
from tests.accounts import make_account
from tests.browser.organiser import log_in
from tests.browser.payloads import COMPUTED, DEEDS, PAYLOADS
from tests.browser.rating import answer_with_mouse, begin, come_in, rate_to_the_end
from tests.campaigns import make_campaign, make_rater, rankme_definition
from tests.live import LiveSite
from tests.pages.world import POLICY, World
from tests.sittings import answer, finish

# Hostile names have signs for which the plots' font has no picture.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Glyph"),
]

EVERYTHING = "\n".join(PAYLOADS)
turns = count()

# The columns that stay as they are: names that the code itself gives and looks things up by.
# A code is there exactly when all is done, a rule where no person has decided, and a reason for
# not judging where there is no value.
WHERE_THERE_IS_ONE = {
    *("participant.completion_code", "raterexclusion.rule", "judgement.cannot_judge"),
}
KEPT = {
    *("submissionwords.salt", "wordsepoch.salt", "campaigndeletion.code"),
    *("campaign.code", "report.code", "invitation.token", "criterion.name", "plan.design"),
    *("participant.panel", "participant.label", "system.folded", "materialimport.format"),
    *("runchunk.job", "ratebucket.mark", "user.password", "participant.language"),
    *("participant.browser", "memberinvitation.hash", "invitation.work_page"),
    "invitation.mail",
}


def short(length: int) -> str:
    """As many payloads as fit, others each time."""
    first = next(turns) * 7 % len(PAYLOADS)
    text = ""
    for payload in (PAYLOADS[first:] + PAYLOADS)[:50]:
        if len(text) + len(payload) <= length:
            text += payload
    return (text or PAYLOADS[first])[:length]


def in_parts(parts: int) -> list[str]:
    """All payloads, dealt out to places of one kind, which the same lines of a template fill."""
    return ["\n".join(PAYLOADS[number::parts]) for number in range(parts)]


def test_the_payloads_are_many_and_different():
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 1_000
    assert len(EVERYTHING) < 100_000


# A world in which every text is hostile --------------------------------------------------------


def hostile_definition() -> Any:
    shown = ("input", "standard", "context", "reference_context", "reference", "text")
    blocks = [
        {"block": name, "title": short(300), "text": part}
        for name, part in zip(shown, in_parts(len(shown)), strict=True)
    ]
    question = {"name": "quality", "question": short(2_000), "instrument": "rankme"}
    return rankme_definition(
        title=short(200),
        description=EVERYTHING,
        texts={name: EVERYTHING for name in ("consent", "instructions", "thanks")},
        practice=[{"input": EVERYTHING, "outputs": in_parts(3), "feedback": EVERYTHING}],
        entry_questions=[
            {
                "name": "q",
                "question": EVERYTHING,
                "choices": {"yes": EVERYTHING, short(100): short(100)},
                "accept": ["yes"],
            }
        ],
        standard={"input": EVERYTHING, "output": EVERYTHING, "score": 100},
        criteria=[question | {"low": short(200), "high": short(200)}],
        screens=[
            {
                "name": "rate",
                "title": short(300),
                "show": [*blocks, "outputs"],
                "ask": ["quality"],
                "comment": True,
            }
        ],
        design={
            "kind": "random_blocks",
            "options": {"outputs_per_screen": 3, "trials_per_batch": 2},
        },
        raters_per_trial=2,
    )


def make_hostile(owner: Any) -> Campaign:
    """A campaign of hostile texts that was rated, analysed and published."""
    campaign = make_campaign(hostile_definition(), items=4, systems=3, owner=owner, launch=False)
    for item in campaign.items.all():
        factors = {short(60): short(200), "domain": short(100)}
        texts = dict.fromkeys(("input", "reference", "context"), EVERYTHING)
        campaign.items.filter(pk=item.pk).update(key=short(500), factors=factors, **texts)
    for system in campaign.systems.all():
        campaign.systems.filter(pk=system.pk).update(name=f"{system.position}{short(190)}")
    Output.objects.filter(system__campaign=campaign).update(text=short(4_000))
    campaign = campaigns.launch_campaign(campaign, by=owner)
    for number in range(2):
        rater = make_rater(campaign, short(190) + str(number))
        held = assignments.claim_batch(rater)
        for trial in range(len(held.presentation)):
            answer(held, trial, value=10 * trial + 1, comment=short(4_000))
        finish(held)
        participation.complete_participation(rater)
    return campaign


def upload(campaign: Campaign, folder: Any, rows: list[list[str]]) -> Any:
    """A file that a worker has looked at."""
    path = folder / "outputs.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["system", "item", "output"], *rows])
    started = materials.start_import(campaign, [path], by=campaign.owner)
    import_jobs.execute_import(started.pk, "tester")
    started.refresh_from_db()
    return started


def fill_every_text() -> list[str]:
    """Put hostile texts into all text columns of the database, past all rules; tells which."""
    filled = []
    tables = [*apps.get_app_config("rankme").get_models(), get_user_model()]
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # what is frozen, too
        for model in tables:
            for field in model._meta.local_concrete_fields:
                name = f"{model._meta.model_name}.{field.name}"
                is_text = isinstance(field, models.CharField | models.TextField)
                if not is_text or field.choices or "sha256" in name or name in KEPT:
                    continue
                length = field.max_length or 100_000
                text = EVERYTHING if length > len(EVERYTHING) else short(length - 10)
                # The row's own key keeps apart what must differ.
                value = f"left(%s || {model._meta.pk.column}::text, %s)"
                statement = f'UPDATE "{model._meta.db_table}" SET "{field.column}" = {value}'
                if name in WHERE_THERE_IS_ONE:
                    statement += f" WHERE {field.column} <> ''"
                cursor.execute(statement, [text, length])
                filled.append(name)
        AuditEvent.objects.update(detail={short(100): EVERYTHING, "rater": short(50)})
        cursor.execute("SET session_replication_role = DEFAULT")
    said = {"file": short(300), "line": 1, "column": short(100), "message": EVERYTHING}
    MaterialImport.objects.filter(state="failed").update(labels={"0": short(300)}, problems=[said])
    Participant.objects.update(entry_answers={short(100): EVERYTHING})
    return filled


# Looking at it ---------------------------------------------------------------------------------

WATCH = """
    window.pwnedBy = [];
    window.pwned = () => window.pwnedBy.push("a script ran");
    document.addEventListener("securitypolicyviolation", (event) =>
        window.pwnedBy.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""
MADE = """(page) => {
    const made = [];
    const search = (root) => {
        made.push(...root.querySelectorAll(
            ".pwn, x-pwn, base, object, embed, iframe:not([name^=draft-preview]),"
            + "meta[http-equiv=refresh i],"
            + "[onerror], [onload], [onfocus], [onmouseover], [ontoggle], a[href^='javascript:' i],"
            + "[src*=elsewhere], [href*=elsewhere], [action*=elsewhere]"));
        for (const template of root.querySelectorAll("template")) search(template.content);
    };
    search(page ?? document);
    return made.map((node) => node.outerHTML.slice(0, 200));
}"""

# As a browser reads a page without scripts, which is not shown.
READ_WITHOUT_SCRIPTS = """(address) => new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.responseType = "document";
    request.onload = () => resolve(request);
    request.open("GET", address);
    request.send();
})"""
MADE_WITHOUT_SCRIPTS = f"""async (address) => {{
    const {{ status, responseURL, response }} = await ({READ_WITHOUT_SCRIPTS})(address);
    return [status, new URL(responseURL).pathname, ({MADE})(response)];
}}"""

IS_WHOLE = """() => document.contentType === "image/svg+xml"
    || document.querySelectorAll("main").length === 1"""
SAYS = "(words) => document.documentElement.textContent.includes(words)"


@pytest.fixture
def watched(page: Page) -> Page:
    """A page that notes scripts that ran, rules that were broken, and hosts that were asked."""
    page.add_init_script(WATCH)
    page.hosts = set()
    page.dialogs = []
    page.on("request", lambda request: page.hosts.add(request.url.split("/")[2]))
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
    return page


def assert_only_text(page: Page) -> None:
    assert page.evaluate(MADE) == [], page.url
    assert page.evaluate("window.pwnedBy") == [], page.url
    assert not page.evaluate(SAYS, COMPUTED), page.url
    assert page.dialogs == [], page.url
    assert all(host.startswith("127.0.0.1:") for host in page.hosts), page.hosts


def visit(page: Page, address: str) -> None:
    answer = page.goto(address)
    assert answer.status == 200, f"{address}: {answer.status}"
    page.wait_for_timeout(50)  # for what would run a moment later
    assert_only_text(page)


def test_the_watch_sees_what_it_is_there_for(browser, live_site):
    """The control: a page that contains the payloads unescaped is not clean."""
    with browser.new_page(base_url=live_site.url) as page:
        page.add_init_script(WATCH)
        answer = page.request.get("/login/")
        bait = "".join(deed for deed in DEEDS[:40] if "refresh" not in deed)
        html = answer.text().replace("</main>", f"{bait}</main>")
        headers = {"Content-Security-Policy": answer.headers["content-security-policy"]}
        page.route(
            "**/login/",
            lambda route: route.fulfill(body=html, headers=headers, content_type="text/html"),
        )
        page.goto("/login/")
        page.wait_for_timeout(300)
        made, broken = page.evaluate(MADE), page.evaluate("window.pwnedBy")
        made_unseen = page.evaluate(MADE_WITHOUT_SCRIPTS, "/login/")
    assert len(made) > 30
    assert made_unseen[:2] == [200, "/login/"] and len(made_unseen[2]) >= len(made)
    assert any("script-src" in one for one in broken), broken
    assert "a script ran" not in broken, "even then the policy stops it"


PAGES = [
    name
    for name, methods in POLICY.items()
    if "GET" in methods
    and name
    not in (
        "campaign-file",
        "campaign-invitations",
        "campaign-metrics-file",
        "campaign-planner",  # a part of the launch page
        "campaign-paper-file",
        "campaign-raters-file",
        "campaign-words",
        "report-file",
        "analysis-file",
        "welcome",
    )
]


# From a launched campaign without a panel, to a page that is looked at anyway.
LEADING_ON = (
    "campaign-launch",
    "campaign-damaged",
    "campaign-panel",
    "campaign-panel-books",
    "campaign-panel-person",
    "campaign-reopen",
)
PAGES_OF_A_DRAFT = (
    "campaign",
    "campaign-edit",
    "campaign-file-edit",
    "campaign-duplicate",
    "campaign-delete",
    "campaign-material",
    "campaign-items",
    "campaign-launch",
    "campaign-links",
    "campaign-close",
    "campaign-raters",
    "campaign-members",
    "campaign-history",
    "preview",
)


def test_nothing_that_an_organiser_looks_at_makes_anything_of_data(
    watched: Page, browser: Browser, live_site: LiveSite, tmp_path: Path
):
    """No page, no picture of a report, and no page of the admin."""
    owner = make_account()
    campaign = make_hostile(owner)
    world = World(campaign)
    draft = make_campaign(hostile_definition(), items=2, systems=2, owner=owner, launch=False)
    addresses = addresses_of(world, draft, tmp_path)
    elsewhere = {world.address(name) for name in LEADING_ON}
    look_at_pictures(browser, live_site, campaign.analysis_runs.get(), tmp_path)
    log_in(watched)
    filled = fill_every_text()
    assert {
        "output.text",
        "item.key",
        "system.name",
        "auditevent.verb",
        "user.username",
        "participant.comment",
        "materialimport.error",
        "invitation.name",
        "analysisrun.signature",
    } <= set(filled)
    for address in addresses:
        if address not in elsewhere:
            visit(watched, address)
            assert watched.evaluate(IS_WHOLE), address
    for address in elsewhere:
        assert_leads_on(watched, address, addresses)
    get_user_model().objects.update(is_staff=True, is_superuser=True)
    look_at_the_admin(watched)


def assert_leads_on(page: Page, address: str, addresses: list[str]) -> None:
    answer = page.request.get(address, max_redirects=0)
    assert answer.status == 302 and answer.headers["location"] in addresses, address


def addresses_of(world: World, draft: Campaign, folder: Path) -> list[str]:
    """Of all pages, with this campaign and this draft of one, and with uploads of two others."""
    campaign, owner = world.campaign, draft.owner
    for number, each in enumerate((campaign, draft)):
        each.invitations.create(token=f"t{number}", name="Ines")
        each.material_imports.create(state="failed")
    row = [f"<b class=pwn>{short(150)}", short(500).replace("\n", " "), EVERYTHING]
    good = upload(make_campaign(owner=owner, launch=False), folder, [row])
    bad = upload(make_campaign(owner=owner, launch=False), folder, [row, row, [*row, row[0]]])
    assert good.preview and bad.problems
    addresses = [world.address(name) for name in PAGES]
    addresses += [reverse(f"rankme:{name}", args=[draft.code]) for name in PAGES_OF_A_DRAFT]
    for one in (good, bad):
        parts = [one.campaign.code, one.pk]
        addresses.append(reverse("rankme:campaign-import", args=parts))
    for page in ("consent", "questions", "instructions", "work", "done", "stop"):
        addresses.append(f"{reverse('rankme:preview', args=[campaign.code])}?page={page}")
    return addresses


def look_at_pictures(browser: Browser, site: LiveSite, run: AnalysisRun, folder: Path) -> None:
    """A plot is SVG with the systems' names in it; from the disk it opens without our rules."""
    watched = browser.new_page(base_url=site.url)
    watched.add_init_script(WATCH)
    pictures = [name for name in bundle.members(run) if name.endswith(".svg")]
    assert pictures
    for name in pictures:
        answer = watched.request.get(reverse("rankme:report-file", args=[run.report.code, name]))
        assert answer.headers["content-disposition"].startswith("attachment")
        downloaded = folder / name.rpartition("/")[2]
        downloaded.write_bytes(answer.body())
        watched.goto(downloaded.as_uri())
        assert watched.evaluate(MADE) == [], name
        assert "a script ran" not in watched.evaluate("window.pwnedBy")
    watched.close()


def look_at_the_admin(page: Page) -> None:
    """Without scripts: those of Django's admin break our rule of trusted types on their own."""
    for model in admin_site._registry:
        base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        addresses = [reverse(f"{base}_changelist")]
        if (row := model._default_manager.first()) is not None:
            addresses.append(reverse(f"{base}_change", args=[row.pk]))
        for address in addresses:
            assert page.evaluate(MADE_WITHOUT_SCRIPTS, address) == [200, address, []]


def test_no_page_of_a_rater_makes_anything_of_data(watched: Page):
    campaign = make_hostile(make_account())
    fill_every_text()
    visit(watched, f"/r/{campaign.code}/?id=w9")
    come_in(watched, campaign, id="w9")
    assert_only_text(watched)
    watched.get_by_role("button", name="Begin").wait_for()
    assert_only_text(watched)
    begin(watched)

    def look_and_answer(page: Page) -> None:
        assert_only_text(page)
        answer_with_mouse(page)

    assert rate_to_the_end(watched, answer=look_and_answer) >= 2
    assert_only_text(watched)
    given = watched.locator("main").inner_text()
    assert "pwned()" in given
