"""Reports: the paper's table and the referee's, for every kind of criterion, and their edges."""

import dataclasses
import json
import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from analysis import JudgementTable, OptionsError, TableError, read_table
from analysis.ranking.clusters import LEAST_ALPHA, compute_draws, kind_of, resamplings_of
from analysis.report.bundle import report_json
from analysis.report.make import ReportOptions, make_report, with_kinds
from analysis.report.model import Report
from analysis.scales.anova import one_way
from tests.analysis.judged import rebuilt, with_systems_renamed
from tests.analysis.published import oracle_data, published
from tests.analysis.studies import (
    IDENTIFICATION,
    QUICK,
    from_rows,
    identification,
    magnitudes,
    report_of,
    sliders,
)
from tests.sources import PROJECT

pytestmark = pytest.mark.slow


def report(table: JudgementTable, **options) -> Report:
    return make_report(table, ReportOptions.from_dict({**QUICK, **options}))


def clarity(seed: int = 0) -> JudgementTable:
    """One criterion of the sliders, for what takes reports of other tables."""
    return sliders(seed).for_criterion("Clarity")


def test_scales_have_the_papers_anova_and_the_referees_models():
    found = report_of("SR11").criterion("Clarity")
    part = sliders().in_order().for_criterion("Clarity")
    assert found.kind == "scale"
    assert found.scale.anova == one_way(part.value, part.system.codes, 5)
    assert [row.system for row in found.systems] == list(found.scale.tukey.letters)
    assert found.scale.mixed.formula == "value ~ system + (1|rater) + (1|item)"
    assert "(1|rater:system)" in found.scale.mixed_full.formula
    assert found.scale.undefined == {}
    assert any("treats every judgement as independent" in text for text in found.sentences)
    assert any(text.endswith("claim these.") for text in found.sentences)


def test_times_have_their_outliers_replaced_and_counted():
    table = identification()
    found = report_of("TUNA").criterion("RT")
    values = table.for_criterion("RT").value
    beyond = np.abs(values - values.mean()) > 2 * values.std(ddof=1)
    assert found.outliers.treated == beyond.sum() > 0
    replaced = np.where(beyond, values.mean(), values)
    assert np.average(
        [row.mean for row in found.systems], weights=[row.judgements for row in found.systems]
    ) == pytest.approx(replaced.mean())
    assert [row.source for row in found.scale.anova.rows] == [
        "system",
        "entity_type",
        "system × entity_type",
        "Residual",
    ]
    assert found.systems[0].mean == min(row.mean for row in found.systems)
    assert set(found.systems[0].by_level) == {"furniture", "people"}


def test_counts_may_have_model_and_rater_as_factors():
    found = report_of("RotoWire")
    rows = found.criterion("Supp").scale.anova.rows
    assert [row.source for row in rows] == ["system", "rater", "Residual"]
    assert found.criteria[0].criterion == "Supp"  # in the order in which kinds are named


def test_relative_judgements_have_the_papers_clusters_and_the_honest_ones():
    found = report_of("E2E").criterion("quality")
    assert found.kind == "relative"
    assert list(found.ranking.rankings) == ["none", "raters-items"]
    assert found.ranking.bradley_terry is not None
    assert found.ranking.mixed_scale == "logarithm of the value"
    for shares in found.ranking.rank_shares["none"].values():
        assert sum(shares) == pytest.approx(1)
    assert sum(row.wins for row in found.ranking.win_shares) == sum(
        row.losses for row in found.ranking.win_shares
    )


def test_given_runs_are_the_same_as_runs_made_here():
    """What another worker drew in portions gives exactly the same report."""
    options = with_kinds(ReportOptions(**QUICK), magnitudes())
    draws = {
        resampling.key: np.concatenate([resampling.draw(0, 7), resampling.draw(7, 13)])
        for resampling in resamplings_of(magnitudes(), options)
    }
    assert make_report(magnitudes(), ReportOptions(**QUICK), draws) == report_of("E2E")
    assert set(draws) == set(compute_draws(resamplings_of(magnitudes(), options)))


def test_runs_of_another_shape_are_refused():
    options = with_kinds(ReportOptions(**QUICK), magnitudes())
    draws = {
        resampling.key: resampling.draw(0, 5)
        for resampling in resamplings_of(magnitudes(), options)
    }
    with pytest.raises(ValueError, match="shape"):
        make_report(magnitudes(), options, draws)
    with pytest.raises(ValueError, match="missing"):
        make_report(magnitudes(), options, {})


def test_the_e2e_coverage_percentages_are_the_published_ones():
    """All 80 of the 20 systems of the first batch; TUDA was judged in a later one."""
    table = first_batch(read_table(oracle_data("e2e-eval/human_ratings/quality.csv")))
    found = report(table.for_criterion("coverage")).criterion("coverage").categories
    expected = published("e2e-eval")["table12_human_percent"]
    assert len(found.rows) == 20
    for row in found.rows:
        shown = dict(zip(found.labels, (f"{each:.0f}" for each in row.percent), strict=True))
        assert {name: int(each) for name, each in shown.items()} == expected[row.system]


def first_batch(table: JudgementTable) -> JudgementTable:
    """Units with three judgements in which TUDA does not take part."""
    units = table.factors["unit"].codes
    tuda = np.unique(units[table.system.codes == table.system.labels.index("tuda")])
    screens = np.unique(np.stack([units, table.screen.codes]), axis=1)[0]
    thrice = np.flatnonzero(np.bincount(screens) == 3)
    return table.rows(np.isin(units, thrice) & ~np.isin(units, tuda))


def test_the_kind_of_a_criterion_is_guessed():
    options = ReportOptions()
    assert kind_of(magnitudes(), "quality", options.kinds) == "relative"
    assert kind_of(magnitudes(), "coverage", options.kinds) == "category"
    assert kind_of(sliders(), "Clarity", options.kinds) == "scale"


def test_excluding_raters_shows_the_ranking_before_and_after():
    found = report(clarity(), exclude_raters=["r0"])
    changes = found.criterion("Clarity").exclusion
    assert [row.rank_before for row in changes] == [1, 2, 3, 4, 5]
    assert {row.rank_after for row in changes} == {1, 2, 3, 4, 5}
    assert found.data.excluded == 20
    assert "r0" not in {rater.rater for rater in found.raters}
    assert report_of("SR11").criterion("Clarity").exclusion == ()


def test_excluded_rows_do_not_count():
    table = clarity()
    flags = np.array([table.rater.labels[code] == "r5" for code in table.rater.codes])
    marked = dataclasses.replace(table, excluded=flags)
    assert (
        report(marked).criteria[0].systems
        == report(table, exclude_raters=["r5"]).criteria[0].systems
    )


def test_unknown_raters_and_factors_are_named():
    with pytest.raises(TableError, match="no rater 'nobody'"):
        report(clarity(), exclude_raters=["nobody"])
    found = report(clarity(), factors=["colour"], model="interaction").criterion("Clarity")
    assert "no factor 'colour'" in found.scale.undefined["anova"]


def test_the_signature_names_what_decides_the_numbers():
    first = report(magnitudes())
    assert first.signature == report_of("E2E").signature
    assert first == report_of("E2E")
    alike = {"kinds": {"Clarity": "category"}}  # the kind that takes least
    signatures = [
        report(clarity(), **alike).signature,
        report(clarity(), **alike, alpha=0.01).signature,
        report(clarity(seed=1), **alike).signature,
        report(clarity(), **alike, seed=2).signature,
        first.signature,
    ]
    assert len(set(signatures)) == len(signatures)
    titled = report(clarity(), **alike, title="T")
    assert titled.title == "T" and titled.signature == signatures[0]
    assert "seed:1" in first.signature and first.data.sha256[:16] in first.signature


EDGES = {
    "one system": [("r", f"i{k}", "s", "q", k, f"x{k}") for k in range(5)],
    "one rater": [("r", f"i{k}", f"s{k % 2}", "q", k, f"x{k}") for k in range(6)],
    "one item": [(f"r{k}", "i", f"s{k % 2}", "q", k, f"x{k}") for k in range(6)],
    "constant": [(f"r{k % 3}", f"i{k}", f"s{k % 2}", "q", 4, f"x{k}") for k in range(8)],
    "one judgement": [("r", "i", "s", "q", 1, "x")],
    "ties only": [
        (f"r{k}", f"i{k}", f"s{s}", "q", 100, f"x{k}") for k in range(4) for s in range(3)
    ],
    "never met": [
        (f"r{k}", f"i{k}", f"s{2 * (k % 2) + s}", "q", s + k, f"x{k}")
        for k in range(6)
        for s in range(2)
    ],
    "negative magnitudes": [
        (f"r{k}", f"i{k}", f"s{s}", "q", s - 1 + k / 10, f"x{k}")
        for k in range(4)
        for s in range(3)
    ],
    "separated": [(f"r{k}", f"i{k}", f"s{s}", "q", s, f"x{k}") for k in range(4) for s in range(3)],
}


# Counts are analysed as scales are, with the sentence of errors on ranks.
@pytest.mark.parametrize("kind", ["relative", "scale", "error", "category", "time"])
@pytest.mark.parametrize("case", sorted(EDGES))
def test_every_table_has_a_report_of_every_kind_without_nan(case, kind):
    found = report(from_rows(EDGES[case]), kinds={"q": kind})
    text = json.dumps(found.as_dict(), allow_nan=False)
    assert ReportOptions.from_dict(json.loads(text)["options"]).kinds == {"q": kind}
    section = found.criteria[0].scale or found.criteria[0].ranking
    for reason in (section.undefined if section is not None else {}).values():
        assert len(reason) > 20
    for each in found.criteria[0].agreement:
        assert (each.value is None) == bool(each.reason)


def test_empty_tables_make_no_report():
    rows = [(f"r{k}", "i", "s", "q", 1e200, "x") for k in range(3)]
    with pytest.raises(TableError, match="3 values are beyond"):
        report(from_rows(rows))
    tiny = [(f"r{k}", "i", "s", "q", k * 1e-300, "x") for k in range(3)]
    with pytest.raises(TableError, match="values of q differ by less than 1e-100"):
        report(from_rows(tiny))
    nobody = dataclasses.replace(sliders(), excluded=np.ones(len(sliders()), dtype=bool))
    with pytest.raises(TableError, match="No judgement is left"):
        report(nobody)


def test_names_of_systems_change_no_number():
    names = {f"sys{old}": f"sys{new}" for old, new in enumerate((3, 0, 4, 1, 2))}
    renamed = with_systems_renamed(clarity(), names)
    before, after = (
        each.criterion("Clarity")
        for each in (report_of("SR11"), report(renamed, agreement_resamples=0))
    )
    assert [row.mean for row in after.systems] == pytest.approx(
        [row.mean for row in before.systems]
    )
    assert pytest.approx(before.scale.anova.rows[0].F) == after.scale.anova.rows[0].F
    assert [pair.p for pair in after.scale.mixed.contrasts] == pytest.approx(
        [pair.p for pair in before.scale.mixed.contrasts], abs=1e-5
    )
    assert sorted(after.scale.tukey.letters.values()) == sorted(before.scale.tukey.letters.values())


def test_another_scale_changes_no_test():
    moved = dataclasses.replace(clarity(), value=clarity().value * 10 + 500)
    before, after = (
        each.criterion("Clarity").scale
        for each in (report_of("SR11"), report(moved, agreement_resamples=0))
    )
    assert pytest.approx(before.anova.rows[0].F) == after.anova.rows[0].F
    assert after.kruskal == before.kruskal
    assert after.tukey.letters == before.tukey.letters
    assert [pair.p for pair in after.clustered.contrasts] == pytest.approx(
        [pair.p for pair in before.clustered.contrasts], abs=1e-9
    )


def test_options_report_all_problems_at_once():
    with pytest.raises(OptionsError) as problems:
        ReportOptions(
            alpha=2, runs=0, model="spline", kinds={"q": "colour"}, outliers={"q": "burn"}
        )
    assert len(problems.value.problems) == 5
    with pytest.raises(OptionsError) as problems:
        ReportOptions.from_dict({"speed": 1, "seed": "x", "factors": "a", "kinds": ["b"]})
    assert len(problems.value.problems) == 4


def test_options_survive_json():
    options = ReportOptions.from_dict({**QUICK, **IDENTIFICATION, "categories": {"c": ["x", "y"]}})
    assert ReportOptions.from_dict(json.loads(json.dumps(options.as_dict()))) == options


@cache
def watched() -> tuple[list[float], set[int]]:
    """The progress of a report, and how many threads linear algebra has meanwhile."""
    shares: list[float] = []
    threads = set()

    def look(share: float) -> None:
        shares.append(share)
        pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
        threads.update(pool["num_threads"] for pool in pools)

    with threadpool_limits(limits=2, user_api="blas"):
        make_report(clarity(), ReportOptions(**QUICK), progress=look)
    return shares, threads


def test_progress_goes_from_nothing_to_all():
    shares, _ = watched()
    assert shares[0] == 0 and shares[-1] == 1 and shares == sorted(shares)


def test_linear_algebra_has_one_thread_while_a_report_is_made():
    """So that its digits are the same on any number of cores."""
    _, threads = watched()
    assert threads == {1}


IN_A_NEW_PROCESS = """
from threadpoolctl import threadpool_info
from analysis import ReportOptions, make_report, read_table
threads = {}
def look(share):
    threads.update((pool["filepath"], pool["num_threads"]) for pool in threadpool_info())
table = read_table("docs/example/judgements.csv")
make_report(table, ReportOptions(runs=20, agreement_resamples=20), progress=look)
print(sorted(threads.values()))
"""


def test_the_first_report_of_a_process_limits_also_what_it_loads_itself():
    """The libraries of numpy and of scipy; scipy's is loaded by the first report."""
    command = [sys.executable, "-c", IN_A_NEW_PROCESS]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    printed = subprocess.run(
        command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=True
    )
    assert printed.stdout == "[1, 1]\n"


def test_mappings_by_criterion_may_be_pairs():
    pairs = [["writing", "scale"], ["a", "count"], ["preference", "relative"]]
    options = ReportOptions.from_dict({"kinds": pairs, "categories": [["c", ["no", "yes"]]]})
    assert list(options.kinds) == ["writing", "a", "preference"]
    assert options.categories == {"c": ("no", "yes")}
    assert ReportOptions.from_dict(json.loads(json.dumps(options.as_pairs()))) == options


@pytest.mark.parametrize("kinds", [[["a", "scale"], ["a", "count"]], [["a"]], ["a"], [1]])
def test_pairs_that_name_no_kinds_are_refused(kinds):
    with pytest.raises(OptionsError, match="kinds must be a kind for each criterion"):
        ReportOptions.from_dict({"kinds": kinds})


@pytest.mark.parametrize(
    "wrong",
    [{"alpha": 1e-300}, {"alpha": 1.0}, {"outlier_width": 1e308}, {"outlier_width": float("inf")}],
)
def test_options_that_lead_beyond_all_numbers_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(OptionsError, match=f"{name} must be"):
        ReportOptions.from_dict(wrong)


@pytest.mark.parametrize("study", [clarity, magnitudes], ids=["scale", "relative"])
def test_the_extreme_levels_that_are_allowed_give_finite_numbers(study):
    for alpha in (LEAST_ALPHA, 1 - 1e-9):
        made = report(study(), alpha=alpha, agreement_resamples=0)
        json.dumps(dataclasses.asdict(made), allow_nan=False)


def test_a_number_that_is_not_finite_is_null_and_a_sentence_says_so():
    made = report_of("SR11")
    row = dataclasses.replace(made.criteria[0].systems[0], mean=float("-inf"), sd=float("nan"))
    broken = dataclasses.replace(made.criteria[0], systems=(row,))
    document = json.loads(report_json(dataclasses.replace(made, criteria=(broken,))))
    assert document["criteria"][0]["systems"][0]["mean"] is None
    assert document["criteria"][0]["systems"][0]["sd"] is None
    assert "2 numbers are not given" in document["sentences"][-1]
    assert "not given" not in json.loads(report_json(made))["sentences"][-1]


def test_choices_are_not_called_magnitudes():
    dice, choices = np.random.default_rng(4), (-1.0, 0.0, 0.5, 1.0)
    rows = [
        (f"r{screen % 5}", f"i{screen % 8}", f"sys{system}", "q", dice.choice(choices), f"{screen}")
        for screen in range(40)
        for system in range(3)
    ]
    found = report(from_rows(rows), kinds={"q": "relative"}).criterion("q").ranking
    assert found.mixed_scale == "untransformed"
    assert "logarithm" not in found.undefined


def test_magnitudes_without_a_logarithm_are_still_counted():
    table = magnitudes(coverage=False)
    values = table.value.copy()
    values[:3] = 0
    found = report(rebuilt(table, value=values)).criterion("quality").ranking
    assert "3 magnitudes" in found.undefined["logarithm"]


# --- what few raters and items can claim -------------------------------------------------------

CLAIMS = ("claim these", "base a claim", "no difference can be claimed")


def compared() -> JudgementTable:
    return magnitudes(coverage=False)


def of_the_first(table: JudgementTable, *, raters: int = 99, items: int = 99) -> JudgementTable:
    return rebuilt(table.rows((table.rater.codes < raters) & (table.item.codes < items)))


def sentences_of(table: JudgementTable, **options) -> str:
    (criterion,) = report(table, runs=100, **options).criteria
    return " ".join(criterion.sentences)


@pytest.mark.parametrize("study", [compared, clarity])
@pytest.mark.parametrize(
    ("few", "about"),
    [
        ({"raters": 1}, "both"),
        ({"raters": 2}, "raters"),
        ({"items": 1}, "items"),
    ],
)
def test_below_three_units_no_sentence_tells_anybody_to_claim_something(study, few, about):
    said = sentences_of(of_the_first(study(), **few), generality=about)
    assert not any(claim in said for claim in CLAIMS), said
    assert said.count("claim nothing about the systems beyond") == 1
    assert "1 raters" not in said and "1 items" not in said


@pytest.mark.parametrize("study", [compared, clarity])
@pytest.mark.parametrize(
    ("few", "about", "beyond"),
    [
        ({"raters": 3}, "both", "for new raters and new items"),
        ({"items": 2}, "raters", "for new raters of these items"),
        ({"raters": 2}, "items", "for new items and these raters"),
    ],
)
def test_from_three_units_on_the_report_says_what_may_be_claimed(study, few, about, beyond):
    said = sentences_of(of_the_first(study(), **few), generality=about)
    assert any(claim in said for claim in CLAIMS)
    assert beyond in said
    assert "claim nothing about" not in said


def with_raters(raters: int, items: int = 10, *, equal: bool = False) -> JudgementTable:
    """Relative judgements of a good, a fair and a poor system, or of three equal ones."""
    rng = np.random.default_rng(3)
    rows = [
        (f"r{r}", f"i{i}", system, "q", rng.normal() + (0 if equal else 3 * k), f"{r}-{i}")
        for r in range(raters)
        for i in range(items)
        for k, system in enumerate(("poor", "fair", "good"))
    ]
    return from_rows(rows)


@pytest.mark.parametrize(("raters", "items", "about", "claimed"), [
    (8, 10, "both", "With whole raters and items resampled (8 raters and 10 items) there are 3"),
    (8, 5, "both", "claim none of its boundaries"),
    (8, 5, "raters", "claim these boundaries for new raters of these items"),
    (5, 10, "items", "claim these boundaries for new items and these raters"),
])  # fmt: skip
def test_clusters_are_claimed_from_six_units_on(raters, items, about, claimed):
    said = sentences_of(with_raters(raters, items), kinds={"q": "relative"}, generality=about)
    assert claimed in said
    assert ("claim these boundaries" in said) != ("claim none of its boundaries" in said)


def test_equal_systems_have_no_boundary_to_claim():
    said = sentences_of(with_raters(8, equal=True), kinds={"q": "relative"})
    assert "no boundary can be claimed for new raters and new items" in said
    assert "claim these" not in said


def test_an_empty_resampling_is_the_published_one_and_that_of_the_claims():
    assert ReportOptions().resample == ("none", "raters-items")
    assert ReportOptions(generality="items").resample == ("none", "items")
    with pytest.raises(OptionsError, match="no generality 'all'"):
        ReportOptions(generality="all")
