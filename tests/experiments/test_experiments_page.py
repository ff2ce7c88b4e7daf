"""docs/experiments.md quotes the presets: what it quotes is in their files, word for word."""

import re
from pathlib import Path
from typing import Any

import pytest

from rankme.protocols.files import preset, preset_names

PROJECT = Path(__file__).parent.parent.parent
PAGE = (PROJECT / "docs/experiments.md").read_text(encoding="utf-8")
SECTIONS = {
    title: text
    for title, _, text in (part.partition("\n") for part in PAGE.split("\n## ")[1:])
    if title in preset_names()
}


def texts_of(part: Any) -> list[str]:
    """Every text of a document, with single spaces."""
    if isinstance(part, dict):
        return [text for value in part.values() for text in texts_of(value)]
    if isinstance(part, list):
        return [text for value in part for text in texts_of(value)]
    return [" ".join(part.split())] if isinstance(part, str) else []


def quoted(section: str) -> list[str]:
    return [" ".join(words.split()) for words in re.findall("“([^”]+)”", section)]


def test_every_preset_that_repeats_an_experiment_has_a_section():
    others = {
        *("direct-assessment", "likert-criteria", "pairwise-preference", "best-worst"),
        *("chat-arena", "chat-likert", "image-captions", "audio-quality"),
        *("mqm", "esa", "contrastive-esa", "fact-spans", "document-esa"),
    }
    assert set(SECTIONS) == set(preset_names()) - others
    assert all(f"`{name}`" in PAGE for name in others)


@pytest.mark.parametrize("name", SECTIONS)
def test_what_a_section_quotes_is_in_the_presets_file(name):
    texts = texts_of(preset(name).model_dump())
    words = quoted(SECTIONS[name])
    assert words
    missing = [one for one in words if not any(one in text for text in texts)]
    assert missing == []


def test_a_question_of_every_preset_is_quoted():
    for name, section in SECTIONS.items():
        if name == "sr11-shallow":
            continue  # "as sr11-deep"
        questions = [" ".join(one.question.split()) for one in preset(name).criteria]
        assert any(any(words in one for one in questions) for words in quoted(section)), name


def test_sr11s_two_presets_differ_only_in_their_design_and_breaks():
    deep, shallow = (preset(name).model_dump() for name in ("sr11-deep", "sr11-shallow"))
    tables = {one["analysis"].pop("paper") for one in (deep, shallow)}
    assert len(tables) == 2  # each names its own table of the paper
    differing = {part for part in deep if deep[part] != shallow[part]}
    assert differing <= {"title", "design", "breaks", "texts"}
