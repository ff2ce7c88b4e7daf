"""Read anybody's table of ratings in a child process, and say there what it can claim."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from analysis.errors import AnalysisError
from analysis.inference import Units
from analysis.table import JudgementTable
from rankme.importing import (
    AS_PROPOSED,
    LIMITS,
    FileProblem,
    ImportRefused,
    JudgementPreview,
    Limits,
    Reading,
    columns_from_roles,
)
from rankme.importing.fence import read_in_child
from rankme.importing.problems import refusal
from rankme.importing.sources import Progress
from rankme.importing.spooling.spooled import Spooled
from rankme.importing.uploads import SPOOL, read_upload
from rankme.scratch import new_folder

from .claims import CriterionFinding, examine_criterion, weaknesses
from .heds import ANSWERED, NEVER_IN_A_TABLE

ADVICE = (
    "The doctor needs each rater's own values: a column that names the rater, one for the item, "
    "one for the system, and the values. Averages over raters cannot show how far raters differ. "
    "If the file has these columns, name them: rater=…, item=…, system=…, value=…"
)


@dataclass(frozen=True)
class Examination:
    """What was read, what it can claim, and which questions of HEDS it leaves open."""

    read: str
    understood: tuple[str, ...]
    refusal: str
    weaknesses: tuple[str, ...]
    criteria: tuple[CriterionFinding, ...]
    heds_answered: dict[str, str]
    heds_open: dict[str, str]


def examine(
    path: Path,
    *,
    name: str = "",
    reading: Reading = AS_PROPOSED,
    limits: Limits = LIMITS,
    most_judgements: int = 1_000_000,
    niceness: int = 0,
) -> Examination:
    """Read a table of ratings of any form, and say what it can claim. Nothing of it is kept.

    Parameters
    ----------
    name : of the file, for messages
    reading : columns, sheet and header, where proposals are wrong
    limits : of the child process, which does all of the work
    niceness : by how much it gives way to other processes

    Raises
    ------
    ImportRefused : with every problem of the file and its place
    """
    label = name or path.name
    folder = new_folder("doctor")
    here = replace(limits, reader_memory=0)

    def work(progress: Progress) -> Examination:
        os.nice(niceness)
        found = read_upload({label: path}, "judgements", folder, limits=here, reading=reading)
        assert isinstance(found, JudgementPreview)
        if found.n_judgements > most_judgements:
            raise refusal(f"More than {most_judgements:,} values.", label)
        with threadpool_limits(1):
            return _examined(_table(folder / SPOOL), found)

    try:
        return read_in_child(work, limits, label=label)
    except AnalysisError as error:
        problems = [FileProblem(message, file=label) for message in str(error).splitlines()]
        raise ImportRefused(problems) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def reading_of(columns: str) -> Reading:
    """Read which columns are what: `rater=who, item=id, system=model, value=score`.

    Parameters
    ----------
    columns : roles with the headings of their columns, between commas or on lines of their own;
        several columns may be values. Empty: they are found by their names

    Raises
    ------
    InvalidColumns : with the reason, for people
    """
    if not columns.strip():
        return AS_PROPOSED
    pairs = [part.partition("=") for part in columns.split("\n" if "\n" in columns else ",")]
    given = [(name.strip(), role.strip()) for role, _, name in pairs if role.strip()]
    return Reading((columns_from_roles(given, "judgements"),))


def _table(spool: Path) -> JudgementTable:
    rows = [
        (row.rater, row.item_key, row.system, row.criterion, row.screen_number, row.value)
        for row in Spooled(spool).judgements()
        if not row.excluded
    ]
    names = ("rater", "item", "system", "criterion", "screen", "value")
    return JudgementTable.from_columns(dict(zip(names, zip(*rows, strict=True), strict=True)))


def _examined(table: JudgementTable, found: JudgementPreview) -> Examination:
    units = Units.of(table.rater.codes, table.item.codes)
    sizes = {"judgements": len(table), "raters": units.raters.number, "items": units.items.number}
    sizes |= {"systems": len(table.system.labels), "criteria": len(table.criterion.labels)}
    counted = ", ".join(f"{count:,} {_of(count, name)}" for name, count in sizes.items())
    values = f"values from {table.value.min():g} to {table.value.max():g}"
    return Examination(
        read=f"{found.files[0].label}: {counted}; {values}.",
        understood=found.notes,
        refusal=units.refusal() or "",
        weaknesses=tuple(weaknesses(table)),
        criteria=tuple(examine_criterion(table, name) for name in table.criterion.labels),
        heds_answered=ANSWERED,
        heds_open=NEVER_IN_A_TABLE,
    )


def _of(count: int, name: str) -> str:
    if count != 1:
        return name
    return "criterion" if name == "criteria" else name.removesuffix("s")


def as_text(found: Examination) -> Iterator[str]:
    """Write an examination as lines of plain text."""
    yield found.read
    yield from (f"  {note}" for note in found.understood)
    if lines := (*filter(None, [found.refusal]), *found.weaknesses):
        yield from ("", "What weakens every claim", *(f"  - {line}" for line in lines))
    for each in found.criteria:
        yield from ("", each.criterion, "  system, judgements, mean, SD, published, strict")
        for line in each.systems:
            sd = "–" if line.sd is None else f"{line.sd:.3g}"
            letters = f"{line.published or '–'}  {line.strict or '–'}"
            yield f"  {line.system}  {line.judgements}  {line.mean:.3g}  {sd}  {letters}"
        yield f"  As published: {each.published}"
        yield f"  Strictly: {each.strict}"
        yield f"  So: {each.verdict}"
        yield f"  Enough raters: {each.enough}"
        yield f"  {each.agreement}"
    yield from ("", "For HEDS 3.0, this table answers " + ", ".join(found.heds_answered) + ".")
    yield "No table says:"
    yield from (f"  {number}  {text}" for number, text in found.heds_open.items())
