"""Tables of pairs: how often one is preferred to the other, and what single raters say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.report.effect_section import EffectSection
from analysis.scales.equivalence import Equivalence
from analysis.scales.preferences import Preference
from analysis.scales.rater_tests import RaterTests
from analysis.translatable import gettext_noop as _

from .model_tables import pairs_table
from .table_model import SYSTEM, A, B, Column, Format, Role, Table, interval, number, rows_of, whole

ONE_BY_ONE = _("Each interval holds alone, not for all together: it makes no claim.")


def effect_tables(section: EffectSection) -> Iterator[Table]:
    """Yield the tables of every two systems, and of each system against the others."""
    if section.tests:
        yield _test_table(section.tests, section.rater_sd)
    if section.equivalence:
        yield _equivalence_table(section.equivalence)
    if section.rest:
        best_first = sorted(section.rest, key=lambda each: -each.share)
        yield _preference_table(
            "preferences", _("Probability of being preferred to another system"), best_first
        )
    if section.pairs:
        yield _preference_table(
            "preferences-pairs", _("Probability that A is preferred to B"), section.pairs
        )


def _test_table(tests: RaterTests, rater_sd: float | None) -> Table:
    size = [number(_("Difference in raters' SDs"), 2)] if rater_sd else []
    return Table(
        "rater-tests",
        _("Exact tests: each rater is one observation"),
        (
            A,
            B,
            whole(_("Raters for A")),
            whole(_("Undecided")),
            whole(_("Raters for B")),
            *size,
            Column(_("Sign test"), Format.P),
            Column(_("Permutation test"), Format.P),
        ),
        rows_of(
            (
                pair.a,
                pair.b,
                pair.for_a,
                pair.undecided,
                pair.for_b,
                *([pair.difference / rater_sd] if rater_sd else []),
                pair.sign_p,
                pair.permutation_p,
            )
            for pair in tests.pairs
        ),
        Role.HONEST,
        notes=(_("p is adjusted for all pairs and both tests. Raters are new, items are these."),),
    )


def _equivalence_table(found: Equivalence) -> Table:
    table = pairs_table("equivalence", _("Equivalence: two one-sided tests"), found.pairs)
    return replace(table, role=Role.HONEST, notes=(f"± {found.margin:g} ({found.unit})",))


def _preference_table(name: str, caption: str, rows: Sequence[Preference]) -> Table:
    is_pair = bool(rows[0].b)
    return Table(
        name,
        caption,
        (
            *((A, B) if is_pair else (SYSTEM,)),
            number(_("Probability"), 2),
            interval(_("Interval"), 2),
            whole(_("Comparisons")),
        ),
        rows_of(
            (
                *((row.a, row.b) if is_pair else (row.a,)),
                row.share,
                (row.low, row.high),
                row.comparisons,
            )
            for row in rows
        ),
        notes=(ONE_BY_ONE,),
    )
