"""The texts of the site that raters read, and what a campaign file may say in their place."""

import pytest
import yaml

from rankme.errors import InvalidDefinition
from rankme.management.commands.makemessages import listed_texts
from rankme.protocols.files import (
    definition_from_document,
    definition_from_yaml,
    definition_to_document,
    definition_to_yaml,
    stored_definition,
)
from rankme.protocols.rater_texts import GAP, LISTED, rater_texts, texts_needed
from tests.campaigns import slider_definition

AGREE = "I agree to take part"


def document(**words) -> dict:
    return definition_to_document(slider_definition()) | {"language": "fr", "words": words}


def problems_of(words: dict) -> list[tuple[str, str]]:
    with pytest.raises(InvalidDefinition) as refused:
        definition_from_document(document() | {"words": words})
    return [(problem.place, problem.message) for problem in refused.value.problems]


def test_the_list_of_texts_is_up_to_date():
    assert LISTED.read_text("utf-8") == listed_texts(), "run manage.py makemessages --all"


@pytest.mark.parametrize(
    "text",
    [
        AGREE,
        "Skip to the content",
        "You have finished %(number)s parts. Thank you! All of your answers are stored.",
        "Practice {number} of {count}",
        "This link does not work",
        "Yes",
        "%(screens)s screens have no answers yet.",
        "This field is required.",
        "One less",
    ],
)
def test_every_source_of_texts_is_read(text):
    assert text in rater_texts()


@pytest.mark.parametrize(
    "text", ["Page not found", "Preview: nothing is stored", "Launch", "Go to the start page"]
)
def test_texts_for_organisers_are_not_among_them(text):
    assert text not in rater_texts()


def test_a_campaign_needs_the_texts_of_its_own_instruments_alone():
    needed = {text.key for text in texts_needed(["slider"])}
    assert {"Please move this slider.", "not yet set", AGREE} <= needed
    assert needed.isdisjoint({"best", "mentioned", "One less"})
    assert {"One less", AGREE} <= {text.key for text in texts_needed(["mr_coverage"])}


def test_words_are_read_and_written_back():
    long = max(rater_texts(), key=len)
    definition = definition_from_document(
        document(**{AGREE: "J’accepte", long: "Long", "No": "Non"})
    )
    text = definition_to_yaml(definition)
    assert f"  {AGREE}: J’accepte" in text
    assert "\n  ? " not in text, "whole sentences are names, too"
    assert yaml.safe_load(text)["words"][long] == "Long"
    assert definition_from_yaml(text) == definition


def test_an_empty_word_keeps_the_sites_own_text():
    definition = definition_from_document(document(**{AGREE: "", "Yes": None}))
    assert definition.words == {}


def test_an_unknown_text_is_refused_with_the_nearest_one():
    assert problems_of({"I agree to take prat": "Oui"}) == [
        (
            "words.I agree to take prat",
            "raters see no such text of the site: did you mean “I agree to take part”?",
        )
    ]


def test_a_problem_is_named_with_its_line():
    text = definition_to_yaml(definition_from_document(document(**{AGREE: "Oui"})))
    with pytest.raises(InvalidDefinition) as refused:
        definition_from_yaml(text.replace(AGREE, "zzz"))
    (problem,) = refused.value.problems
    line = 1 + text.splitlines().index(f"  {AGREE}: Oui")
    assert problem.place == f"line {line}, words.zzz"


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("Practice {number} of {count}", "Exercice {number}", "the text must contain {count}"),
        (
            "Practice {number} of {count}",
            "{number} / {count} {total}",
            "there is nothing to put in the place of {total}",
        ),
        (
            "The organisers pay %(pay)s for this.",
            "On paie {pay} %(pay)d",
            "the text must contain %(pay)s",
        ),
        (AGREE, "Oui %(name)s", "there is nothing to put in the place of %(name)s"),
    ],
)
def test_gaps_must_be_the_same(key, text, message):
    assert problems_of({key: text}) == [(f"words.{key}", message)]


def test_every_gap_of_the_texts_is_recognised():
    for key in rater_texts():
        rest = GAP.sub("", key)
        assert "%" not in rest and "{" not in rest, key


def test_a_stored_campaign_still_opens_after_a_text_of_the_site_has_changed():
    assert stored_definition(document(**{"An earlier text": "Ancien"})).words
