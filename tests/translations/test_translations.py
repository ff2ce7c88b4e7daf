"""The interface is complete in every language that the site offers."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext
from pydantic import BaseModel

from rankme.designs.registry import DESIGNS
from rankme.forms.definition.settings import Setting, option_settings, settings_of
from rankme.importing import JUDGEMENT_READERS, READERS
from rankme.pages.rater.participant_words import OF_EVERY_PAGE
from rankme.protocols.checks import CHECK_KINDS
from rankme.protocols.definition import Definition
from rankme.protocols.instruments import INSTRUMENTS
from rankme.protocols.screens import BLOCKS
from tests.translations.marked_texts import texts_of_modules, texts_of_templates

PROJECT = Path(__file__).parents[2]
LANGUAGES = [code for code, _ in settings.LANGUAGES if code != "en"]
GAP = re.compile(r"\{\w+\}|%\(\w+\)s")


@functools.cache
def catalogue(language: str) -> polib.POFile:
    return polib.pofile(str(PROJECT / "locale" / language / "LC_MESSAGES" / "django.po"))


def settings_everywhere() -> Iterator[Setting]:
    """Every field of the campaign form, whatever is chosen in it."""

    def visit(model: type[BaseModel]) -> Iterator[Setting]:
        for setting in settings_of(model):
            if setting.kind != "options":
                yield setting
            if setting.part is not None:
                yield from visit(setting.part)

    yield from visit(Definition)
    for name in INSTRUMENTS:
        yield from option_settings("CriterionSpec", {"instrument": name})
    for name in CHECK_KINDS:
        yield from option_settings("CheckSpec", {"kind": name})
    for name in DESIGNS:
        yield from option_settings("DesignSpec", {"kind": name})


def texts_of_the_form() -> set[str]:
    found = {entry.title for entry in [*INSTRUMENTS.values(), *DESIGNS.values()]}
    found |= set(BLOCKS.values())
    for setting in settings_everywhere():
        found |= {str(setting.title), str(setting.hint)} - {""}
        if setting.kind == "several":
            found.add(setting.part.model_config["title"])
    return found


def test_every_text_of_the_form_is_marked_for_translators():
    assert texts_of_the_form() - set(texts_of_modules("rankme", "analysis")) == set()


def test_texts_of_designs_and_formats_are_marked_for_translators():
    entries = [*DESIGNS.values(), *READERS.values(), *JUDGEMENT_READERS.values()]
    said = {text for entry in entries for text in (entry.title, entry.help)}
    assert len(said) >= len(entries)
    assert said - set(texts_of_modules("rankme", "analysis")) == set()


def test_every_verb_of_the_history_is_marked_for_translators():
    """What `note` and `_move` write down is a marked text, or the name of one."""
    unmarked = [
        ast.unparse(call)
        for path in sorted((PROJECT / "rankme").rglob("*.py"))
        for source in [path.read_text("utf-8")]
        if re.search(r"\b(note|_move)\(", source)
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in {"note", "_move"}
        for argument in [*call.args, *(each.value for each in call.keywords if each.arg == "verb")]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
    assert unmarked == []


def test_every_flag_of_a_submission_is_marked_for_translators():
    source = (PROJECT / "rankme/actions/sitting/speed_flags.py").read_text("utf-8")
    appended = re.findall(r"flags\.append\((\w+)", source)
    named = set(re.findall(r"^([A-Z]+) = gettext_noop\(", source, re.M))
    assert len(appended) > 2
    assert set(appended) - named == {"gettext_noop"}


def test_the_languages_are_those_that_were_promised():
    assert set(LANGUAGES) >= {"de", "cs", "ar"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_marked_text_is_translated(language):
    translated = {
        entry.msgid
        for entry in catalogue(language)
        if entry.translated() and not entry.fuzzy and not entry.obsolete
    }
    marked = {
        text for text in [*texts_of_modules("rankme", "analysis"), *texts_of_templates()] if text
    }
    assert marked - translated == set()


def words_of_scripts() -> dict[str, str]:
    """Everything that scripts say, those of instruments under the instrument's name."""
    own = {
        f"{name}.{key}": gettext(text)
        for name, instrument in INSTRUMENTS.items()
        for key, text in instrument.words.items()
    }
    return {name: gettext(text) for name, text in OF_EVERY_PAGE.items()} | own


def test_every_word_of_an_instrument_is_marked_for_translators():
    words_of_instruments = {
        text for instrument in INSTRUMENTS.values() for text in instrument.words.values()
    }
    assert len(words_of_instruments) > 20
    assert words_of_instruments - set(texts_of_modules("rankme", "analysis")) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_raters_scripts_is_translated(language):
    with translation.override("en"):
        english = words_of_scripts()
    with translation.override(language):
        here = words_of_scripts()
    same = {name for name in english if english[name] == here[name]}
    # Numbers alone, and words that two languages share.
    assert all(not re.search("[a-z]{6}", GAP.sub("", english[name])) for name in same)


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_the_gaps_of_their_texts(language):
    wrong = [
        entry.msgid
        for entry in catalogue(language)
        if entry.msgstr and sorted(GAP.findall(entry.msgid)) != sorted(GAP.findall(entry.msgstr))
    ]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_says_what_the_text_says(language):
    path = PROJECT / "locale" / language / "LC_MESSAGES" / "django.mo"
    compiled, written = (
        {(entry.msgctxt, entry.msgid): entry.msgstr for entry in entries}
        for entries in (polib.mofile(str(path)), catalogue(language))
    )
    assert compiled == written


@pytest.mark.django_db
def test_arabic_pages_run_from_right_to_left(client):
    page = client.get(reverse("rankme:gallery"), headers={"accept-language": "ar"})
    assert b'dir="rtl"' in page.content
    assert "ما يراه المقيّمون" in page.content.decode()
