"""Choices are on the screen in the order of the campaign's file."""

from playwright.sync_api import Page

from tests.browser.rating import open_work
from tests.campaigns import make_campaign, slider_definition


def test_choices_keep_the_order_of_the_file_whatever_their_names(page: Page):
    choices = {"10": "ten", "b": "bee", "2": "two", "__proto__": "proto", "1": "one"}
    for instrument, role in (("choice", "radio"), ("checklist", "checkbox")):
        question = {"name": "q", "question": "?", "instrument": instrument}
        definition = slider_definition(
            criteria=[question | {"options": {"choices": choices}}],
            screens=[{"name": "rate", "show": ["outputs"], "ask": ["q"]}],
        )
        open_work(page, make_campaign(definition, items=1, systems=1), name=instrument)
        shown = page.locator("[data-choices]").get_by_role(role)
        assert [one.get_attribute("value") for one in shown.all()] == list(choices)
        assert page.locator("[data-choices] bdi").all_inner_texts() == list(choices.values())
