"""The rater's interface is complete in every language that the site offers."""

import re
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import translation

from rankme.pages.participant_words import script_words

PROJECT = Path(__file__).parent.parent
LANGUAGES = [code for code, _ in settings.LANGUAGES if code != "en"]
TEXTS = re.compile(r"""\{%\s*translate\s+(?:"([^"]+)"|'([^']+)')\s*(?:as \w+\s*)?%\}""")
CALLS = re.compile(r"""\b(?:_|gettext)\(\s*"([^"]+)"\s*\)""")
GAP = re.compile(r"\{\w+\}|%\(\w+\)s")


def catalogue(language: str) -> polib.POFile:
    return polib.pofile(str(PROJECT / "locale" / language / "LC_MESSAGES" / "django.po"))


def rater_texts() -> set[str]:
    templates = (PROJECT / "templates" / "participant").rglob("*.html")
    found = {
        one or other for page in templates for one, other in TEXTS.findall(page.read_text("utf-8"))
    }
    modules = [PROJECT / "rankme/pages/participant.py", PROJECT / "rankme/pages/entry_form.py"]
    return found | {text for module in modules for text in CALLS.findall(module.read_text("utf-8"))}


def test_the_languages_are_those_that_were_promised():
    assert set(LANGUAGES) >= {"de", "cs", "ar"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_the_raters_templates_is_translated(language):
    translated = {entry.msgid for entry in catalogue(language) if entry.translated()}
    assert rater_texts() - translated == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_raters_scripts_is_translated(language):
    with translation.override("en"):
        english = script_words()
    with translation.override(language):
        here = script_words()
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
    compiled = {entry.msgid: entry.msgstr for entry in polib.mofile(str(path))}
    written = {entry.msgid: entry.msgstr for entry in catalogue(language)}
    assert compiled == written


@pytest.mark.django_db
def test_arabic_pages_run_from_right_to_left(client):
    page = client.get(reverse("rankme:gallery"), headers={"accept-language": "ar"})
    assert b'dir="rtl"' in page.content
    assert "ما يراه المقيّمون" in page.content.decode()
