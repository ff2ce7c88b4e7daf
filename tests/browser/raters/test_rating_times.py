"""Times that can be believed: a real key, a busy page, and what was recorded."""

import statistics

import pytest
from playwright.sync_api import Page, expect

from rankme.models import Judgement, Submission
from tests.browser.pressing import press
from tests.browser.rating import begin, campaign_of, go_to_work, shot, timed_screens
from tests.browser.waiting import until
from tests.chromium import TOUCH_PHONE
from tests.live import wait_for

DEAD_MS = 250  # a little longer than the page ignores presses after an onset

# The page counts from its time origin, the browser stamps events in seconds since the epoch.
EPOCH_OF = "() => performance.timeOrigin"


def start_timed(page: Page, items: int, **changes):
    """A timed campaign up to its first description; its trials follow each other."""
    reading, finding = timed_screens(initiated=False)
    shortly = reading.timed.model_copy(update={"fixation_ms": 200})
    screens = [reading.model_copy(update={"timed": shortly}), finding]
    changes = {"practice": [], "screens": screens} | changes
    campaign = campaign_of("tuna08-identification", items=items, **changes)
    go_to_work(page, campaign)
    page.get_by_role("button", name="Start").click()
    return campaign


ONSET = """(shown) => {
  const form = document.querySelector(`form.with-${shown}[data-onset]`);
  return form?.checkVisibility() ? form.dataset.onset : null;
}"""


def onset_of(page: Page, shown: str = "outputs") -> float:
    return float(until(page, ONSET, shown))


def press_space(page: Page, session, epoch: float, at: float) -> None:
    """A key press that happened at this moment of the page's clock, handled whenever."""
    key = {"key": " ", "code": "Space", "windowsVirtualKeyCode": 32, "text": " "}
    stamp = {"timestamp": (epoch + at) / 1_000}
    session.send("Input.dispatchKeyEvent", {"type": "keyDown", **key, **stamp})
    session.send("Input.dispatchKeyEvent", {"type": "keyUp", **key, **stamp})


def read(page: Page, wait_ms: int = DEAD_MS) -> float:
    """End the reading with a key; returns the onset of the pictures."""
    onset_of(page)
    page.wait_for_timeout(wait_ms)
    page.keyboard.press("Space")
    return onset_of(page, "images")


def click_a_picture(page: Page) -> None:
    onset_of(page, "images")
    page.wait_for_timeout(DEAD_MS)
    # Known by a mark, not by a handle: after the last trial the whole page may be another.
    page.evaluate("() => { document.querySelector('form.screen').dataset.answered = 'yes'; }")
    press(page, ".picture")
    until(page, "() => !document.querySelector('[data-answered]')")


def assert_stored(screens: int) -> None:
    """So many answers have arrived, and no more than that."""
    wait_for(lambda: Submission.objects.count() >= screens, "the answers")
    assert Submission.objects.count() == screens


def recorded_times() -> list[float]:
    found = Judgement.objects.filter(criterion__name="reading_time").order_by("id")
    return list(found.values_list("value", flat=True))


def test_a_busy_page_does_not_move_the_reaction_time(page: Page):
    start_timed(page, items=3)
    session = page.context.new_cdp_session(page)
    expected, lateness = [], []
    for _ in range(3):
        onset = onset_of(page)
        page.wait_for_timeout(DEAD_MS)
        epoch = page.evaluate(EPOCH_OF)
        # The main thread is busy for 200 ms from now; the key is pressed 50 ms into that. A key
        # that came before the thread is busy would be handled first: keys go before timers.
        with page.expect_console_message() as begun:
            page.evaluate(
                """() => {
                  document.addEventListener("keydown", (event) => {
                    window.late = performance.now() - event.timeStamp;
                  }, { once: true, capture: true });
                  setTimeout(() => {
                    const now = performance.now();
                    console.log(now);
                    while (performance.now() < now + 200);
                  }, 0);
                }"""
            )
        pressed = float(begun.value.text) + 50
        press_space(page, session, epoch, pressed)
        onset_of(page, "images")
        lateness.append(page.evaluate("window.late"))  # before the last trial's page may leave
        click_a_picture(page)
        expected.append(pressed - onset)
    expect(page.locator("#completion-code")).to_be_visible()
    errors = [abs(got - true) for got, true in zip(recorded_times(), expected, strict=True)]
    print(f"handlers ran {lateness} ms late; errors of the recorded times: {errors} ms")
    assert min(lateness) > 100  # so the handler's own clock would have been that far off
    assert max(errors) <= 5


WATCH_DECODING = """() => {
  const decode = HTMLImageElement.prototype.decode;
  window.decoded = new Set();
  HTMLImageElement.prototype.decode = async function () {
    await decode.call(this);
    window.decoded.add(this.src);
  };
}"""


def test_an_idle_page_records_within_a_millisecond_and_loads_nothing_meanwhile(page: Page):
    """Every picture was decoded before, and what the browser can measure is stored as well."""
    page.add_init_script(f"({WATCH_DECODING})()")
    start_timed(page, items=5)
    session = page.context.new_cdp_session(page)
    expected: list[float] = []
    loaded: list[str] = []
    page.on("framenavigated", lambda frame: loaded.append(frame.url))
    page.on("request", lambda request: loaded.append(request.url))
    for trial in range(5):
        onset = onset_of(page)
        if trial == 0:  # the first description; no picture has been shown yet
            decoded, pictures = page.evaluate(
                """() => [window.decoded.size,
                  JSON.parse(document.getElementById("work-document").textContent).pictures.length]"""
            )
            assert decoded == pictures > 7
        page.wait_for_timeout(DEAD_MS)  # an earlier press does not count
        pressed = page.evaluate("performance.now()")
        press_space(page, session, page.evaluate(EPOCH_OF), pressed)
        if trial == 4:  # after the last trial comes another page
            assert_all_was_submitted(page, loaded)
        click_a_picture(page)
        expected.append(pressed - onset)
    expect(page.locator("#completion-code")).to_be_visible()
    errors = [abs(got - true) for got, true in zip(recorded_times(), expected, strict=True)]
    print(f"median error {statistics.median(errors):.3f} ms, largest {max(errors):.3f} ms")
    assert statistics.median(errors) <= 1
    assert_measured(*Submission.objects.order_by("id")[:2])


def assert_all_was_submitted(page: Page, loaded: list[str]) -> None:
    """The icon of the tab is fetched by the browser itself, whenever it pleases."""
    icon = page.locator('link[rel="icon"]').evaluate("link => link.href")
    strange = {found for found in loaded if not found.startswith("data:image/")} - {icon}
    assert all(address.endswith("/submit/") for address in strange), strange


def assert_measured(reading: Submission, finding: Submission) -> None:
    for submission in (reading, finding):
        times = submission.payload["times"]
        assert times["cross_origin_isolated"] is True
        assert times["has_mouse"] is True
        assert times["timer_ms"] <= 0.1
        assert 1 <= times["frame_ms"] <= 200
        assert times["spent_ms"] > 0
        assert "impossible time" not in submission.flags
    assert reading.payload["times"]["input"] == "keyboard"
    assert finding.payload["times"]["input"] == "mouse"
    assert finding.judgements.filter(criterion__name="identification_time", value__gt=0).exists()


def test_a_hidden_page_is_recorded_and_never_edited(page: Page):
    go_to_work(page, campaign_of("e2e-naturalness", items=1, practice=[]))
    expect(page.locator("form.screen[data-onset]")).to_be_visible()
    hide = """(hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    page.wait_for_timeout(300)
    page.evaluate(hide, False)
    for field in page.get_by_role("textbox", name="Score as a number").all():
        field.fill("80")
    page.locator("[data-next]").click()
    expect(page.locator("#completion-code")).to_be_visible()
    submission = Submission.objects.get()
    ((since, until),) = submission.payload["times"]["hidden"]
    assert until - since >= 250
    assert "page was hidden" in submission.flags


# The onset ---------------------------------------------------------------------------------

WATCH_FRAMES = """() => {
  window.frames_ = [];
  window.uncovered = [];
  const frame = (stamp) => { window.frames_.push(stamp); requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  const watch = (changes) => {
    for (const { target, oldValue } of changes) {
      if (!oldValue?.includes("is-fixating") || target.classList.contains("is-fixating")) continue;
      window.uncovered.push({ form: target, frame: window.frames_.length });
    }
  };
  addEventListener("DOMContentLoaded", () => new MutationObserver(watch).observe(document.body, {
    subtree: true, attributeFilter: ["class"], attributeOldValue: true,
  }));
}"""


def test_the_onset_is_the_frame_after_the_one_that_painted_the_stimulus(page: Page):
    page.add_init_script(f"({WATCH_FRAMES})()")
    start_timed(page, items=3)
    for _ in range(3):
        read(page)
        frames_until_onset = page.evaluate(
            """() => {
              // The frame in which the stimulus was uncovered is the last one noted by then, or,
              // if the noting comes later in that frame, the next one. The onset tells which.
              const { frames_: frames, uncovered } = window;
              return uncovered.map(({ form, frame }) => {
                const onset = Number(form.dataset.onset);
                return frames.findIndex((stamp) => Math.abs(stamp - onset) < 0.01) - frame;
              });
            }"""
        )
        click_a_picture(page)
    # `frame` noted frames came before: number `frame` is the first that began afterwards.
    assert frames_until_onset == [0] * len(frames_until_onset)
    assert len(frames_until_onset) == 6


# Presses that are not responses ------------------------------------------------------------


def test_other_presses_answer_nothing(page: Page):
    """Each in a trial of its own."""
    start_timed(page, items=6)
    a_held_key_answers_only_once(page)
    click_a_picture(page)
    for _ in range(2):
        a_double_click_on_the_reading_button_answers_no_picture(page)
        click_a_picture(page)
    a_second_space_chooses_no_picture_and_arrows_lead_to_them(page)
    a_text_is_ended_by_a_click_anywhere(page)
    click_a_picture(page)
    pictures_are_in_the_same_places_from_right_to_left(page)
    click_a_picture(page)
    expect(page.locator("#completion-code")).to_be_visible()
    assert_stored(12)
    assert min(recorded_times()) > DEAD_MS


def assert_no_picture_was_chosen(page: Page) -> None:
    page.wait_for_timeout(300)
    expect(page.locator("form.with-images")).to_be_visible()
    expect(page.locator(".picture[aria-pressed=true]")).to_have_count(0)


def a_held_key_answers_only_once(page: Page) -> None:
    """The key that ends the reading must not click the picture that gets the focus next."""
    session = page.context.new_cdp_session(page)
    key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    onset_of(page)
    page.wait_for_timeout(DEAD_MS)
    session.send("Input.dispatchKeyEvent", {"type": "keyDown", **key})
    onset_of(page, "images")
    for _ in range(5):
        session.send("Input.dispatchKeyEvent", {"type": "keyDown", "autoRepeat": True, **key})
    session.send("Input.dispatchKeyEvent", {"type": "keyUp", **key})
    assert_no_picture_was_chosen(page)
    assert_stored(1)


def a_double_click_on_the_reading_button_answers_no_picture(page: Page) -> None:
    onset_of(page)
    page.wait_for_timeout(DEAD_MS)
    box = page.locator("[data-next]").bounding_box()
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*at)
    page.wait_for_timeout(160)
    page.mouse.click(*at)
    assert_no_picture_was_chosen(page)
    under = "([x, y]) => document.elementFromPoint(x, y).closest('.picture') !== null"
    assert page.evaluate(under, at) is False


def a_second_space_chooses_no_picture_and_arrows_lead_to_them(page: Page) -> None:
    read(page)
    marked = "document.activeElement.closest('.picture') !== null"
    assert page.evaluate(marked) is False
    page.wait_for_timeout(325)
    page.keyboard.press("Space")
    assert_no_picture_was_chosen(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".picture").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".picture").first).not_to_be_focused()
    assert page.evaluate(marked) is True
    page.keyboard.press("Space")


def a_text_is_ended_by_a_click_anywhere(page: Page) -> None:
    """The way to the button would be part of the time, and would lead to the pictures below."""
    onset_of(page)
    page.wait_for_timeout(DEAD_MS + 50)
    page.mouse.click(20, 400)
    onset_of(page, "images")
    page.wait_for_timeout(DEAD_MS + 50)
    page.mouse.click(5, 400)  # on none of the pictures
    assert_no_picture_was_chosen(page)


def pictures_are_in_the_same_places_from_right_to_left(page: Page) -> None:
    page.evaluate("document.documentElement.dir = 'rtl'")
    read(page)
    page.wait_for_timeout(DEAD_MS)
    places = page.locator(".picture").evaluate_all(
        """pictures => pictures.map((picture) =>
          [Number(picture.dataset.x), picture.getBoundingClientRect().left])"""
    )
    lefts = [left for _, left in sorted(places)]
    assert len({x for x, _ in places}) > 2 and lefts == sorted(lefts)
    page.keyboard.press("ArrowRight")
    before = page.evaluate("document.activeElement.getBoundingClientRect().left")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") > before


# In each trial's pictures as soon as they are there: a click, and in the next trial a key.
PRESS_AT_ONCE = """() => {
  const pressed = (window.pressed = new Set());
  const look = () => {
    const form = document.querySelector("form.with-images[data-onset]");
    if (!form || pressed.has(form)) return;
    pressed.add(form);
    const key = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
    const picture = form.querySelector(".picture");
    if (pressed.size === 1) picture.click();
    else picture.dispatchEvent(key);
  };
  addEventListener("DOMContentLoaded", () => new MutationObserver(look).observe(document.body, {
    subtree: true, childList: true, attributeFilter: ["data-onset"],
  }));
}"""


def test_a_press_that_is_too_early_is_noted_and_does_not_answer(page: Page):
    """Dispatched in the same frame as the onset, before anybody can have seen a picture."""
    page.add_init_script(f"({PRESS_AT_ONCE})()")
    start_timed(page, items=2)
    for trial in (1, 2):
        read(page)
        until(page, "(trial) => window.pressed.size === trial", trial)
        assert_no_picture_was_chosen(page)
        click_a_picture(page)
    expect(page.locator("#completion-code")).to_be_visible()
    sent = Submission.objects.order_by("id")
    for reading, finding in (sent[:2], sent[2:]):
        assert len(finding.payload["times"]["early"]) == 1
        assert "anticipation" in finding.flags
        assert "early" not in reading.payload["times"] and "anticipation" not in reading.flags
        assert finding.judgements.get(criterion__name="identification_time").value >= 200


def test_space_is_a_response_when_it_goes_down(page: Page):
    start_timed(page, items=1)
    onset = read(page)
    page.wait_for_timeout(DEAD_MS)
    page.locator(".picture").first.focus()
    page.evaluate(
        """() => addEventListener("keydown", (event) => console.log(event.timeStamp), true)"""
    )
    # It is the page that says when: after its last response it may be another before one can ask.
    with page.expect_console_message() as said:
        page.keyboard.down("Space")
    down = float(said.value.text)
    page.wait_for_timeout(300)
    page.keyboard.up("Space")
    expect(page.locator("#completion-code")).to_be_visible()
    (time,) = Judgement.objects.filter(criterion__name="identification_time")
    assert time.value == pytest.approx(down - onset, abs=0.02)


def test_a_key_on_the_pages_own_buttons_is_not_a_response(page: Page):
    start_timed(page, items=1)
    onset_of(page)
    page.wait_for_timeout(DEAD_MS)
    page.get_by_role("button", name="Pause").focus()
    page.keyboard.press("Space")
    page.wait_for_timeout(300)
    assert Submission.objects.count() == 0
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")


def test_the_rater_begins_each_trial_and_may_pause_before_it(page: Page):
    """Gatt, Belz & Kow (2008), section 3: participants initiated each trial."""
    go_to_work(page, campaign_of("tuna08-identification", items=2, practice=[]))
    for place in ("1 of 2", "2 of 2"):
        expect(page.locator(".message-screen h2")).to_contain_text(place)
        page.wait_for_timeout(500)
        assert page.locator("form.screen").count() == 0
        if place == "1 of 2":
            page.get_by_role("button", name="Pause").click()
            expect(page.get_by_role("dialog")).to_be_visible()  # nothing is being measured
            page.get_by_role("dialog").get_by_role("button", name="Continue").click()
            page.get_by_role("button", name="Start").click()
        else:
            page.keyboard.press("Space")  # as the message says
        read(page)
        click_a_picture(page)
    expect(page.locator("#completion-code")).to_be_visible()
    assert Judgement.objects.filter(value=None).count() == 0
    assert not Submission.objects.filter(flags__contains=["impossible time"]).exists()


CROSS = """() => {
  const text = document.querySelector(".is-fixating .output-text");
  if (!text) return null;
  const cross = getComputedStyle(text, "::before");
  const { x, y, width, height } = text.getBoundingClientRect();
  return { content: cross.content, visibility: cross.visibility, at: cross.position,
    x: x + width / 2, y: y + height / 2 };
}"""


def test_the_cross_is_where_the_text_will_be(page: Page):
    """On a laptop, and in the next trial on a phone."""
    go_to_work(page, campaign_of("tuna08-identification", items=2, practice=[]))
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 768})
        shot(page, f"tuna-{width}-start")
        page.get_by_role("button", name="Start").click()
        cross = until(page, CROSS)
        shot(page, f"tuna-{width}-cross")
        looks = (cross["content"], cross["visibility"], cross["at"])
        assert looks == ('"+"', "visible", "absolute")
        onset_of(page)
        shot(page, f"tuna-{width}-text")
        text = page.locator(".output [data-fill=output]").bounding_box()
        assert abs(text["x"] + text["width"] / 2 - cross["x"]) < 20
        assert text["y"] - 20 <= cross["y"] <= text["y"] + text["height"] + 20
        read(page)
        click_a_picture(page)


# Nothing moves -----------------------------------------------------------------------------


def test_when_reading_times_out_the_pictures_are_where_they_always_are(page: Page):
    screens = timed_screens(initiated=False, timeout_ms=700)
    page.add_init_script(f"({WATCH_PLACES})()")
    start_timed(page, items=3, screens=screens)
    until(page, "() => window.places?.length === 3 && window.said")
    places, said, notices = page.evaluate(
        """() => [window.places.map(({ tops }) => [...tops]), window.said,
          document.querySelector("#notices").textContent]"""
    )
    assert len({top for tops in places for top in tops}) == 1, places
    assert said == "The time is over. The next one follows."
    assert notices == ""
    expect(page.locator("#completion-code")).to_be_visible()
    assert set(Judgement.objects.values_list("value", "text")) == {(None, "timed out")}


# Where the pictures of each trial are in every frame, and what is said before the next one.
WATCH_PLACES = """() => {
  const places = (window.places = []);
  const note = () => {
    requestAnimationFrame(note);
    const said = document.querySelector(".is-fixating > .time-out");
    if (said) window.said = said.textContent;
    const form = document.querySelector("form.with-images[data-onset]");
    if (!form) return;
    if (places.at(-1)?.form !== form) places.push({ form, tops: new Set() });
    const { top } = form.querySelector(".pictures").getBoundingClientRect();
    places.at(-1).tops.add(Math.round(top));
  };
  requestAnimationFrame(note);
}"""


def test_a_notice_waits_until_the_trial_is_over(page: Page):
    start_timed(page, items=3)
    onset_of(page)
    page.wait_for_timeout(DEAD_MS)
    page.context.set_offline(True)
    page.keyboard.press("Space")
    onset_of(page, "images")
    top = page.locator(".pictures").bounding_box()["y"]
    page.wait_for_timeout(1_000)  # the answer to the reading could not be sent by now
    assert page.locator(".pictures").bounding_box()["y"] == top
    expect(page.locator("#notices")).to_be_empty()
    expect(page.locator("#unsent")).to_be_hidden()
    click_a_picture(page)
    expect(page.locator("#notices")).to_contain_text("You are offline")
    expect(page.locator("#unsent")).to_be_visible()
    page.context.set_offline(False)


# Devices --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [pytest.param(TOUCH_PHONE, id="phone")], indirect=True)
def test_a_phone_is_turned_away_before_consent_until_a_key_is_pressed(page: Page):
    campaign = campaign_of("tuna08-identification", items=1, practice=[])
    page.goto(f"/r/{campaign.code}/?id=w1")
    expect(page.locator("#needs-device")).to_have_text(
        "This study needs a mouse or a keyboard Please open the link on a computer. If a keyboard "
        "is connected to this device, press one of its keys. Nothing about you was stored."
    )
    shot(page, "tuna-phone-door")
    agree = page.get_by_role("button", name="I agree")
    expect(agree).to_be_hidden()
    assert not campaign.participants.exists()
    page.keyboard.press("a")
    expect(page.locator("#needs-device")).to_be_hidden()
    agree.click()
    begin(page)  # and the work asks again, for a personal link may be opened on another device
    expect(page.locator(".message-screen")).to_have_text(
        "This study needs a mouse or a keyboard Please continue on a computer. If a keyboard "
        "is connected to this device, press one of its keys."
    )
    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Start")).to_be_visible()
