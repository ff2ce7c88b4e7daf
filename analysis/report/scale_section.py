"""The part of a report about values on a scale: papers' analysis of variance, referee's models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from analysis.errors import RankingError, Undefined
from analysis.inference import Units, is_between_raters
from analysis.reliability.generalisability import Generalisability, generalisability
from analysis.report.options import ReportOptions
from analysis.scales.anova import Anova, Welch, factorial, group_moments, one_way, welch
from analysis.scales.clustered import ClusteredComparison, clustered_comparison
from analysis.scales.codes import distinct
from analysis.scales.mixed_model import MixedModel, fit_mixed
from analysis.scales.ordinal_model import MOST_CATEGORIES, OrdinalModel, fit_ordinal
from analysis.scales.outliers import log_magnitudes
from analysis.scales.rank_tests import (
    RankPair,
    RankTest,
    block_means,
    dunn,
    friedman,
    kruskal_wallis,
    wilcoxon_pairs,
)
from analysis.scales.tukey_hsd import Tukey, tukey
from analysis.scales.versions import blocks_of, joined_later, require_linked_versions, versions_of
from analysis.table import Column, JudgementTable
from analysis.typing import Codes, Values

from .checkpoints import Parts, computed_now

Result = TypeVar("Result")

# Wilcoxon's test goes pair by pair; beyond this many systems the pairs are no longer readable.
MOST_WILCOXON_SYSTEMS = 60
# The exact table of block means has one cell for each item and system.
MOST_BLOCK_CELLS = 20_000_000


@dataclass(frozen=True)
class ScaleSection:
    """Tests of the systems' values; a method without a result has its reason in `undefined`.

    `mixed` is value ~ system + (1|rater) + (1|item); `mixed_full` lets raters and items also
    differ in what they make of each system, with at most the degrees of freedom of
    `analysis.inference`. `clustered` is value ~ system + rater with errors clustered by rater and
    item, no model needed. `ordinal` has the effects of `mixed_full`, for scales of few points.
    """

    scale: str
    anova: Anova | None = None
    welch: Welch | None = None
    tukey: Tukey | None = None
    kruskal: RankTest | None = None
    dunn: tuple[RankPair, ...] = ()
    friedman: RankTest | None = None
    wilcoxon: tuple[RankPair, ...] = ()
    mixed: MixedModel | None = None
    mixed_full: MixedModel | None = None
    clustered: ClusteredComparison | None = None
    ordinal: OrdinalModel | None = None
    generalisability: Generalisability | None = None
    undefined: dict[str, str] = field(default_factory=dict)


class Reasons(dict[str, str]):
    """Collects why methods have no result."""

    def attempt(
        self,
        method: str,
        compute: Callable[[], Result],
        result_type: type[Result] | None = None,
        parts: Parts = computed_now,
    ) -> Result | None:
        """Compute, or keep the reason and continue. What has a `result_type` is stored."""
        try:
            return parts(method, result_type, compute)
        except (Undefined, RankingError) as why:
            self[method] = str(why)
            return None


def scale_section(
    table: JudgementTable, options: ReportOptions, higher_is_better: bool, parts: Parts
) -> ScaleSection:
    """Analyse one criterion's values (outliers already treated) in every way that applies."""
    reasons, name = Reasons(), table.criterion.labels[0]
    values, scale = table.value, "untransformed"
    if name in options.standardise:
        scale = "standardised within each rater"
    elif name in options.log_scale:
        logs = reasons.attempt("logarithm", lambda: log_magnitudes(table.value))
        if logs is not None:
            values, scale = logs, "logarithm of the value"
    systems, count = table.system.codes, len(table.system.labels)
    anova = reasons.attempt("anova", lambda: anova_of(values, table, options))
    pairs = reasons.attempt("dunn", lambda: dunn(values, systems, table.system.labels))
    groups = table.groups(options.item_groups)
    blocks = reasons.attempt("blocks", lambda: group_means(values, table, groups))
    return ScaleSection(
        scale=scale,
        anova=anova,
        welch=reasons.attempt("welch", lambda: welch(values, systems, count)),
        tukey=reasons.attempt(
            "tukey", lambda: tukey_of(values, table, options.alpha, anova, higher_is_better)
        ),
        kruskal=reasons.attempt("kruskal", lambda: kruskal_wallis(values, systems, count)),
        dunn=pairs or (),
        friedman=reasons.attempt("friedman", lambda: friedman(_require_blocks(blocks))),
        wilcoxon=reasons.attempt("wilcoxon", lambda: _wilcoxon(blocks, table)) or (),
        **compared_means(values, table, options, higher_is_better, reasons=reasons, parts=parts),
        ordinal=reasons.attempt(
            "ordinal",
            lambda: ordinal_model(values, table, options, higher_is_better),
            OrdinalModel,
            parts,
        )
        if distinct(values) <= MOST_CATEGORIES
        else None,
        generalisability=reasons.attempt(
            "generalisability",
            lambda: generalisability_of(values, table, options.alpha),
            Generalisability,
            parts,
        ),
        undefined=reasons,
    )


def compared_means(
    values: Values,
    table: JudgementTable,
    options: ReportOptions,
    higher_is_better: bool,
    *,
    reasons: Reasons,
    parts: Parts,
) -> dict[str, Any]:
    """Compare the systems' means in the three ways that allow for raters and items."""
    given = (values, table, options, higher_is_better)
    return {
        "mixed": reasons.attempt("mixed", lambda: mixed_model(*given), MixedModel, parts),
        "mixed_full": reasons.attempt(
            "mixed_full", lambda: full_mixed_model(*given), MixedModel, parts
        ),
        "clustered": reasons.attempt(
            "clustered", lambda: clustered(*given), ClusteredComparison, parts
        ),
    }


def clustered(
    values: Values, table: JudgementTable, options: ReportOptions, higher_is_better: bool
) -> ClusteredComparison:
    """Compare means with errors clustered by what claims are about; groups are taken as items."""
    require_linked_versions(table)
    return clustered_comparison(
        values,
        table.system.codes,
        table.system.labels,
        table.rater.codes,
        table.groups(options.item_groups).codes,
        alpha=options.alpha,
        generality=options.generality,
        higher_is_better=higher_is_better,
        blocks=blocks_of(table),
    )


def units_of(table: JudgementTable, options: ReportOptions) -> Units:
    """Count the raters and items, or groups of items, of judgements on one criterion."""
    items = table.groups(options.item_groups).codes
    return Units.of(table.rater.codes, items, options.generality, systems=table.system.codes)


def anova_of(values: Values, table: JudgementTable, options: ReportOptions) -> Anova:
    """Return the model that the options name; a missing factor is a reason."""
    if options.model == "one-way":
        return one_way(values, table.system.codes, len(table.system.labels))
    factors = {"system": table.system.codes}
    if options.model in ("rater", "latin"):
        factors["rater"] = table.rater.codes
    if options.model != "rater":
        for name in options.factors:
            if name not in table.factors:
                known = ", ".join(table.factors) or "none"
                raise Undefined(f"The table has no factor {name!r}; its factors are: {known}.")
            factors[name] = table.factors[name].codes
    return factorial(
        values,
        factors,
        interaction=options.model == "interaction",
        type=options.sums_of_squares,
    )


def tukey_of(
    values: Values, table: JudgementTable, alpha: float, anova: Anova | None, higher: bool
) -> Tukey:
    """Tukey's test of all pairs of systems, with the residual of the given analysis of variance."""
    if anova is None:
        raise Undefined("There is no analysis of variance to take the residual from.")
    moments = group_moments(values, table.system.codes, len(table.system.labels))
    residual = anova.residual
    return tukey(
        table.system.labels,
        moments.means,
        moments.sizes,
        residual.mean_sq,
        residual.df,
        alpha=alpha,
        higher_is_better=higher,
    )


def group_means(values: Values, table: JudgementTable, groups: Column) -> Values:
    """Mean of each system on each item or group of items, NaN where it was not judged.

    Shape (groups, systems).
    """
    shape = (len(groups.labels), len(table.system.labels))
    if shape[0] * shape[1] > MOST_BLOCK_CELLS:
        raise Undefined("There are too many items and systems for a table of their means.")
    return block_means(values, groups.codes, table.system.codes, shape)


def _require_blocks(blocks: Values | None) -> Values:
    if blocks is None:
        raise Undefined("There is no table of item means.")
    return blocks


def _wilcoxon(blocks: Values | None, table: JudgementTable) -> tuple[RankPair, ...]:
    if len(table.system.labels) > MOST_WILCOXON_SYSTEMS:
        raise Undefined(f"Wilcoxon's pairs are made for at most {MOST_WILCOXON_SYSTEMS} systems.")
    return wilcoxon_pairs(_require_blocks(blocks), table.system.labels)


def _effects(table: JudgementTable, options: ReportOptions) -> dict[str, Codes]:
    """Return effects of raters and items, and one of groups where one has several items."""
    effects = {"rater": table.rater.codes, "item": table.item.codes}
    groups = table.groups(options.item_groups)
    if len(groups.labels) < len(table.item.labels):
        effects[options.item_groups] = groups.codes
    return effects


def mixed_model(
    values: Values, table: JudgementTable, options: ReportOptions, higher_is_better: bool
) -> MixedModel:
    """Fit value ~ system + (1|rater) + (1|item), and (1|document) where items are grouped by it."""
    require_linked_versions(table)
    return fit_mixed(
        values,
        table.system.codes,
        table.system.labels,
        _effects(table, options),
        alpha=options.alpha,
        higher_is_better=higher_is_better,
        versions=versions_of(table),
    )


def full_mixed_model(
    values: Values, table: JudgementTable, options: ReportOptions, higher_is_better: bool
) -> MixedModel:
    """Add rater × system and item × system: a rater's taste for a system is not new evidence."""
    units = units_of(table, options)
    units.require()
    require_linked_versions(table)
    return fit_mixed(
        values,
        table.system.codes,
        table.system.labels,
        _effects_and_tastes(table, options),
        alpha=options.alpha,
        most_df=units.df,
        higher_is_better=higher_is_better,
        versions=versions_of(table),
    )


def _effects_and_tastes(table: JudgementTable, options: ReportOptions) -> dict[str, Codes]:
    """Return effects of raters and items, and of their products with systems where these recur."""
    systems = len(table.system.labels)
    effects = _effects(table, options)
    effects |= {
        f"{name}:system": codes.astype(np.int64) * systems + table.system.codes
        for name, codes in effects.items()
    }
    if is_between_raters(table.rater.codes, table.system.codes):
        del effects["rater:system"]  # it is the rater's
    return {name: codes for name, codes in effects.items() if distinct(codes) < len(codes)}


def ordinal_model(
    values: Values,
    table: JudgementTable,
    options: ReportOptions,
    higher_is_better: bool,
    *,
    full: bool = True,
    link: str = "logit",
) -> OrdinalModel:
    """Fit an ordinal model with the effects of the full mixed model, or of the usual one."""
    units = units_of(table, options)
    units.require()
    if later := joined_later(table):
        raise Undefined(
            f"Not judged under every version: {', '.join(later)}. Ordinal models here have no "
            "factor for the version."
        )
    return fit_ordinal(
        values,
        table.system.codes,
        table.system.labels,
        _effects_and_tastes(table, options) if full else _effects(table, options),
        alpha=options.alpha,
        most_df=units.df,
        higher_is_better=higher_is_better,
        link=link,
    )


def generalisability_of(values: Values, table: JudgementTable, alpha: float) -> Generalisability:
    """Divide the variance of the values, and say what other sizes would give."""
    if is_between_raters(table.rater.codes, table.system.codes):
        raise Undefined(
            "Each rater judged one system, so raters' strictness cannot be told from their tastes, "
            "nor what raters who judge all systems would give."
        )
    return generalisability(
        values, table.system.codes, table.rater.codes, table.item.codes, alpha=alpha
    )
