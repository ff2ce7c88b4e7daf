"""Tables of rankings: clusters, strengths, and wins in pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from analysis.ranking.bradley_terry import BradleyTerry
from analysis.ranking.clusters import Ranking
from analysis.report.model import SystemRow
from analysis.report.ranking_section import RankingSection, WinShare
from analysis.translatable import gettext_noop as _

from .model_tables import model_tables
from .table_model import (
    SYSTEM,
    Cell,
    Column,
    Format,
    Role,
    Row,
    Table,
    number,
    rows_of,
    whole,
)

RANKED = {
    "none": (Role.PAPER, _("As published in this field: no resampling")),
    "raters": (Role.HONEST, _("Whole raters resampled before each run")),
    "raters-items": (Role.HONEST, _("Raters and items resampled before each run")),
    "items": (Role.MORE, _("Whole items resampled before each run")),
    "screens": (Role.MORE, _("Whole screens resampled before each run")),
    "pairs": (Role.MORE, _("Pairs resampled before each run")),
}
ALWAYS_WON = _(
    "Some systems always won or tied, so the estimates are penalised (Firth 1993), and errors take "
    "each rater or item as one comparison of a pair. Exact tests say what raters agree on."
)
CLUSTER = Column(_("Cluster"), Format.WHOLE, is_once=True)
RANKS = Column(_("Ranks"), Format.RANGE)


def ranking_table(ranking: Ranking, scheme: str) -> Table:
    """Cluster, score, range of ranks and system (Dušek, Novikova & Rieser 2020, Table 11)."""
    role, caption = RANKED[scheme]
    return Table(
        f"ranking-{scheme}",
        caption,
        (CLUSTER, number(_("Score")), RANKS, SYSTEM),
        _clustered_rows(
            ranking.systems, lambda row: (row.mean, (row.rank_low, row.rank_high), row.system)
        ),
        role,
        heads=3,
    )


def strength_table(result: BradleyTerry) -> Table:
    """Bradley–Terry abilities with their errors and simultaneous sets of ranks."""
    return Table(
        "bradley-terry",
        _("Bradley–Terry with simultaneous intervals for all pairs"),
        (CLUSTER, number(_("Log-odds")), number(_("Error")), RANKS, SYSTEM),
        _clustered_rows(
            result.systems,
            lambda row: (
                row.ability,
                row.standard_error,
                (row.rank_low, row.rank_high),
                row.system,
            ),
        ),
        Role.HONEST,
        heads=4,
        notes=(ALWAYS_WON,) if result.penalised else (),
    )


def _clustered_rows(
    systems: Sequence[Any], cells: Callable[[Any], tuple[Cell, ...]]
) -> tuple[Row, ...]:
    """Return a row for each system; the first of a cluster begins it."""
    before = [None, *(system.cluster for system in systems)]
    return tuple(
        Row((system.cluster, *cells(system)), system.cluster != last)
        for system, last in zip(systems, before, strict=False)
    )


def _wins_table(shares: Sequence[WinShare]) -> Table:
    """Wins, ties and losses of each system."""
    return Table(
        "wins",
        _("Wins, ties and losses in pairs"),
        (SYSTEM, whole(_("Wins")), whole(_("Ties")), whole(_("Losses")), number(_("Share"))),
        rows_of((won.system, won.wins, won.ties, won.losses, won.share) for won in shares),
    )


def ranking_tables(
    ranking: RankingSection, schemes: Sequence[str], systems: Sequence[SystemRow]
) -> Iterator[Table]:
    """Yield all tables of a relative criterion."""
    # The database sorts a mapping's names by their length; the options have the right order.
    known = [scheme for scheme in schemes if scheme in ranking.rankings]
    for scheme in [*known, *(name for name in ranking.rankings if name not in known)]:
        yield ranking_table(ranking.rankings[scheme], scheme)
    if ranking.bradley_terry:
        yield strength_table(ranking.bradley_terry)
    yield _wins_table(ranking.win_shares)
    yield from model_tables(ranking, ranking.mixed_scale, systems)
