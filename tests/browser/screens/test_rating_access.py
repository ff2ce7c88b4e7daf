"""The rater's pages for everybody: axe-core finds nothing, nothing foreign, nothing heavy."""

import string

import pytest
from playwright.sync_api import Page, expect

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.models import Campaign, Output
from rankme.protocols.files import preset, preset_names
from tests.browser.access import (
    ABOUT_COLOURS,
    assert_accessible,
    assert_never_scrolls_sideways,
    found_by_axe,
)
from tests.browser.rating import (
    agree,
    await_address,
    await_screen,
    begin,
    campaign_of,
    come_in,
    press_tool,
    rate_to_the_end,
)
from tests.browser.widths import OTHER
from tests.campaigns import make_campaign, rankme_definition


def test_the_check_itself_would_see_a_fault(page: Page):
    campaign = campaign_of("e2e-quality", items=1)
    come_in(page, campaign, id="w1")
    begin(page)
    await_screen(page)
    page.evaluate("document.querySelector('[role=slider]').removeAttribute('aria-labelledby')")
    assert found_by_axe(page).violations_count == 1


@pytest.mark.parametrize("name", ["e2e-quality", "mqm"])
def test_characters_do_nothing_outside_of_what_has_the_focus(page: Page, name):
    """Raters who dictate press them without wanting to (WCAG 2.1.4)."""
    come_in(page, campaign_of(name, items=1), id="w1")
    begin(page)
    await_screen(page)
    page.evaluate("document.activeElement.blur()")
    before = page.locator("#stage").inner_html()
    page.keyboard.type(string.punctuation + string.digits + string.ascii_letters)
    assert page.locator("#stage").inner_html() == before
    expect(page.locator("dialog[open]")).to_have_count(0)


PALE = "color: #ccc"
# Few words of a kind are compared, so each fault is the odd one among many of another kind.
FAULTS_OF_COLOUR = {
    "its own colour": f"<td style='{PALE}'>17</td>",
    "the ground it is on": "<td style='background: #333'>17</td>",
    "the ground of a part around it": "<td style='background: #333'><p><b>17</b></p></td>",
    "all but transparent": "<td style='opacity: .2'>17</td>",
    "a word within": f"<td>17 <b style='{PALE}'>18</b></td>",
    "words of a field": f"<td><input aria-label='n' value='17' style='{PALE}'></td>",
}
PAGE_OF_NUMBERS = "<html lang=en><title>T</title><main><h1>Numbers</h1><table>{}</table></main>"


def test_one_pale_word_among_hundreds_is_seen(browser):
    sound = "<td>17</td>"
    row = f"<tr>{sound * 20}</tr>"
    with browser.new_page() as page:
        for fault in ("", *FAULTS_OF_COLOUR.values()):
            odd = row.replace(sound, fault or sound, 1)
            page.set_content(PAGE_OF_NUMBERS.format(row * 9 + odd + row * 9))
            found = found_by_axe(page, ABOUT_COLOURS).response["violations"]
            assert [one["id"] for one in found] == ["color-contrast"] * bool(fault), fault


def test_the_pages_around_the_work_are_accessible(page: Page):
    """Each on a laptop and on a phone; the rater presses on in the one and the other in turn."""
    campaign = campaign_of("e2e-quality", items=1)

    def check():
        size = page.viewport_size
        assert_accessible(page)
        page.set_viewport_size(OTHER[size["width"]])
        assert_accessible(page)
        assert_never_scrolls_sideways(page)

    page.goto(f"/r/{campaign.code}/?id=w1")
    check()  # consent
    agree(page)
    check()  # questions
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_be_visible()
    check()  # questions, with what is missing
    page.get_by_label("Yes").check()
    page.get_by_label("United Kingdom").check()
    page.get_by_role("button", name="Continue").click()
    await_address(page, instead_of="[name^=entry-]")
    check()  # instructions
    begin(page)
    await_screen(page)
    page.locator("[data-next]").click()
    check()  # a screen with what is missing
    for dialog in ("Instructions", "Pause"):
        press_tool(page, dialog)
        check()
        page.keyboard.press("Escape")
    rate_to_the_end(page)
    check()  # the code


def marks_texts(name: str) -> bool:
    return any(criterion.tool.marks_outputs for criterion in preset(name).criteria)


@pytest.mark.parametrize("name", preset_names())
def test_the_way_to_the_first_screen_is_light(page: Page, name):
    campaign = campaign_of(name, items=20)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    sizes, hosts = [], set()
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    come_in(page, campaign, id="w1")
    begin(page)
    page.wait_for_load_state("networkidle")
    from_the_network = [size for size in sizes if size]
    print(f"{name}: {sum(sizes) / 1024:.1f} KiB in {len(from_the_network)} files")
    assert sum(sizes) <= (120 if marks_texts(name) else 80) * 1024
    assert hosts == {page.url.split("/")[2]}


def test_a_campaign_without_timed_screens_and_pictures_loads_no_scripts_for_them(page: Page):
    requested = set()
    page.on("request", lambda request: requested.add(request.url.split("/")[-1].split(".")[0]))
    come_in(page, campaign_of("direct-assessment", items=1), id="w1")
    begin(page)
    page.wait_for_load_state("networkidle")
    assert {"work", "slider"} <= requested
    assert not {"timed", "bell", "pictorial", "pictures", "tables"} & requested


PAYLOADS = [
    "<script>window.stolen = 1</script>",
    "<img src=x onerror='window.stolen = 1'>",
    "</template></script><svg onload='window.stolen = 1'>",
    "<iframe srcdoc='<script>parent.stolen = 1</script>'>",
    "javascript:window.stolen=1",
    "{{ 7|add:7 }}${window.stolen = 1}",
    "\u202e<b>right to left</b>",
    "<a href='https://elsewhere.example/'>link</a><link rel=prefetch href=//elsewhere.example/x>",
    "<style>@import '//elsewhere.example/x'</style>",
    "]]><!-- <script>window.stolen = 1</script> -->",
]


def campaign_full_of(payload: str) -> Campaign:
    """Wherever organisers and generators write: the payload."""
    definition = rankme_definition(
        title=payload[:200],
        texts={"consent": payload, "instructions": payload, "thanks": payload},
        standard={"input": payload, "output": payload, "score": 100},
        screens=[
            {
                "name": "rate",
                "title": payload,
                "show": [
                    {"block": name, "title": payload, "text": payload}
                    for name in ("input", "standard", "context", "reference_context", "reference")
                ]
                + [{"block": "text", "text": payload}, "outputs"],
                "ask": ["quality"],
            }
        ],
    )
    campaign = make_campaign(definition, items=3, systems=3, launch=False)
    campaign.items.update(input=payload, reference=payload, context=payload)
    Output.objects.filter(item__campaign=campaign).update(text=payload)
    return launch_campaign(campaign, by=campaign.owner)


def test_what_others_wrote_stays_text_in_the_browser(page: Page):
    """One rater in a campaign of each payload; the scripts are the same and loaded once."""
    hosts, dialogs = set(), []
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    for number, payload in enumerate(PAYLOADS):
        come_in(page, campaign_full_of(payload), id=f"w{number}")
        begin(page)
        await_screen(page)
        assert page.evaluate("window.stolen") is None, payload
        made_of_data = "#stage :is(script, img, iframe, svg, a, link, style, b)"
        assert page.locator(made_of_data).count() == 0, payload
        assert page.locator("li.output bdi.given").first.inner_text() == payload
        assert dialogs == [] and hosts == {page.url.split("/")[2]}, payload
