"""Marks are where they say, in every script and in every tool's units, and end between letters."""

import pytest

from analysis.spans.model import MarkError
from analysis.spans.offsets import check_mark, from_utf16, to_utf16, utf16_length
from analysis.spans.snapping import snap_to_graphemes, snap_to_words, trim_space

FAMILY = "👩\u200d👩\u200d👧"
ARABIC = "مرحبًا بالعالم"
THAI = "กำลังไป"
TEXTS = [
    "The dog walked.",
    ARABIC,
    THAI,
    f"A {FAMILY} walks 👍🏽.",
    "Cafe\u0301 and Café",
    "one\r\ntwo\r\n\r\nthree",
    "",
]


@pytest.mark.parametrize("text", TEXTS)
def test_utf16_offsets_come_back(text):
    assert utf16_length(text) == len(text.encode("utf-16-le")) // 2
    for place in range(len(text) + 1):
        units = to_utf16(text, place)
        assert text.encode("utf-16-le")[: 2 * units].decode("utf-16-le") == text[:place]
        assert from_utf16(text, units) == place


def test_an_offset_inside_a_character_is_refused():
    with pytest.raises(MarkError, match="in the middle of '👍'"):
        from_utf16("a👍b", 2)
    for outside in (-1, 5):
        with pytest.raises(MarkError, match="outside the text of 4 UTF-16 units"):
            from_utf16("a👍b", outside)


@pytest.mark.parametrize("text", [text for text in TEXTS if text])
def test_a_mark_with_its_own_text_is_accepted(text):
    check_mark(text, 0, len(text), text)
    check_mark(text, len(text) - 1, len(text), text[-1])


@pytest.mark.parametrize(
    ("start", "end", "text", "message"),
    [
        (4, 7, "dgo", "the text from 4 to 7 is 'dog', but the mark says 'dgo'"),
        (4, 7, "dog ", "the mark says 'dog '"),
        (5, 8, "dog", "is 'og '"),
        (4, 4, "", "empty"),
        (7, 4, "dog", "cannot be from 7 to 4"),
        (-3, 4, "dog", "cannot be from -3"),
        (12, 99, "ed.", "has 15 characters"),
        (True, 3, "he", "start is 'True', not a whole number"),
        (4.0, 7, "dog", "start is '4.0', not a whole number"),
    ],
)
def test_a_mark_that_does_not_fit_is_refused(start, end, text, message):
    with pytest.raises(MarkError, match=message):
        check_mark("The dog walked.", start, end, text)


def test_another_normal_form_of_the_same_letters_is_another_text():
    check_mark("Cafe\u0301", 3, 5, "e\u0301")
    with pytest.raises(MarkError):
        check_mark("Cafe\u0301", 3, 5, "é")


def test_a_long_text_is_quoted_in_short():
    with pytest.raises(MarkError) as refusal:
        check_mark("x" * 100_000, 0, 100_000, "y" * 100_000)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        (f"A {FAMILY}!", "\u200d👩", FAMILY),
        (f"A {FAMILY}!", "👧", FAMILY),
        ("Cafe\u0301s", "e", "e\u0301"),
        ("a\r\nb", "\r", "\r\n"),
        (THAI, "ำ", "กำ"),
        (ARABIC, "ب", "بً"),
        ("ok", "k", "k"),
        ("🇩🇪🇫🇷", "🇪", "🇩🇪"),
    ],
)
def test_marks_widen_to_whole_grapheme_clusters(text, part, whole):
    start, end = snap_to_graphemes(text, text.index(part), text.index(part) + len(part))
    assert text[start:end] == whole
    assert snap_to_graphemes(text, start, end) == (start, end)


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("The dog walked home.", "og walk", "dog walked"),
        ("The dog walked home.", " walked ", "walked"),
        ("The dog walked home.", ".", "."),
        ("It can't be 3.14", "n'", "can't"),
        ("It can't be 3.14", ".", "3.14"),
        (ARABIC, "عال", "بالعالم"),
        (THAI, "ำ", "กำ"),
        ("one\r\ntwo", "ne\r\n", "one"),
        ("a  b", "  ", "  "),
    ],
)
def test_marks_widen_to_whole_words(text, part, whole):
    start, end = snap_to_words(text, text.index(part), text.index(part) + len(part))
    assert text[start:end] == whole
    assert snap_to_words(text, start, end) == (start, end)


def test_snapping_at_the_ends_of_a_text():
    assert snap_to_words("", 0, 0) == snap_to_graphemes("", 0, 0) == (0, 0)
    assert snap_to_words("dog", 0, 3) == (0, 3)
    assert snap_to_graphemes("e\u0301", 1, 1) == (0, 2)
    assert trim_space("  dog ", 0, 6) == (2, 5)
    for snap in (snap_to_graphemes, snap_to_words, trim_space):
        with pytest.raises(MarkError, match="not in a text of 3"):
            snap("dog", 2, 4)
