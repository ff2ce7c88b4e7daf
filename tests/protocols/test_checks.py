"""Checks and rules in the campaign file: what fits together, and what is refused with its place."""

from typing import Any

import pytest

from rankme.errors import InvalidDefinition
from rankme.protocols.checks import CHECK_KINDS
from rankme.protocols.files import (
    definition_from_document,
    definition_from_yaml,
    definition_to_document,
    definition_to_yaml,
)
from tests.campaigns import slider_definition

OPTIONS: dict[str, dict[str, Any]] = {
    "instructed": {"text": "Move this to {value}.", "value": 20, "tolerance": 3},
    "known_answer": {"outputs": ["Asdf."], "at_most": 20},
    "better_than": {"types": ["clause_doubled"]},
    "corruption": {"apart": 3},
    "repeat": {"apart": 5},
    "quiz": {"question": "What is rated?", "choices": ["Fluency", "Facts"], "answer": "Fluency"},
    "figure": {"question": "What has legs?", "choices": ["Horses", "Tea"], "answer": "Horses"},
    "time": {"least_active_seconds": 4},
}


def check(kind: str, **changes: Any) -> dict[str, Any]:
    needs = CHECK_KINDS[kind].needs_criterion
    criterion = {"criterion": "fluency"} if needs else {}
    return {"name": kind, "kind": kind, "options": OPTIONS[kind]} | criterion | changes


def test_every_kind_is_read_and_written_back():
    checks = [check(kind) for kind in CHECK_KINDS]
    rules = {"exclude_if": "corruption.paired_p > .05\n or instructed.failed >= 2"}
    definition = slider_definition(checks=checks, rules=rules | {"gate_if": "quiz.failed >= 1"})
    assert [one.kind for one in definition.checks] == list(CHECK_KINDS)
    assert definition.rules.exclude_if == "corruption.paired_p > .05 or instructed.failed >= 2"
    assert definition_from_yaml(definition_to_yaml(definition)) == definition
    assert definition_from_document(definition_to_document(definition)) == definition


def test_a_campaign_without_checks_is_stored_as_before():
    assert not {"checks", "rules"} & set(definition_to_document(slider_definition()))


@pytest.mark.parametrize(
    ("changes", "place", "said"),
    [
        ({"checks": [{"name": "x", "kind": "guess"}]}, "checks[0].kind", "no kind of check"),
        ({"checks": [check("repeat", criterion="taste")]}, "criterion", "no criterion “taste”"),
        ({"checks": [check("repeat"), check("repeat")]}, "checks[1].name", "more than once"),
        ({"checks": [check("repeat", name="quiz")]}, "checks[0].name", "another kind of check"),
        ({"checks": [check("repeat", options={"apart": 0})]}, "options", "at least 1"),
        ({"checks": [check("corruption", options={"types": ["rot13"]})]}, "options", "rot13"),
        (
            {"checks": [check("known_answer", options={"outputs": ["A"]})]},
            "options",
            "say what is expected",
        ),
        (
            {"checks": [check("quiz", options=OPTIONS["quiz"] | {"answer": "Taste"})]},
            "options",
            "not one of the choices",
        ),
        ({"rules": {"exclude_if": "look.failed >"}}, "rules.exclude_if", "a number"),
        ({"rules": {"exclude_if": "repeat.icc < .3"}}, "rules.exclude_if", "no measure"),
        (
            {"checks": [check("repeat")], "rules": {"exclude_if": "repeat.answered > -1"}},
            "rules.exclude_if",
            "“repeat.answered > -1” is true of every rater",
        ),
        ({"rules": {"flag_if": "agreement <= 1"}}, "rules.flag_if", "true of every rater"),
        ({"rules": {"flag_if": "median_seconds < 5 or x.y < 1"}}, "rules.flag_if", "“x.y”"),
        (
            {"checks": [check("repeat")], "rules": {"gate_if": "repeat.icc < .3"}},
            "rules.gate_if",
            "not known before the work",
        ),
    ],
)
def test_conflicting_settings_are_refused_with_their_place(changes, place, said):
    with pytest.raises(InvalidDefinition) as refusal:
        slider_definition(**changes)
    assert [True for one in refusal.value.problems if place in one.place and said in one.message], [
        (one.place, one.message) for one in refusal.value.problems
    ]
