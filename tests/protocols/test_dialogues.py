"""Dialogues: what is one, what is refused and where, and what does not go with them."""

import json

import pytest

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.errors import InvalidDefinition, RefusedAction
from rankme.protocols.dialogues import MOST_TURNS, problem_with_dialogue, text_checks
from tests.campaigns import make_campaign, slider_definition
from tests.importing.uploads import places, problems_of, read

ASKED = {"role": "user", "content": "When do you open?"}
ANSWERED = {"role": "assistant", "content": "At nine.\nOn Sundays at ten."}
DIALOGUE = json.dumps([ASKED, ANSWERED])
SHOWN = [
    {"block": "input", "format": "dialogue"},
    {"block": "outputs", "format": "dialogue", "judged_turn": "last"},
]


def showing(*blocks, **changes):
    screens = [{"name": "rate", "show": list(blocks), "ask": ["fluency"]}]
    return slider_definition(screens=screens, **changes)


def test_turns_with_roles_are_a_dialogue():
    more = [{"role": "system", "content": "Be brief."}, ASKED, ANSWERED]
    assert problem_with_dialogue(DIALOGUE) == ""
    assert problem_with_dialogue(json.dumps(more)) == ""
    assert problem_with_dialogue(json.dumps([ASKED] * MOST_TURNS)) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("When do you open?", "not JSON"),
        ("{}", "a list of turns"),
        ("[]", "no turns"),
        ('["Hello"]', "Turn 1: it must be an object"),
        ("[null]", "Turn 1: it must be an object"),
        (json.dumps([ASKED, {"role": "assistant"}]), "Turn 2: its content must be a text"),
        (json.dumps([{"role": 1, "content": "x"}]), "Turn 1: its role must be a text"),
        (json.dumps([{"role": "user", "content": [{"type": "text"}]}]), "its content must be"),
        (json.dumps([ASKED, ASKED | {"content": " \n"}]), "Turn 2: its content is empty"),
        (json.dumps([ASKED | {"role": ""}]), "Turn 1: its role is empty"),
        (json.dumps([ASKED | {"role": "u" * 61}]), "longer than 60"),
        (json.dumps([ASKED | {"tool_calls": "x"}]), "“tool_calls” is not shown"),
        (json.dumps([ASKED] * (MOST_TURNS + 1)), "has 501 turns"),
        ('[{"role":"user","content":"x"},' * 100_000, "not"),
        ("[" * 100_000, "nested"),
        ('[{"role": "user", "role": "assistant", "content": "x"}]', "not a dialogue"),
        ('[{"role": "user", "content": NaN}]', "not a dialogue"),
    ],
)
def test_anything_else_is_refused_with_its_place(text, message):
    assert message in problem_with_dialogue(text)


def test_an_upload_is_refused_with_line_and_column(tmp_path):
    rows = [
        {"system": "A", "item": "1", "input": [ASKED], "output": [ASKED, ANSWERED]},
        {"system": "A", "item": "2", "input": [ASKED], "output": [ASKED, {"role": "assistant"}]},
        {"system": "A", "item": "3", "input": "Hello", "output": [ASKED]},
    ]
    lines = "\n".join(json.dumps(row) for row in rows)
    checks = text_checks(showing(*SHOWN))
    found = problems_of(tmp_path, {"outputs.jsonl": lines}, checks=checks)
    assert places(found) == [("outputs.jsonl", 2, "output"), ("outputs.jsonl", 3, "input")]
    assert "Turn 2" in found[0].message
    # The same file is fine where its texts are shown as they are.
    assert not text_checks(showing("input", "outputs"))
    with read(tmp_path, {"outputs.jsonl": lines}) as material:
        assert material.preview.n_outputs == 3


def test_a_launch_checks_texts_uploaded_before_the_definition(db):
    campaign = make_campaign(showing(*SHOWN), items=1, systems=1, launch=False)
    with pytest.raises(RefusedAction, match="input: This is not a dialogue"):
        launch_campaign(campaign, by=campaign.owner)
    campaign.items.update(input=DIALOGUE)
    with pytest.raises(RefusedAction, match="output: This is not a dialogue"):
        launch_campaign(campaign, by=campaign.owner)
    campaign.systems.get().outputs.update(text=DIALOGUE)
    assert launch_campaign(campaign, by=campaign.owner).state == "running"


MARKS = {"name": "fluency", "question": "Mark.", "instrument": "spans"}


@pytest.mark.parametrize(
    ("blocks", "changes", "message"),
    [
        ([{"block": "reference", "format": "dialogue"}], {}, "is for the blocks input, outputs"),
        ([{"block": "outputs", "judged_turn": "last"}], {}, "with format: dialogue"),
        ([{"block": "outputs", "markdown_turns": True}], {}, "with format: dialogue"),
        (SHOWN, {"input_kind": "mr"}, "set input_kind to text"),
        (SHOWN, {"criteria": [MARKS]}, "not in dialogues"),
        (SHOWN, {"practice": [{"input": DIALOGUE, "outputs": ["Hello"]}]}, "not a dialogue"),
    ],
)
def test_conflicts_with_dialogues_are_named(blocks, changes, message):
    with pytest.raises(InvalidDefinition, match=message):
        showing(*blocks, **changes)
