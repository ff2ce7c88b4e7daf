"""What every page says of the instructions."""

import pytest

from rankme.protocols.files import preset, preset_names
from rankme.protocols.texts import Texts


def texts(instructions, **changes):
    return Texts(consent="Agree?", instructions=instructions, **changes)


@pytest.mark.parametrize(
    ("instructions", "short"),
    [
        ("Read. Then judge.\n\nMore.", "Read. Then judge."),
        ("Read e.g. this one\nand judge it", "Read e.g. this one and judge it"),
        (f"First. {'Long ' * 40}.", "First."),
        (f"{'long ' * 40}.", f"{'long ' * 39}long ."),
        ("اقرأ النص. هل هو واضح؟ نعم.", "اقرأ النص. هل هو واضح؟ نعم."),
    ],
)
def test_without_a_digest_the_first_sentences_are_shown(instructions, short):
    assert texts(instructions).short_instructions == short


def test_a_digest_of_the_organisers_own_is_shown_as_it_is():
    assert texts("Read.", digest="Judge it.").short_instructions == "Judge it."


@pytest.mark.parametrize("name", preset_names())
def test_the_digest_of_a_preset_is_short(name):
    assert 20 < len(preset(name).texts.short_instructions) < 260
