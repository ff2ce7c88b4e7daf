"""A compact file outside the database: rows wait here until all of the material is checked."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import compress, zip_longest
from pathlib import Path
from typing import NamedTuple

from rankme.importing.characters import SENTENCE_MARK, folded, strange_characters
from rankme.importing.files import Place, SourceFile
from rankme.importing.limits import Limits
from rankme.importing.media.media_types import MediaContent
from rankme.importing.problems import Problems, StopFile

from .documents import Documents
from .spooled import Waiting, content_of, insert, open_spool

# Says what is wrong with a text; "" if nothing is.
TextCheck = Callable[[str], str]
STRANGE_EXAMPLES = 20
LONGEST_KEY_OF_A_TEXT = 200
ITEM_TEXTS = ("input", "reference", "context", "highlight")

TABLES = """
    CREATE TABLE file (id INTEGER PRIMARY KEY, label, rows INT, bytes INT, sha256);
    CREATE TABLE system (id INTEGER PRIMARY KEY, name);
    CREATE TABLE item (
        id INTEGER PRIMARY KEY, key, input, reference, context, highlight, factors,
        file INT, line INT, media INT, alt);
    CREATE TABLE output (
        system INT, item INT, text, file INT, line INT, digest INT, marks, media INT, alt);
    CREATE TABLE media (
        id INTEGER PRIMARY KEY, path, sha256, media_type, kind, size INT, seconds REAL);
    CREATE TABLE rater (id INTEGER PRIMARY KEY, name);
    CREATE TABLE screen (
        id INTEGER PRIMARY KEY, name, rater INT, item INT, started_at, submitted_at);
    CREATE TABLE criterion (id INTEGER PRIMARY KEY, name);
    CREATE TABLE judgement (
        screen INT, system INT, criterion INT, value REAL, time_ms REAL, label,
        late INT, excluded INT, factors, file INT, line INT);
    CREATE TABLE factor (position INTEGER PRIMARY KEY, name, is_of_item INT);
"""


class Attached(NamedTuple):
    """A picture, sound or film of an item or an output, and its description."""

    media: int | None
    alt: str


NO_FILE = Attached(None, "")


@dataclass(slots=True)
class NewItem:
    """An item as a file has it."""

    key: str
    input: str = ""
    reference: str = ""
    context: str = ""
    highlight: str = ""
    factors: Mapping[str, str] = field(default_factory=dict)
    attached: Attached = NO_FILE


@dataclass(eq=False)
class Spool:
    """Stores rows while they are read, and notes the problems of each."""

    path: Path
    limits: Limits
    problems: Problems
    checks: Mapping[str, TextCheck] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.database = open_spool(self.path)
        self.database.executescript(TABLES)
        self.database.execute("BEGIN")
        self.notes: list[str] = []
        self.system_names: list[str] = []
        self.strange: Counter[str] = Counter()
        self.strange_examples: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
        self._systems: dict[str, int] = {}
        self._systems_as_written: dict[str, int] = {}
        self._items: dict[int, int] = {}
        self.factor_names: tuple[str, ...] = ()
        self.documents: Documents | None = None
        self._varying: set[int] = set()
        self._factors_of_items: dict[int, tuple[str, ...]] = {}
        self._texts_of_items: dict[int, int] = {}
        self._new_items = Waiting(self.database, "item")
        self._new_outputs = Waiting(self.database, "output")
        self._digests: list[str] = []

    def has_check(self, column: str) -> bool:
        """Tell whether the campaign checks the texts of this column."""
        return column in self.checks

    @property
    def n_items(self) -> int:
        return len(self._items)

    # --- systems ---

    def system_number(self, name: str, place: Place) -> int | None:
        """The system's position, given to new names in the order in which they come."""
        known = self._systems_as_written.get(name)
        return known if known is not None else self._new_system(name, place)

    def _new_system(self, name: str, place: Place) -> int | None:
        trimmed = name.strip()
        if trouble := self._trouble_with_name(trimmed):
            self.problem(place, "system", trouble)
            return None
        number = self._systems.get(folded(trimmed))
        if number is None:
            number = len(self.system_names)
            self.system_names.append(trimmed)
            self._systems[folded(trimmed)] = number
        elif self.system_names[number] != trimmed:
            other = self.system_names[number]
            message = (
                f'"{trimmed}" and "{other}" differ only in upper and '
                f"lower case or in how letters are encoded. Write them alike."
            )
            self.problem(place, "system", message)
            return None
        self._systems_as_written[name] = number
        return number

    def _trouble_with_name(self, name: str) -> str | None:
        if not name:
            return "The cell is empty; it should name the system. Fill it in or delete the row."
        if len(name) > self.limits.system_name:
            return f"The name is longer than {self.limits.system_name} characters. Shorten it."
        if not name.isprintable():
            return "The name contains invisible characters. Type it again."
        if len(self.system_names) >= self.limits.systems:
            return f"There are more than {self.limits.systems} systems."
        return None

    # --- items ---

    def item_number(self, key: str) -> int | None:
        return self._items.get(digest_of(key))

    def item_or_new(self, item: NewItem, place: Place) -> int | None:
        """The item's position; one that is not known yet is added."""
        number = self.item_number(item.key)
        return self.add_item(item, place) if number is None else number

    def put_in_document(self, item: int, document: str, segment: str, place: Place) -> None:
        """Note where the item is; an upload has documents throughout, or none."""
        if self.documents is None:
            self.documents = Documents(self.problems)
        self.documents.put(item, document, segment, place)

    def check_texts(self, item: int, texts: Mapping[str, str], place: Place) -> None:
        """Rows of one item repeat its texts: they must agree."""
        seen = hash(tuple(texts.values()))
        if self._texts_of_items.setdefault(item, seen) != seen:
            named = " or ".join(texts)
            message = (
                f"The {named} of this item differs from what is in an earlier row. Make them the "
                "same, or give the rows different items."
            )
            self.problem(place, next(iter(texts)), message)

    def expect_factors(self, names: Sequence[str]) -> None:
        """Which columns may be factors of items, in every row from here on."""
        self.factor_names = tuple(dict.fromkeys([*self.factor_names, *names]))

    def note_factors(self, item: int, values: Mapping[str, str]) -> tuple[str, ...]:
        """Find out which factors are properties of the item: they are the same in all its rows."""
        if not self.factor_names:
            return ()
        row = tuple(values.get(name, "") for name in self.factor_names)
        first = self._factors_of_items.setdefault(item, row)
        if first != row:
            pairs = enumerate(zip_longest(first, row, fillvalue=""))
            self._varying |= {place for place, (one, other) in pairs if one != other}
        return row

    def add_item(self, item: NewItem, place: Place) -> int | None:
        """Store an item; an earlier item with the same key is a problem."""
        digest = digest_of(item.key)
        if digest in self._items:
            self._note_item_again(item.key, self._items[digest], place)
            return None
        if not self._is_item_right(item, place):
            # The key is known from here on, so that its outputs are not reported as well.
            self._items.setdefault(digest, len(self._items))
            return None
        number = len(self._items)
        self._items[digest] = number
        context = item.context
        if item.highlight:
            context = context.replace(item.highlight, SENTENCE_MARK, 1)
        factors = json.dumps(dict(item.factors), ensure_ascii=False) if item.factors else ""
        row = (number, item.key, item.input, item.reference, context, item.highlight, factors)
        self._new_items.add(*row, place[0].number, place[1], *item.attached)
        return number

    def _note_item_again(self, key: str, number: int, place: Place) -> None:
        if self.problems.is_full:
            self.problem(place, "item", "")
            return
        self._new_items.write()
        first = self.database.execute(
            "SELECT file, line FROM item WHERE id = ?", (number,)
        ).fetchone()
        where = (
            f" on line {first[1]}" if first and first[0] == place[0].number else " in another file"
        )
        message = f"Item {quoted(key)} already appears{where}. Rename or delete one of the rows."
        self.problem(place, "item", message)

    def _is_item_right(self, item: NewItem, place: Place) -> bool:
        before = self.problems.count
        if not item.key.strip():
            message = "The cell is empty; it should name the item. Fill it in or delete the row."
            self.problem(place, "item", message)
        if len(item.key) > self.limits.item_key:
            message = (
                f"The item's name is longer than {self.limits.item_key:,} characters. Shorten it."
            )
            self.problem(place, "item", message)
        if len(self._items) >= self.limits.items:
            self.problem(place, "", f"There are more than {self.limits.items:,} items.")
            raise StopFile
        for column in ITEM_TEXTS:
            self.is_text_right(getattr(item, column), column, place)
        self.is_text_right(item.attached.alt, "alt", place)
        for name, value in item.factors.items():
            if len(value) > self.limits.factor_value:
                most = self.limits.factor_value
                self.problem(
                    place, name, f"A factor's value has at most {most:,} characters. Shorten it."
                )
        if item.highlight and item.context.count(item.highlight) != 1:
            self.problem(place, "highlight", "The context must contain this text exactly once.")
        return self.problems.count == before

    # --- outputs ---

    def add_output(
        self,
        system: int,
        item: int,
        text: str,
        place: Place,
        *,
        marks: str = "",
        attached: Attached = NO_FILE,
    ) -> None:
        """Take an output in; whether it is there twice is found out at the end.

        `marks` are suggestions for raters, as JSON.
        """
        is_right = self.is_text_right(text, "output", place)
        if not (is_right and self.is_text_right(attached.alt, "alt", place)):
            return
        for character_class, character in strange_characters(text):
            self.strange[character_class] += 1
            if len(self.strange_examples[character_class]) < STRANGE_EXAMPLES:
                self.strange_examples[character_class].append((system, item, character))
        shown = (text, self._digests[attached.media]) if attached.media is not None else text
        row = (system, item, text, place[0].number, place[1], hash(shown), marks)
        self._new_outputs.add(*row, *attached)

    def add_media(self, path: str, digest: str, media: MediaContent) -> int:
        """Keep a picture, sound or film next to the rows; its number is what rows call it."""
        number = len(self._digests)
        self._digests.append(digest)
        content_of(self.path.parent, number).write_bytes(media.content)
        row = (number, path, digest, media.media_type, media.kind, len(media.content))
        insert(self.database, "media", [(*row, media.seconds)])
        return number

    def is_text_right(self, text: str, column: str, place: Place) -> bool:
        longest = self.limits.document if column == "input" else self.limits.text
        if len(text) > longest:
            message = f"The text is longer than {longest:,} characters. Shorten it."
            self.problem(place, column, message)
            return False
        if column in self.checks and (words := self.checks[column](text)):
            self.problem(place, column, words)
            return False
        return True

    def problem(self, place: Place, column: str, message: str) -> None:
        self.problems.add(message, file=place[0].label, line=place[1], column=column)

    # --- to disk ---

    def finish(self, files: Sequence[SourceFile]) -> None:
        """Write what is left, and find outputs that are there twice."""
        self._new_items.write()
        self._new_outputs.write()
        read = [(file.number, file.label, file.rows, file.size, file.sha256) for file in files]
        insert(self.database, "file", read)
        insert(self.database, "system", list(enumerate(self.system_names)))
        self.database.execute("CREATE INDEX output_place ON output (system, item)")
        self._note_outputs_again(files)
        self._part_factors()
        if self.documents:
            self.documents.finish(self.database, self.system_names)

    def _note_outputs_again(self, files: Sequence[SourceFile]) -> None:
        again = self.database.execute(
            """SELECT o.system, o.item, o.file, o.line, o.rowid FROM output o
            JOIN (SELECT system, item FROM output GROUP BY system, item HAVING count(*) > 1) twice
            ON o.system = twice.system AND o.item = twice.item
            ORDER BY o.system, o.item, o.rowid"""
        )
        first: tuple[int, ...] = (-1, -1, -1, -1)
        for system, item, file, line, _ in again:
            if (system, item) != first[:2]:
                first = (system, item, file, line)
                continue
            where = f"on line {first[3]}"
            if first[2] != file:
                where += f" of {files[first[2]].label}"
            message = (
                f'System "{self.system_names[system]}" already has an output for this item '
                f"({where}). Delete one of the two rows."
            )
            self.problems.add(message, file=files[file].label, line=line)

    def _part_factors(self) -> None:
        """Give factors that never vary within an item to the items, and leave the rest."""
        names = self.factor_names
        are_of_items = [place not in self._varying for place in range(len(names))]
        rows = zip(range(len(names)), names, are_of_items, strict=True)
        insert(self.database, "factor", list(rows))
        self.database.executemany(
            "UPDATE item SET factors = ? WHERE id = ?",
            (
                (_factors_text(compress(zip(names, values, strict=False), are_of_items)), item)
                for item, values in self._factors_of_items.items()
            ),
        )

    def commit(self) -> None:
        self.database.execute("COMMIT")


def _factors_text(factors: Iterable[tuple[str, str]]) -> str:
    filled = {name: value for name, value in factors if value}
    return json.dumps(filled, ensure_ascii=False) if filled else ""


def digest_of(key: str) -> int:
    """64 bits that represent the text, so that a million keys fit in memory."""
    digest = blake2b(key.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


def key_of_text(text: str) -> str:
    """The name of an item that only its text names."""
    if len(text) <= LONGEST_KEY_OF_A_TEXT:
        return text
    return f"{text[:LONGEST_KEY_OF_A_TEXT]}… {digest_of(text) & 0xFFFFFFFF:08x}"


def quoted(text: str) -> str:
    return f'"{text[:60]}…"' if len(text) > 60 else f'"{text}"'
