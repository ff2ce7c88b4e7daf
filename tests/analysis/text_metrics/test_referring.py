"""TUNA's and RotoWire's metrics: by hand, and against other ways to compute them."""

import itertools
import json
import random
from pathlib import Path

import pytest

from analysis.cli.commands import main
from analysis.errors import TableError, Undefined
from analysis.text_metrics.domains import Domain, is_unique, least_attributes, parse_domain
from analysis.text_metrics.extracted_facts import (
    Fact,
    damerau_levenshtein,
    facts_scored,
    read_facts,
)
from analysis.text_metrics.referring import dice, masi, parse_attributes, word_edit_distance
from analysis.text_metrics.rouge import longest_common_subsequence
from analysis.text_metrics.scoring import score
from analysis.text_metrics.text_files import Material


def attributes(text: str) -> frozenset[tuple[str, str]]:
    found = parse_attributes(text)
    assert found is not None
    return found


# --- TUNA --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "expected_dice", "expected_masi"),
    [
        ("a=1; b=2", "b=2; a=1", 1, 1),
        ("a=1", "a=2", 0, 0),
        # One contains the other: Jaccard 1/2, two thirds of it.
        ("a=1", "a=1; b=2", 2 / 3, 1 / 3),
        # Neither contains the other: Jaccard 1/3, one third of it.
        ("a=1; b=2", "a=1; c=3", 1 / 2, 1 / 9),
    ],
)
def test_sets_as_the_paper_defines_them(first, second, expected_dice, expected_masi):
    a, b = attributes(first), attributes(second)
    assert dice(a, b) == dice(b, a) == pytest.approx(expected_dice)
    assert masi(a, b) == masi(b, a) == pytest.approx(expected_masi)


def test_attribute_sets_are_read_from_tunas_xml_too():
    xml = (
        '<ATTRIBUTE-SET><ATTRIBUTE NAME="colour" VALUE="Red"/><ATTRIBUTE NAME="type" VALUE="sofa"/>'
    )
    assert parse_attributes(xml) == attributes("type=sofa; colour=red")
    assert parse_attributes("the red sofa") is None
    assert parse_attributes("") is None


def test_the_distance_in_words_leaves_a_longest_common_subsequence():
    """Where a substitution costs as much as a deletion and an insertion, they are the same."""
    dice = random.Random(5)
    for _ in range(300):
        first, second = ([dice.choice("abcd") for _ in range(dice.randint(0, 9))] for _ in range(2))
        common = longest_common_subsequence(first, second)
        assert word_edit_distance(first, second) == len(first) + len(second) - 2 * common


def test_descriptions_are_compared_with_each_reference():
    material = Material(
        {"s": {"1": "the  red chair", "2": "sofa"}},
        {"1": ("the red chair", "the big red chair"), "2": ("the blue fan",)},
        {"1": "", "2": ""},
    )
    accuracy, distance = score(material, ("accuracy", "edit-distance"))
    assert accuracy.segments["s"] == {"1": 0.5, "2": 0.0} and accuracy.systems["s"] == 0.25
    assert distance.segments["s"] == {"1": 0.5, "2": 4.0}
    assert (accuracy.higher_is_better, distance.higher_is_better) == (True, False)


def test_sets_that_are_texts_are_refused_with_their_item():
    sets = {"1": ("a=1; b=2", "a=1")}
    (found,) = score(Material({"s": {"1": "a=1"}, "t": {"1": ""}}, sets, {"1": ""}), ("dice",))
    assert found.systems == {"s": pytest.approx((2 / 3 + 1) / 2), "t": 0.0}
    with pytest.raises(Undefined, match="'1' is not an attribute set"):
        score(Material({"s": {"1": "a chair"}}, sets, {"1": ""}), ("masi",))


DOMAIN = """
target: type=chair; colour=red; size=large
distractor: type=chair; colour=blue; size=large
distractor: type=sofa; colour=red; size=large
distractor: type=chair; colour=red; size=small
"""
XML_DOMAIN = """<TRIAL><DOMAIN>
<ENTITY ID="1" TYPE="distractor"><ATTRIBUTE NAME="type" VALUE="fan"/></ENTITY>
<ENTITY ID="2" TYPE="target"><ATTRIBUTE NAME="type" TYPE="literal" VALUE="Desk"/></ENTITY>
</DOMAIN></TRIAL>"""


def test_domains_are_read_from_lines_and_from_tunas_xml():
    domain = parse_domain(DOMAIN)
    assert domain.target == attributes("colour=red; size=large; type=chair")
    assert len(domain.distractors) == 3
    found = parse_domain(XML_DOMAIN)
    assert (found.target, found.distractors) == (attributes("type=desk"), (attributes("type=fan"),))
    for text in ("", "The red chair.", "target: a chair", "distractor: type=fan", "<ENTITY"):
        assert parse_domain(text) is None
    assert parse_domain("target: a=1\ntarget: a=2") is None


@pytest.mark.parametrize(
    ("description", "is_unique", "is_minimal"),
    [
        ("type=chair; colour=red; size=large", 1, 1),  # any two of them fit a distractor too
        ("type=chair; colour=red", 0, 0),
        ("type=sofa", 0, 0),  # not true of the target
        ("type=chair; colour=red; size=large; side=left", 0, 0),
        ("", 0, 0),
    ],
)
def test_a_description_names_the_target_alone_and_with_as_little_as_possible(
    description, is_unique, is_minimal
):
    material = Material({"s": {"1": description}}, {}, {"1": DOMAIN})
    unique, minimal = score(material, ("uniqueness", "minimality"))
    assert (unique.systems["s"], minimal.systems["s"]) == (is_unique, is_minimal)
    assert (unique.higher_is_better, minimal.higher_is_better) == (True, None)


def test_minimality_is_that_of_all_smaller_sets_tried_one_by_one():
    dice = random.Random(8)
    seen = set()
    for _ in range(200):
        entities = [frozenset((name, str(dice.randint(0, 1))) for name in "abcd") for _ in range(4)]
        domain = Domain(entities[0], tuple(entities[1:]))
        sizes = [
            len(chosen)
            for size in range(5)
            for chosen in itertools.combinations(sorted(domain.target), size)
            if is_unique(frozenset(chosen), domain)
        ]
        assert least_attributes(domain) == (min(sizes) if sizes else None)
        seen.add(least_attributes(domain))
    assert {None, 1, 2} <= seen


def test_domains_that_cannot_be_read_are_refused_with_their_item():
    with pytest.raises(Undefined, match="input of item '1' is not a domain"):
        score(Material({"s": {"1": "a=1"}}, {}, {"1": "a chair"}), ("uniqueness",))
    many = "target: " + "; ".join(f"a{n}=1" for n in range(40)) + "\ndistractor: b=1"
    with pytest.raises(Undefined, match="more than 20 attributes"):
        score(Material({"s": {"1": "a1=1"}}, {}, {"1": many}), ("minimality",))


# --- RotoWire ----------------------------------------------------------------------------------


def fact(entity: str, value: str, supported: bool = True) -> Fact:
    return Fact(entity, value, "PTS", supported)


def test_facts_as_the_published_script_counts_them():
    gold = [fact("LeBron James", "30"), fact("Kyrie Irving", "20"), fact("Kevin Love", "10")]
    mine = [fact("Irving", "20"), *[fact("James", "30")] * 2, fact("Love", "99", False)]
    found = facts_scored({("reference", "1"): gold, ("s", "1"): mine})
    values = dict(zip(found.metrics, found.whole[:, 0], strict=True))
    # Three different facts, two of them supported and in the reference; the first two swapped and
    # the third replaced: distance 2 of 3.
    shares = dict.fromkeys(("rg-precision", "cs-precision", "cs-recall"), 2 / 3)
    assert values == pytest.approx(shares | {"rg-count": 2, "co": 1 / 3})


def test_shares_are_over_all_facts_of_a_system_and_the_order_is_a_mean_over_texts():
    facts = {
        ("reference", "1"): [fact("A", "1"), fact("B", "2")],
        ("reference", "2"): [fact("C", "3")],
        ("s", "1"): [fact("A", "1"), fact("B", "2")],
        ("s", "2"): [fact("X", "0", False), fact("Y", "0", False)],
    }
    found = facts_scored(facts)
    values = dict(zip(found.metrics, found.whole[:, 0], strict=True))
    assert values["cs-precision"] == 2 / 4 and values["cs-recall"] == 2 / 3
    assert values["co"] == (1 + 0) / 2 and values["rg-count"] == 1
    by_item = dict(zip(found.metrics, found.segments[:, 0], strict=True))
    assert by_item["cs-precision"].tolist() == [1, 0]


def test_a_swap_of_neighbours_is_one_step():
    assert damerau_levenshtein([0, 1, 2], [1, 0, 2]) == 1
    assert damerau_levenshtein([0, 1, 2], [0, 2]) == 1
    assert damerau_levenshtein([2, 0], [0, 1, 2]) == 3  # a swap cannot be split later
    dice = random.Random(3)
    for _ in range(200):
        first, second = ([dice.randint(0, 3) for _ in range(dice.randint(0, 5))] for _ in range(2))
        distance = damerau_levenshtein(first, second)
        assert distance == damerau_levenshtein(second, first)
        assert abs(len(first) - len(second)) <= distance <= max(len(first), len(second))


FACTS = (
    "system,item,entity,value,type,supported\n"
    "reference,1,James,30,PTS,\ns,1,James,30,PTS,1\ns,1,Love,9,PTS,0\n"
)


def test_a_file_of_facts_is_scored_at_the_command_line(tmp_path: Path, capsys):
    file, out = tmp_path / "facts.csv", tmp_path / "scores.csv"
    file.write_text(FACTS)
    assert main(["facts", str(file), "--json", "--out", str(out)]) == 0
    (found,) = json.loads(capsys.readouterr().out)["system_level"]
    assert (found["system"], found["rg-precision"], found["cs-recall"]) == ("s", 0.5, 1.0)
    assert "s,1,rg-count,1.0" in out.read_text().splitlines()


def test_problems_of_facts_have_their_places(tmp_path: Path):
    file = tmp_path / "facts.csv"
    file.write_text(FACTS + "s,1,,1,PTS,1\ns,1,Love,1,PTS,maybe\n")
    with pytest.raises(TableError) as refused:
        read_facts(file)
    assert refused.value.problems == (
        "Line 5, entity: the cell is empty.",
        'Line 6, supported: "maybe" is neither 1 nor 0.',
    )
