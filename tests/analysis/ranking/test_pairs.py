"""Every two outputs on a screen are one comparison."""

import numpy as np
import pytest

from analysis import JudgementTable, RankingError, TableError
from analysis.ranking.pairs import (
    LOSS,
    TIE,
    WIN,
    count,
    pairs_from_table,
    require_comparable,
    unmet,
)
from tests.analysis.judged import rebuilt, simulated, table_of_screens


def test_a_screen_of_k_values_gives_all_its_pairs_and_equal_values_tie():
    table = table_of_screens([{"rater": "r", "item": "i", "values": {"a": 5, "b": 5, "c": 9}}])
    pairs = pairs_from_table(table)
    found = zip(pairs.first.tolist(), pairs.second.tolist(), pairs.outcome.tolist(), strict=True)
    assert list(found) == [(0, 1, TIE), (0, 2, LOSS), (1, 2, LOSS)]


def test_screens_of_different_sizes_keep_their_order():
    table = table_of_screens(
        [
            {"rater": "r", "item": "i", "values": {"b": 2, "c": 1}},
            {"rater": "r", "item": "j", "values": {"a": 1}},
            {"rater": "r", "item": "k", "values": {"a": 3, "b": 2, "c": 1}},
            {"rater": "r", "item": "l", "values": {"c": 2, "a": 1}},
        ]
    )
    pairs = pairs_from_table(table)
    assert pairs.first.tolist() == [1, 0, 0, 1, 2]
    assert pairs.second.tolist() == [2, 1, 2, 2, 0]
    assert set(pairs.outcome.tolist()) == {WIN}


def test_the_same_screen_name_of_two_raters_is_two_screens():
    columns = {"item": ["i"] * 4, "criterion": ["c"] * 4, "screen": ["1"] * 4}
    table = JudgementTable.from_columns(
        {**columns, "rater": list("rrss"), "system": list("abab"), "value": [1, 2, 2, 1]}
    )
    assert len(pairs_from_table(table)) == 2


def test_numbers_of_many_items_are_kept():
    many = 33_000  # more than 16 bits hold
    items = [f"i{number:05}" for number in np.repeat(range(many), 2)]
    table = JudgementTable.from_columns(
        {
            "rater": ["r"] * 2 * many,
            "item": items,
            "system": ["a", "b"] * many,
            "criterion": ["c"] * 2 * many,
            "screen": items,
            "value": [1, 2] * many,
        }
    )
    pairs = pairs_from_table(table)
    assert np.array_equal(pairs.item, np.arange(many))
    assert np.array_equal(count(pairs).wins, [[0, 0], [many, 0]])


def test_pairs_come_from_one_criterion():
    table = simulated()
    mixed = rebuilt(table, criterion=["x"] * 180 + ["y"] * 180)
    with pytest.raises(TableError, match="the table has x, y"):
        pairs_from_table(mixed)


def test_counts_agree_with_a_plain_loop():
    pairs = pairs_from_table(simulated(3))
    counts = count(pairs)
    wins, ties = np.zeros((5, 5)), np.zeros((5, 5))
    for a, b, outcome in zip(pairs.first, pairs.second, pairs.outcome, strict=True):
        if outcome == TIE:
            ties[a, b] += 1
            ties[b, a] += 1
        else:
            wins[(a, b) if outcome == WIN else (b, a)] += 1
    assert np.array_equal(counts.wins, wins)
    assert np.array_equal(counts.ties, ties)
    assert counts.met.sum() == 2 * len(pairs)


def test_groups_that_never_met_are_named():
    table = table_of_screens(
        [
            {"rater": "r", "item": "i", "values": {"a": 1, "b": 2}},
            {"rater": "r", "item": "j", "values": {"c": 1, "d": 2}},
        ]
    )
    pairs = pairs_from_table(table)
    with pytest.raises(RankingError, match=r"never compared with each other: a, b; c, d\."):
        require_comparable(pairs.systems, count(pairs))
    assert unmet(pairs.systems, count(pairs)) == (("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"))


def test_one_system_cannot_be_ranked():
    table = table_of_screens([{"rater": "r", "item": "i", "values": {"a": 1}}])
    pairs = pairs_from_table(table)
    with pytest.raises(RankingError, match="at least two systems"):
        require_comparable(pairs.systems, count(pairs))
