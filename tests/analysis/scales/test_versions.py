"""Systems that joined later: what links them with the others, and what nothing can tell apart."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.report.options import ReportOptions
from analysis.report.scale_section import clustered, full_mixed_model, mixed_model, ordinal_model
from analysis.scales.mixed_equations import DenseEquations, SparseEquations
from analysis.scales.mixed_model import fit_mixed
from analysis.scales.versions import version_sentences
from analysis.table import JudgementTable
from rankme.designs.growth import Growth
from rankme.designs.plan import DesignRequest
from rankme.designs.registry import checked_options, draw, grow

pytestmark = pytest.mark.slow

OPTIONS = ReportOptions()
ITEMS, OLD, NEW, RATERS = 24, 3, 2, 6


def campaign(seed: int, mixed: int, shift: float = 0.0) -> JudgementTable:
    """All systems are equal; the raters of the extension are more lenient by `shift`.

    Six raters judge three systems, and six others what the design `complete` draws for two more.
    """
    options = checked_options("complete", {})
    plan = draw("complete", ITEMS, OLD, options, RATERS, seed=seed)
    request = DesignRequest(
        ITEMS, OLD + NEW, options, RATERS, seed,
        np.ones((ITEMS, OLD + NEW), dtype=bool), np.zeros(ITEMS, dtype=np.int64),
    )  # fmt: skip
    growth = Growth(request, plan.items, plan.systems, plan.batch_sizes, ITEMS, OLD, mixed)
    added = grow("complete", growth)
    rng = np.random.default_rng([seed, mixed])
    item = np.concatenate([np.tile(each.items, RATERS) for each in (plan, added)])
    system = np.concatenate([np.tile(each.systems[:, 0], RATERS) for each in (plan, added)])
    version = np.repeat([1, 2], [RATERS * len(plan.items), RATERS * len(added.items)])
    rater = np.concatenate(
        [np.repeat(np.arange(RATERS), len(plan.items)),
         np.repeat(np.arange(RATERS, 2 * RATERS), len(added.items))]
    )  # fmt: skip
    value = rng.normal(0, 0.7, len(item)) + shift * (version == 2)
    value += rng.normal(0, 0.4, 2 * RATERS)[rater] + rng.normal(0, 0.5, ITEMS)[item]
    value += rng.normal(0, 0.2, (2 * RATERS, OLD + NEW))[rater, system]
    columns = {"rater": rater, "item": item, "system": system, "version": version}
    return JudgementTable.from_columns(
        {
            **{name: [f"{name[0]}{code:02}" for code in codes] for name, codes in columns.items()},
            "screen": [f"{number}" for number in range(len(item))],
            "criterion": ["quality"] * len(item),
            "value": value,
        }
    )


def without_version(table: JudgementTable) -> JudgementTable:
    return replace(table, factors={})


def false_claims_and_bias(fit, tables):
    """The share of tables with a false claim, and the mean difference of new and old systems."""
    claims, differences = [], []
    for table in tables:
        found = fit(table.value, table, OPTIONS, True)
        claims.append(any(row.p < OPTIONS.alpha for row in found.contrasts))
        means = {each.system: each.mean for each in found.means}
        new, old = ([means[f"s{s:02}"] for s in codes] for codes in ((3, 4), (0, 1, 2)))
        differences.append(np.mean(new) - np.mean(old))
    return np.mean(claims), np.mean(differences), np.std(differences) / len(differences) ** 0.5


def test_only_mixed_batches_and_the_version_tell_new_systems_from_new_raters():
    """Raters who joined with the new systems are more lenient by one point; all are equal.

    Ignoring that is the negative control, with and without systems in common.
    """
    apart = [campaign(seed, 0, shift=1.0) for seed in range(8)]
    mixed = [campaign(seed, 25, shift=1.0) for seed in range(16)]
    naive, bias, error = false_claims_and_bias(full_mixed_model, map(without_version, apart))
    assert naive > 0.3 and abs(bias - 1) < 4 * error
    for table in apart[:3]:
        for fit in (clustered, mixed_model, full_mixed_model):
            with pytest.raises(Undefined, match=r"s00, s01, s02 \| s03, s04\. A difference"):
                fit(table.value, table, OPTIONS, True)
    for fit in (clustered, full_mixed_model):
        claims, bias, error = false_claims_and_bias(fit, mixed)
        assert claims <= 0.2, "with 16 campaigns, .05 + three standard errors"
        assert abs(bias) < 3.5 * error
    assert error < 0.07
    _, naive, _ = false_claims_and_bias(
        lambda values, table, *rest: fit_mixed(
            values, table.system.codes, table.system.labels, {"item": table.item.codes}
        ),
        mixed[:4],
    )
    assert naive > 0.5, "what models without raters and versions see"


def test_a_report_says_what_links_the_versions_or_what_is_confounded():
    (said,) = version_sentences(campaign(1, 25))
    assert "Not judged under every version of the campaign: s03, s04." in said
    assert "6 of 12 raters judged systems of both kinds under one version" in said
    (said,) = version_sentences(campaign(1, 0))
    assert "s00, s01, s02 | s03, s04" in said and "Claim no such difference" in said
    table = campaign(1, 25)
    assert list(version_sentences(without_version(table))) == []
    assert list(version_sentences(table.rows(table.system.codes < 3))) == []


def test_ordinal_models_refuse_systems_that_joined_later():
    table = campaign(1, 25)
    table = replace(table, value=np.clip(np.round(table.value) + 3, 1, 5))
    with pytest.raises(Undefined, match="Ordinal models here have no factor"):
        ordinal_model(table.value, table, OPTIONS, True)
    ordinal_model(table.value, without_version(table), OPTIONS, True)


@pytest.mark.parametrize("kind", [DenseEquations, SparseEquations])
def test_a_model_with_versions_solves_generalised_least_squares(kind):
    """Against the textbook's formulas with whole matrices: Searle, Casella & McCulloch (1992)."""
    table = campaign(2, 25).rows(np.arange(0, 816, 5))
    codes = {"rater": table.rater.codes, "item": table.item.codes}
    random = {name: np.unique(each, return_inverse=True)[1] for name, each in codes.items()}
    versions, systems = table.factors["version"].codes, table.system.codes
    built = kind.of(table.value, systems, random, versions)
    theta = np.array([0.7, 1.3])
    solution = built.solve(theta)
    X = np.column_stack([np.eye(OLD + NEW)[systems], versions - versions.mean()])
    V = np.eye(len(table))
    for each, ratio in zip(random.values(), theta, strict=True):
        V += ratio**2 * (each[:, None] == each[None, :])
    W = np.linalg.inv(V)
    bread = np.linalg.inv(X.T @ W @ X)
    beta = bread @ X.T @ W @ table.value
    rest = table.value - X @ beta
    free = len(table) - X.shape[1]
    variance = rest @ W @ rest / free
    determinants = np.linalg.slogdet(V)[1] + np.linalg.slogdet(X.T @ W @ X)[1]
    assert built.fixed == X.shape[1]
    assert np.allclose(solution.coefficients, beta[:-1])
    assert np.allclose(solution.covariance, (variance * bread)[:-1, :-1])
    assert solution.deviance == pytest.approx(
        determinants + free * (1 + np.log(2 * np.pi * variance))
    )


def test_the_formula_names_the_version_only_where_there_are_several():
    table = campaign(3, 25)
    found = mixed_model(table.value, table, OPTIONS, True)
    assert found.formula == "value ~ system + version + (1|rater) + (1|item)"
    one = table.rows(table.factors["version"].codes == 0)
    assert "version" not in mixed_model(one.value, one, OPTIONS, True).formula
