"""Pearmut's log of annotations: ends are inclusive, and its own units are counted.

An entry is what one user said about a document: `item` is the list of its segments with the output
of each model, `annotation` the list of what was said about them. `start_i` and `end_i` count UTF-16
units without line feeds (see `offsets.pearmut_places`); the number after the last one is the token
"[missing]", for what is absent from the output.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from analysis.spans.jsontext import Record, json_records, plain_json
from analysis.spans.marking import OWN_NAMES, own_cells, own_parts, placed
from analysis.spans.model import OUTPUT, SOURCE, Mark, MarkedOutput, Problems, SpanTable
from analysis.spans.offsets import pearmut_places

# Tutorials, attention checks and farewells are not judgements of the campaign's outputs.
PRACTICE = ("welcome_", "random_", "goodbye_")
ENTRY_NAMES = ("annotation", "item", "user_id", "item_i")
ITEM_NAMES = ("item_id", "src", "tgt", "document")
SPAN_NAMES = ("start_i", "end_i", "category", "severity", "start", "end", *OWN_NAMES)
CREATED = "create_span"


def is_pearmut(record: dict[str, Any]) -> bool:
    """Recognise the first record of Pearmut's log.

    Parameters
    ----------
    record : its JSON
    """
    return "annotation" in record and "user_id" in record


# --- reading ---------------------------------------------------------------------------------


def read_pearmut(text: str) -> SpanTable:
    """Read a log (`data/outputs/*.jsonl`), or a download of the annotations.

    Parameters
    ----------
    text : the file's content

    Returns
    -------
    The marked outputs. A later answer of a user replaces the earlier one, and after a reset all
    earlier answers of the user count no more, as in Pearmut's own results.

    Raises
    ------
    TableError : every problem with its line

    Source
    ------
    github.com/zouharvi/pearmut, README, server/app.py and web/src/annotate.ts
    """
    problems = Problems()
    outputs: dict[tuple[str, str, str], MarkedOutput] = {}
    replaced = practice = 0
    for place, value in json_records(text):
        entry = Record(value, place, problems)
        user = entry.label("user_id")
        if isinstance(entry.parts.get("annotation"), str):  # the marker of a reset
            outputs = {key: each for key, each in outputs.items() if key[0] != user}
        elif str(entry.parts.get("item_i", "")).startswith(PRACTICE):
            practice += 1
        else:
            for each in _outputs(entry, user):
                replaced += each.key in outputs
                outputs[each.key] = each
    problems.refuse()
    return SpanTable(tuple(outputs.values()), "pearmut", tuple(_notes(replaced, practice)))


def _notes(replaced: int, practice: int) -> Iterator[str]:
    if replaced:
        yield f"{replaced} answers were replaced by a later one of the same user."
    if practice:
        yield f"{practice} entries are tutorials or attention checks and were left out."


def _outputs(entry: Record, user: str) -> Iterator[MarkedOutput]:
    items, said = entry.records("item"), entry.parts.get("annotation")
    if not isinstance(said, list) or len(said) != len(items):
        entry.problem(
            "annotation", f"this is not a list with an answer for each of {len(items)} items."
        )
        return
    for number, (item, value) in enumerate(zip(items, said, strict=True)):
        if value is None or "tgt" not in item.parts:  # skipped, or a form
            continue
        answers = Record(value, f"{entry.place}, annotation[{number}]", entry.problems)
        for system in answers.parts:
            record = answers.record(system)
            if system not in item.record("tgt").parts:
                answers.problem(system, "the item has no output of this model.")
                continue
            output = item.record("tgt").text(system)
            source = item.text("src") or None
            actions = list(_actions(entry, number, system))
            marks = (_mark(span, output, source, actions) for span in record.records("error_spans"))
            yield MarkedOutput(
                user,
                system,
                item.label("item_id") if item.has("item_id") else _item_name(item),
                tuple(marks),
                output,
                source,
                item.text("document") or (entry.label("item_i") if len(items) > 1 else ""),
                record.number("score"),
                _extra(entry, item, record, actions),
            )


def _item_name(item: Record) -> str:
    """Return a name of an item without one: the same for every user who saw it."""
    return hashlib.sha256(plain_json(item.rest("tgt")).encode()).hexdigest()[:12]


def _actions(entry: Record, number: int, system: str) -> Iterator[dict[str, Any]]:
    """Yield the user's actions on one output."""
    for action in entry.parts.get("actions") or ():
        if isinstance(action, dict) and (action.get("index"), action.get("model")) == (
            number,
            system,
        ):
            yield {name: part for name, part in action.items() if name not in ("index", "model")}


def _extra(
    entry: Record, item: Record, record: Record, actions: list[dict[str, Any]]
) -> dict[str, Any]:
    """Collect an entry's fields other than its marks."""
    rest = entry.rest(*ENTRY_NAMES, "actions")
    general = [
        action
        for action in entry.parts.get("actions") or ()
        if not (isinstance(action, dict) and "index" in action)
    ]
    parts = {
        "actions": actions,
        "entry": rest | ({"actions": general} if general else {}),
        "item": item.rest(*ITEM_NAMES),
    }
    return record.rest("score", "error_spans", "extra") | {
        **record.record("extra").parts,
        **{name: part for name, part in parts.items() if part},
    }


def _mark(span: Record, output: str, source: str | None, actions: list[dict[str, Any]]) -> Mark:
    own = own_parts(span)
    own["extra"] = span.rest(*SPAN_NAMES) | own["extra"]
    first, last = span.whole("start_i"), span.whole("end_i")
    own["time"] = own["time"] or _created(actions, first, last)
    start = end = None
    if "start" in span.parts:  # ours: what Pearmut's numbers cannot say
        start = span.whole("start") if span.has("start") else None
        end = span.whole("end") if span.has("end") else None
    elif first is not None and last is not None:
        places = pearmut_places(output)
        if not 0 <= first <= last or (last >= len(places) > first):
            span.problem(
                "end_i", f"there is no mark from {first} to {last} in {len(places)} characters."
            )
        elif first >= len(places):
            own["missing"] = True
            own["extra"] |= {"token": first - len(places)} if first > len(places) else {}
        else:
            start, end = places[first], places[last] + 1
    where = placed(span, start, end, None, source if own["side"] == SOURCE else output)
    return Mark(*where, span.text("severity"), span.text("category"), **own)


def _created(actions: list[dict[str, Any]], first: int | None, last: int | None) -> str:
    """When a span was marked: the time of the last action that created it."""
    times = [
        action["time"]
        for action in actions
        if action.get("action") == CREATED
        and (action.get("start_i"), action.get("end_i")) == (first, last)
        and "time" in action
    ]
    return str(times[-1]) if times else ""


# --- writing ---------------------------------------------------------------------------------


def write_pearmut(table: SpanTable) -> str:
    """Write a log of annotations, an entry for each item and rater.

    Parameters
    ----------
    table : marked outputs, all with their text

    Returns
    -------
    The file's content, which `read_pearmut` reads back to equal marked outputs. What Pearmut's
    numbers cannot say (a mark in the source, a place between two characters, a mark that begins or
    ends with a line feed) is written at the token "[missing]", with our own offsets next to it.

    Raises
    ------
    TableError : an output has no text
    """
    problems = Problems()
    entries: dict[tuple[str, str, str, str], list[MarkedOutput]] = {}
    for each in table.outputs:
        if each.output is None:
            problems.add(f"System {each.system}, item {each.item}", "the text is not known.")
        # Raters saw texts of their own where an item's name or its parts differ.
        shared = plain_json([each.source, each.document, each.extra.get("item")])
        entry = plain_json(each.extra.get("entry"))
        entries.setdefault((each.rater, each.item, shared, entry), []).append(each)
    problems.refuse()
    numbers: dict[str, int] = {}
    lines = []
    for (rater, *_), outputs in entries.items():
        numbers[rater] = numbers.get(rater, -1) + 1
        lines.append(f"{plain_json(_entry(outputs, numbers[rater]))}\n")
    return "".join(lines)


def _entry(outputs: list[MarkedOutput], number: int) -> dict[str, Any]:
    first = outputs[0]
    rest = dict(first.extra.get("entry", {}))
    general = rest.pop("actions", [])
    actions = general + [
        {**action, "index": 0, "model": each.system}
        for each in outputs
        for action in each.extra.get("actions", ())
    ]
    item = {
        "item_id": first.item,
        **({"src": first.source} if first.source else {}),
        "tgt": {each.system: each.output for each in outputs},
        **({"document": first.document} if first.document else {}),
        **first.extra.get("item", {}),
    }
    return {
        "annotation": [{each.system: _answer(each) for each in outputs}],
        **({"actions": actions} if actions else {}),
        "item": [item],
        **rest,
        "user_id": first.rater,
        "item_i": number,
    }


def _answer(each: MarkedOutput) -> dict[str, Any]:
    kept = ("actions", "entry", "item")
    rest = {name: part for name, part in each.extra.items() if name not in kept}
    actions = each.extra.get("actions", [])
    spans = [_span(mark, each.output or "", actions) for mark in each.marks]
    return {"score": each.score, "error_spans": spans, **rest}


def _span(mark: Mark, output: str, actions: list[dict[str, Any]]) -> dict[str, Any]:
    own = own_cells(mark)
    extra = dict(own.pop("extra", {}))
    places = pearmut_places(output)
    first, last, ours = len(places), len(places), {"start": mark.start, "end": mark.end}
    if mark.start is None and mark.missing and mark.side == OUTPUT:
        first += extra.pop("token", 0)
        last, ours = first, {}
        own.pop("missing")
    elif mark.start is not None and mark.end is not None and mark.side == OUTPUT:
        begin, stop = bisect_left(places, mark.start), bisect_left(places, mark.end)
        if begin < stop and (places[begin], places[stop - 1] + 1) == (mark.start, mark.end):
            first, last, ours = begin, stop - 1, {}
    if own.get("time") == _created(actions, first, last):
        own.pop("time", None)
    return {
        "start_i": first,
        "end_i": last,
        "category": mark.category or None,
        "severity": mark.severity or None,
        **ours,
        **own,
        **({"extra": extra} if extra else {}),
    }
