"""Tables of models: their means, and every two systems compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.reliability.generalisability import Generalisability
from analysis.report.answer import ComparedPair
from analysis.report.model import SystemRow
from analysis.report.ranking_section import RankingSection
from analysis.report.scale_section import ScaleSection
from analysis.scales.comparison import FixedMean
from analysis.scales.mixed_model import MixedModel
from analysis.scales.ordinal_model import OrdinalModel
from analysis.translatable import gettext_noop as _

from .table_model import INTERVAL, SYSTEM, A, B, Column, N, P, Role, Table, number, rows_of, whole

SIZE_COLUMNS = (
    whole(_("Raters")),
    whole(_("Items")),
    number("Eρ²", 2),
    number("Φ", 2),
    number(_("± of a difference")),
)
ABOUT_SIZES = _(
    "If every rater judged every output. Eρ²: reliability of the order of the systems; "
    "Φ: of their means. The last column is half the width of simultaneous intervals."
)


def model_tables(
    section: RankingSection | ScaleSection, scale: str, systems: Sequence[SystemRow]
) -> Iterator[Table]:
    """Yield the tables of a section's models; `scale` says what the values are."""
    if section.clustered:
        caption = _("Least squares with errors clustered by rater and item")
        yield _estimates_table("clustered", caption, section.clustered.means, systems)
    model = section.mixed_full or section.mixed
    if model:
        notes = (model.formula, *([] if scale == "untransformed" else [f"Analysed: the {scale}."]))
        yield replace(mixed_table(model, systems), role=Role.HONEST, notes=notes)
        yield pairs_table(
            "mixed-pairs", _("Mixed model, pair by pair, simultaneous"), model.contrasts
        )
    if isinstance(section, ScaleSection) and section.ordinal:
        yield from ordinal_tables(section.ordinal, systems)
    if isinstance(section, ScaleSection) and section.generalisability:
        yield variance_shares_table(section.generalisability)


def ordinal_tables(model: OrdinalModel, systems: Sequence[SystemRow] = ()) -> Iterator[Table]:
    """Yield an ordinal model's systems with their shares of categories, and all pairs."""
    sizes = {row.system: row.judgements for row in systems}
    probit = model.link == "probit"
    caption = (
        _("Ordinal mixed model: places in probits, and how often each value is expected")
        if probit
        else _("Ordinal mixed model: places in logits, and how often each value is expected")
    )
    place = number(_("Probit") if probit else _("Logit"), 2)
    values = (number(f"{value:g} (%)", 1, is_label=True) for value in model.categories)
    yield Table(
        "ordinal",
        caption,
        (SYSTEM, place, *values, *([N] if sizes else [])),
        rows_of(
            (
                each.system,
                each.logit,
                *(100 * share for share in each.shares),
                *([sizes.get(each.system)] if sizes else []),
            )
            for each in model.systems
        ),
        Role.HONEST,
        notes=(model.formula,),
    )
    pairs = (
        _("Ordinal mixed model, pair by pair, simultaneous (probits)")
        if probit
        else _("Ordinal mixed model, pair by pair, simultaneous (logits)")
    )
    yield pairs_table("ordinal-pairs", pairs, model.contrasts)


def generalisability_tables(found: Generalisability) -> Iterator[Table]:
    """Yield the shares of variance, and what other numbers of raters and items would give."""
    yield variance_shares_table(found)
    yield Table(
        "other-sizes",
        _("What other numbers of raters and items would give"),
        SIZE_COLUMNS,
        rows_of(
            (each.raters, each.items, each.relative, each.absolute, each.half_width)
            for each in found.sizes
        ),
        Role.AGREEMENT,
        notes=(ABOUT_SIZES,),
    )


def variance_shares_table(found: Generalisability) -> Table:
    """Show how much of the variance is that of systems, raters, items and their products."""
    merged = _("The design cannot tell these from the residual:")
    return Table(
        "variance-shares",
        _("What the scores vary with"),
        (Column(_("Source")), number(_("Variance")), number("%", 1)),
        rows_of((each.source, each.variance, 100 * each.share) for each in found.shares),
        Role.AGREEMENT,
        notes=(f"{merged} {', '.join(found.merged)}",) if found.merged else (),
    )


def mixed_table(model: MixedModel, systems: Sequence[SystemRow] = ()) -> Table:
    """Return the means of a mixed model."""
    caption = _("Mixed model: raters and items as random effects")
    table = _estimates_table("mixed", caption, model.means, systems)
    return replace(table, notes=(model.formula,))


def _estimates_table(
    name: str, caption: str, means: Sequence[FixedMean], systems: Sequence[SystemRow]
) -> Table:
    """Return a model's means with their errors and intervals, and each system's judgements."""
    sizes = {row.system: row.judgements for row in systems}
    return Table(
        name,
        caption,
        (SYSTEM, number(_("Mean")), number(_("Error")), INTERVAL, *([N] if sizes else [])),
        rows_of(
            (
                mean.system,
                mean.mean,
                mean.se,
                (mean.low, mean.high),
                *([sizes.get(mean.system)] if sizes else []),
            )
            for mean in means
        ),
    )


def pairs_table(name: str, caption: str, pairs: Sequence[ComparedPair]) -> Table:
    """Return every pair's difference, simultaneous interval and adjusted p."""
    return Table(
        name,
        caption,
        (A, B, number(_("Difference")), INTERVAL, P),
        rows_of((pair.a, pair.b, pair.difference, (pair.low, pair.high), pair.p) for pair in pairs),
    )
