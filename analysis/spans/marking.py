"""Parts shared by all JSON forms of marks: our own names for what a form does not name."""

from __future__ import annotations

from typing import Any

from analysis.spans.jsontext import Record
from analysis.spans.model import OUTPUT, SIDES, SOURCE, Mark
from analysis.spans.offsets import place_problem

# Other tools ignore names that they do not know, so nothing is lost on the way through their form.
OWN_NAMES = ("note", "side", "missing", "continues", "time", "extra")


def own_parts(record: Record) -> dict[str, Any]:
    """Read a mark's parts under our own names, as arguments of `Mark`.

    Parameters
    ----------
    record : the mark

    Returns
    -------
    note, side, missing, continues, time, extra.
    """
    side = record.text("side", OUTPUT)
    if side not in SIDES:
        record.problem("side", f"{side!r} is neither {OUTPUT} nor {SOURCE}.")
        side = OUTPUT
    return {
        "note": record.text("note"),
        "side": side,
        "missing": record.flag("missing"),
        "continues": record.flag("continues"),
        "time": record.text("time"),
        "extra": record.record("extra").parts,
    }


def own_cells(mark: Mark) -> dict[str, Any]:
    """Return the same parts of a mark, those that say anything.

    Parameters
    ----------
    mark : the mark to be written

    Returns
    -------
    The parts that differ from what a mark has without them.
    """
    return {
        name: dict(value) if name == "extra" else value
        for name in OWN_NAMES
        if (value := getattr(mark, name)) and value != OUTPUT
    }


def placed(
    record: Record, start: int | None, end: int | None, text: str | None, whole: str | None
) -> tuple[int | None, int | None, str]:
    """Place a mark by its offsets and its text; note a problem where the two do not fit.

    Parameters
    ----------
    record : the mark, to which a problem belongs
    start, end : code-point offsets, both None for an error without a place
    text : the marked text; None where the file does not say it
    whole : the text that is marked; None where it is not known

    Returns
    -------
    start, end and the marked text, which is taken from the whole text where the file is silent.
    """
    if start is None or end is None:
        if start is not None or end is not None:
            record.problem("start", "a mark has both a start and an end, or neither.")
        return None, None, text or ""
    if problem := place_problem(whole, start, end, text):
        record.problem("start", problem)
    if text is None:
        text = "" if whole is None else whole[start:end]
    return start, end, text
