"""Rankings that were published come out of their judgements again."""

import pytest

from analysis.ranking.clusters import Ranking, RankingOptions, rank_criterion
from analysis.ranking.pairs import TIE, pairs_from_table
from tests.analysis.published import e2e_quality, gec_rankings, published, wmt15_rankings

pytestmark = pytest.mark.slow

# Fewer runs than the 1,000 of the product are noisier, and so no easier to agree with. Only the
# ranges of the grammar corrections, which have to be the published ones exactly, need them all.
FEWER = 400


def ranges(ranking: Ranking) -> dict[str, tuple[int, int]]:
    return {row.system: (row.rank_low, row.rank_high) for row in ranking.systems}


def published_ranges(rows) -> dict[str, tuple[int, int]]:
    return {row["system"]: (row["rank_lo"], row["rank_hi"]) for row in rows}


def clusters(rows) -> set[frozenset[str]]:
    """The clusters as sets of systems, out of (system, cluster) rows."""
    rows = list(rows)
    return {frozenset(s for s, c in rows if c == cluster) for _, cluster in rows}


def our_clusters(ranking: Ranking) -> set[frozenset[str]]:
    return clusters((row.system, row.cluster) for row in ranking.systems)


def published_clusters(rows) -> set[frozenset[str]]:
    return clusters((row["system"], row["cluster"]) for row in rows)


def mean_differences(ranking: Ranking, rows) -> list[float]:
    theirs = {row["system"]: row["trueskill"] for row in rows}
    return [abs(row.mean - theirs[row.system]) for row in ranking.systems]


def test_grammar_correction_2015_has_its_13_ranges_and_6_clusters():
    table, rows = gec_rankings(), published("gec-grundkiewicz-2015")["trueskill"]
    pairs = pairs_from_table(table)
    assert (len(pairs), int((pairs.outcome == TIE).sum())) == (109_098, 59_117)
    ranking = rank_criterion(table, "rank", RankingOptions(runs=1000))
    assert ranges(ranking) == published_ranges(rows)
    assert our_clusters(ranking) == published_clusters(rows)
    assert max(mean_differences(ranking, rows)) < 0.002


@pytest.mark.parametrize("pair", ["fre-eng", "eng-fre", "eng-fin", "fin-eng"])
def test_wmt15_has_its_means_ranges_and_clusters(pair):
    table = wmt15_rankings(*pair.split("-"))
    rows = published("wmt15")["clusters"][pair]
    ranking = rank_criterion(table, "rank", RankingOptions(runs=FEWER))
    assert ranking.comparisons == published("wmt15")["pairs"][pair]
    assert max(mean_differences(ranking, rows)) < 0.01
    theirs = published_ranges(rows)
    assert all(
        abs(low - theirs[system][0]) <= 1 and abs(high - theirs[system][1]) <= 1
        for system, (low, high) in ranges(ranking).items()
    )
    assert our_clusters(ranking) == published_clusters(rows)


def test_e2e_quality_has_the_means_of_the_rerun():
    """The released file is not quite what was published: these figures are our own rerun's."""
    ranking = rank_criterion(e2e_quality(), "quality", RankingOptions(runs=FEWER))
    assert ranking.comparisons == 29_790
    means = {row.system: row.mean for row in ranking.systems}
    for system, mean in {"tuda": 0.307, "slug": 0.266, "forge3": -0.109}.items():
        assert means[system] == pytest.approx(mean, abs=0.005)
    differences = mean_differences(ranking, published("e2e-eval")["quality"])
    assert sum(differences) / 21 == pytest.approx(0.011, abs=0.001)
    assert max(differences) == pytest.approx(0.079, abs=0.005)
