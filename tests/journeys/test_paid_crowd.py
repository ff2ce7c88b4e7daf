"""A campaign with paid raters, on the running site: by the pages alone, and with killed workers."""

import os
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Page, expect

from rankme.actions.panel import accounts, money, studies, sync
from rankme.actions.panel.studies import StudyPlan
from rankme.models import PanelPayment, PanelStudy, PanelSubmission
from rankme.practice_panel.faults import KINDS
from rankme.practice_panel.wire import Refusal
from rankme.protocols.files import definition_to_yaml
from rankme.queries.panel_books import books_of
from tests.accounts import make_account
from tests.browser.organiser import log_in
from tests.browser.rating import rate_to_the_end, shot
from tests.campaigns import make_campaign, slider_definition
from tests.chromium import wait_for_path
from tests.journeys.paid_site import PaidSite, paid_site
from tests.live import LiveSite, wait_for
from tests.panels.loop import CODES

pytestmark = pytest.mark.slow

# PAID_RATERS=200 prints the table of a larger run.
RATERS = int(os.environ.get("PAID_RATERS", "16"))
CROWD = {"panel": "prolific", "completion_codes": CODES}
OUTPUTS = "item,system,output\n" + "\n".join(
    f"i{item},s{system},Text {system} of place {item}." for item in range(4) for system in range(4)
)


@pytest.fixture
def paid(site_without_web: LiveSite) -> Iterator[PaidSite]:
    with paid_site(site_without_web) as found:
        yield found


# By the pages alone --------------------------------------------------------------------------


def test_by_the_pages_alone_with_every_fault_once(page: Page, paid: PaidSite):
    make_account()
    log_in(page)
    define_and_launch(page)
    add_account(page, paid)
    draft_and_publish(page, paid)
    rate_and_pay(page, paid)
    wrong_code_bonus_and_message(page, paid)
    steer_and_stop(page, paid)
    met = {fault.kind for fault in paid.panel.faults.ordered}
    assert met == set(KINDS) and paid.are_used_up()
    payments = PanelPayment.objects.filter(state="paid")
    ours = sum(payments.values_list("amount", flat=True))
    assert ours == sum(one.reward_paid + sum(one.bonuses) for one in paid.people) > 0


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def expect_soon(page: Page) -> None:
    """The answer to a press is there: a worker may be quicker with what it asked for."""
    expect(page.get_by_text("This will be paid within a minute.")).to_be_visible()


def define_and_launch(page: Page) -> None:
    definition = slider_definition(crowd=CROWD)
    text = definition_to_yaml(definition).encode()
    page.goto("/campaigns/new/file/")
    page.locator("input[type=file]").first.set_input_files(
        {"name": "campaign.yaml", "mimeType": "application/yaml", "buffer": text}
    )
    press(page, "Save")
    page.get_by_role("link", name="Upload outputs").first.click()
    file = {"name": "texts.csv", "mimeType": "text/csv", "buffer": OUTPUTS.encode()}
    page.get_by_label("Outputs").set_input_files(file)
    press(page, "Upload and check")
    press(page, "Import")
    page.get_by_role("link", name="Continue").click()
    page.get_by_role("link", name="View the plan").click()
    page.get_by_label("I have checked the screens").click()
    press(page, "Launch campaign")
    wait_for_path(page, "*/panel/")


def add_account(page: Page, paid: PaidSite) -> None:
    campaign = page.url
    page.goto("/panel-accounts/")
    page.get_by_label("Name", exact=True).fill("Lab")
    page.get_by_label("API token", exact=True).fill(paid.panel.token)
    press(page, "Add the account")
    expect(page.get_by_text("The account was added.")).to_be_visible()
    press(page, "Connect webhooks")
    expect(page.get_by_text("Connected since")).to_be_visible()
    paid.panel.hooks.doubled = paid.panel.hooks.reordered = True
    page.goto(campaign)


def draft_and_publish(page: Page, paid: PaidSite) -> None:
    paid.fault("too_many", "eligibility-count")
    page.get_by_label("Description", exact=True).fill("You read four short texts and rate them.")
    page.get_by_label("Reward per rater", exact=True).fill("2.00")
    page.get_by_label("Expected minutes", exact=True).fill("10")
    page.get_by_label("Longest time in minutes", exact=True).fill("40")
    page.get_by_label("Places", exact=True).fill("3")
    page.get_by_label("Ceiling", exact=True).fill("50")
    press(page, "Count people and cost")
    expect(page.get_by_text("people can take part")).to_be_visible()
    paid.fault("cut", "studies/$", "POST")
    press(page, "Create the draft")
    expect(page.get_by_text("The draft is ready.")).to_be_visible()
    assert len(paid.panel.books.studies) == 1
    paid.panel.books.wallet = 100
    publish(page)
    expect(page.get_by_text("The wallet has 1.00 GBP").first).to_be_visible()
    paid.panel.books.wallet = 100_000
    page.reload()
    paid.fault("too_many_wait", "study-cost-calculator")
    publish(page)
    expect(page.get_by_text("The study is published.")).to_be_visible()


def publish(page: Page) -> None:
    page.get_by_label("Yes, publish 3 places").check()
    press(page, "Publish the study")


def rate_and_pay(page: Page, paid: PaidSite) -> None:
    """One rater in a browser of their own, and two over HTTP; rewards go out automatically."""
    ann, bob, cem = (paid.arrive() for _ in range(3))
    context = page.context.browser.new_context(base_url=paid.site.url, locale="en")
    rater = context.new_page()
    rater.goto(paid.link(ann))
    rater.get_by_role("button", name="I agree").click()
    rater.get_by_role("button", name="Begin").click()
    rate_to_the_end(rater)
    assert rater.locator("#completion-code").inner_text().strip() == "DONE"
    context.close()
    paid.fault("server_error", "transition|bulk-approve", "POST")
    paid.submit(ann, "DONE")
    press(page, "Ask the panel now")
    wait_for(paid.are_used_up, "an answer that is lost")
    paid.fault("page_past_end", "submissions")
    press(page, "Ask the panel now")
    wait_for(lambda: ann.status == "APPROVED", "the reward, which is asked for again")
    paid.work(bob)
    paid.submit(bob, "INVENTED")
    paid.work(cem, leaves=True)
    paid.leave(cem, "RETURNED")
    wait_for(lambda: PanelSubmission.objects.filter(state="RETURNED").exists(), "a webhook")
    # Which comes out of order: the one about somebody who came before may still be on its way.
    wait_for(lambda: PanelSubmission.objects.filter(entered_code="INVENTED").exists(), "the other")


def wrong_code_bonus_and_message(page: Page, paid: PaidSite) -> None:
    page.goto(page.url.split("books/")[0] + "books/")
    shot(page, "panel-books-1366")
    bob = paid.people[1]
    row = page.get_by_role("row").filter(has_text="INVENTED")
    row.get_by_role("link", name="Decide").click()
    press(page, "Pay the reward of 2.00 GBP")
    expect_soon(page)
    wait_for(lambda: bob.status == "APPROVED", "the reward by hand")
    person = page.url
    page.get_by_label("Amount", exact=True).fill("0.50")
    paid.fault("server_error", "/pay/", "POST")
    press(page, "Pay the bonus …")
    page.get_by_label("Yes, pay 0.50 GBP to 1 person.").check()
    press(page, "Pay")
    expect(page.get_by_text("1 payment will be made within a minute.")).to_be_visible()
    bonus = PanelPayment.objects.filter(kind="bonus")
    wait_for(lambda: bonus.filter(state="lost").exists(), "the bonus without an answer")
    page.goto(person)
    paid.fault("silent", "/pay/", "POST")
    press(page, "It was not paid: pay it now")
    expect_soon(page)
    wait_for(lambda: bonus.filter(state="paid").exists(), "the bonus that the panel shows")
    page.get_by_label("Message", exact=True).last.fill("Thank you.")
    press(page, "Send the message")
    expect(page.get_by_text("The message is sent.")).to_be_visible()
    assert (bob.bonuses, len(paid.panel.books.messages)) == ([50], 1)


def steer_and_stop(page: Page, paid: PaidSite) -> None:
    page.get_by_role("link", name="Panel", exact=True).click()
    paid.wait_until_quiet()
    paid.fault("revoked_token", "studies")
    press(page, "Ask the panel now")
    expect(page.get_by_text("Invalid token").first).to_be_visible()
    press(page, "Pause the study")
    expect(page.get_by_text("The study is paused.")).to_be_visible()
    press(page, "Resume the study")
    page.get_by_label("More places", exact=True).fill("1")
    press(page, "Add places")
    expect(page.get_by_text("The places are added.")).to_be_visible()
    page.get_by_label("End the study for good.").check()
    press(page, "Stop the study")
    expect(page.get_by_text("The study is stopped.")).to_be_visible()
    assert (paid.there.status, paid.there.places) == ("COMPLETED", 4)


# Many raters, and workers that are killed ----------------------------------------------------


def test_both_books_agree_after_many_raters_and_killed_workers(paid: PaidSite, settings):
    settings.PROLIFIC_API, settings.SITE_URL = paid.server.address, paid.site.url
    campaign = make_campaign(
        slider_definition(crowd=CROWD, raters_per_trial=-(-RATERS * 3 // 16)), items=4, systems=4
    )
    owner = campaign.owner
    study = published(campaign, paid, owner)
    rng = random.Random(1)
    while len(paid.people) < RATERS:
        wave = arrivals(paid, RATERS - len(paid.people))
        if not wave:
            break
        paid.site.kill_worker()
        paid.site.start_worker()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda job: take_part(paid, *job), [(p, rng.random()) for p in wave]))
        visit_until_quiet(study)
    paid.panel.faults.ordered.clear()
    wait_for(lambda: not money_under_way(study), "the last payments")
    for lost in PanelPayment.objects.filter(state="lost"):
        money.decide_lost(lost, was_paid=shows(paid, lost), by=owner)
    visit_until_quiet(study)
    table = both_books(study, paid)
    print(f"\n{'submissions':<20}{'panel':>8}{'site':>8}")
    for name, there, here in table:
        print(f"{name:<20}{there:>8}{here:>8}")
    assert len(paid.people) >= RATERS * 0.9
    assert all(there == here for _name, there, here in table)
    books = books_of(study)
    assert all(one.reward_paid in (0, study.reward) for one in paid.people)
    assert (
        len([entry for entry in books.both if entry.base])
        == dict((name, here) for name, _there, here in table)["APPROVED"]
    )


def published(campaign, paid: PaidSite, owner) -> PanelStudy:
    account = accounts.add_account(owner=owner, name="Lab", token=paid.panel.token)
    accounts.connect_webhooks(account)
    paid.panel.hooks.doubled = paid.panel.hooks.reordered = True
    plan = StudyPlan(
        name="Rate",
        description="Rate texts.",
        places=RATERS,
        reward=200,
        minutes=10,
        longest_minutes=60,
        ceiling=RATERS * 1_000,
        devices=["desktop"],
    )
    return studies.publish_study(studies.draft_study(campaign, account, plan, by=owner), by=owner)


def arrivals(paid: PaidSite, most: int) -> list:
    wave = []
    for _ in range(min(most, max(8, RATERS // 8))):
        try:
            wave.append(paid.arrive())
        except Refusal:
            break
    return wave


def take_part(paid: PaidSite, one, chance: float) -> None:
    """Most finish; some return, run out of time, or enter a wrong code; calls fail meanwhile."""
    if chance < 0.1:
        paid.fault(
            random.Random(chance).choice(["too_many", "server_error", "cut"]), "transition|bulk"
        )
    code = paid.work(one, leaves=chance > 0.8)
    if not code:
        paid.leave(one, "RETURNED" if chance > 0.9 else "TIMED-OUT")
    else:
        paid.submit(one, "WRONG" if 0.7 < chance < 0.75 else code)


def visit_until_quiet(study: PanelStudy) -> None:
    for _ in range(3):
        study.refresh_from_db()
        sync.visit(study)


def money_under_way(study: PanelStudy) -> bool:
    sync.visit(PanelStudy.objects.select_related("account", "campaign").get(pk=study.pk))
    return study.payments.filter(state__in=["drafted", "asked"]).exists()


def shows(paid: PaidSite, lost: PanelPayment) -> bool:
    return paid.panel.books.submissions[lost.submission.external_id].status == "APPROVED"


def both_books(study: PanelStudy, paid: PaidSite) -> list[tuple[str, int, int]]:
    there = Counter(one.status for one in paid.people)
    here = Counter(study.submissions.values_list("state", flat=True))
    lines = [(state, there[state], here[state]) for state in sorted(there | here)]
    ours = study.payments.filter(state="paid").values_list("amount", flat=True)
    lines.append(("rewards paid", sum(one.reward_paid for one in paid.people), sum(ours)))
    return lines
