"""A shared task of 21 teams by pages alone, from the call to the overview paper.

The teams to which something happens go through Chromium, in three languages and at both widths;
the others send the same forms without it. `WALK=all` sends all of them through Chromium.
"""

import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, expect

from rankme.actions.imports import import_jobs
from rankme.actions.shared_task import checks
from rankme.models import (
    AnalysisRun,
    Campaign,
    MaterialImport,
    SharedTask,
    SystemUpload,
    UploadCheck,
)
from tests.accounts import make_account
from tests.browser.access import PHONE, assert_accessible, assert_never_scrolls_sideways
from tests.browser.organiser import log_in, work_off
from tests.browser.rating import begin, come_in, rate_to_the_end
from tests.campaigns import make_owner
from tests.chromium import LAPTOP, TOUCH_PHONE, new_context, wait_for_path
from tests.experiments.cohorts import rate
from tests.latex import compiled
from tests.live import LiveSite, wait_for
from tests.runs import executed
from tests.shared_tasks.challenge import TEAMS, Entry, entries, sources

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
WITHDRAWS, LAST_SECOND, LOSES_CAPTAIN, NO_PRIMARY, OTHER = 3, 7, 11, 15, 18
# How the special teams, and one to which nothing happens, come.
VISITS = {
    WITHDRAWS: ("en", LAPTOP),
    LAST_SECOND: ("de", TOUCH_PHONE),
    LOSES_CAPTAIN: ("cs", LAPTOP),
    NO_PRIMARY: ("en", TOUCH_PHONE),
    OTHER: ("de", LAPTOP),
}
ALL = os.environ.get("WALK") == "all"
SHOTS = os.environ.get("SHOTS")


def visit_of(place: int) -> tuple[str, dict] | None:
    """The language and the device of a team; none where it comes without a browser."""
    if place in VISITS or not ALL:
        return VISITS.get(place)
    return ("en", "de", "cs")[place % 3], (LAPTOP, TOUCH_PHONE)[place % 2]


def look(page: Page, name: str) -> None:
    """The page is for everybody, and fits; a picture of it is kept where pictures are asked for."""
    assert_never_scrolls_sideways(page)
    assert_accessible(page, name)
    if SHOTS:
        width = page.viewport_size["width"]
        page.screenshot(path=Path(SHOTS, f"{name}-{width}.png"), full_page=True)


def look_at_both_widths(page: Page, name: str) -> None:
    for size in (PHONE, LAPTOP["viewport"]):
        page.set_viewport_size(size)
        look(page, name)


@dataclass
class Visitor:
    """A member of a team with a link, in a browser."""

    page: Page
    entry: Entry
    link: str = ""

    def register(self, call: str) -> None:
        self.page.goto(call)
        for name, text in self.facts().items():
            self.page.locator(f"form [name={name}]").fill(text)
        self.page.locator("form [name=accepts_terms]").check()
        self.press("form .primary")
        self.link = self.page.locator(".copy-line code").inner_text()
        self.page.goto(self.link)
        self.page.locator("form[action$='/systems/'] [name=name]").fill(self.entry.name)
        self.press("form[action$='/systems/'] .button")

    def facts(self) -> dict[str, str]:
        return {
            "name": self.entry.name,
            "publication_name": self.entry.name.title(),
            "captain": "Ada",
        }

    def upload(self, content: bytes) -> None:
        file = {"name": f"{self.entry.name}.txt", "mimeType": "text/plain", "buffer": content}
        self.page.locator("#upload-file").set_input_files(file)
        self.press("form[data-tickets] .primary")
        check_uploads()
        self.page.reload()

    def choose(self, number: int) -> None:
        """Press *Primary* of the upload with this number; the newest one is the first."""
        form = self.page.locator("tr").filter(has=self.page.locator("[name=role]"))
        form.filter(has_text=re.compile(rf"\b{number} {self.entry.name}")).locator(
            "[value=primary]"
        ).click()
        expect(self.page.locator(".message.success")).to_be_visible()

    def press(self, selector: str) -> None:
        """Send a form, and see its answer."""
        target = self.page.locator(selector).first
        with self.page.expect_navigation():
            target.tap() if self.is_touch else target.click()

    @property
    def is_touch(self) -> bool:
        return self.page.viewport_size == TOUCH_PHONE["viewport"]


def check_uploads() -> None:
    for row in UploadCheck.objects.filter(state="queued"):
        assert checks.execute(row.pk, "tester")


@dataclass
class Walk:
    """The hosts, their task, and the teams that come in a browser."""

    browser: Browser
    site: LiveSite
    host: Page
    visitors: dict[int, Visitor] = field(default_factory=dict)
    contexts: list[BrowserContext] = field(default_factory=list)

    @property
    def task(self) -> SharedTask:
        return SharedTask.objects.get()

    @property
    def campaign(self) -> Campaign:
        return self.task.tracks.get().campaign

    def come(self, device: dict, language: str = "en") -> Page:
        """A page of somebody else's browser."""
        self.contexts.append(new_context(self.browser, self.site, device, language))
        return self.contexts[-1].new_page()

    def to_the_task(self, name: str = "task") -> None:
        self.host.goto(reverse(f"rankme:{name}", args=[self.task.code]))

    def send(self, button: str) -> None:
        """Press a button of the hosts', and see the next page."""
        with self.host.expect_navigation():
            self.host.get_by_role("button", name=button, exact=True).first.click()


@contextmanager
def walking(browser: Browser, site: LiveSite, page: Page) -> Iterator[Walk]:
    walk = Walk(browser, site, page)
    yield walk
    for context in walk.contexts:
        context.close()


def test_21_teams_go_from_the_call_to_the_overview_paper_by_pages_alone(
    browser: Browser, live_site: LiveSite, page: Page, tmp_path: Path
):
    make_account()
    make_owner("bob")
    log_in(page)
    submitted = entries()
    with walking(browser, live_site, page) as walk:
        open_the_task(walk)
        define_the_track(walk)
        let_teams_in(walk, submitted)
        replace_the_captain(walk)
        upload_in_the_last_second(walk)
        seal_and_launch(walk)
        rate_the_systems(walk)
        withdraw_after_the_launch(walk)
        close_and_analyse(walk)
        unseal_by_two(walk)
        read_the_results(walk, submitted)
        object_and_answer(walk)
        compile_the_paper(walk, tmp_path)


def open_the_task(walk: Walk) -> None:
    host = walk.host
    host.goto("/tasks/")
    host.get_by_role("link", name="New shared task").click()
    now = timezone.now()
    host.get_by_label("Title").fill("E2E again")
    host.get_by_label("Call", exact=True).fill("Describe places.")
    host.get_by_label("Terms that each team accepts").fill("Be fair.")
    times = {"Opens (UTC)": now - timedelta(hours=1), "Closes (UTC)": now + timedelta(hours=5)}
    for label, time in times.items():
        host.get_by_label(label).fill(f"{time:%Y-%m-%dT%H:%M}")
    host.get_by_label("Seconds for uploads that began before the close").fill("0")
    host.get_by_label("Days in which teams alone").fill("7")
    walk.send("Save")
    host.get_by_label("Name of the account").fill("bob")
    walk.send("Add a host")
    host.get_by_label("Name of the track").fill("en-en")
    walk.send("Add a track")


def define_the_track(walk: Walk) -> None:
    """From the track's link to a draft with sources, whose batches are short."""
    host = walk.host
    host.get_by_role("link", name="en-en").first.click()
    wait_for_path(host, "*/campaigns/*")
    look_at_both_widths(host, "track")
    host.get_by_role("link", name="Upload sources").first.click()
    file = {"name": "items.csv", "mimeType": "text/csv", "buffer": sources()}
    host.get_by_label("Sources").set_input_files(file)
    host.get_by_role("button", name="Upload and check").click()
    work_off(MaterialImport, import_jobs.execute_import)
    host.get_by_role("button", name="Import").click()
    work_off(MaterialImport, import_jobs.execute_import)
    host.get_by_role("link", name="Continue").click()
    expect(host.get_by_text("The outputs come with the seal")).to_be_visible()


def let_teams_in(walk: Walk, submitted: list[Entry]) -> None:
    call = reverse("rankme:task-call", args=[walk.task.code])
    for place, entry in enumerate(submitted):
        visit = visit_of(place)
        if visit is None:
            send_forms(call, entry)
            continue
        language, device = visit
        visitor = Visitor(walk.come(device, language), entry)
        visitor.register(call)
        walk.visitors[place] = visitor
        if place not in (LAST_SECOND, LOSES_CAPTAIN):
            visitor.upload(entry.file)
        if place not in (LAST_SECOND, LOSES_CAPTAIN, NO_PRIMARY):
            visitor.choose(1)
        look(visitor.page, f"team-{language}-{place}")
    check_uploads()
    walk.to_the_task()
    for entry in submitted:
        walk.send(f"Approve {entry.name}")
    look_at_both_widths(walk.host, "task-open")


def send_forms(call: str, entry: Entry) -> None:
    """What the browser of a team would send, without it."""
    client = Client()
    facts = {"name": entry.name, "publication_name": entry.name.title(), "captain": "Ada"}
    answer = client.post(call, facts | {"accepts_terms": "on"}).content.decode()
    client.get(re.findall(r"<code>(http://\S+/team/enter/\S+)</code>", answer)[0])
    client.post(reverse("rankme:team-system"), {"name": entry.name, "is_constrained": "on"})
    task = SharedTask.objects.get()
    team = task.teams.get(name=entry.name)
    file = SimpleUploadedFile(f"{entry.name}.txt", entry.file)
    chosen = {"track": task.tracks.get().pk, "system": team.systems.get().pk, "file": file}
    client.post(reverse("rankme:team-upload"), chosen)
    check_uploads()
    upload = team.uploads.get()
    client.post(reverse("rankme:team-role", args=[upload.pk]), {"role": "primary"})


def replace_the_captain(walk: Walk) -> None:
    """The lost link ends, and the new one does all that it did."""
    visitor = walk.visitors[LOSES_CAPTAIN]
    walk.send(f"New captain’s link {visitor.entry.name}")
    link = walk.host.locator(".message .copy-line code").inner_text()
    lost = visitor.page.goto(visitor.link)
    assert lost is not None and lost.status == 404
    visitor.page.goto(link)
    visitor.upload(visitor.entry.file)
    visitor.choose(1)


def upload_in_the_last_second(walk: Walk) -> None:
    """Both are in, a third is not; what counts is what the team chooses after the close."""
    visitor = walk.visitors[LAST_SECOND]
    visitor.upload(visitor.entry.file)
    visitor.upload(visitor.entry.corrected)
    own = SystemUpload.objects.filter(team__name=visitor.entry.name)
    last = own.order_by("number").last()
    assert last is not None and last.number == 2
    SharedTask.objects.update(closes_at=last.received_at + timedelta(milliseconds=1))
    visitor.upload(visitor.entry.file)
    assert own.count() == 2
    visitor.choose(1)
    visitor.choose(2)
    look(visitor.page, "team-closed-de")


def seal_and_launch(walk: Walk) -> None:
    host = walk.host
    walk.to_the_task("task-seal")
    expect(host.get_by_role("listitem").filter(has_text=":")).to_have_count(TEAMS - 1)
    look_at_both_widths(host, "seal")
    walk.send("Seal")
    expect(host.get_by_text("Launch the campaigns of its tracks next")).to_be_visible()
    look_at_both_widths(host, "task-sealed")
    host.get_by_role("link", name="en-en").first.click()
    host.get_by_role("link", name="View the plan").first.click()
    host.get_by_label("I have checked the screens").check()
    host.get_by_role("button", name="Launch campaign").click()
    wait_for_path(host, "*/links/")


def rate_the_systems(walk: Walk) -> None:
    """One rater in a browser on a phone; the others send the same answers faster."""
    rater = walk.come(TOUCH_PHONE)
    come_in(rater, walk.campaign)
    begin(rater)
    assert rate_to_the_end(rater) >= 4
    assert rate(walk.campaign, at_once=True)


def withdraw_after_the_launch(walk: Walk) -> None:
    visitor = walk.visitors[WITHDRAWS]
    visitor.page.reload()
    visitor.page.get_by_text("Withdraw the team").first.click()
    with visitor.page.expect_navigation():
        visitor.page.get_by_role("button", name="Withdraw the team").click()
    look(visitor.page, "team-withdrawn")


def close_and_analyse(walk: Walk) -> None:
    host = walk.host
    host.goto(f"/campaigns/{walk.campaign.code}/monitor/")
    host.get_by_role("link", name="Close …").click()
    host.get_by_role("button", name="Close campaign").click()
    host.get_by_role("link", name="Go to the analysis").click()
    host.get_by_role("button", name="Analyse").click()
    wait_for(AnalysisRun.objects.filter(state="queued").exists, "what the page asks for")
    executed(AnalysisRun.objects.get(), pictures=("svg",))  # those of the page


def unseal_by_two(walk: Walk) -> None:
    walk.to_the_task("task-unseal")
    look_at_both_widths(walk.host, "unseal")
    walk.send("Ask for the names")
    expect(walk.host.get_by_role("button", name="Agree, and show the names")).to_have_count(0)
    second = walk.come(LAPTOP)
    log_in(second, "bob")
    second.goto(reverse("rankme:task-unseal", args=[walk.task.code]))
    second.get_by_role("button", name="Agree, and show the names").click()
    expect(second.get_by_text("The task is unsealed.")).to_be_visible()


def read_the_results(walk: Walk, submitted: list[Entry]) -> None:
    """Each special team is where the rules put it, for the hosts and on its own page."""
    host, names = walk.host, {place: submitted[place].name for place in VISITS}
    walk.to_the_task("task-results")
    look_at_both_widths(host, "results")
    table = host.locator("table").first
    texts = table.locator("tbody tr").all_inner_texts()
    assert len(texts) == TEAMS
    assert names[WITHDRAWS] in texts[-2] and "judged, not ranked" in texts[-2]
    assert names[NO_PRIMARY] in texts[-1] and "chose no primary upload" in texts[-1]
    assert "not ranked" not in "".join(texts[:-2])
    judged = SystemUpload.objects.get(code__isnull=False, team__name=names[LAST_SECOND])
    assert judged.number == 2
    for place in VISITS:
        own = walk.visitors[place].page
        own.goto(reverse("rankme:team-results"))
        look(own, f"own-results-{place}")
        shown = own.locator("main").inner_text()
        others = [entry.name for entry in submitted if entry.name != names[place]]
        assert not [name for name in others if re.search(rf"\b{name}\b", shown)]
    expect(walk.visitors[WITHDRAWS].page.get_by_text("judged, not ranked").first).to_be_visible()
    expect(walk.visitors[NO_PRIMARY].page.get_by_text("No system of your team")).to_be_visible()


def object_and_answer(walk: Walk) -> None:
    visitor, host = walk.visitors[LAST_SECOND], walk.host
    visitor.page.locator("#dispute-text").fill("Item 3 is cut.")
    visitor.press("form[action$='/disputes/'] .primary")
    host.reload()
    host.get_by_label("Answer, which the team reads").fill("It was so in your file.")
    walk.send("Answer")
    look_at_both_widths(host, "results-answered")
    visitor.page.reload()
    expect(visitor.page.get_by_text("It was so in your file.")).to_be_visible()
    look(visitor.page, "own-results-answered")


def compile_the_paper(walk: Walk, folder: Path) -> None:
    with walk.host.expect_download() as download:
        walk.host.get_by_role("link", name="Skeleton in LaTeX (zip)").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(folder)
    text = (folder / "overview.tex").read_text()
    assert f"{TEAMS} teams took part, and people judged {TEAMS - 1} systems in 1 track." in text
    assert "1 withdrew later and got no rank" in text
    compiled("pdflatex", text, folder)
    if SHOTS:
        (Path(SHOTS) / "overview.pdf").write_bytes((folder / "report.pdf").read_bytes())
