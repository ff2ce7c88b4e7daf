"""Agreement beyond chance: the mechanism's numbers, who is credited by it, and who is not."""

from itertools import permutations

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.robustness.peer_agreement import (
    BINS,
    agreeing,
    correlated_agreement,
    peer_agreement,
    thirds,
)
from analysis.robustness.permutations import permuted_sums
from benchmarks.peer_agreement import KINDS, kind_of, scored, study


def score(values, output, item, rater, *, ranked=lambda _: ["a"], seed=1):
    names = [f"r{each}" for each in range(int(rater.max()) + 1)]
    return peer_agreement(
        values, (output, item), rater, names, ranked=ranked, rng=np.random.default_rng(seed)
    )


def by_rater(found):
    return {each.rater: each for each in found.raters}


def test_answers_go_together_that_meet_more_often_than_by_chance():
    """By hand: margins .5, .3, .2, so that chance gives .25, .15, .10 | .09, .06 | .04."""
    pairs = np.array([[30, 15, 5], [15, 9, 6], [5, 6, 9]])
    assert agreeing(pairs).tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]


def test_the_score_is_the_bonus_less_the_penalty():
    """By hand: two answers, signs of agreement on the diagonal, four outputs with one peer.

    The rater says 0 0 1 1, the peer 0 0 1 0. The same output: 3 of 4. Of the 12 pairs of different
    outputs, the rater's 0 meets the peer's 0 in 2 + 2 of 6, and the rater's 1 meets 1 in 1 of 6.
    """
    peer = np.array([0, 0, 1, 0])
    table = np.eye(2)[peer]
    assert correlated_agreement(table, np.array([0, 0, 1, 1])) == pytest.approx(3 / 4 - 5 / 12)


def by_definition(values, output, rater, who):
    """The mean over all bonus tasks, peers and penalty tasks, one after another."""
    said = {(r, o): v for r, o, v in zip(rater, output, values, strict=True)}
    raters, kinds = sorted(set(rater) - {who}), sorted(set(values))
    joint = {(a, b): 0 for a in kinds for b in kinds}
    for one, other in permutations(raters, 2):
        for o in set(output):
            if (one, o) in said and (other, o) in said:
                joint[said[one, o], said[other, o]] += 1
    whole = sum(joint.values())
    margin = {a: sum(joint[a, b] for b in kinds) for a in kinds}
    agree = {(a, b): float(joint[a, b] * whole > margin[a] * margin[b]) for a, b in joint}
    peers = {o: [r for r in raters if (r, o) in said] for o in set(output) if (who, o) in said}
    shared = [o for o in peers if peers[o]]

    def met(mine, theirs):
        return np.mean([agree[said[who, mine], said[r, theirs]] for r in peers[theirs]])

    bonus = np.mean([met(o, o) for o in shared])
    return bonus - np.mean([met(one, other) for one, other in permutations(shared, 2)])


def test_scores_are_those_of_the_definition():
    """Where raters see different outputs, and some of them alone."""
    values, output, item, rater = study(3, "5 points", 80)
    seen = np.random.default_rng(2).random(len(values)) < 0.7
    parts = [each[seen] for each in (values, output, item, rater)]
    found = score(*parts)
    for name, each in by_rater(found).items():
        right = by_definition(*(parts[k].tolist() for k in (0, 1, 3)), int(name[1:]))
        assert each.score == pytest.approx(right)


def test_names_of_answers_and_the_order_of_rows_do_not_count():
    values, output, item, rater = study(1, "5 points", 40)
    plain = by_rater(score(values, output, item, rater))
    shuffled = np.random.default_rng(5).permutation(len(values))
    assert by_rater(score(*(each[shuffled] for each in (values, output, item, rater)))) == plain
    renamed = np.array([0, 4, 2, 5, 1, 3])[values.astype(int)].astype(float)
    other = by_rater(score(renamed, output, item, rater))
    assert {name: each.score for name, each in other.items()} == pytest.approx(
        {name: each.score for name, each in plain.items()}
    )


def test_lines_are_cut_into_thirds_of_each_raters_own_ranks():
    cut = thirds(np.array([1.0, 2, 3, 90, 91, 91, 50, 50, 50]), np.array([0, 3, 6, 9]))
    assert cut.tolist() == [0, 1, 2, 0, 2, 2, 1, 1, 1]
    assert score(*study(1, "a line", 40)).bins == BINS
    assert score(*study(1, "5 points", 40)).bins == 0


def arrangements(items, draws, seed=1):
    """The answers 0, 1, 2 … at each place: their worth is a digit of its own, to the base 8."""
    number = len(items)
    table = np.arange(number) * 8.0 ** np.arange(number)[:, None]
    sums = permuted_sums(table, np.arange(number), np.array(items), draws, seed).astype(int)
    return sums[:, None] // 8 ** np.arange(number) % 8


def test_permutations_keep_whole_items_together_and_are_equally_likely():
    drawn = arrangements([7, 7, 8, 8, 9], 8000)
    assert (np.sort(drawn, axis=1) == np.arange(5)).all() and (drawn[:, 4] == 4).all()
    assert {tuple(sorted(each)) for each in drawn[:, :2].tolist()} == {(0, 1), (2, 3)}
    times = np.unique(drawn, axis=0, return_counts=True)[1]
    assert len(times) == 8
    assert ((times - 1000) ** 2 / 1000).sum() < 24.3  # the 99.9th percentile of χ²(7)


def test_items_of_several_sizes_are_exchanged_among_their_like():
    drawn = arrangements([3, 1, 3, 2, 1, 4, 3], 20_000)
    assert {tuple(sorted(each)) for each in drawn[:, [3, 5]].tolist()} == {(3, 5)}
    assert {tuple(sorted(each)) for each in drawn[:, [0, 2, 6]].tolist()} == {(0, 2, 6)}
    times = np.unique(drawn, axis=0, return_counts=True)[1]
    assert len(times) == 2 * 6 * 2  # the single ones, the three, and the two of item 1
    assert ((times - 20_000 / 24) ** 2 / (20_000 / 24)).sum() < 49.7  # of χ²(23)


def test_more_permutations_begin_with_the_same_ones():
    assert (arrangements([1, 1, 2, 2], 50)[:20] == arrangements([1, 1, 2, 2], 20)).all()
    assert (arrangements([1, 1, 2, 2], 50) != arrangements([1, 1, 2, 2], 50, seed=2)).any()


@pytest.mark.slow
@pytest.mark.parametrize("answers", ["a line", "yes or no, 85 % yes"])
def test_raters_who_do_not_look_are_not_credited_and_a_naive_measure_credits_them(answers):
    """The draws are fixed; .05 plus 2.5 standard errors."""
    campaigns, credited, equal = 60, {kind: [] for kind in (*KINDS, "careful")}, []
    for seed in range(campaigns):
        for each in scored(seed, answers, 80).raters:
            credited[kind_of(each.rater)].append(each.agrees)
            if kind_of(each.rater) == "common prior":
                equal.append(each.naive > 1 / (3 if answers == "a line" else 2) + 0.05)
    for kind in KINDS:
        assert np.mean(credited[kind]) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / campaigns), kind
    assert np.mean(credited["careful"]) > (0.8 if answers == "a line" else 0.3)
    if answers != "a line":  # where the prior says something
        assert np.mean(equal) == 1


def test_answers_by_the_screen_pass_if_permutations_ignore_items():
    """The guard of permuting whole items: without it, one value a screen is credited too often."""

    def credited(with_items: bool) -> float:
        found = []
        for seed in range(60):
            values, output, item, rater = study(seed, "a line", 80)
            easy = 3 * np.random.default_rng([seed, 9]).normal(size=20)[item]
            values = np.where(rater < len(KINDS), values, values + easy)
            result = score(values, output, item if with_items else output, rater)
            found.append(by_rater(result)["r1"].agrees)
        return np.mean(found)

    assert credited(True) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 60) < credited(False)


def test_the_order_without_raters_is_that_of_the_others():
    asked = []

    def ranked(raters):
        asked.append(raters.tolist())
        return ["a", "b", "c"] if len(asked) == 1 else ["b", "a", "c"]

    found = score(*study(4, "a line", 160), ranked=ranked)
    left_out = {int(each.rater[1:]) for each in found.others}
    assert {0, 1, 2} <= left_out
    assert asked == [list(range(12)), sorted(set(range(12)) - left_out)]
    assert [(each.system, each.rank, each.rank_without) for each in found.systems] == [
        ("a", 1, 2), ("b", 2, 1), ("c", 3, 3),
    ]  # fmt: skip


def test_an_order_that_cannot_be_made_without_them_is_refused_with_the_reason():
    def ranked(raters):
        if len(raters) < 12:
            raise Undefined("There is one rater.")
        return ["a"]

    found = score(*study(4, "a line", 160), ranked=ranked)
    assert (found.systems, found.undefined) == ((), "There is one rater.")


def test_there_is_no_order_where_nobody_is_found_to_agree():
    values, output, item, rater = study(1, "a line", 40)
    noise = np.random.default_rng(12).normal(size=len(values))
    found = score(noise, output, item, rater)
    assert len(found.others) == 12
    assert (found.systems, found.undefined) == ((), "Fewer than two raters are left without them.")


def test_too_few_raters_or_outputs_are_refused():
    values, output, item, rater = study(1, "a line", 80)
    with pytest.raises(Undefined, match="needs 4 raters or more; there are 3"):
        score(*(each[rater < 3] for each in (values, output, item, rater)))
    with pytest.raises(Undefined, match="No rater judged 40 outputs that others judged"):
        score(*(each[output < 39] for each in (values, output, item, rater)))
    with pytest.raises(Undefined, match=r"At a level of 0\.001, 999 permutations cannot show"):
        peer_agreement(
            values, (output, item), rater, [str(each) for each in range(12)], alpha=0.001,
            ranked=lambda _: [], rng=np.random.default_rng(1),
        )  # fmt: skip
    alone = output * 12 + rater  # each rater has outputs of their own
    with pytest.raises(Undefined, match="No rater judged 40 outputs that others judged"):
        score(values, alone, item, rater)


def test_raters_with_few_outputs_are_neither_scored_nor_left_out():
    values, output, item, rater = study(1, "a line", 80)
    few = (rater != 0) | (output < 20)
    kept = []

    def ranked(raters):
        kept.append(set(raters.tolist()))
        return ["a"]

    found = score(*(each[few] for each in (values, output, item, rater)), ranked=ranked)
    assert found.too_few == 1 and "r0" not in by_rater(found)
    assert all(0 in each for each in kept)
