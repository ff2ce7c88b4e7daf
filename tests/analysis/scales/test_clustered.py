"""Clustered comparisons against statsmodels, and against what they claim."""

import numpy as np
import pytest
import scipy

from analysis.errors import Undefined
from analysis.inference import difference_variances
from analysis.scales.clustered import Within, clustered_comparison
from analysis.scales.comparison import contrasts


def judgements(seed: int = 1, size: int = 600) -> dict[str, np.ndarray]:
    """Who judged what is the same for every seed: its range quantile takes long."""
    systems, raters, items = np.random.default_rng(1).integers((4, 25, 40), size=(size, 3)).T
    rng = np.random.default_rng(seed)
    taste, fit = rng.normal(size=(25, 4)), rng.normal(size=(40, 4))
    values = taste[raters, systems] + fit[items, systems] + raters + rng.normal(size=size)
    return {"values": values, "systems": systems, "raters": raters, "items": items}


@pytest.mark.parametrize("by", ["raters", "items"])
def test_the_sandwich_equals_statsmodels(by):
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.sandwich_covariance import cov_cluster

    data = judgements()
    model = ols("values ~ C(systems) + C(raters)", pd.DataFrame(data)).fit()
    clusters = data[by]
    number = len(np.unique(clusters))
    expected = np.asarray(cov_cluster(model, clusters, use_correction=False))[1:4, 1:4]
    fit = Within.of(data["values"], data["systems"], data["raters"])
    contrasts = np.eye(4)[1:] - np.eye(4)[0]
    covariance = contrasts @ fit.bread @ fit.meat(clusters) @ fit.bread @ contrasts.T
    assert covariance * (number - 1) / number == pytest.approx(expected)
    assert fit.coefficients[1:] - fit.coefficients[0] == pytest.approx(
        model.params.iloc[1:4].to_numpy()
    )


def test_equal_systems_are_rarely_told_apart():
    """Simulated with tastes of raters and items: at most about one campaign in twenty."""
    wrong = 0
    for seed in range(100):
        data = judgements(seed)
        found = clustered_comparison(**data, labels=list("abcd"))
        wrong += any(pair.p < 0.05 for pair in found.contrasts)
    assert wrong <= 12


def test_raters_who_share_no_system_cannot_be_set_aside():
    data = judgements()
    data["raters"] = data["systems"] // 2 * 100 + data["raters"]
    with pytest.raises(Undefined, match="share no rater"):
        clustered_comparison(**data, labels=list("abcd"))


# --- each rater judges one system --------------------------------------------------------------


def judgements_between(seed=0, raters=6, items=10):
    """Three systems, each judged by its own raters on the same items."""
    rng = np.random.default_rng(seed)
    rater, item = np.divmod(np.arange(3 * raters * items), items)
    strictness = rng.normal(size=3 * raters) * np.repeat([0.5, 1, 2], raters)
    return {
        "values": strictness[rater] + rng.normal(size=items)[item] + rng.normal(size=len(rater)),
        "systems": rater // raters,
        "raters": rater,
        "items": item,
    }


def test_raters_of_one_system_each_give_the_t_of_welch_on_their_means():
    data = judgements_between()
    found = clustered_comparison(**data, labels=list("abc"), generality="raters")
    means = np.bincount(data["raters"], data["values"]).reshape(3, -1) / 10
    assert found.between
    assert found.df == 5
    for pair in found.contrasts:
        one, other = ("abc".index(name) for name in (pair.a, pair.b))
        welch = scipy.stats.ttest_ind(means[one], means[other], equal_var=False)
        assert pair.difference / pair.se == pytest.approx(welch.statistic)


def test_new_items_only_widen_what_raters_of_one_system_each_show():
    data = judgements_between()
    data["values"] += np.random.default_rng(5).normal(size=(3, 10))[data["systems"], data["items"]]
    few = clustered_comparison(**data, labels=list("abc"), generality="raters")
    both = clustered_comparison(**data, labels=list("abc"))
    assert [pair.difference for pair in both.contrasts] == [
        pair.difference for pair in few.contrasts
    ]
    assert all(one.se >= other.se for one, other in zip(both.contrasts, few.contrasts, strict=True))


def test_raters_of_one_system_each_are_counted_in_the_system_that_has_fewest():
    data = judgements_between(raters=6)
    kept = ~np.isin(data["raters"], [0, 1, 2])
    some = {name: values[kept] for name, values in data.items()}
    assert clustered_comparison(**some, labels=list("abc")).df == 2
    kept = ~np.isin(data["raters"], [0, 1, 2, 3])
    few = {name: values[kept] for name, values in data.items()}
    with pytest.raises(Undefined, match=r"fewest count\. 2 raters cannot show"):
        clustered_comparison(**few, labels=list("abc"))


def test_raters_of_one_system_each_cannot_be_told_from_their_system():
    with pytest.raises(Undefined, match="cannot be told from one between these raters"):
        clustered_comparison(**judgements_between(), labels=list("abc"), generality="items")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"raters": np.zeros(600, dtype=int)}, "1 rater cannot show"),
        ({"systems": np.zeros(600, dtype=int)}, "two systems"),
        ({"values": np.ones(600)}, "no variation"),
    ],
)
def test_incomparable_means_have_a_reason(change, reason):
    with pytest.raises(Undefined, match=reason):
        clustered_comparison(**{**judgements(), **change}, labels=list("abcd"))


def test_few_raters_do_not_make_bold_claims():
    """Five raters, equal systems, no tastes: the two-way variance alone is too small by chance.

    Without the larger of the one-way variances about a third of these campaigns claim something.
    """
    raters, items = np.divmod(np.arange(5 * 60), 60)
    claims = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=5)[raters] + rng.normal(size=60)[items] + rng.normal(size=300)
        found = clustered_comparison(values, (raters + items) % 5, list("abcde"), raters, items)
        claims += any(pair.p < 0.05 for pair in found.contrasts)
    assert claims <= 3


def test_a_difference_without_an_error_is_refused():
    """Two raters who differ alike on two systems give a covariance of rank one."""
    direction = np.array([1.0, 1.0, 2.0])
    means, names = np.array([3.0, 2.0, 1.0]), ["a", "b", "c"]
    with pytest.raises(Undefined, match="too few raters or items"):
        contrasts(
            names,
            means,
            difference_variances(np.outer(direction, direction)),
            alpha=0.05,
            df=1.0,
            higher_is_better=True,
        )
