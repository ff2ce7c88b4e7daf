"""Words of raters are taken out of a payload, put back, and not found in what remains."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankme.protocols.exchange.payload_hashes import canonical
from rankme.protocols.exchange.words import (
    DIGEST,
    kept_screen,
    new_salt,
    with_words,
    words_digest,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
marks = st.lists(st.fixed_dictionaries({"id": st.integers(0, 9), "note": texts}), max_size=3)
values = texts | st.integers() | st.fixed_dictionaries({"marks": marks, "events": marks})
documents = st.fixed_dictionaries(
    {"key": st.just("k")},
    optional={
        "comment": texts,
        "answers": st.lists(
            st.fixed_dictionaries(
                {"criterion": st.sampled_from(["why", "errors"]), "place": st.none()},
                optional={"value": values},
            )
            | st.integers(),
            max_size=3,
        )
        | st.none(),
    },
)


@given(documents)
def test_words_that_are_put_back_give_what_was_sent(document):
    kept = kept_screen(document, {"why"}, new_salt())
    payload = json.loads(kept.payload)
    assert canonical(with_words(payload, kept.words)) == canonical(document)
    assert (DIGEST in payload) == bool(kept.words)


def test_comments_notes_and_personal_texts_are_words_and_other_texts_are_not():
    note = {"id": 4, "note": "Ada"}
    sent = {
        "comment": "Bea",
        "answers": [
            {"criterion": "errors", "place": 1, "value": {"marks": [note], "events": [{**note}]}},
            {"criterion": "why", "place": None, "value": "Cleo"},
            {"criterion": "result", "place": None, "value": "the result"},
        ],
    }
    kept = kept_screen(sent, {"why"}, new_salt())
    assert [word["text"] for word in kept.words] == ["Bea", "Ada", "Ada", "Cleo"]
    left = kept.payload.decode()
    assert "the result" in left
    assert not [name for name in ("Ada", "Bea", "Cleo") if name in left]


def test_a_short_text_cannot_be_guessed_without_its_salt():
    """Two screens with the same comment have different digests; a salt gives its own away."""
    one, other = (kept_screen({"comment": "yes"}, (), new_salt()) for _ in range(2))
    digests = [json.loads(kept.payload)[DIGEST] for kept in (one, other)]
    assert digests[0] != digests[1]
    assert words_digest(one.words, one.salt) == digests[0]
    assert words_digest(one.words, other.salt) != digests[0]


@pytest.mark.parametrize(
    "answers", [None, 3, ["x"], [{"value": {"marks": 1}}], [{"criterion": []}]]
)
def test_malformed_answers_stay_as_they_are(answers):
    document = {"answers": answers, "comment": ""}
    assert kept_screen(document, {"why"}, "").payload == canonical(document)
