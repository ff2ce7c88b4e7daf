"""Items of one document are alike: what draws or clusters by documents, and what happens if not."""

import numpy as np
import pytest

from analysis.errors import TableError
from analysis.ranking.clusters import resamplings_of
from analysis.report.make import make_report
from analysis.report.options import ReportOptions
from analysis.report.scale_section import clustered, group_means, mixed_model
from analysis.scales.rank_tests import wilcoxon_pairs
from analysis.spans.model import MarkedOutput, SpanTable
from analysis.spans.scoring import SegmentScore, score_systems
from analysis.table import JudgementTable
from tests.analysis.judged import from_rows

ITEMS = ReportOptions(runs=50, agreement_resamples=50, resample=("none", "items"))
DOCUMENTS = ReportOptions(
    runs=50, agreement_resamples=50, resample=("none", "items"), item_groups="document"
)


def judged(seed, *, documents=20, segments=6, raters=6, alike=1.0):
    """Two equal systems; what a document makes of each of them is the same in all its segments."""
    rng = np.random.default_rng(seed)
    taste = rng.normal(0, alike, (documents, 2))
    difficulty = rng.normal(0, 0.5, (documents, segments))
    shape = (raters, documents, segments, 2)
    noise = rng.normal(size=shape)
    rows = []
    for r, d, s, k in np.ndindex(shape):
        value = taste[d, k] + difficulty[d, s] + noise[r, d, s, k]
        rows.append((f"r{r}", f"{d:02}/{s}", "AB"[k], "quality", value, f"{r} {d}/{s}", f"{d:02}"))
    return from_rows(rows, "document")


@pytest.mark.slow
def test_clustering_by_documents_keeps_the_level_and_by_items_does_not():
    """5 % expected; of 100 studies, 12 % is three standard errors above."""
    tables = [judged(seed, documents=16, segments=8, raters=10) for seed in range(100)]

    def found_apart(options):
        tests = [clustered(table.value, table, options, True) for table in tables]
        return np.mean([test.contrasts[0].p < 0.05 for test in tests])

    assert found_apart(DOCUMENTS) <= 0.12
    assert found_apart(ITEMS) >= 0.3


def test_wilcoxons_test_of_document_means_keeps_the_level():
    tables = [judged(seed, raters=1) for seed in range(60)]

    def found_apart(groups):
        means = [group_means(table.value, table, table.groups(groups)) for table in tables]
        return np.mean([wilcoxon_pairs(each, ("A", "B"))[0].p < 0.05 for each in means])

    assert found_apart("document") <= 0.14
    assert found_apart("") >= 0.25


@pytest.mark.slow
def test_the_interval_of_a_penalty_covers_it_as_often_as_it_says():
    def covers(by_document, seed):
        rng = np.random.default_rng(seed)
        means = rng.normal(5, 2, 30)
        segments = [
            SegmentScore("A", f"{document}", f"{document}/{n}", 1, 0, None, means[document] + error)
            for document in range(30)
            for n, error in enumerate(rng.normal(0, 1, 6))
        ]
        table = SpanTable((MarkedOutput("r", "A", "0/0"),))
        (system,) = score_systems(segments, table, seed=seed, by_document=by_document)
        return system.low <= 5 <= system.high

    by_documents = np.mean([covers(True, seed) for seed in range(200)])
    by_items = np.mean([covers(False, seed) for seed in range(200)])
    assert 0.89 <= by_documents <= 0.985
    assert by_items <= 0.75


def test_the_model_has_an_effect_of_the_document_where_it_has_several_items():
    table = judged(3, documents=8, raters=3)
    by_document = mixed_model(table.value, table, DOCUMENTS, True)
    assert by_document.formula == "value ~ system + (1|rater) + (1|item) + (1|document)"
    one_each = judged(3, documents=8, segments=1, raters=3)
    alone = mixed_model(one_each.value, one_each, DOCUMENTS, True)
    assert alone.formula == "value ~ system + (1|rater) + (1|item)"
    assert alone == mixed_model(one_each.value, one_each, ITEMS, True)


def test_a_resampling_of_items_draws_documents():
    table = judged(5, raters=3)
    _, resampling = resamplings_of(table, DOCUMENTS)
    assert len(resampling.pairs.items) == 20
    _, alone = resamplings_of(table, ITEMS)
    assert len(alone.pairs.items) == 120
    assert resampling.draw(0, 100).std(axis=0).mean() > 1.4 * alone.draw(0, 100).std(axis=0).mean()


def test_a_report_says_what_it_draws_and_nothing_changes_without_documents():
    table = judged(5, documents=7, raters=3)
    report = make_report(table, DOCUMENTS)
    (criterion,) = report.criteria
    assert any("belong to 7 groups (document)" in text for text in criterion.sentences)
    assert any("over documents" in text for text in criterion.sentences)
    assert "item_groups:document" in report.signature
    before = make_report(table, ITEMS)
    assert "item_groups" not in before.signature
    assert not any("document" in text for text in before.criteria[0].sentences)


def test_groups_that_items_do_not_keep_are_refused():
    table = judged(5, documents=3, raters=2)
    with pytest.raises(TableError, match="no factor 'book'"):
        table.groups("book")
    torn = {"rater": "rr", "item": "ii", "system": "AB", "criterion": "cc", "value": [1, 2]}
    torn |= {"screen": "st", "document": "de"}
    columns = {name: list(cells) for name, cells in torn.items()}
    with pytest.raises(TableError, match="Items differ in the factor"):
        JudgementTable.from_columns(columns).groups("document")
