"""Outputs, inputs and references, read from the two files that the site also imports."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from analysis.csv_rows import Rows, Source, read_rows

OUTPUT_COLUMNS = ("system", "item", "output")
RANKS = tuple(map(str, range(1, 101)))


@dataclass(frozen=True)
class Material:
    """Texts: `outputs` by system and item, `references` and `inputs` by item.

    `alternatives` are a system's further outputs: by rank from 2 on, like `outputs`.
    """

    outputs: Mapping[str, Mapping[str, str]]
    references: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    alternatives: Mapping[int, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """A hash of all texts that does not depend on the order of rows."""
        parts: tuple[object, ...] = (self.outputs, self.references, self.inputs)
        if self.alternatives:
            parts = (*parts, self.alternatives)
        text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def read_material(outputs: Source, items: Source) -> Material:
    """Read `system,item,output` and `item,input,reference`.

    An item has several references on several lines of its cell (as the site stores them), in
    columns that begin with `reference`, or in several rows with the same item. With a column
    `rank`, a system can have several outputs for an item: 1 is its best.

    Parameters
    ----------
    outputs, items : a path or a binary file; CSV, optionally compressed with gzip

    Returns
    -------
    The material; items that no system has an output for count as well, because some metrics
    weigh words by all references.

    Raises
    ------
    TableError : with every problem of both files and its line and column
    """
    item_rows, output_rows = read_rows(items, "Items"), read_rows(outputs, "Outputs")
    item_rows.require(("item",))
    output_rows.require(OUTPUT_COLUMNS)
    references, inputs = _items(item_rows)
    ranked = _outputs(output_rows, inputs)
    item_rows.problems += output_rows.problems
    item_rows.refuse()
    wanted = {item: tuple(texts) for item, texts in references.items()}
    return Material(ranked.pop(1, {}), wanted, inputs, ranked)


def _items(rows: Rows) -> tuple[dict[str, list[str]], dict[str, str]]:
    columns = [name for name in rows.header if name.startswith("reference")]
    references: dict[str, list[str]] = {}
    inputs: dict[str, str] = {}
    for line, row in rows:
        item = row["item"]
        if not item.strip():
            rows.problem(line, "item", "the cell is empty.")
            continue
        known = inputs.setdefault(item, row.get("input", ""))
        if known != row.get("input", ""):
            rows.problem(line, "input", f"item {item!r} had another input before.")
        texts = references.setdefault(item, [])
        texts += [text for name in columns for text in row[name].splitlines() if text.strip()]
    return references, inputs


def _outputs(rows: Rows, items: Mapping[str, str]) -> dict[int, dict[str, dict[str, str]]]:
    """Return the outputs by rank; without a column of ranks, all have rank 1."""
    found: dict[int, dict[str, dict[str, str]]] = {}
    lines: dict[tuple[str, str, str], int] = {}
    for line, row in rows:
        system, item, rank = row["system"], row["item"], row.get("rank", "").strip() or "1"
        if empty := [name for name in ("system", "item") if not row[name].strip()]:
            rows.problem(line, empty[0], "the cell is empty.")
        elif item not in items:
            rows.problem(line, "item", f"{item!r} is not in the file of items.")
        elif rank not in RANKS:
            rows.problem(line, "rank", f"{rank!r} is not a rank from 1 to {len(RANKS)}.")
        elif (first := lines.setdefault((system, item, rank), line)) != line:
            rows.problem(
                line, "", f"{system!r} already has an output for {item!r} on line {first}."
            )
        else:
            found.setdefault(int(rank), {}).setdefault(system, {})[item] = row["output"]
    if not rows.rows and not rows.problems:
        rows.problem(1, "", "there are no outputs.")
    for system in {name for texts in found.values() for name in texts} - set(found.get(1, {})):
        rows.problem(1, "rank", f"{system!r} has no output of rank 1.")
    return found
