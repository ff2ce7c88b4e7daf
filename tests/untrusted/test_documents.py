"""JSON from strangers has one meaning, and every part of a document can be stored."""

import pytest

from rankme.errors import InvalidAnswer
from rankme.untrusted import strict_json
from rankme.untrusted.clean_text import read_document


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": ', "This is not JSON (character 7): Expecting value."),
        ('{\n"a": }', "This is not JSON (line 2, character 6): Expecting value."),
        ('{"a": 1, "b": 2, "b": 3}', 'The name "b" appears twice in one object.'),
        ('{"a": 1e999}', "The number 1e999 is too large."),
        ('{"a": NaN}', "NaN is not a number."),
        ('{"a": ' + "9" * 5000 + "}", "The document contains a number that is too long."),
        ("[" * 100_000, "The document is nested too deeply."),
    ],
)
@pytest.mark.parametrize("form", [str, str.encode])
def test_a_document_with_more_than_one_meaning_is_refused_in_words(text, reason, form):
    with pytest.raises(strict_json.InvalidJson) as refused:
        strict_json.parse(form(text))
    assert str(refused.value) == reason


def test_bytes_that_are_not_utf_8_are_refused():
    with pytest.raises(strict_json.InvalidJson, match="not UTF-8"):
        strict_json.parse(b'"\xff\xfe\xfd"')


def test_levels_are_counted_where_a_limit_is_given():
    assert strict_json.parse("[[1]]", deepest=2) == [[1]]
    with pytest.raises(strict_json.InvalidJson, match="more than 2 levels deep"):
        strict_json.parse("[[[1]]]", deepest=2)


@pytest.mark.parametrize("value", ['"\\u0000"', '"\\ud800"', "1e300", "[" * 40 + "]" * 40])
def test_a_document_that_cannot_be_stored_is_refused(value):
    assert strict_json.parse(value.encode()) is not None
    with pytest.raises(InvalidAnswer):
        read_document(value.encode())
