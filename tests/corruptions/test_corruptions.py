"""Each kind of damage does what it says, to any script, without breaking a character."""

import random

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankme.corruptions import ALWAYS_POSSIBLE, CORRUPTIONS, Specimen, corrupted
from rankme.corruptions.wording import replaced_length

MILL = Specimen(
    "The Mill is a cheap Italian pub with 3 stars near Café Rouge in the city centre.",
    facts=(("name", "The Mill"), ("food", "Italian"), ("area", "city centre")),
    other_values={"food": ("Italian", "French", "Indian"), "area": ("riverside",)},
    donors=("Blue Spice serves fast food at high prices by the river for families.",),
)
JAPANESE = Specimen(
    "この店は駅の近くにある安いイタリア料理のレストランです。家族連れに人気があります。",
    language="ja",
    donors=("川沿いの高級なフランス料理店で、子供は入店できません。",),
)
HINDI = Specimen(
    "यह भोजनालय नदी के किनारे स्थित है और १२ व्यंजन परोसता है।",
    language="hi",
    donors=("शहर के बीच में एक सस्ता और छोटा कैफ़े है जो सुबह खुलता है।",),
)
ARABIC = Specimen(
    "يقع المطعم قرب النهر، ويقدم طعاما فرنسيا رخيصا للعائلات.",
    language="ar",
    donors=("المقهى الصغير في وسط المدينة يفتح في الصباح الباكر.",),
)


def damaged(name: str, specimen: Specimen, seed: int = 1) -> str | None:
    return CORRUPTIONS[name].apply(specimen, random.Random(seed))


def test_a_value_becomes_that_of_another_item():
    found = {damaged("slot_changed", MILL, seed) for seed in range(20)}
    assert found == {
        MILL.text.replace("Italian", "French"),
        MILL.text.replace("Italian", "Indian"),
        MILL.text.replace("city centre", "riverside"),
    }


def test_a_value_is_left_out_without_a_trace():
    found = {damaged("slot_dropped", MILL, seed) for seed in range(20)}
    assert MILL.text.replace("Italian ", "") in found
    assert all("  " not in text and " ." not in text for text in found)


def test_a_number_changes_and_keeps_its_script_and_length():
    for seed in range(30):
        text = damaged("number_changed", HINDI, seed)
        [digits] = regex.findall(r"\p{Nd}+", text)
        assert len(digits) == 2 and all("०" <= digit <= "९" for digit in digits)
        assert digits != "१२"
    assert damaged("number_changed", ARABIC) is None


def test_two_names_change_places():
    found = {damaged("entities_swapped", MILL, seed) for seed in range(60)}
    assert (
        "Café Rouge is a cheap Italian pub with 3 stars near The Mill in the city centre." in found
    )
    assert MILL.text not in found


@pytest.mark.parametrize(
    ("language", "text", "negated"),
    [
        ("en", "It is cheap.", "It is not cheap."),
        ("en-GB", "It was not cheap.", "It was cheap."),
        ("de", "Das ist billig.", "Das ist nicht billig."),
        ("fr", "Il est cher.", "Il ne est pas cher."),
        ("es", "La comida es cara.", "La comida no es cara."),
        ("es", "La comida no es cara.", "La comida es cara."),
    ],
)
def test_a_statement_is_negated_or_loses_its_negation(language, text, negated):
    assert damaged("negation", Specimen(text, language=language)) == negated


def test_languages_without_a_list_of_verbs_are_not_negated():
    assert damaged("negation", ARABIC) is None


def test_a_clause_is_there_twice():
    text = "It is cheap, and it serves Italian food."
    found = {damaged("clause_doubled", Specimen(text), seed) for seed in range(10)}
    assert found == {
        "It is cheap, It is cheap, and it serves Italian food.",
        "It is cheap, and it serves Italian food, and it serves Italian food.",
    }
    assert len(damaged("clause_doubled", JAPANESE)) > len(JAPANESE.text) + 5


@pytest.mark.parametrize("specimen", [MILL, JAPANESE, HINDI, ARABIC])
def test_scrambling_keeps_every_piece_and_the_last_mark(specimen):
    text = damaged("words_scrambled", specimen)
    assert text != specimen.text
    assert text[-1] == specimen.text[-1]
    assert sorted(regex.findall(r"\X", text)) == sorted(regex.findall(r"\X", specimen.text))


@pytest.mark.parametrize(
    ("words", "length"),
    [(1, 1), (2, 2), (5, 2), (6, 3), (8, 3), (9, 4), (15, 4), (16, 5), (20, 5), (21, 6)],
)
def test_a_replaced_phrase_has_the_length_of_the_table(words, length):
    assert replaced_length(words) == length
    assert replaced_length(words, is_spaced=False) == 2 * length


def test_the_first_and_last_word_stay_when_a_phrase_is_replaced():
    words = MILL.text[:-1].split()
    for seed in range(40):
        changed = damaged("phrase_replaced", MILL, seed)[:-1].split()
        assert len(changed) == len(words)
        assert (changed[0], changed[-1]) == (words[0], words[-1])
        places = [place for place, word in enumerate(words) if changed[place] != word]
        assert places and max(places) - min(places) < replaced_length(len(words))


def test_kinds_that_do_not_fit_a_text_are_passed_over():
    assert corrupted(ARABIC, ["negation", "number_changed"], random.Random(1)) is None
    text, kind = corrupted(ARABIC, ["negation", "words_scrambled"], random.Random(1))
    assert kind == "words_scrambled" and text != ARABIC.text


def test_the_same_seed_does_the_same_damage():
    kinds = list(CORRUPTIONS)
    assert corrupted(MILL, kinds, random.Random(8)) == corrupted(MILL, kinds, random.Random(8))


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=80),
    donor=st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=80),
    seed=st.integers(0, 9),
)
@example(text="\U000116d0", donor="", seed=0)  # a digit that is newer than Python 3.11
def test_any_text_can_be_tried(text, donor, seed):
    """No kind fails, and none tears a grapheme cluster of several characters apart."""
    specimen = Specimen(text, donors=(donor,))
    for name in ALWAYS_POSSIBLE:
        changed = damaged(name, specimen, seed)
        if changed is not None:
            changed.encode()
    for name in CORRUPTIONS:
        damaged(name, specimen, seed)


def test_clusters_of_several_characters_stay_whole():
    family, flag = "👨‍👩‍👧", "🇨🇿"
    text = f"{family}の店は{flag}料理を出す安い食堂です{family}"
    for seed in range(20):
        changed = damaged("words_scrambled", Specimen(text, language="ja"), seed)
        assert changed.count(family) == 2 and changed.count(flag) == 1


def test_a_hostile_text_costs_no_time():
    for text in ("1" * 50_000, " " * 50_000 + "A", "A " * 25_000, "a, " * 20_000):
        for name in CORRUPTIONS:
            damaged(name, Specimen(text, donors=(MILL.text,)))
