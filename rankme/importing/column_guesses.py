"""Proposals: which column of an unknown table is what, by its name and its first rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rankme.importing.columns import (
    INPUT_ALT,
    INPUT_FILE,
    LIKELY_AFFIXES,
    OUTPUT_ALT,
    OUTPUT_FILE,
    OUTPUT_WORDS,
    Columns,
    InvalidColumns,
    column_name,
    system_names,
)
from rankme.importing.media_types import is_media_name

# The likelier name comes first; names are compared in lower case with "_" for blanks and hyphens.
NAMES: dict[str, tuple[str, ...]] = {
    "output": OUTPUT_WORDS,
    "system": (
        "system", "system_name", "system_id", "systemid", "sys", "model", "model_name", "model_id",
        "modelid", "generator", "engine", "llm", "method", "approach", "submission", "team",
    ),
    "input": (
        "input", "prompt", "source", "src", "question", "instruction", "query", "mr",
        "meaning_representation", "input_text", "source_text", "source_sentence", "user",
        "article", "document", "triples", "messages", "conversation", "dialogue", "data",
    ),
    "reference": (
        "reference", "ref", "references", "gold", "target", "ground_truth", "human_reference",
        "expected", "expected_output", "reference_text", "gold_answer", "label",
    ),
    "context": ("context", "passage", "background", "history", "dialogue_history", "title"),
    "highlight": ("highlight",),
    "document": ("document", "document_id", "document_name", "doc", "doc_id", "docid", "doc_name"),
    "segment": (
        "segment", "segment_id", "segment_number", "seg", "seg_id", "segid", "sentence_number",
        "sentence_id", "turn", "turn_id", "turn_number",
    ),
    "item": (
        "item", "item_id", "itemid", "example_id", "example", "sample_id", "instance_id",
        "instance", "prompt_id", "question_id", "qid", "segment_id", "seg_id", "sentence_id",
        "input_id", "source_id", "doc_id", "document_id", "uid", "key", "id", "nr", "no", "number",
        "idx", "index", "row",
    ),
}  # fmt: skip
# What pandas and its relatives write next to the data.
ALT = re.compile(r"(^|_)alt(_?text)?($|_)")
INDEX = re.compile(r"^$|^unnamed: ?\d+$|^(__index_level_\d__|level_\d|index|idx|row|#)$")
LONG_TEXT = 200  # a system's name is shorter
MOST_FACTOR_VALUES = 50
MOSTLY = 0.9


@dataclass
class Sample:
    """The first rows of a table: a header, and for each column its cells from the top."""

    header: Sequence[str]
    cells: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, header: Sequence[str], rows: Iterable[dict[str, str]]) -> Sample:
        cells: dict[str, list[str]] = {column_name(name): [] for name in header}
        for row in rows:
            for name, column in cells.items():
                column.append(row.get(name, ""))
        return cls(header, cells)

    def of_column(self, name: str) -> list[str]:
        return self.cells.get(column_name(name), [])

    def is_number(self, name: str) -> bool:
        """Whether the column has only numbers (and at least one)."""
        filled = [cell for cell in self.of_column(name) if cell.strip()]
        return bool(filled) and all(map(_is_number, filled))

    def is_mostly_numbers(self, name: str) -> bool:
        """Whether so many cells are numbers that another one is a mistake."""
        filled = [cell for cell in self.of_column(name) if cell.strip()]
        return bool(filled) and sum(map(_is_number, filled)) >= MOSTLY * len(filled)

    def is_text(self, name: str) -> bool:
        return not self.is_number(name) and any(cell.strip() for cell in self.of_column(name))

    def is_files(self, name: str) -> bool:
        """Whether all cells that are filled name pictures, sounds or films."""
        filled = [cell for cell in self.of_column(name) if cell.strip()]
        return bool(filled) and all(map(is_media_name, filled))

    def is_counting(self, name: str) -> bool:
        """Whether the column only numbers the rows."""
        cells = self.of_column(name)
        return any(
            all(cell == str(number) for number, cell in enumerate(cells, first)) for first in (0, 1)
        )

    def is_repeated(self, name: str) -> bool:
        cells = self.of_column(name)
        return len(set(cells)) < len(cells)

    def is_short(self, name: str) -> bool:
        return all(len(cell) <= LONG_TEXT for cell in self.of_column(name))


def propose(sample: Sample) -> Columns | None:
    """What the columns probably are; None where they give no clue."""
    guess = _Guess(sample)
    try:
        return guess.columns()
    except InvalidColumns:
        return None


class _Guess:
    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.free = [name for name in sample.header if not self._is_index(name)]
        self.roles: dict[str, str] = {}
        self.files = [name for name in self.free if sample.is_files(name)]
        self.alts = [name for name in self.free if ALT.search(plain_name(name))]
        self.free = [name for name in self.free if name not in (*self.files, *self.alts)]

    def columns(self) -> Columns:
        """Names that say what a column is count first; then the values; then what is left over."""
        self._take("system", self.sample.is_short)
        self._take_document()
        wide = [] if "system" in self.roles else self._with_output_affix()
        if not wide:
            self._take("output", self.sample.is_text, or_empty=True)
        for role in ("reference", "input", "context", "highlight"):
            self._take(role, lambda name: not self.sample.is_number(name))
        self._take_item()
        self._take_files()
        if not {"output", OUTPUT_FILE} & set(self.roles):
            wide = wide or self._texts_left()
        self.free = [name for name in self.free if name not in wide]
        if wide and "system" not in self.roles:
            return Columns("wide", self._ordered(), system_names(wide), self._factors())
        if {"output", OUTPUT_FILE} & set(self.roles):
            return Columns("long", self._ordered(), factors=self._factors())
        if "system" in self.roles:
            raise InvalidColumns("No column has the outputs of these systems.")
        return Columns("items", self._ordered(), factors=tuple(self.free))

    def _ordered(self) -> dict[str, str]:
        order = (
            *("system", "item", "input", INPUT_FILE, INPUT_ALT),
            *("output", OUTPUT_FILE, OUTPUT_ALT, "reference", "context", "highlight"),
            *("document", "segment"),
        )
        return {role: self.roles[role] for role in order if role in self.roles}

    # --- roles by name ---

    def _take(self, role: str, test: Callable[[str], bool], *, or_empty: bool = False) -> None:
        """Give the role to the free column with the likeliest name that passes the test."""
        named = {plain_name(name): name for name in reversed(self.free)}
        for candidate in NAMES[role]:
            name = named.get(candidate)
            if name is None:
                continue
            if test(name) or (or_empty and not any(self.sample.of_column(name))):
                self.roles[role] = name
                self.free.remove(name)
                return

    def _take_item(self) -> None:
        """The item's column: by its name, or else the input names the item."""
        self._take("item", self._can_be_item)
        if "document" in self.roles:
            return
        if "item" not in self.roles and "input" in self.roles:
            self.roles["item"] = self.roles["input"]

    def _take_document(self) -> None:
        """Documents with numbered segments: two columns that only together name a row."""
        free = [*self.free]
        self._take("document", self.sample.is_short)
        if "document" in self.roles:
            self._take("segment", self._numbers_segments)
        if "segment" not in self.roles:
            self.roles.pop("document", None)
            self.free = free

    def _numbers_segments(self, name: str) -> bool:
        """Mostly whole numbers, in documents that have several rows: reading finds the rest."""
        cells = self.sample.of_column(name)
        whole = sum(cell.strip().isdecimal() for cell in cells)
        return 2 * whole > len(cells) and self.sample.is_repeated(self.roles["document"])

    def _names_segments(self, name: str) -> bool:
        """Whether each item is one segment of one document."""
        cells = self.sample.of_column(name)
        places = [self.sample.of_column(self.roles[role]) for role in ("document", "segment")]
        pairs = set(zip(*places, strict=True))
        return len(set(cells)) == len(pairs) == len(set(zip(cells, *places, strict=True)))

    def _take_files(self) -> None:
        """Columns of files: of the input where all rows of an item have the same, or of outputs."""
        for name in self.files:
            role = INPUT_FILE if self._is_of_input(name) else OUTPUT_FILE
            self.roles.setdefault(role, name)
        for name in self.alts if self.files else ():
            is_output = plain_name(name).startswith("output") or INPUT_FILE not in self.roles
            self.roles.setdefault(OUTPUT_ALT if is_output else INPUT_ALT, name)
        if "item" not in self.roles and INPUT_FILE in self.roles:
            self.roles["item"] = self.roles[INPUT_FILE]

    def _is_of_input(self, name: str) -> bool:
        named = plain_name(name)
        if named.startswith(("input", "source", "prompt")):
            return True
        if named.startswith("output"):
            return False
        if "system" not in self.roles:
            return "output" not in self.roles or "item" not in self.roles
        items = self.sample.of_column(self.roles["item"]) if "item" in self.roles else []
        return "output" in self.roles and (not items or self._agrees(name, items))

    def _can_be_item(self, name: str) -> bool:
        """With several systems, each item is in more than one row; no system has an item twice."""
        if "document" in self.roles:
            return self._names_segments(name)
        if "output" not in self.roles:
            return not self.sample.is_repeated(name)
        cells = self.sample.of_column(name)
        if "system" not in self.roles:
            return len(set(cells)) == len(cells)
        systems = self.sample.of_column(self.roles["system"])
        pairs = set(zip(systems, cells, strict=True))
        if len(pairs) < len(cells):
            return False
        return len(set(systems)) < 2 or len(set(cells)) < len(cells) or "input" not in self.roles

    # --- the others ---

    def _is_index(self, name: str) -> bool:
        """A column in which a data frame numbered its rows."""
        return bool(INDEX.match(column_name(name))) and (
            self.sample.is_counting(name) or not column_name(name)
        )

    def _with_output_affix(self) -> list[str]:
        """Columns such as `output_gpt` and `output_llama`, or `gpt_response`."""
        for word in OUTPUT_WORDS[:LIKELY_AFFIXES]:
            pattern = re.compile(rf"^{word}[_\-. :/].|.[_\-. :/]{word}$")
            found = [name for name in self.free if pattern.search(column_name(name))]
            found = [name for name in found if plain_name(name) not in KNOWN_NAMES]
            if len(found) > 1 and all(map(self.sample.is_text, found)):
                return found
        return []

    def _texts_left(self) -> list[str]:
        """Two or more columns of texts that have no other role: a column for each system."""
        texts = [
            name for name in self.free if self.sample.is_text(name) and not self._is_factor(name)
        ]
        return texts if len(texts) > 1 else []

    def _is_factor(self, name: str) -> bool:
        """Few values, each of them short and often there."""
        cells = self.sample.of_column(name)
        n_values = len(set(cells))
        return (
            self.sample.is_short(name)
            and len(cells) > 2
            and n_values <= min(MOST_FACTOR_VALUES, len(cells) / 2)
        )

    def _factors(self) -> tuple[str, ...]:
        """Columns of few values that never differ within an item."""
        items = self.sample.of_column(self.roles["item"]) if "item" in self.roles else []
        return tuple(
            name for name in self.free if self._is_factor(name) and self._agrees(name, items)
        )

    def _agrees(self, name: str, items: Sequence[str]) -> bool:
        pairs = set(zip(items, self.sample.of_column(name), strict=False))
        return len(pairs) == len(set(items))


def plain_name(name: str) -> str:
    return re.sub(r"[\s\-./]+", "_", column_name(name)).strip("_")


KNOWN_NAMES = {name for names in NAMES.values() for name in names}


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
