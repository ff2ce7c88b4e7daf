"""The part of a report about how fragile its answer is."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any

import numpy as np

from analysis.errors import Undefined
from analysis.meta_evaluation.compared import Compared
from analysis.ranking.pairs import Pairs, compared_rows
from analysis.reliability.generalisability import Generalisability
from analysis.report.options import ReportOptions
from analysis.robustness.agreement_range import AgreementRange, agreement_range
from analysis.robustness.assistance import (
    SECONDS,
    Assistance,
    assistance,
    has_held_out,
    seconds_on_screens,
)
from analysis.robustness.covariates import (
    ControlledRanking,
    Estimated,
    Property,
    controlled_ranking,
    pairs_with_covariates,
    values_with_covariates,
)
from analysis.robustness.cycles import Cycles, cycles
from analysis.robustness.drift import Drift, Fitted, drift, fitted_pairs, fitted_values
from analysis.robustness.influence import ComparedPairs, ComparedValues, Influence, influence
from analysis.robustness.more_units import MoreUnits, more_units_of_pairs, more_units_of_values
from analysis.robustness.order_effects import (
    OrderEffects,
    Trend,
    bins_of,
    places_of,
    shares_of_work,
    trend_of,
)
from analysis.robustness.peer_agreement import PeerAgreement, peer_agreement
from analysis.robustness.scale_use import ScaleUse, scale_use
from analysis.scales.versions import VERSION, blocks_of, versions_of
from analysis.spans.judged import has_marks, numbers_of_marks
from analysis.table import ORDER, POSITION, JudgementTable
from analysis.typing import Codes, Values

from .effect_section import best_first, pairs_of, side_by_side_of
from .scale_section import Reasons, ScaleSection

# Names of checks where they are not those of their fields.
CHECKS = {"scale_use": "scale-use", "more_units": "more-units", "agreement": "agreement-range"}
LENGTHS = ("characters", "tokens")  # metrics that say how long an output is


@dataclass(frozen=True)
class RobustnessSection:
    """What would change the answer; a check without a result has its reason in `undefined`."""

    influence: Influence | None = None
    covariates: ControlledRanking | None = None
    cycles: Cycles | None = None
    order: OrderEffects | None = None
    scale_use: ScaleUse | None = None
    peers: PeerAgreement | None = None
    more_units: MoreUnits | None = None
    drift: Drift | None = None
    agreement: AgreementRange | None = None
    assistance: Assistance | None = None
    undefined: dict[str, str] = field(default_factory=dict)

    def results(self) -> dict[str, Any]:
        """Return the results that there are, by the name of their check."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        del found["undefined"]
        return {CHECKS.get(name, name): result for name, result in found.items() if result}


@dataclass(frozen=True, eq=False)
class Judged:
    """One criterion's judgements, as they are analysed, and what else decides the checks.

    `scale` is whether values are on a scale whose ends mean something. `made` are the pairs of
    relative judgements where somebody has made them, because those of a large table fill memory.
    """

    part: JudgementTable
    options: ReportOptions
    higher: bool
    relative: bool
    scale: bool
    unit: str
    generalisability: Generalisability | None = None
    made: Pairs | None = None

    @classmethod
    def of(
        cls,
        part: JudgementTable,
        options: ReportOptions,
        kind: str,
        higher: bool,
        scale: ScaleSection | None,
        *,
        made: Pairs | None,
    ) -> Judged:
        """Take the judgements as the sections of a report do."""
        if scale is None:
            return cls(
                part, options, higher, relative=True, scale=False, unit="log-odds", made=made
            )
        unit = {"logarithm of the value": "logarithm", "untransformed": "value"}.get(
            scale.scale, "SDs of a rater"
        )
        return cls(
            part, options, higher, relative=False, scale=kind == "scale" and unit == "value",
            unit=unit, generalisability=scale.generalisability,
        )  # fmt: skip

    @property
    def items(self) -> Codes:
        return self.part.groups(self.options.item_groups).codes

    @property
    def values(self) -> Values:
        return self.part.value if self.higher else -self.part.value

    @property
    def blocks(self) -> Codes:
        found = blocks_of(self.part)
        return self.part.rater.codes if found is None else found

    @cached_property
    def pairs(self) -> Pairs:
        """Compare the outputs of each screen; refuse where no screen has two."""
        found = self.made
        if found is None:
            found = pairs_of(self.part, self.options, self.higher)
        if not len(found):
            raise Undefined("No rater saw two systems on one screen.")
        return found


def robustness_section(judged: Judged, compared: Compared | None = None) -> RobustnessSection:
    """Check one criterion's answer in every way that applies.

    Parameters
    ----------
    judged : the criterion's judgements
    compared : scores of metrics, among which properties of outputs are looked for
    """
    reasons = Reasons()
    has_versions = versions_of(judged.part) is not None
    return RobustnessSection(
        influence=reasons.attempt("influence", lambda: influence(_model(judged))),
        covariates=reasons.attempt("covariates", lambda: covariates_of(judged, compared)),
        cycles=reasons.attempt("cycles", lambda: cycles_of(judged)),
        order=reasons.attempt("order", lambda: order_of(judged)),
        scale_use=reasons.attempt("scale-use", lambda: _scale_use(judged))
        if judged.scale
        else None,
        peers=reasons.attempt("peers", lambda: peers_of(judged)),
        more_units=reasons.attempt("more-units", lambda: _more_units(judged)),
        drift=reasons.attempt("drift", lambda: drift_of(judged)) if has_versions else None,
        agreement=reasons.attempt("agreement-range", lambda: _agreement(judged))
        if judged.scale
        else None,
        assistance=reasons.attempt("assistance", lambda: assistance_of(judged))
        if has_held_out(judged.part) and not judged.relative
        else None,
        undefined=reasons,
    )


def _model(judged: Judged) -> ComparedPairs | ComparedValues:
    """The model that the answer is read off."""
    part, options = judged.part, judged.options
    if len(part.system.labels) < 2:
        raise Undefined("There is only one system.")
    if judged.relative:
        return ComparedPairs(judged.pairs, options.alpha, options.generality)
    groups = part.groups(options.item_groups)
    return ComparedValues(
        judged.values, part.system.codes, part.system.labels, part.rater.codes, part.rater.labels,
        groups.codes, groups.labels, judged.blocks, options.alpha, options.generality,
    )  # fmt: skip


# --- properties of outputs -------------------------------------------------------------------


def covariates_of(judged: Judged, compared: Compared | None = None) -> ControlledRanking:
    part, options = judged.part, judged.options
    named = _properties(part, options, compared)
    if not named:
        raise Undefined("No property of the outputs, such as their length, is known.")
    properties = [Property.of(name, each, part.system.codes) for name, each in named.items()]
    found = _with_covariates(judged, np.column_stack([each.values for each in properties]))
    return controlled_ranking(
        found, part.system.labels, properties, unit=judged.unit, alpha=options.alpha
    )


def _with_covariates(judged: Judged, covariates: Values) -> Estimated:
    """Fit the answer's model with covariates of shape (judgements, covariates)."""
    part, generality = judged.part, judged.options.generality
    if judged.relative:
        first, second = compared_rows(part)
        differences = covariates[first] - covariates[second]
        return pairs_with_covariates(judged.pairs, differences, generality=generality)
    units = part.rater.codes, judged.items
    return values_with_covariates(
        judged.values, part.system.codes, units, covariates, blocks=judged.blocks,
        generality=generality,
    )  # fmt: skip


def _properties(
    part: JudgementTable, options: ReportOptions, compared: Compared | None
) -> dict[str, Values]:
    """Lengths where they are known, and what the options name: factors or scores of metrics."""
    scores = compared.scores if compared else None
    known = scores.metrics if scores else ()
    lengths = [name for name in LENGTHS if name in known][:1]
    found = {}
    for name in dict.fromkeys((*lengths, *options.covariates)):
        if name in part.factors:
            found[name] = places_of(part, name)
        elif scores is not None and name in known:
            aligned = scores.aligned(part.system.labels, part.item.labels)
            place = known.index(name)
            each = aligned.segments[place][part.system.codes, part.item.codes]
            if np.isnan(each).any():
                raise Undefined(f"{name} is not known for every output that was judged.")
            found[name] = -each if name in scores.turned else each
        else:
            raise Undefined(f"There is no column and no metric {name!r}.")
    return found


# --- circles, order, scale -------------------------------------------------------------------


def cycles_of(judged: Judged) -> Cycles:
    options = judged.options
    ranks, labels = best_first(judged.part, judged.higher)
    compared = judged.pairs if judged.relative else None
    found = side_by_side_of(
        judged.part, ranks, options, compared=compared, higher_is_better=judged.higher
    )
    return cycles(found, labels, alpha=options.alpha, generality=options.generality)


def order_of(judged: Judged) -> OrderEffects:
    """Fit the trends over places on the screen and over time; both, if both are known.

    Parameters
    ----------
    judged : one criterion's judgements

    Raises
    ------
    Undefined : neither is known, or has an estimate
    """
    part, reasons = judged.part, Reasons()
    places = {name: reasons.attempt(name, partial(places_of, part, name)) for name in TRENDS}
    known = {name: each for name, each in places.items() if each is not None}
    found = [
        reasons.attempt(name, partial(TRENDS[name], judged, each, len(known)))
        for name, each in known.items()
    ]
    trends = tuple(each for each in found if each is not None)
    if not trends:
        raise Undefined(" ".join(reasons.values()))
    return OrderEffects(trends, judged.unit, judged.options.alpha)


def _on_screen(judged: Judged, places: Values, tests: int) -> Trend:
    part = judged.part
    found = _with_covariates(judged, places[:, None])
    if judged.relative:
        first, second = compared_rows(part)
        sides = np.concatenate([first, second])
        residuals = np.concatenate([found.residuals, -found.residuals])
        bins = bins_of(residuals, places[sides], part.rater.codes[sides])
    else:
        bins = bins_of(found.residuals, places, part.rater.codes)
    return trend_of(
        POSITION, found, places, part.system.codes, tests=tests, alpha=judged.options.alpha,
        bins=bins,
    )  # fmt: skip


def _in_time(judged: Judged, orders: Values, tests: int) -> Trend:
    """Of values: whether they rise. Of comparisons: whether they go with the ranking more often."""
    part = judged.part
    shares = shares_of_work(orders, part.rater.codes)
    if not judged.relative:
        found = _with_covariates(judged, shares[:, None])
        bins = bins_of(found.residuals, shares, part.rater.codes)
        return trend_of(
            ORDER, found, shares, part.system.codes, tests=tests, alpha=judged.options.alpha,
            bins=bins,
        )  # fmt: skip
    pairs, (first, _) = judged.pairs, compared_rows(part)
    ranking = _with_covariates(judged, np.zeros((len(part), 0))).plain
    ahead = np.sign(ranking[pairs.first] - ranking[pairs.second])
    goes_with = 0.5 + ahead * (0.5 - pairs.outcome / 2)
    nobody = np.zeros(len(pairs), dtype=np.int64)
    found = values_with_covariates(
        goes_with, nobody, (pairs.rater, pairs.item), shares[first][:, None],
        generality=judged.options.generality,
    )  # fmt: skip
    bins = bins_of(found.residuals, shares[first], pairs.rater)
    return trend_of(
        ORDER, found, shares[first], nobody, tests=tests, alpha=judged.options.alpha, bins=bins
    )


TRENDS = {POSITION: _on_screen, ORDER: _in_time}


def _scale_use(judged: Judged) -> ScaleUse:
    part = judged.part
    return scale_use(
        part.value, part.system.codes, part.system.labels, part.rater.codes, part.rater.labels,
        blocks=judged.blocks, higher_is_better=judged.higher,
    )  # fmt: skip


def peers_of(judged: Judged) -> PeerAgreement:
    part = judged.part
    outputs = part.system.codes.astype(np.int64) * len(part.item.labels) + part.item.codes
    return peer_agreement(
        part.value, (outputs, judged.items), part.rater.codes, part.rater.labels,
        ranked=partial(_ranked_by, judged), alpha=judged.options.alpha,
        rng=np.random.default_rng([judged.options.seed, 6]),
    )  # fmt: skip


def _ranked_by(judged: Judged, raters: Codes) -> list[str]:
    """Name the systems, best first, by the judgements of these raters."""
    part, generality = judged.part, judged.options.generality
    if judged.relative:
        pairs = judged.pairs
        found = fitted_pairs(pairs, np.isin(pairs.rater, raters), generality=generality)
    else:
        found = fitted_values(
            judged.values, part.system.codes, (part.rater.codes, judged.items),
            np.isin(part.rater.codes, raters), generality=generality,
        )  # fmt: skip
    order = np.argsort(-found.estimates, kind="stable")
    return [part.system.labels[k] for k in order if not np.isnan(found.estimates[k])]


# --- more units, versions, agreement ---------------------------------------------------------


def _more_units(judged: Judged) -> MoreUnits:
    options, part = judged.options, judged.part
    if judged.relative:
        return more_units_of_pairs(judged.pairs, alpha=options.alpha)
    if judged.generalisability is None:
        raise Undefined("The variances of raters and items have no estimate.")
    return more_units_of_values(
        judged.generalisability, len(part.rater.labels), len(part.item.labels),
        unit=judged.unit, alpha=options.alpha,
    )  # fmt: skip


def drift_of(judged: Judged) -> Drift:
    part, (fitted, names) = judged.part, fitted_versions(judged)
    return drift(fitted, names, part.system.labels, unit=judged.unit, alpha=judged.options.alpha)


def fitted_versions(judged: Judged) -> tuple[list[Fitted], list[str]]:
    """Fit the answer's model to the judgements of each version, in their order."""
    part, options = judged.part, judged.options
    names = sorted(part.factors[VERSION].labels, key=lambda name: (len(name), name))
    codes = part.factors[VERSION].codes
    number_of = {name: code for code, name in enumerate(part.factors[VERSION].labels)}
    generality = options.generality
    if judged.relative:
        pairs, (first, _) = judged.pairs, compared_rows(part)
        fitted = [
            fitted_pairs(pairs, codes[first] == number_of[name], generality=generality)
            for name in names
        ]
    else:
        units = part.rater.codes, judged.items
        fitted = [
            fitted_values(
                judged.values, part.system.codes, units, codes == number_of[name],
                generality=generality,
            )
            for name in names
        ]  # fmt: skip
    return fitted, names


def _agreement(judged: Judged) -> AgreementRange:
    if judged.generalisability is None:
        raise Undefined("The variances of raters and items have no estimate.")
    value = judged.part.value
    return agreement_range(judged.generalisability, float(value.min()), float(value.max()))


# --- suggested marks -------------------------------------------------------------------------


def assistance_of(judged: Judged) -> Assistance:
    """Compare screens with suggestions to those that were held out.

    Parameters
    ----------
    judged : one criterion's judgements

    Raises
    ------
    Undefined : too few raters or items have screens without their suggestions
    """
    part, options = judged.part, judged.options
    outcomes = {"value": part.value}
    if has_marks(part):
        outcomes["marks"] = numbers_of_marks(part)
    outcomes[SECONDS] = seconds_on_screens(part)
    return assistance(
        part, outcomes, judged.items, generality=options.generality, alpha=options.alpha,
        unit=judged.unit,
    )  # fmt: skip
