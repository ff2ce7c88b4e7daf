"""Presets in German, Czech and Arabic: complete, and nothing but their texts differs."""

import json
import re

import pytest

from rankme.errors import InvalidDefinition
from rankme.protocols.files import definition_to_document, preset, preset_names
from rankme.protocols.presets.languages import TRANSLATIONS, languages_of, missing, texts_for_raters

LANGUAGES = ("de", "cs", "ar")
NAMES = sorted(preset_names())
GIVEN = re.compile(r"\b(?:familyFriendly|Ann Lee|Herons|Old Mill|\d+)\b")


def table(language):
    return json.loads((TRANSLATIONS / f"{language}.json").read_text("utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_every_text_of_a_preset_is_translated_and_nothing_else_differs(name):
    english = preset(name)
    for language in LANGUAGES:
        assert missing(english, language) == []
        other = preset(name, language)
        assert other.language == language
        assert not set(texts_for_raters(other)) & set(texts_for_raters(english))
        assert without_texts(other) == without_texts(english)


def without_texts(definition):
    """The numbers, names and settings, and what raters judge."""
    document = definition_to_document(definition)
    return {
        "criteria": [(one["name"], one["instrument"]) for one in document["criteria"]],
        "screens": [one["ask"] for one in document["screens"]],
        "accept": [one.get("accept") for one in document.get("entry_questions", [])],
        "outputs": [one.get("outputs") for one in document.get("practice", [])],
        "rest": [
            document.get(part)
            for part in ("design", "crowd", "breaks", "standard", "analysis", "input_kind")
        ],
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_and_numbers_survive_a_translation(language):
    for english, translated in table(language).items():
        assert sorted(GIVEN.findall(english)) == sorted(GIVEN.findall(translated)), english


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_is_left_over(language):
    used = {
        " ".join(part.split())
        for name in NAMES
        for text in texts_for_raters(preset(name))
        for part in text.split("\n\n")
    }
    assert set(table(language)) - used == set()


def test_a_preset_is_offered_only_in_languages_that_it_has():
    assert languages_of(preset("e2e-quality")) == ["en", "ar", "cs", "de"]
    with pytest.raises(InvalidDefinition, match="no texts in 'fr'"):
        preset("e2e-quality", "fr")


def test_labels_of_sliders_are_translated():
    """The labels at the points of the line; their places on it stay."""
    anchors = [preset("esa", language).criteria[0].options["anchors"] for language in ("en", "de")]
    assert list(anchors[0]) == list(anchors[1]) == ["0", "33", "66", "100"]
    assert anchors[1]["100"] == "perfekt in Bedeutung und Grammatik"
