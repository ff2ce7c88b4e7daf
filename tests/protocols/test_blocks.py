"""Which blocks can be in Markdown, side by side or compared, and what their pages receive."""

import dataclasses
import json
import random

import pytest

from rankme.errors import InvalidDefinition
from rankme.markdown import formatted
from rankme.pages.rater import page_document as page_documents
from rankme.pages.rater.page_document import page_document, trial_document
from rankme.pages.rater.shown_trials import ShownTrial
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
def test_impossible_blocks_are_refused(blocks, changes, problem):
    with pytest.raises(InvalidDefinition, match=problem):
        shown(*blocks, **changes)


def document(*blocks, **texts):
    trial = ShownTrial("an *i*", "a *r*", "b [[SENTENCE]] a", ("an *o*",))
    trial = dataclasses.replace(trial, **texts)
    return trial_document(shown(*blocks), trial, {}, random.Random(1))


def test_a_page_renders_no_more_than_a_request_has_time_for(monkeypatch):
    """All of its trials are formatted, or none: every rater of a batch sees the same."""
    definition = shown({"block": "outputs", "format": "markdown"})
    trials = [ShownTrial("", "", "", ("*o*" * 100,)) for _ in range(10)]
    assert all("formatted" in each for each in page_document(definition, trials)["trials"])
    monkeypatch.setattr(page_documents, "MOST_FORMATTED", 2_999)
    assert not any("formatted" in each for each in page_document(definition, trials)["trials"])


def test_only_markdown_texts_are_sent_as_trees():
    assert "formatted" not in document("input", "reference", "outputs")
    sent = document("input", "reference", {"block": "outputs", "format": "markdown"})
    assert sent["formatted"] == {"outputs": [[["p", "an ", ["em", "o"]]]]}
    assert sent["outputs"] == ["an *o*"]


def said(*contents: str) -> str:
    return json.dumps([{"role": "user", "content": content} for content in contents])


def test_turns_of_dialogues_can_be_markdown():
    plain = {"block": "outputs", "format": "dialogue"}
    texts = {"input": said("an *i*"), "outputs": (said("*o*", "<b>x</b>"), said("z"))}
    assert "formatted" not in document(plain, **texts)
    blocks = [{**plain, "markdown_turns": True}]
    blocks.append({"block": "input", "format": "dialogue", "markdown_turns": True})
    sent = document(*blocks, **texts)
    assert sent["formatted"] == {
        "input_turns": [[["p", "an ", ["em", "i"]]]],
        "outputs_turns": [[formatted("*o*"), formatted("<b>x</b>")], [[["p", "z"]]]],
    }
    assert sent["outputs"] == list(texts["outputs"])
    long = document(*blocks, **(texts | {"input": said("a " * 10_001, "b " * 10_000)}))
    assert long["formatted"]["input_turns"] == [None, None]
    no_dialogue = document(*blocks, **(texts | {"input": "an *i*"}))
    assert no_dialogue["formatted"]["input_turns"] == []


def test_every_text_of_an_item_can_be_markdown():
    blocks = ("input", "reference", "context")
    sent = document(*({"block": name, "format": "markdown"} for name in blocks))
    assert sent["formatted"] == {
        "input": [["p", "an ", ["em", "i"]]],
        "reference": [["p", "a ", ["em", "r"]]],
        "context": [[["p", "b"]], [["p", "a"]]],
        "outputs": [[["p", "an ", ["em", "o"]]]],
    }
