"""Numbers that browsers send, read with a bound."""

import pytest

from rankme.untrusted.whole_numbers import number_in


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", " 1", "٣", "²", "9" * 16, "9" * 5_000])
def test_other_texts_are_the_default(text):
    assert number_in(text) == 0
    assert number_in(text, -1) == -1


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("9" * 15, 10**15 - 1)])
def test_whole_numbers_are_read(text, number):
    assert number_in(text, -1) == number
