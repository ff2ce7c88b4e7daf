"""The official HEDS form reads our datasheets, and the page for the paper is a page like others."""

import json

import pytest

from rankme.actions.campaign.paper import confirm_answers
from rankme.exporting.paper import heds
from rankme.exporting.paper.study import study_of
from rankme.pages.campaign.paper import asked_of
from tests.browser.access import assert_accessible
from tests.browser.organiser import log_in
from tests.campaigns import slider_definition
from tests.heds import FORM, needs_the_form
from tests.runs import asked, executed, rated_campaign

pytestmark = pytest.mark.django_db(transaction=True)


def two_criteria():
    return slider_definition(
        criteria=[
            {"name": "fluency", "question": "How fluent is it?", "instrument": "slider",
             "low": "not", "high": "very"},
            {"name": "style", "question": "Is the style right & 100 % fit?",
             "instrument": "slider", "low": "not", "high": "very"},
        ],
        screens=[
            {"name": "rate", "show": ["input", "outputs"], "ask": ["fluency", "style"]},
        ],
    )  # fmt: skip


def filled(campaign):
    """Everything that the page asks, confirmed as it was proposed or with any valid answer."""
    answers = {}
    for each in asked_of(study_of(campaign)):
        default = "en" if each.question.takes == "languages" else "Some words"
        answers[each.name] = each.draft or ("2: words" if each.question.options else default)
    confirm_answers(campaign, answers, by=campaign.owner)
    return answers


@needs_the_form
@pytest.mark.parametrize("is_filled", [False, True])
def test_the_sheet_loads_into_the_form_without_an_error(page, tmp_path, is_filled):
    """The form's yellow warnings are then those questions alone that are open."""
    campaign = rated_campaign(two_criteria(), systems=4)
    executed(asked(campaign), pictures=())
    if is_filled:
        filled(campaign)
    study = study_of(campaign)
    sheet = tmp_path / "heds.json"
    sheet.write_text(heds.heds_json(study))
    page.route("http://heds.test/*", lambda route: route.fulfill(path=FORM / "form.html"))
    page.goto("http://heds.test/form.html")
    page.set_input_files("#upload_file_id", sheet)
    with page.expect_navigation():
        page.evaluate("importJson(document.getElementById('upload_button_id'))")
    found = page.evaluate(
        "handlers['heds'].getAllErrorMessages().map((m) => [m.type, m.number, m.n_label || ''])"
    )
    assert [each for each in found if each[0] == "alert-danger"] == []
    is_open = {each.question.number for each in heds.answers(study) if not each.text}
    assert {number for _type, number, _scope in found} <= is_open | {None}
    if is_filled:
        assert found == []
        assert is_open == set()
    held = page.evaluate("allStorageJSON()")
    assert json.loads(held)["heds-sample_evaluators_design-evaluators-number_of_evaluators"][
        "data"
    ] == {"": "4"}


def test_the_page_for_the_paper_fits_and_is_accessible(page):
    campaign = rated_campaign(two_criteria(), systems=4)
    executed(asked(campaign), pictures=())
    log_in(page)
    page.goto(f"/campaigns/{campaign.code}/analysis/")
    page.get_by_role("link", name="For the paper").click()
    page.get_by_text("33 of 62 questions answered").wait_for()
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert_accessible(page, f"paper at {width}")
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text("Saved.").wait_for()
    page.get_by_text("47 of 62 questions answered").wait_for()
