"""Answers of chat assistants: Markdown, long texts side by side, and differences on request."""

import json

from playwright.sync_api import Page, expect

from rankme.exporting.judgements import judgements_jsonl
from rankme.models import Campaign, Judgement
from tests.browser.access import LAPTOP, PHONE, assert_accessible
from tests.browser.chat import chat_campaign, long_answers
from tests.browser.rating import await_screen, next_screen, open_work, rate_screen, shot
from tests.browser.waiting import until
from tests.markdown.hostile import payloads


def at_the_first_trial(page: Page, campaign: Campaign) -> None:
    open_work(page, campaign)


def without_practice(name: str, **texts: str) -> Campaign:
    return chat_campaign(name, items=1, practice=[], **texts)


# As long as another page reads on, one that goes gets nothing more into its database.
KEEP_DATABASE_BUSY = """() => new Promise((resolve) => {
  const request = indexedDB.open("rankme");
  request.onsuccess = () => {
    const drafts = request.result.transaction(["drafts"], "readwrite").objectStore("drafts");
    const readOn = () => { drafts.get("").onsuccess = readOn; };
    readOn();
    resolve();
  };
})"""


def test_what_the_rater_looked_at_is_stored_and_exported(page: Page):
    """Also what the database of the browser was too busy for when the page was loaded again."""
    one = "The **quick** brown fox jumps over the dog, `x = 1`."
    other = "The *quick* red fox jumps over a dog, $x = 1$."
    campaign = without_practice("chat-arena", output0=one, output1=other)
    at_the_first_trial(page, campaign)
    assert page.locator(".differs").count() == 0, "off until the rater asks for it"
    page.get_by_role("button", name="Highlight differences").click()
    shown = page.locator(".output")
    marked = [
        " ".join(shown.nth(place).locator(".differs").all_text_contents()) for place in (0, 1)
    ]
    assert sorted(marked) == ["brown the x = 1", "red a x=1"]
    page.evaluate(KEEP_DATABASE_BUSY)
    source = shown.first.get_by_role("button", name="Show the source")
    source.press("Enter")
    expect(shown.first.locator(".is-source")).to_be_visible()
    assert shown.first.locator("[data-fill]").inner_text() in (one, other)
    page.reload()  # the way back finds what was stored before
    await_screen(page)
    page.get_by_role("button", name="Highlight differences").click()
    page.get_by_role("button", name="Highlight differences").click()
    page.get_by_label("Both are bad").check()
    next_screen(page)
    page.wait_for_selector("#completion-code")
    stored = Judgement.objects.values_list("criterion__name", "value", "text")
    said = [("preference", 0.5, "bad"), ("preference_bad", 1.0, "")]
    assert sorted(stored) == sorted(said * 2)  # for each of the two answers
    (line,) = b"".join(judgements_jsonl(campaign)).splitlines()
    views = json.loads(line)["payload"]["times"]["views"]
    assert [(each["view"], each.get("place"), each["on"], each["reload"]) for each in views] == [
        ("difference", None, True, 0),
        ("output source", 0, True, 0),
        ("difference", None, True, 1),
        ("difference", None, False, 1),
    ]
    assert all(each["at_ms"] > 0 for each in views)


def test_words_of_a_script_without_spaces_are_compared(page: Page):
    campaign = without_practice("chat-arena", output0="我喜欢喝绿茶。", output1="我喜欢喝红茶。")
    at_the_first_trial(page, campaign)
    page.get_by_role("button", name="Highlight differences").click()
    marked = page.locator(".differs").all_inner_texts()
    assert sorted("".join(marked)) != sorted("我喜欢喝绿茶我喜欢喝红茶")
    assert any("绿" in text for text in marked) and any("红" in text for text in marked)


def test_long_answers_scroll_on_their_own_while_request_and_question_stay(page: Page):
    """On a laptop; on a phone the question stays; and enlarged four times all can be reached."""
    page.set_viewport_size(LAPTOP)
    at_the_first_trial(page, without_practice("chat-arena", **long_answers()))
    texts = page.locator(".side-by-side .output-text")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    texts.first.focus()
    page.keyboard.press("End")
    until(page, "() => document.querySelector('.side-by-side .output-text').scrollTop > 1_000")
    assert texts.last.evaluate("text => text.scrollTop") == 0
    for part in (".block-input", ".together", "[data-next]", ".output-name >> nth=1"):
        expect(page.locator(part).first).to_be_in_viewport(ratio=1)
    assert_accessible(page)
    shot(page, "chat-long-laptop")
    page.set_viewport_size(PHONE)
    page.mouse.wheel(0, 3_000)
    until(page, "() => scrollY > 1_000")
    expect(page.locator(".together")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)
    shot(page, "chat-long-phone")
    assert_everything_can_be_reached_enlarged(page)


def test_one_answer_has_no_differences_and_can_be_reached_enlarged(page: Page):
    at_the_first_trial(page, without_practice("chat-likert", **long_answers()))
    assert page.get_by_role("button", name="Highlight differences").count() == 0
    assert_everything_can_be_reached_enlarged(page)


def assert_everything_can_be_reached_enlarged(page: Page) -> None:
    page.set_viewport_size({"width": 341, "height": 192})  # 1366 × 768 at 400 %
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for control in page.locator(".output input, .together input, [data-next]").all():
        if control.is_visible():
            control.focus()
            expect(control).to_be_in_viewport(ratio=0.9)
            assert control.evaluate(COVERED) is False
    rate_screen(page)
    page.wait_for_selector("#completion-code")


COVERED = """control => {
  const box = control.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return !(top === control || control.contains(top) || top?.closest("label")?.contains(control));
}"""


HARMLESS = """() => {
  const found = [];
  const allowed = new Set(
    ("P BR HR H3 H4 H5 H6 BLOCKQUOTE PRE CODE EM STRONG S UL OL LI TABLE THEAD TBODY TR TH " +
      "TD SPAN DIV MARK").split(" "));
  for (const node of document.querySelectorAll(".formatted *")) {
    const isFormula = node.namespaceURI.endsWith("MathML");
    if (!isFormula && !allowed.has(node.tagName)) found.push(node.outerHTML.slice(0, 200));
    for (const { name } of node.attributes) {
      if (/^on|^style$|^id$|^name$|href|src|action/.test(name)) found.push(name);
    }
  }
  return found;
}"""


def test_hostile_markdown_runs_nothing_and_loads_nothing(page: Page):
    """Every payload on a real page: a screen shows some hundred, each after a heading."""
    shown = [text for text in payloads() if len(text) < 2_000]
    assert len(shown) >= 500
    portions = [shown[start::6] for start in range(6)]
    page.add_init_script(WATCH)
    hosts: set[str] = set()
    dialogs: list[str] = []
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    for number in range(0, 6, 2):
        campaign = without_practice(
            "chat-arena",
            input="**Request** <img src=x onerror=pwned()>",
            output0="\n\n# Next\n\n".join(clean(portions[number])),
            output1="\n\n# Next\n\n".join(clean(portions[number + 1])),
        )
        open_work(page, campaign, name=f"w{number}")
        page.get_by_role("button", name="Highlight differences").click()
        assert page.locator(".output .formatted:not(.is-source) .md-h1").count() > 100
        assert page.evaluate(HARMLESS) == []
        for button in page.get_by_role("button", name="Show the source").all():
            button.click()
        assert page.locator(".formatted *").count() == page.locator("mark.differs").count()
        page.wait_for_timeout(200)
        assert page.evaluate("window.pwnedBy") == []
    assert dialogs == []
    assert hosts == {page.url.split("/")[2]}


def clean(texts: list[str]) -> list[str]:
    """As PostgreSQL can store them."""
    return [text.replace("\x00", "") for text in texts]


WATCH = """
  window.pwnedBy = [];
  window.pwned = () => window.pwnedBy.push("a script ran");
  document.addEventListener("securitypolicyviolation", (event) =>
    window.pwnedBy.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""
