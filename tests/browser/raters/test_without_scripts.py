"""The first page says that a browser has no scripts, before it agrees to anything."""

from django.urls import reverse
from playwright.sync_api import expect

from rankme.actions import rate_limits
from rankme.models import Assignment, Participant, RateBucket
from tests.campaigns import make_campaign
from tests.chromium import wait_for_path
from tests.live import LiveSite


def test_without_scripts_nobody_agrees_or_takes_a_batch(browser, live_site: LiveSite):
    campaign = make_campaign()
    context = browser.new_context(base_url=live_site.url, java_script_enabled=False, locale="en")
    page = context.new_page()
    page.goto(reverse("rankme:enter", args=[campaign.code]))
    # Playwright looks for no text in a noscript element.
    expect(page.locator("noscript p.message")).to_be_visible()
    expect(page.get_by_text("I agree to take part")).to_be_hidden()
    context.close()
    assert not Participant.objects.exists()
    assert not Assignment.objects.exists()


def test_a_page_that_is_refused_for_the_crowd_sends_the_consent_again(page):
    campaign = make_campaign()
    page.clock.install()
    page.goto(reverse("rankme:enter", args=[campaign.code]))
    rate_limits.take(rate_limits.NEW_RATERS, campaign.pk, "127.0.0.1")
    RateBucket.objects.update(left=-100_000)
    page.evaluate("window.stayed = true")
    expect(page.locator("noscript p.message")).to_be_hidden()
    page.get_by_text("I agree to take part").click()
    page.get_by_text("Many people are arriving").wait_for()
    # An answer with a script of its own does not take the place of the consent page.
    assert page.evaluate("window.stayed") is None
    assert not Participant.objects.exists()
    RateBucket.objects.update(left=10)
    page.clock.fast_forward(30_000)
    wait_for_path(page, "*/instructions/")
    assert Participant.objects.count() == 1
