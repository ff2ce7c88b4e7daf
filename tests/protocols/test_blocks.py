"""Which blocks can be in Markdown, side by side or compared, and what their pages receive."""

import random

import pytest

from rankme.errors import InvalidDefinition
from rankme.pages.trial_page import ShownTrial, trial_document
from tests.campaigns import slider_definition


def shown(*blocks, **changes):
    screen = {"name": "rate", "show": list(blocks), "ask": ["fluency"]}
    return slider_definition(screens=[screen], **changes)


@pytest.mark.parametrize(
    ("blocks", "changes", "problem"),
    [
        ([{"block": "text", "format": "markdown"}, "outputs"], {}, "format: markdown is for"),
        ([{"block": "input", "layout": "side_by_side"}, "outputs"], {}, "for the block outputs"),
        ([{"block": "input", "difference": True}, "outputs"], {}, "for the block outputs"),
        (
            [{"block": "input", "format": "markdown"}, "outputs"],
            {"input_kind": "mr"},
            "set input_kind to text",
        ),
        (
            [{"block": "outputs", "format": "markdown"}],
            {"criteria": [{"name": "fluency", "question": "?", "instrument": "spans"}]},
            "show them plain",
        ),
        (
            [{"block": "outputs", "difference": True}],
            {"criteria": [{"name": "fluency", "question": "?", "instrument": "spans"}]},
            "show them plain",
        ),
    ],
)
def test_what_a_block_cannot_be_is_refused(blocks, changes, problem):
    with pytest.raises(InvalidDefinition, match=problem):
        shown(*blocks, **changes)


def document(*blocks):
    trial = ShownTrial("an *i*", "a *r*", "b [[SENTENCE]] a", ("an *o*",))
    return trial_document(shown(*blocks), trial, {}, random.Random(1))


def test_only_what_is_shown_as_markdown_is_sent_as_a_tree():
    assert "formatted" not in document("input", "reference", "outputs")
    sent = document("input", "reference", {"block": "outputs", "format": "markdown"})
    assert sent["formatted"] == {"outputs": [[["p", "an ", ["em", "o"]]]]}
    assert sent["outputs"] == ["an *o*"]


def test_every_text_of_an_item_can_be_markdown():
    blocks = ("input", "reference", "context")
    sent = document(*({"block": name, "format": "markdown"} for name in blocks))
    assert sent["formatted"] == {
        "input": [["p", "an ", ["em", "i"]]],
        "reference": [["p", "a ", ["em", "r"]]],
        "context": [[["p", "b"]], [["p", "a"]]],
        "outputs": [[["p", "an ", ["em", "o"]]]],
    }
