"""Declining to judge, and choices in an order of one's own, on the work page."""

from playwright.sync_api import Page, expect

from rankme.models import Judgement, Submission
from tests.browser.access import assert_accessible
from tests.browser.rating import await_screen, finish, next_screen, open_work, shot
from tests.campaigns import make_campaign, slider_definition

CHOICES = {name: f"Choice {name}" for name in "abcdefgh"}
REASONS = {"unclear": "I do not understand the text", "language": "It is not in English"}


def test_declining_is_an_answer_until_the_rater_gives_another(page: Page):
    declinable = {"cannot_judge": True, "cannot_judge_reasons": REASONS}
    definition = slider_definition(
        criteria=[
            {"name": "good", "question": "How good?", "instrument": "likert"} | declinable,
            {
                "name": "kind",
                "question": "What is it?",
                "instrument": "choice",
                "options": {"choices": CHOICES, "shuffle": True},
            },
            {"name": "better", "question": "Which?", "instrument": "preference"}
            | {"cannot_judge": True},
        ],
        screens=[
            {"name": "one", "show": ["outputs"], "ask": ["good", "kind"]},
            {"name": "two", "show": ["outputs"], "ask": ["better"]},
        ],
        design={"kind": "complete", "options": {"outputs_per_screen": 2}},
    )
    open_work(page, make_campaign(definition, items=1, systems=2))
    first = page.locator("li.output").first
    decline = first.get_by_role("checkbox", name="I cannot judge this Text 1 How good?")
    decline.press("Space")
    shot(page, "cannot-judge")
    assert_accessible(page)
    page.locator("[data-next]").click()
    # The choices and the other text are missing, and so is the reason.
    expect(first.get_by_text("Please say why you cannot judge this.")).to_be_visible()
    # Answering after all takes the tick away.
    first.get_by_role("radio", name="3 of 7").check()
    expect(decline).not_to_be_checked()
    decline.check()
    first.get_by_role("combobox", name="Why? Text 1 How good?").select_option("language")
    page.wait_for_timeout(400)
    page.reload()
    await_screen(page)
    expect(decline).to_be_checked()
    page.locator("li.output").nth(1).get_by_role("radio", name="5 of 7").check()
    shown = []
    for output in page.locator("li.output").all():
        names = output.locator("[data-choices] input").all()
        shown.append([one.get_attribute("value") for one in names])
        output.get_by_role("radio", name="Choice c").check()
    next_screen(page)
    await_screen(page)
    page.get_by_role("checkbox", name="I cannot judge this").check()
    shot(page, "cannot-compare")
    finish(page)
    said = Judgement.objects.values_list("criterion__name", "position", "value", "cannot_judge")
    assert sorted(said, key=lambda row: row[:2]) == [
        ("better", 0, None, ""),
        ("better", 1, None, ""),
        ("good", 0, None, "language"),
        ("good", 1, 5.0, None),
        ("kind", 0, 2.0, None),
        ("kind", 1, 2.0, None),
    ]
    # Both texts had the same order, the one that was drawn, and the record has it.
    assert shown[0] == shown[1] and sorted(shown[0]) == list(CHOICES) != shown[0]
    answers = Submission.objects.order_by("pk").first().payload["answers"]
    assert [one["order"] for one in answers if one["criterion"] == "kind"] == shown
