"""Rankings in clusters are the same however their runs are split, and say what they rest on."""

import numpy as np
import pytest

from analysis import OptionsError, RankingError
from analysis.ranking.clusters import (
    SIDE_BY_SIDE,
    RankingOptions,
    compute_draws,
    kind_of,
    rank_criterion,
    ranking_from_draws,
    refusals,
    resamplings_of,
)
from analysis.ranking.drawers import DRAWERS
from analysis.ranking.rank_ranges import cluster_ends, published_cut, ranges_of_ranks, ranks
from analysis.ranking.resampling import SCHEMES
from analysis.report.options import ReportOptions
from analysis.report.ranking_section import runs_for
from tests.analysis.judged import rebuilt, simulated, table_of_screens


def one_resampling(**options):
    (resampling,) = resamplings_of(simulated(), RankingOptions(**{"runs": 12, **options}))
    return resampling


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("method", ["wmt", "bradley-terry"])
def test_runs_give_the_same_numbers_however_they_are_split(method, scheme):
    resampling = one_resampling(method=method, resample=(scheme,))
    whole = resampling.draw(0, 12)
    parts = [resampling.draw(7, 5), resampling.draw(0, 3, threads=2), resampling.draw(3, 4)]
    assert np.array_equal(np.concatenate([parts[1], parts[2], parts[0]]), whole)
    assert len(np.unique(whole, axis=0)) == (
        1 if (method, scheme) == ("bradley-terry", "none") else 12
    )


def test_all_draws_of_a_table_have_their_key_and_report_progress():
    heard = []
    options = RankingOptions(runs=12, resample=("none", "raters"))
    resamplings = resamplings_of(simulated(), options)
    draws = compute_draws(resamplings, threads=2, progress=heard.append)
    assert list(draws) == ["quality/wmt/none", "quality/wmt/raters"]
    assert np.array_equal(draws["quality/wmt/none"], resamplings[0].draw(0, 12))
    assert heard == sorted(heard)
    assert heard[-1] == 1


@pytest.fixture
def portions(monkeypatch):
    """The portions of runs that were really drawn."""
    drawn = []

    def recording(pairs, scheme):
        draw = wmt_drawer(pairs, scheme)
        return lambda seed, runs: drawn.append(runs) or draw(seed, runs)

    wmt_drawer = DRAWERS["wmt"]
    monkeypatch.setitem(DRAWERS, "wmt", recording)
    return drawn


def test_cancelling_stops_the_runs(portions):
    def interrupt(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one_resampling().draw(0, 40_000, progress=interrupt)
    assert 0 < len(portions) < 40_000 / SIDE_BY_SIDE


def test_a_report_that_fails_stops_its_runs(portions):
    options = ReportOptions(runs=40_000, resample=("none", "raters"))
    with pytest.raises(KeyboardInterrupt), runs_for(simulated(), options, None):
        raise KeyboardInterrupt
    assert len(portions) < 40_000 / SIDE_BY_SIDE


def test_another_seed_gives_other_runs():
    assert not np.array_equal(one_resampling(seed=1).draw(0, 3), one_resampling(seed=2).draw(0, 3))
    assert np.isfinite(one_resampling(seed=-5).draw(0, 1)).all()
    assert np.isfinite(one_resampling(seed=2**70).draw(0, 1)).all()


@pytest.mark.parametrize("method", ["order", "k-player"])
def test_passes_in_given_order_find_the_simulated_order(method):
    table = simulated(screens=400)
    options = RankingOptions(method=method, runs=2, resample=("raters",))
    ranking = rank_criterion(table, "quality", options)
    assert ranking.systems[0].system in ("system0", "system1")
    assert ranking.systems[-1].system in ("system3", "system4")


def test_rank_ranges_cut_the_runs_at_both_ends():
    scores = np.zeros((200, 2))
    scores[:, 0] = 1
    scores[:5, 0] = -1  # 5 = ⌈200 · 0.05 / 2⌉ runs are cut
    low, high = ranges_of_ranks(*ranks(scores), published_cut(0.05, 200))
    assert (low.tolist(), high.tolist()) == ([1, 2], [1, 2])
    scores[:6, 0] = -1
    low, high = ranges_of_ranks(*ranks(scores), published_cut(0.05, 200))
    assert (low.tolist(), high.tolist()) == ([1, 1], [2, 2])


def test_equal_scores_share_their_ranks():
    low, high = ranks(np.array([[3.0, 1.0, 3.0, 0.0]]))
    assert low.tolist() == [[1, 3, 1, 4]]
    assert high.tolist() == [[2, 3, 2, 4]]


def test_a_cluster_ends_above_ranks_that_do_not_reach_it():
    low = np.array([1, 2, 2, 4])
    high = np.array([1, 3, 3, 4])
    assert cluster_ends(low, high).tolist() == [True, False, True, True]


def test_ties_only_make_one_cluster():
    screens = [{"rater": "r", "item": str(n), "values": dict.fromkeys("abc", 50)} for n in range(9)]
    ranking = rank_criterion(table_of_screens(screens), "quality", RankingOptions(runs=20))
    assert [row.cluster for row in ranking.systems] == [1, 1, 1]
    assert {(row.rank_low, row.rank_high, row.mean) for row in ranking.systems} == {(1, 3, 0.0)}


def test_one_rater_can_be_drawn_only_as_he_is():
    table = rebuilt(simulated(), rater=["only"] * 360)
    plain, drawn = resamplings_of(table, RankingOptions(runs=5, resample=("none", "raters")))
    assert np.array_equal(plain.draw(0, 5), drawn.draw(0, 5))


@pytest.mark.slow
def test_a_clear_cut_is_certain_and_an_unclear_one_is_not():
    screens = [
        {"rater": "r", "item": str(n), "values": {"best": 9, "even": n % 2, "odd": 1 - n % 2}}
        for n in range(200)
    ]
    ranking = rank_criterion(table_of_screens(screens), "quality", RankingOptions())
    best, middle, last = ranking.systems
    assert (best.system, best.cluster, best.cut_share) == ("best", 1, 1.0)
    assert (middle.cluster, last.cluster) == (2, 2)
    assert middle.cut_share < 0.1


def test_pairs_that_never_met_are_said():
    screens = [
        {"rater": "r", "item": f"{n}{pair}", "values": {pair[0]: n % 3, pair[1]: 1}}
        for n in range(30)
        for pair in ("ab", "bc")
    ]
    ranking = rank_criterion(table_of_screens(screens), "quality", RankingOptions(runs=5))
    assert ranking.unmet == (("a", "c"),)


def test_unrankable_criteria_are_refused_with_a_reason():
    screens = [
        {"rater": "r", "item": pair, "values": {pair[0]: 1, pair[1]: 2}} for pair in ("ab", "cd")
    ]
    table = table_of_screens(screens)
    assert resamplings_of(table, RankingOptions()) == ()
    reason = "never compared with each other: a, b; c, d"
    assert reason in refusals(table, RankingOptions())["quality"]
    with pytest.raises(RankingError, match=f"quality: .*{reason}"):
        rank_criterion(table, "quality", RankingOptions())


def test_the_signature_names_excluded_raters():
    table = simulated()
    options = RankingOptions(runs=3, exclude_raters=("rater0",))
    ranking = rank_criterion(table, "quality", options)
    assert ranking.comparisons == 315
    assert '|exclude:["rater0"]|' in ranking.signature
    marked = rebuilt(table, excluded=table.rater.codes == 0)
    assert rank_criterion(marked, "quality", RankingOptions(runs=3)).systems == ranking.systems


def test_kinds_are_given_or_guessed():
    relative, single = simulated(), simulated(shown=1)
    assert kind_of(relative, "quality", {}) == "relative"
    assert kind_of(single, "quality", {}) == "scale"
    assert kind_of(relative, "quality", {"quality": "scale"}) == "scale"
    assert resamplings_of(relative, RankingOptions(kinds={"quality": "scale"})) == ()


def test_lower_values_win_where_they_are_better():
    table = simulated()
    turned = rebuilt(table, value=-table.value)
    options = RankingOptions(runs=5, lower_is_better=("quality",))
    lower, plain = (
        rank_criterion(turned, "quality", options),
        rank_criterion(table, "quality", RankingOptions(runs=5)),
    )
    assert lower.systems == plain.systems
    assert "|lower:better|" in lower.signature
    assert "|lower:" not in plain.signature


def test_options_list_all_their_problems():
    with pytest.raises(OptionsError) as refused:
        RankingOptions(
            method="elo", runs=0, resample=("dice",), alpha=2, kinds={"quality": "taste"}
        )
    assert len(refused.value.problems) == 5
    with pytest.raises(OptionsError, match="whole screens"):
        RankingOptions(method="k-player", resample=("pairs",))


def test_means_are_of_the_draws_that_were_given():
    resampling = one_resampling()
    draws = np.tile(np.array([5.0, 3.0, 4.0, 1.0, 2.0]), (12, 1))
    ranking = ranking_from_draws(resampling, draws)
    assert [row.system[-1] for row in ranking.systems] == list("02143")
    assert [row.mean for row in ranking.systems] == [5, 4, 3, 2, 1]
    assert [row.cluster for row in ranking.systems] == [1, 2, 3, 4, 5]
