"""What goes wrong at a rater's desk: dead connections, killed browsers, double clicks, two tabs."""

import contextlib
import json
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import BrowserContext, Page, expect
from playwright.sync_api import Error as PlaywrightError

from rankme.models import Judgement, Submission
from tests.browser.pressing import press
from tests.browser.rating import (
    answer_with_mouse,
    await_screen,
    begin,
    campaign_of,
    come_in,
    go_back,
    go_on,
    go_to_work,
    next_screen,
    open_work,
    rate_screen,
    rate_to_the_end,
)
from tests.campaigns import make_campaign, slider_definition
from tests.chromium import CHROMIUM_FLAGS, installed_chromium
from tests.invariants import check_record
from tests.live import PATIENCE, wait_for

OFFLINE_SCREENS = 6
ROUNDS = 12
# The outbox without its guard: what is "kept" lives in the page's memory alone.
FORGETFUL_STORAGE = """
export const openStorage = async () => ({ ...memoryStorage(), lasting: true });
export const withFallback = (storage) => storage;
export function memoryStorage() {
  const stores = { drafts: new Map(), outbox: new Map() };
  const transaction = {
    get: async (store, key) => stores[store].get(key),
    all: async (store) => [...stores[store].values()],
    put: async (store, value) =>
      void stores[store].set(store === "outbox" ? value.key : value.id, value),
    delete: async (store, key) => void stores[store].delete(key),
  };
  return { lasting: false, change: (work) => work(transaction) };
}
"""


@pytest.fixture(autouse=True)
def the_record_is_true_afterwards(live_site):
    yield
    check_record()


def plain_campaign(items: int = 8):
    return make_campaign(slider_definition(), items=items, systems=1)


class OwnBrowser:
    """A Chromium of this test alone, with a profile that outlives it."""

    def __init__(self, browser, live_site, profile) -> None:
        self.launch = browser.browser_type.launch_persistent_context
        self.url, self.profile = live_site.url, profile
        self.context: BrowserContext | None = None

    def start(self) -> Page:
        self.context = self.launch(
            self.profile,
            executable_path=installed_chromium(),
            args=CHROMIUM_FLAGS,
            base_url=self.url,
            viewport={"width": 1366, "height": 768},
            locale="en",
        )
        return self.context.pages[0]

    def kill(self) -> None:
        """SIGKILL for the browser and all of its processes, as a crash or a power cut."""
        mine = [
            process
            for process in psutil.process_iter(["cmdline"])
            if f"--user-data-dir={self.profile}" in (process.info["cmdline"] or [])
        ]
        assert mine
        for process in mine:
            process.kill()
        psutil.wait_procs(mine, timeout=PATIENCE)


@pytest.fixture
def own_browser(browser, live_site, tmp_path):
    mine = OwnBrowser(browser, live_site, tmp_path / "profile")
    yield mine
    mine.context.close()


def rate_offline_and_be_killed(own: OwnBrowser, campaign, *, storage: str | None) -> Page:
    page = own.start()
    if storage:
        page.route(
            "**/sending/storage.*.js",
            lambda route: route.fulfill(body=storage, content_type="text/javascript"),
        )
    go_to_work(page, campaign)
    own.context.set_offline(True)
    for _ in range(OFFLINE_SCREENS):
        rate_screen(page)
    await_screen(page)
    own.kill()
    assert Submission.objects.count() == 0
    page = own.start()
    page.goto(f"/r/{campaign.code}/?id=w1")
    await_screen(page)
    return page


def test_what_was_rated_offline_survives_a_killed_browser(own_browser):
    campaign = plain_campaign()
    page = rate_offline_and_be_killed(own_browser, campaign, storage=None)
    wait_for(lambda: Submission.objects.count() == OFFLINE_SCREENS, "the answers of before")
    assert Submission.objects.filter(surplus=False, revision=1).count() == OFFLINE_SCREENS
    # The rater continues where the browser was killed.
    assert page.locator("#progress").inner_text().startswith(f"{OFFLINE_SCREENS + 1} of 8")
    assert rate_to_the_end(page) == 8 - OFFLINE_SCREENS
    assert Judgement.objects.count() == 8


def test_without_storage_on_the_disk_the_same_is_lost(own_browser):
    """The guard taken away: this is what the outbox is for."""
    campaign = plain_campaign()
    page = rate_offline_and_be_killed(own_browser, campaign, storage=FORGETFUL_STORAGE)
    page.wait_for_timeout(2_000)
    assert Submission.objects.count() == 0


def test_a_dead_connection_is_told_and_nothing_is_lost(page: Page):
    go_to_work(page, plain_campaign(3))
    page.context.set_offline(True)
    for waiting in ("One answer is waiting", "2 answers are waiting"):
        rate_screen(page)
        expect(page.locator("#unsent")).to_contain_text(waiting)
    expect(page.get_by_text("You are offline")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("#unsent")).to_be_hidden()
    expect(page.get_by_text("You are offline")).to_be_hidden()
    assert Submission.objects.count() == 2


def test_a_web_server_that_is_killed_and_comes_back_gets_every_answer(page: Page, live_site):
    go_to_work(page, plain_campaign(4))
    for screen in range(4):
        await_screen(page)
        if screen == 1:
            live_site.kill_web()
        answer_with_mouse(page)
        page.locator("[data-next]").click()
    live_site.start_web()
    expect(page.locator("#completion-code")).to_be_visible()
    assert Submission.objects.filter(revision=1, surplus=False).count() == 4


def test_six_impatient_clicks_make_one_row(page: Page):
    open_work(page, plain_campaign(2))
    page.route("**/submit/", lambda route: (page.wait_for_timeout(1_000), route.continue_()))
    answer_with_mouse(page)
    page.evaluate(
        """() => {
          const button = document.querySelector("[data-next]");
          for (let click = 0; click < 6; click += 1) {
            button.click();
            button.form?.requestSubmit();
          }
        }"""
    )
    await_screen(page)
    page.wait_for_timeout(1_500)
    # Only while Playwright is asked something does it let an answer through.
    wait_for(
        lambda: page.wait_for_timeout(20) or Submission.objects.count() >= 1,
        "the answer",
    )
    assert Submission.objects.count() == 1
    expect(page.locator("#progress")).to_contain_text("2 of 2")


def test_two_windows_with_the_same_screen_make_one_row_of_each(page: Page):
    """And a window that was left behind moves on when it is looked at."""
    campaign = plain_campaign(ROUNDS + 1)
    go_to_work(page, campaign)
    other = page.context.new_page()
    other.goto(f"/r/{campaign.code}/work/")
    for number in range(1, ROUNDS):
        for window in (page, other):
            expect(window.locator("#progress")).to_contain_text(f"{number} of {ROUNDS + 1}")
            await_screen(window)
            window.get_by_role("slider").press("End")
        for window in (page, other):
            window.evaluate("() => document.querySelector('form.screen').requestSubmit()")
    for window in (page, other):
        expect(window.locator("#progress")).to_contain_text(f"{ROUNDS} of {ROUNDS + 1}")
    wait_for(lambda: Submission.objects.count() >= ROUNDS - 1, "the answers")
    page.wait_for_timeout(500)
    assert Submission.objects.count() == ROUNDS - 1
    assert campaign.assignments.count() == 1
    rate_screen(other)
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("#progress")).to_contain_text(f"{ROUNDS + 1} of {ROUNDS + 1}")
    wait_for(lambda: Submission.objects.count() == ROUNDS, "the answer of the other window")


def test_an_answer_changed_while_its_acknowledgement_was_lost_is_kept_both_ways(
    page: Page, live_site
):
    """Enketo's #1405: the server has the answer, the browser does not know it, the rater edits."""
    go_to_work(page, plain_campaign(3))

    def lose_the_answer(route) -> None:
        with contextlib.suppress(PlaywrightError):  # a try that the end of this state overtakes
            route.fetch()
            route.abort()

    page.route("**/submit/", lose_the_answer)
    await_screen(page)
    page.get_by_role("slider").press("End")
    next_screen(page)
    wait_for(
        # Only while Playwright is asked something does it lose an answer.
        lambda: page.wait_for_timeout(20) or Submission.objects.count() == 1,
        "the answer that nobody heard of",
    )
    live_site.kill_web()
    page.unroute_all(behavior="ignoreErrors")
    await_screen(page)
    go_back(page)
    await_screen(page)
    page.get_by_role("slider").press("Home")
    next_screen(page)
    live_site.start_web()
    rate_to_the_end(page)
    first = Submission.objects.earliest("id")
    changed = Submission.objects.filter(trial=first.trial).order_by("revision")
    assert [(row.revision, row.surplus) for row in changed] == [(1, False), (2, False)]
    assert [row.judgements.get().value for row in changed] == [100, 0]
    assert Submission.objects.count() == 4


def test_the_back_button_leads_to_the_same_screen(page: Page):
    come_in(page, plain_campaign(3), id="w1")
    begin(page)
    rate_screen(page)
    await_screen(page)
    page.go_back()
    await_screen(page)
    expect(page.locator("#progress")).to_contain_text("2 of 3")
    rate_to_the_end(page)
    page.go_back()
    expect(page.locator("#completion-code")).to_be_visible()
    assert Submission.objects.count() == 3


@pytest.mark.parametrize(
    "blocked",
    [
        "Object.defineProperty(window, 'indexedDB', { get() { throw new Error('blocked'); } })",
        "IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError') }",
    ],
)
def test_without_storage_each_answer_is_acknowledged_before_the_next_screen(page: Page, blocked):
    campaign = plain_campaign(2)
    page.add_init_script(blocked)
    open_work(page, campaign)
    expect(page.get_by_text("cannot keep answers")).to_be_visible()
    page.context.set_offline(True)
    answer_with_mouse(page)
    page.locator("[data-next]").click()
    page.wait_for_timeout(1_000)
    expect(page.locator("#progress")).to_contain_text("1 of 2")
    page.context.set_offline(False)
    expect(page.locator("#progress")).to_contain_text("2 of 2")
    assert Submission.objects.count() == 1
    rate_to_the_end(page)
    assert Submission.objects.count() == 2


def test_an_answer_that_the_server_refuses_comes_back_with_its_reason(page: Page):
    go_to_work(page, plain_campaign(2))
    spoiled = []

    def spoil(route):
        document = json.loads(route.request.post_data)
        if not spoiled:
            document["answers"][0]["value"] = 9_999
            spoiled.append(document["key"])
        route.continue_(post_data=json.dumps(document))

    page.route("**/submit/", spoil)
    rate_screen(page)
    reason = "The value must lie between 0 and 100."
    expect(page.locator("#notices")).to_contain_text(reason)
    expect(page.locator("[data-missing]:visible")).to_have_text(reason)
    expect(page.get_by_role("slider")).to_be_focused()
    expect(page.locator("#progress")).to_contain_text("1 of 2")
    rate_screen(page)
    expect(page.locator("#notices")).to_be_empty()
    assert rate_to_the_end(page) == 1
    assert Submission.objects.count() == 2
    assert not Submission.objects.filter(key=spoiled[0]).exists()


@pytest.mark.parametrize("lost", [{"name": "rater"}, {}], ids=["cookie", "all cookies"])
def test_a_rater_whose_cookie_is_lost_goes_on_as_the_same_rater(page: Page, lost: dict):
    campaign = plain_campaign(4)
    come_in(page, campaign)  # by the open link: nothing but the cookie says who this is
    begin(page)
    await_screen(page)
    page.context.clear_cookies(**lost)
    for number in range(1, 4):
        expect(page.locator("#progress")).to_contain_text(f"{number} of 4")
        rate_screen(page)
    wait_for(lambda: Submission.objects.count() == 3, "the answers that were kept")
    expect(page.locator("#notices")).to_be_empty()
    rate_to_the_end(page)
    assert Submission.objects.count() == 4
    assert campaign.participants.count() == 1


def test_a_rater_whose_personal_link_fails_too_is_told_and_sends_later(page: Page):
    open_work(page, plain_campaign(2))
    page.context.clear_cookies(name="rater")
    page.route("**/resume/**", lambda route: route.abort())
    rate_screen(page)
    expect(page.get_by_text("no longer remembers who you are")).to_be_visible()
    assert Submission.objects.count() == 0
    page.unroute("**/resume/**")
    page.get_by_role("link", name="Open your personal link").click()
    wait_for(lambda: Submission.objects.count() == 1, "the answer that was kept")
    expect(page.locator("#progress")).to_contain_text("2 of 2")


def test_who_lost_the_cookie_and_closed_the_page_is_offered_the_way_back(page: Page):
    campaign = make_campaign(slider_definition(raters_per_trial=2), items=3, systems=1)
    come_in(page, campaign)
    begin(page)
    await_screen(page)
    answer_with_mouse(page)
    page.context.set_offline(True)
    next_screen(page)
    page.goto("about:blank")
    page.context.clear_cookies()
    page.context.set_offline(False)
    page.goto(f"/r/{campaign.code}/")
    page.get_by_role("link", name="Continue where you stopped").click()
    expect(page.locator("#progress")).to_contain_text("2 of 3")
    wait_for(lambda: Submission.objects.count() == 1, "the answer that was kept")
    rate_to_the_end(page)
    assert campaign.participants.count() == 1
    page.context.clear_cookies()
    page.goto(f"/r/{campaign.code}/")
    expect(page.get_by_role("button", name="I agree")).to_be_visible()
    page.wait_for_timeout(500)
    expect(page.get_by_role("link", name="Continue where you stopped")).to_be_hidden()


def test_a_lost_cookie_does_not_stop_a_rater_whose_browser_keeps_nothing(page: Page):
    campaign = plain_campaign(2)
    page.add_init_script("IDBFactory.prototype.open = () => { throw new DOMException('no'); }")
    open_work(page, campaign)
    expect(page.get_by_text("cannot keep answers")).to_be_visible()
    page.context.clear_cookies()
    rate_to_the_end(page)
    assert Submission.objects.count() == 2


BREAK_STORAGE = {
    "site data deleted": """async () => {
      const { databases } = { databases: await indexedDB.databases() };
      await Promise.all(databases.map(({ name }) => new Promise((resolve) => {
        Object.assign(indexedDB.deleteDatabase(name), { onsuccess: resolve, onblocked: resolve });
      })));
    }""",
    "disk full": """() => {
      IDBObjectStore.prototype.put = () => { throw new DOMException("", "QuotaExceededError"); };
    }""",
}


@pytest.mark.parametrize("fault", BREAK_STORAGE)
def test_when_storage_fails_in_mid_sitting_the_rater_is_told_and_goes_on(page: Page, fault: str):
    open_work(page, plain_campaign(4))
    answer_with_mouse(page)
    page.context.set_offline(True)  # so one answer waits in the database that is going to fail
    next_screen(page)
    await_screen(page)
    page.evaluate(BREAK_STORAGE[fault])
    answer_with_mouse(page)
    page.locator("[data-next]").click()
    expect(page.get_by_text("cannot keep answers")).to_be_visible()
    expect(page.locator("#progress")).to_contain_text("2 of 4")
    page.context.set_offline(False)
    expect(page.locator("#progress")).to_contain_text("3 of 4")
    assert Submission.objects.count() == 2
    rate_to_the_end(page)
    assert Submission.objects.filter(surplus=False).count() == 4


@pytest.mark.parametrize("script", ["slider", "work"])
def test_a_script_that_does_not_load_leaves_a_page_that_says_so(page: Page, script: str):
    campaign = plain_campaign(1)
    # Before the first page, which fetches the scripts of the work ahead of time.
    page.route(f"**/{script}*.js", lambda route: route.abort())
    come_in(page, campaign, id="w1")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_text("If this message does not disappear, reload the page.")).to_be_visible()
    if script == "slider":  # this notice comes later, and moves the link below it
        expect(page.get_by_text("Something went wrong on this page.")).to_be_visible()
    for name in ("Pause", "Instructions", "Back"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()
    page.unroute(f"**/{script}*.js")
    page.get_by_role("link", name="Reload").click()
    rate_to_the_end(page)
    assert Submission.objects.count() == 1


def test_the_scripts_of_the_work_are_loaded_while_the_instructions_are_read(page: Page):
    come_in(page, plain_campaign(1), id="w1")
    page.wait_for_load_state("networkidle")
    loaded = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    begin(page)
    scripts = page.evaluate(
        """() => performance.getEntriesByType("resource")
          .map((entry) => entry.name)
          .filter((name) => /\\/js\\/\\w+\\//.test(name))"""
    )
    assert {Path(name).name.split(".")[0] for name in scripts} >= {"work", "slider"}
    assert set(scripts) <= set(loaded)


# Until they are released, the page is never painted: a screen that comes in does not begin.
HOLD_FRAMES = """() => {
  const held = [];
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (work) => held.push(work);
  window.releaseFrames = () => {
    window.requestAnimationFrame = request;
    held.forEach(request);
  };
}"""


def test_a_second_device_that_goes_on_ends_the_work_on_the_first(page: Page, browser, live_site):
    open_work(page, plain_campaign(4))
    page.get_by_role("button", name="Pause").click()
    link = page.get_by_label("To continue on another device").input_value()
    page.get_by_role("button", name="Continue").click()
    other_device = browser.new_context(viewport={"width": 390, "height": 844})
    phone = other_device.new_page()
    phone.goto(link)
    for number in range(1, 3):
        expect(phone.locator("#progress")).to_contain_text(f"{number} of 4")
        rate_screen(phone)
    wait_for(lambda: Submission.objects.count() == 2, "the answers from the phone")
    answer_with_mouse(page)
    page.evaluate(HOLD_FRAMES)
    with page.expect_response("**/submit/"):
        press(page, "[data-next]")
    page.wait_for_timeout(300)  # until the answer was read; the next screen has not come by then
    page.evaluate("releaseFrames()")
    expect(page.get_by_role("heading", name="You continued on another device")).to_be_visible()
    page.get_by_role("button", name="Continue here").click()
    expect(page.locator("#progress")).to_contain_text("3 of 4")
    assert rate_to_the_end(page) == 2
    other_device.close()
    assert Submission.objects.filter(surplus=True).count() == 1
    assert Submission.objects.filter(surplus=False).count() == 4


def test_what_cannot_be_changed_here_is_said_only_until_the_next_screen(page: Page, browser):
    open_work(page, plain_campaign(3))
    link = page.locator("#resume-link").input_value()
    rate_screen(page)
    wait_for(lambda: Submission.objects.count() == 1, "the first answer")
    other_device = browser.new_context()
    phone = other_device.new_page()
    phone.goto(link)
    await_screen(phone)
    phone.get_by_role("button", name="Back").click()
    expect(phone.get_by_text("You answered that page on another device")).to_be_visible()
    rate_screen(phone)
    expect(phone.locator("#notices")).to_be_empty()
    # Or it arrives while the record is being checked.
    wait_for(lambda: Submission.objects.count() == 2, "the answer from the phone")
    other_device.close()


PRACTICE = [
    {"outputs": ["An example."], "feedback": "The first one misses the price."},
    {"outputs": ["Another one."], "feedback": "The second one is right."},
]


def practice_campaign():
    return make_campaign(slider_definition(practice=PRACTICE), items=1, systems=1)


def test_a_reload_neither_skips_nor_repeats_the_feedback_on_the_practice(page: Page):
    campaign = practice_campaign()
    go_to_work(page, campaign)
    for feedback in (PRACTICE[0]["feedback"], PRACTICE[1]["feedback"]):
        rate_screen(page)
        expect(page.get_by_text(feedback)).to_be_visible()
        page.reload()
        expect(page.get_by_text(feedback)).to_be_visible()
        page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Now the real work begins")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Now the real work begins")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#progress")).to_contain_text("1 of 1")
    wait_for(lambda: campaign.participants.get().practised_at, "the end of the practice")
    page.reload()
    expect(page.locator("#progress")).to_contain_text("1 of 1")


def test_the_practice_goes_on_without_its_feedback_and_its_end_is_told_after_an_outage(page: Page):
    campaign = practice_campaign()
    open_work(page, campaign)
    page.context.set_offline(True)
    rate_screen(page)
    expect(page.get_by_text("could not be loaded")).to_be_visible()
    page.context.set_offline(False)
    go_on(page)
    expect(page.locator("#progress")).to_contain_text("Practice 2 of 2")
    page.route("**/practised/", lambda route: route.abort())
    rate_screen(page)
    go_on(page)
    go_on(page)
    await_screen(page)
    assert campaign.participants.get().practised_at is None
    page.unroute("**/practised/")
    page.reload()
    wait_for(lambda: campaign.participants.get().practised_at, "the end of the practice")


def test_a_rater_sees_the_own_answer_next_to_the_expected_one_and_tries_again(page: Page):
    expected = {"fluency": [80, 100]}
    example = {"outputs": ["An example."], "feedback": "A good text.", "expect": expected}
    definition = slider_definition(practice=[example], practice_tries=2, practice_gate=True)
    open_work(page, make_campaign(definition, items=1, systems=1))
    page.get_by_role("slider").press("Home")
    next_screen(page)
    feedback = page.get_by_role("heading", name="About this example").locator("..")
    expect(feedback).to_contain_text("An example.")
    expect(feedback).to_contain_text("Your answer: 0 expected: 80–100", use_inner_text=True)
    expect(feedback.get_by_role("button", name="Continue")).to_be_hidden()
    feedback.get_by_role("button", name="Try again").press("Enter")
    await_screen(page)
    page.get_by_role("slider").press("End")
    next_screen(page)
    expect(page.get_by_text("Your answers are as expected.")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Now the real work begins")).to_be_visible()


def test_a_pause_waits_until_no_time_is_being_measured_and_opens_once(page: Page):
    go_to_work(page, campaign_of("tuna08-identification", items=2, practice=[]))
    page.get_by_role("button", name="Start").click()
    await_screen(page)
    dialog = page.get_by_role("dialog", name="Paused")
    for _ in range(3):
        page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")
    expect(dialog).to_be_hidden()
    answer_with_mouse(page)
    expect(page.locator("form.with-images[data-onset]")).to_be_visible()
    page.wait_for_timeout(300)
    expect(dialog).to_be_hidden()  # reading and finding are one trial
    answer_with_mouse(page)
    expect(dialog).to_contain_text("You can close this page")
    page.get_by_role("button", name="Continue").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    assert page.locator("#pause[aria-pressed]").count() == 0
    rate_to_the_end(page)
    assert Submission.objects.filter(judgements__value=None).count() == 0


def test_who_comes_back_after_two_hours_is_not_sent_into_a_break(page: Page):
    breaks = {"after_minutes": 30, "minutes": 5, "enforced": True}
    campaign = make_campaign(slider_definition(breaks=breaks), items=3, systems=1)
    page.clock.install()
    open_work(page, campaign)
    rate_screen(page)
    await_screen(page)
    page.goto("about:blank")
    page.clock.fast_forward("02:00:00")
    page.goto(f"/r/{campaign.code}/?id=w1")
    await_screen(page)
    expect(page.get_by_text("You can continue in")).to_have_count(0)


def test_an_enforced_break_outlasts_a_reload(page: Page):
    breaks = {"after_trials": 1, "minutes": 0.1, "enforced": True}
    open_work(page, make_campaign(slider_definition(breaks=breaks), items=2, systems=1))
    rate_screen(page)
    for _ in range(2):
        expect(page.get_by_text("You can continue in 0:0")).to_be_visible()
        expect(page.get_by_role("button", name="Continue")).to_be_disabled()
        page.reload()
    expect(page.get_by_text("You can continue now.")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    rate_to_the_end(page)
    assert Submission.objects.count() == 2
