"""Each preset, rated by a simulated cohort of its paper's size, reports its paper's table."""

import pytest

from analysis.report.layout.report_tables import CriterionTables, correlation_table, tables_of
from analysis.report.layout.scale_tables import overview_table
from analysis.report.layout.table_model import Table
from analysis.report.model import Report
from analysis.report.stored import read_report
from rankme.models import AnalysisRun, Assignment, Batch, Judgement, Participant
from rankme.protocols.files import preset
from tests.analysis.studies import without_mixed_models
from tests.experiments.cohorts import abilities, launched, number_from_one, rate, report_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
HARDWARE = "10 to 40 ms"
# The pictures and mixed models of a full cohort, of the preset that has most. Those of each preset
# are made for test_cohort_over_http.py, and for the tables of such experiments in
# tests/analysis/report. No table of a paper has anything of either.
WHOLE = "e2e-quality"


SEED = 1


def run_of(name: str, raters: int) -> AnalysisRun:
    """The same numbers in any order of the tests: from one seed, and from numbers of rows from 1.

    With any seeds, a cohort might agree on one system in every pair, which has no Bradley–Terry
    model.
    """
    number_from_one(Batch, Participant, Assignment)
    campaign = launched(name, definition=preset(name).model_copy(update={"seed": SEED}))
    assert rate(campaign, at_once=True) == raters
    if name == WHOLE:
        return report_of(campaign, pictures=("svg",))
    with without_mixed_models():
        return report_of(campaign, pictures=())


def stored(run: AnalysisRun) -> Report:
    return read_report(run.result["report"])


def criteria(run: AnalysisRun) -> dict[str, CriterionTables]:
    return {found.name: found for found in tables_of(stored(run), run.timed_out)}


def titles(table: Table) -> list[str]:
    return [column.title for column in table.columns]


def named(tables: list[Table], name: str) -> Table:
    return next(table for table in tables if table.name == name)


def sources(table: Table) -> dict[str, tuple[str, ...]]:
    return {row.cells[0]: tuple(cell for cell, _, _ in cells[1:]) for row, cells in table.lines}


def ranked_as_they_are(run: AnalysisRun, systems: list[str]) -> float:
    """How far the order agrees with the qualities that the raters were given."""
    from scipy.stats import kendalltau

    truth = abilities(run.campaign)
    return kendalltau([-truth[system] for system in systems], range(len(systems))).statistic


def test_e2e_quality_has_table_11_and_the_shares_of_table_12():
    """Dušek, Novikova & Rieser (2020): cluster, TrueSkill mean, range, system.

    Naturalness has the same plan (test_plans.py) and the same table.
    """
    run = run_of("e2e-quality", raters=96)
    found = criteria(run)
    (table,) = found["quality"].paper
    assert titles(table) == ["Cluster", "Score", "Ranks", "System"]
    assert len(table.rows) == 21
    clusters = [int(row.cells[0]) for row in table.rows if row.begins]
    assert clusters == list(range(1, len(clusters) + 1)) and len(clusters) > 3
    assert ranked_as_they_are(run, [row.cells[3] for row in table.rows]) > 0.8
    assert "18900 pairs" in found["quality"].sentences[0]
    (coverage,) = found["coverage"].paper
    assert titles(coverage) == ["System", "OK %", "A %", "M %", "A+M %", "n"]
    assert {row.cells[5] for row in coverage.rows} == {450}
    assert all(sum(map(float, row.cells[1:5])) == pytest.approx(100, abs=0.3)
               for row in coverage.rows)  # fmt: skip
    shares = [float(row.cells[1]) for row in coverage.rows]
    assert shares == sorted(shares, reverse=True), "sorted by OK, as in Table 12"


def test_e2e_coverage_has_table_12_with_the_slot_error_rate():
    run = run_of("e2e-coverage", raters=96)
    found = criteria(run)
    (table,) = found["coverage"].paper
    assert titles(table) == ["System", "OK %", "A %", "M %", "A+M %", "n"]
    assert len(table.rows) == 21
    errors = named(found["coverage_slot_error_rate"].paper, "means")
    rates = [float(row.cells[1]) for row in errors.rows]
    assert rates == sorted(rates), "the fewest errors stand on top"


@pytest.mark.parametrize(
    ("name", "raters", "df"), [("sr11-shallow", 5, ("4", "495")), ("sr11-deep", 6, ("2", "297"))]
)
def test_sr11_has_its_f_ratios_means_and_homogeneous_subsets(name, raters, df):
    """Belz et al. (2011), Tables 8 and 9; F(4, 495) is the paper's, too."""
    run = run_of(name, raters)
    found = criteria(run)
    assert set(found) == {"clarity", "readability", "meaning_similarity"}
    for each in found.values():
        anova = sources(named(each.paper, "anova"))
        assert (anova["system"][0], anova["Residual"][0]) == df
        assert anova["system"][4] == "< .001"
        means = named(each.paper, "means")
        assert titles(means)[:4] == ["System", "Mean", "SD", "n"]
        assert means.rows[0].cells[0] == "Corpus" and means.rows[-1].cells[0] == "Dill"
    overview = overview_table(stored(run))
    means = [column.group for column in overview.columns if column.title == "Mean"]
    assert means == list(found)
    assert titles(overview).count("Subsets") == 3


def test_tuna08_has_tables_11_and_12_and_its_tests():
    """Gatt, Belz & Kow (2008), section 4.3.2."""
    run = run_of("tuna08-identification", raters=24)
    found = criteria(run)
    assert list(found) == ["reading_time", "identification", "identification_time"]
    for name in ("reading_time", "identification_time"):
        each, facts = found[name], dict(found[name].facts)
        late = Judgement.objects.filter(criterion__name=name, value=None).count()
        assert late > 0 and facts["Excluded because time ran out"] == str(late)
        assert facts["Judgements"] == f"{1440 - late:,}"
        assert "replaced by the overall mean" in facts["Outliers"]
        assert int(facts["Outliers"].partition(" ")[0]) > 10
        means = named(each.paper, "means")
        assert titles(means)[:6] == ["System", "furniture", "people", "both", "SD", "n"]
        assert len(means.rows) == 12 and any(HARDWARE in note for note in means.notes)
        anova = sources(named(each.paper, "anova"))
        assert list(anova) == ["system", "entity_type", "system × entity_type", "Residual"]
        assert [anova[source][0] for source in anova] == ["11", "1", "11", f"{1440 - late - 24}"]
    errors = found["identification"]
    assert titles(named(errors.paper, "means"))[:4] == [
        "System", "furniture %", "people %", "both %"]  # fmt: skip
    test = named(errors.paper, "tests").rows[0].cells
    assert test[0].startswith("Kruskal") and (test[1], test[3]) == ("χ²", 11)
    overview = overview_table(stored(run))
    assert len(overview.columns) == 1 + 6 + 4 + 6 and any(HARDWARE in n for n in overview.notes)
    correlations = [row.cells for row in correlation_table(stored(run).correlations).rows]
    pearson = [cells for cells in correlations if cells[2:4] == ("pearson", "system")]
    assert len(pearson) == 3 and {cells[6] for cells in pearson} == {12}


def test_rotowire_facts_has_model_and_rater_as_factors():
    """Wiseman, Shieber & Rush (2017), Table 3 and section 6.2: p < .01."""
    run = run_of("rotowire-facts", raters=60)
    assert run.options["alpha"] == 0.01
    found = criteria(run)
    for each in found.values():
        anova = sources(named(each.paper, "anova"))
        assert list(anova) == ["system", "rater", "Residual"] and anova["rater"][0] == "59"
        assert "at 0.01" in " ".join(each.sentences)
    assert titles(overview_table(stored(run)))[::3][:2] == [
        "System",
        "Subsets",
    ]
    contradicted = run.result["report"]["criteria"]
    assert [each["higher_is_better"] for each in contradicted] == [True, False]


def test_rotowire_ordering_has_model_and_rater_as_factors():
    run = run_of("rotowire-ordering", raters=45)
    (each,) = criteria(run).values()
    assert list(sources(named(each.paper, "anova"))) == ["system", "rater", "Residual"]
    means = named(each.paper, "means")
    assert means.rows[0].cells[0] == "Gold"
    assert all(1 <= float(row.cells[1]) <= 7 for row in means.rows)


def test_direct_assessment_ranks_by_z_of_each_rater():
    run = run_of("direct-assessment", raters=8)
    (each,) = criteria(run).values()
    means = named(each.paper, "means")
    assert titles(means)[:4] == ["System", "Mean z", "Mean", "SD"]
    scores = [float(row.cells[1]) for row in means.rows]
    assert scores == sorted(scores, reverse=True) and min(scores) < 0 < max(scores)


@pytest.mark.parametrize(
    ("name", "criterion"), [("pairwise-preference", "preference"), ("best-worst", "choice")]
)
def test_preferences_are_ranked_with_both_tables(name, criterion):
    run = run_of(name, raters=6)
    found = criteria(run)[criterion]
    assert titles(found.paper[0]) == ["Cluster", "Score", "Ranks", "System"]
    assert {"ranking-raters-items", "bradley-terry"} <= {table.name for table in found.honest}
    assert ranked_as_they_are(run, [row.cells[3] for row in found.paper[0].rows]) > 0.5
