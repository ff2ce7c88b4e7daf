"""Rankings that were published come out of their judgements again."""

from dataclasses import asdict

import pytest

from analysis.ranking.clusters import Ranking, RankingOptions, rank_criterion
from analysis.ranking.pairs import TIE, pairs_from_table
from tests.analysis.published import e2e_quality, gec_rankings, published, wmt15_rankings

pytestmark = pytest.mark.slow

# Fewer runs than the 1,000 of the product are noisier, and so no easier to agree with. Only the
# ranges of the grammar corrections, which have to be the published ones exactly, need them all.
FEWER = 400


def clusters(rows) -> set[frozenset[str]]:
    """The clusters as sets of systems."""
    return {frozenset(r["system"] for r in rows if r["cluster"] == row["cluster"]) for row in rows}


def compared(ranking: Ranking, published_rows) -> tuple[list[float], list[int], bool]:
    """How far means and ends of ranges are from the published ones, and if clusters are equal."""
    rows, theirs = ranking.systems, {row["system"]: row for row in published_rows}
    means = [abs(row.mean - theirs[row.system]["trueskill"]) for row in rows]
    ends = [abs(row.rank_low - theirs[row.system]["rank_lo"]) for row in rows]
    ends += [abs(row.rank_high - theirs[row.system]["rank_hi"]) for row in rows]
    return means, ends, clusters([asdict(row) for row in rows]) == clusters(published_rows)


def test_grammar_correction_2015_has_its_13_ranges_and_6_clusters():
    table, rows = gec_rankings(), published("gec-grundkiewicz-2015")["trueskill"]
    pairs = pairs_from_table(table)
    assert (len(pairs), int((pairs.outcome == TIE).sum())) == (109_098, 59_117)
    ranking = rank_criterion(table, "rank", RankingOptions(runs=1000))
    means, ends, are_equal = compared(ranking, rows)
    assert max(means) < 0.002 and max(ends) == 0 and are_equal


@pytest.mark.parametrize("pair", ["eng-fre", "fin-eng"])
def test_wmt15_has_its_means_ranges_and_clusters(pair):
    table = wmt15_rankings(*pair.split("-"))
    rows = published("wmt15")["clusters"][pair]
    ranking = rank_criterion(table, "rank", RankingOptions(runs=FEWER))
    assert ranking.comparisons == published("wmt15")["pairs"][pair]
    means, ends, are_equal = compared(ranking, rows)
    assert max(means) < 0.01 and max(ends) <= 1 and are_equal


def test_e2e_quality_has_the_means_of_the_rerun():
    """The released file is not quite what was published: these figures are our own rerun's."""
    ranking = rank_criterion(e2e_quality(), "quality", RankingOptions(runs=FEWER))
    assert ranking.comparisons == 29_790
    means = {row.system: row.mean for row in ranking.systems}
    for system, mean in {"tuda": 0.307, "slug": 0.266, "forge3": -0.109}.items():
        assert means[system] == pytest.approx(mean, abs=0.005)
    differences, _, _ = compared(ranking, published("e2e-eval")["quality"])
    assert sum(differences) / 21 == pytest.approx(0.011, abs=0.001)
    assert max(differences) == pytest.approx(0.079, abs=0.005)
