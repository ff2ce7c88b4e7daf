"""The table of two studies side by side."""

from __future__ import annotations

from analysis.scales.reproduction import Reproduction
from analysis.translatable import gettext_noop as _

from .table_model import SYSTEM, Table, number, rows_of


def reproduction_table(found: Reproduction) -> Table:
    """Return the scores of both studies with CV*, and what they have in common as notes."""
    columns = (
        SYSTEM, number(_("Earlier study"), 2), number(_("This study"), 2), number("CV*", 2)
    )  # fmt: skip
    notes = [f"{found.same_order} of {found.pairs} pairs of systems have the same order in both."]
    if found.mean_cv is not None:
        notes.append(f"Mean CV*: {found.mean_cv:.2f} (percent; 0: identical scores).")
    if found.pearson is not None and found.spearman is not None:
        notes.append(f"Pearson's r = {found.pearson:.2f}, Spearman's rho = {found.spearman:.2f}.")
    if (said := found.conclusions) is not None:
        notes.append(
            f"Same conclusion about {said.same} of {found.pairs} pairs of systems; told apart only "
            f"earlier: {said.earlier_only}; only now: {said.now_only}; in opposite directions: "
            f"{said.opposite}."
        )
    else:
        notes.append(
            "The same order is not the same conclusion where a study did not tell systems apart."
        )
    if found.missing:
        notes.append(f"In one study only: {', '.join(found.missing)}.")
    return Table(
        f"{found.criterion}-reproduction",
        f"{found.criterion}: both studies",
        columns,
        rows_of((row.system, row.earlier, row.now, row.cv) for row in found.systems),
        notes=tuple(notes),
    )
