"""What must not change a ranking does not, whatever the judgements."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as some

from analysis import JudgementTable
from analysis.errors import RankingError
from analysis.ranking.bradley_terry import fit, require_estimable
from analysis.ranking.clusters import RankingOptions, resamplings_of
from analysis.ranking.pairs import count, pairs_from_table
from tests.analysis.judged import labels, rebuilt, table_of_screens, with_systems_renamed

SYSTEMS = "abcd"
SCHEMES = ("none", "pairs", "screens", "items", "raters", "raters-items")

screens = some.fixed_dictionaries(
    {
        "rater": some.sampled_from(["r1", "r2", "r3"]),
        "item": some.sampled_from(["i1", "i2"]),
        "values": some.dictionaries(
            some.sampled_from(SYSTEMS), some.integers(0, 3), min_size=2, max_size=4
        ),
    }
)
tables = some.lists(screens, min_size=3, max_size=12).map(table_of_screens)
schemes = some.sampled_from(SCHEMES)
few = settings(max_examples=30, deadline=None)


def draws(table: JudgementTable, scheme: str) -> dict[str, list[float]]:
    """Six runs of the reference procedure, by system; nothing where it cannot be ranked."""
    found: dict[str, list[float]] = {}
    for resampling in resamplings_of(
        table, RankingOptions(runs=6, resample=(scheme,), kinds=RELATIVE)
    ):
        found = dict(zip(resampling.systems, resampling.draw(0, 6).T.tolist(), strict=True))
    return found


RELATIVE = {"quality": "relative"}


def records_differ(table: JudgementTable) -> bool:
    """No two systems have the same numbers of wins, losses and ties: names never decide."""
    counts = count(pairs_from_table(table))
    records = zip(counts.wins.sum(0), counts.wins.sum(1), counts.ties.sum(0), strict=True)
    return len(set(records)) == len(table.system.labels)


def screens_have_places(table: JudgementTable) -> bool:
    """No rater has two screens of one item, which their contents alone would put in an order."""
    shown = set(zip(*(labels(table, name) for name in ("rater", "item", "screen")), strict=True))
    return len(shown) == len({(rater, item) for rater, item, _screen in shown})


@few
@given(tables, schemes, some.permutations(SYSTEMS))
def test_renaming_systems_changes_no_number(table, scheme, names):
    assume(records_differ(table))
    assume(scheme != "screens" or screens_have_places(table))
    renamed = dict(zip(SYSTEMS, names, strict=True))
    before = {renamed[name]: runs for name, runs in draws(table, scheme).items()}
    assert draws(with_systems_renamed(table, renamed), scheme) == before


@few
@given(tables, schemes, some.randoms(use_true_random=False))
def test_permuting_rows_changes_no_number(table, scheme, random):
    order = list(range(len(table)))
    random.shuffle(order)
    assert draws(table.rows(np.array(order)), scheme) == draws(table, scheme)


@few
@given(tables, schemes, some.integers(1, 1000), some.integers(-500, 500))
def test_scaling_magnitudes_and_adding_a_constant_changes_no_number(table, scheme, factor, more):
    moved = rebuilt(table, value=table.value * factor + more)
    assert draws(moved, scheme) == draws(table, scheme)


@few
@given(tables, some.sampled_from(["none", "pairs"]))
def test_merging_raters_changes_nothing_that_does_not_draw_raters(table, scheme):
    merged = rebuilt(table, rater=["together"] * len(table))
    assert draws(merged, scheme) == draws(table, scheme)


@few
@given(tables, some.permutations(SYSTEMS))
def test_bradley_terry_does_not_know_names_units_or_the_order_of_rows(table, names):
    def strengths(of: JudgementTable) -> dict[str, float]:
        counts = count(pairs_from_table(of))
        try:
            require_estimable(of.system.labels, counts)
        except RankingError:
            return {}
        ability = fit(counts).ability.round(6) + 0.0
        return dict(zip(of.system.labels, ability.tolist(), strict=True))

    renamed = dict(zip(SYSTEMS, names, strict=True))
    changed = rebuilt(
        table,
        system=[renamed[label] for label in labels(table, "system")],
        value=table.value * 3 - 1,
    ).rows(np.arange(len(table))[::-1])
    assert strengths(changed) == {renamed[name]: value for name, value in strengths(table).items()}
