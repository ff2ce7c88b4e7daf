"""Tables of models: their means, and every two systems compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from analysis.report.ranking_section import RankingSection
from analysis.report.scale_section import ScaleSection
from analysis.scales.comparison import FixedMean
from analysis.scales.mixed_model import MixedModel
from analysis.translatable import gettext_noop as _

from .table_model import SYSTEM, Column, Format, P, Role, Table, rows_of


def model_tables(section: RankingSection | ScaleSection, scale: str) -> Iterator[Table]:
    """Yield the tables of a section's models; `scale` says what the values are."""
    if section.clustered:
        caption = _("Least squares with errors clustered by rater and item")
        yield _estimates_table("clustered", caption, section.clustered.means)
    model = section.mixed_full or section.mixed
    if model:
        yield replace(mixed_table(model), role=Role.HONEST, notes=(model.formula, scale))
        yield pairs_table(
            "mixed-pairs", _("Mixed model, pair by pair, simultaneous"), model.contrasts
        )


def mixed_table(model: MixedModel) -> Table:
    """Return the means of a mixed model."""
    caption = _("Mixed model: raters and items as random effects")
    return replace(_estimates_table("mixed", caption, model.means), notes=(model.formula,))


def _estimates_table(name: str, caption: str, means: Sequence[FixedMean]) -> Table:
    """Return a model's means with their intervals."""
    return Table(
        name,
        caption,
        (SYSTEM, Column(_("Mean"), Format.NUMBER, 3), Column(_("Interval"), Format.INTERVAL, 3)),
        rows_of(*((mean.system, mean.mean, (mean.low, mean.high)) for mean in means)),
    )


class Compared(Protocol):
    """Two systems that were compared."""

    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def difference(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def p(self) -> float: ...


def pairs_table(name: str, caption: str, pairs: Sequence[Compared]) -> Table:
    """Return every pair's difference, simultaneous interval and adjusted p."""
    return Table(
        name,
        caption,
        (
            Column("A"),
            Column("B"),
            Column(_("Difference"), Format.NUMBER, 3),
            Column(_("Interval"), Format.INTERVAL, 3),
            P,
        ),
        rows_of(
            *((pair.a, pair.b, pair.difference, (pair.low, pair.high), pair.p) for pair in pairs)
        ),
    )
