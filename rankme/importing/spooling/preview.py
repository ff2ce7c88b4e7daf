"""Sum up an upload for the organiser, who decides whether to import it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankme.importing.characters import CHARACTER_CLASSES, NOT_NORMAL

from .judgement_spool import JudgementSpool
from .spool import Spool
from .spooled import read_items

MOST_MISSING_LISTED = 20
MOST_PAIRS_LISTED = 50
LONGEST_LISTED = 10
SAMPLE_ITEMS = 3
SAMPLE_SYSTEMS = 30


@dataclass(frozen=True)
class FilePreview:
    """The size and hash of one file."""

    label: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class SystemPreview:
    """One row of the coverage matrix."""

    name: str
    outputs: int
    missing: int
    missing_items: tuple[str, ...]
    empty: int
    mean_length: float


@dataclass(frozen=True)
class IdenticalPair:
    """Two systems, and for how many items they say the same."""

    first: str
    second: str
    items: int


@dataclass(frozen=True)
class StrangePreview:
    """A kind of unusual character, how many outputs have it, and an example."""

    kind: str
    outputs: int
    examples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class LongText:
    system: str
    item: str
    characters: int


@dataclass(frozen=True)
class SampleItem:
    """One item as it was read, with its outputs by system."""

    key: str
    input: str
    reference: str
    context: str
    factors: dict[str, str]
    outputs: dict[str, str]


@dataclass(frozen=True)
class Preview:
    """All material on one page, in short; `missing` counts absent outputs of all systems."""

    format: str
    n_items: int
    n_outputs: int
    missing: int
    empty: int
    files: tuple[FilePreview, ...]
    systems: tuple[SystemPreview, ...]
    identical_outputs: int
    identical_pairs: tuple[IdenticalPair, ...]
    identical_systems: tuple[tuple[str, str], ...]
    strange: tuple[StrangePreview, ...]
    longest: tuple[LongText, ...]
    samples: tuple[SampleItem, ...]
    notes: tuple[str, ...]
    tables: tuple[Any, ...] = ()

    @property
    def is_complete(self) -> bool:
        return self.missing == 0


@dataclass(frozen=True)
class CriterionPreview:
    """A criterion as its values show it; `labels` name values where the file has names.

    With `has_marks`, a value is what the errors weigh that a rater marked, of these `severities`.
    """

    name: str
    judgements: int
    lowest: float
    highest: float
    whole_numbers: bool
    labels: dict[float, str]
    has_marks: bool = False
    severities: tuple[str, ...] = ()


@dataclass(frozen=True)
class JudgementPreview:
    """All judgements on one page, in short."""

    format: str
    n_judgements: int
    n_screens: int
    n_raters: int
    n_items: int
    systems: tuple[str, ...]
    criteria: tuple[CriterionPreview, ...]
    files: tuple[FilePreview, ...]
    notes: tuple[str, ...]
    tables: tuple[Any, ...] = ()


def make_preview(format: str, spool: Spool) -> Preview:
    """Look through the spooled rows; they are valid, but may still surprise."""
    database, names = spool.database, spool.system_names
    systems = _systems(database, names)
    identical, pairs = _identical(database, len(names))
    listed = pairs.most_common(MOST_PAIRS_LISTED)
    return Preview(
        format=format,
        n_items=spool.n_items,
        n_outputs=sum(system.outputs for system in systems),
        missing=sum(system.missing for system in systems),
        empty=sum(system.empty for system in systems),
        files=_files(database),
        systems=systems,
        identical_outputs=identical,
        identical_pairs=tuple(IdenticalPair(names[a], names[b], n) for (a, b), n in listed),
        identical_systems=_identical_systems(systems, pairs),
        strange=_strange(spool),
        longest=tuple(
            LongText(*row)
            for row in database.execute(
                """SELECT s.name, i.key, longest.n FROM (
                    SELECT system, item, length(text) AS n FROM output ORDER BY n DESC LIMIT ?
                ) longest JOIN system s ON s.id = longest.system JOIN item i ON i.id = longest.item
                ORDER BY longest.n DESC, s.id, i.id""",
                (LONGEST_LISTED,),
            )
        ),
        samples=_samples(database),
        notes=(*_media_note(database), *spool.notes),
    )


def _files(database: sqlite3.Connection) -> tuple[FilePreview, ...]:
    rows = database.execute("SELECT label, rows, bytes, sha256 FROM file ORDER BY id")
    return tuple(FilePreview(*row) for row in rows)


def _systems(database: sqlite3.Connection, names: Sequence[str]) -> tuple[SystemPreview, ...]:
    (n_items,) = database.execute("SELECT count(*) FROM item").fetchone()
    counts = {
        system: rest
        for system, *rest in database.execute(
            """SELECT system, count(*), sum(trim(text) = '' AND media IS NULL), avg(length(text))
            FROM output GROUP BY system"""
        )
    }
    previews = []
    for system, name in enumerate(names):
        n_outputs, empty, mean_length = counts.get(system, (0, 0, 0.0))
        missing = n_items - n_outputs
        listed = _missing_items(database, system) if missing else ()
        previews.append(
            SystemPreview(name, n_outputs, missing, listed, empty, round(mean_length, 1))
        )
    return tuple(previews)


def _missing_items(database: sqlite3.Connection, system: int) -> tuple[str, ...]:
    rows = database.execute(
        """SELECT key FROM item WHERE NOT EXISTS (
            SELECT 1 FROM output WHERE system = ? AND output.item = item.id
        ) ORDER BY id LIMIT ?""",
        (system, MOST_MISSING_LISTED),
    )
    return tuple(key for (key,) in rows)


def _identical(
    database: sqlite3.Connection, n_systems: int
) -> tuple[int, Counter[tuple[int, int]]]:
    """Count the outputs that repeat another output of their item, and the pairs that do.

    Pairs are counted in a matrix: a thousand systems have half a million pairs for each item.
    """
    shared: Counter[str] = Counter()
    for (systems,) in database.execute(
        """SELECT group_concat(system) FROM (
            SELECT system, item, digest FROM output ORDER BY item, digest, system
        ) GROUP BY item, digest HAVING count(*) > 1"""
    ):
        shared[systems] += 1
    identical = 0
    together = np.zeros((n_systems, n_systems), dtype=np.int64)
    for systems, times in shared.items():
        numbers = np.array(systems.split(","), dtype=np.int64)
        identical += len(numbers) * times
        together[np.ix_(numbers, numbers)] += times
    first, second = np.nonzero(np.triu(together, k=1))
    counts = together[first, second].tolist()
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return identical, Counter(dict(zip(pairs, counts, strict=True)))


def _identical_systems(
    systems: Sequence[SystemPreview], pairs: Counter[tuple[int, int]]
) -> tuple[tuple[str, str], ...]:
    return tuple(
        (systems[first].name, systems[second].name)
        for (first, second), times in sorted(pairs.items())
        if times == systems[first].outputs == systems[second].outputs
    )


def _strange(spool: Spool) -> tuple[StrangePreview, ...]:
    def examples(kind: str) -> tuple[tuple[str, str, str], ...]:
        found = []
        for system, item, character in spool.strange_examples[kind]:
            (key,) = spool.database.execute("SELECT key FROM item WHERE id = ?", (item,)).fetchone()
            found.append((spool.system_names[system], key, character))
        return tuple(found)

    return tuple(
        StrangePreview(kind, spool.strange[kind], examples(kind))
        for kind in (*CHARACTER_CLASSES, NOT_NORMAL)
        if spool.strange[kind]
    )


def _samples(database: sqlite3.Connection) -> tuple[SampleItem, ...]:
    samples = []
    for item, _ in zip(read_items(database), range(SAMPLE_ITEMS), strict=False):
        outputs = database.execute(
            """SELECT name, trim(text || ' ' || coalesce(media.path, ''))
            FROM system JOIN output ON output.system = system.id AND output.item = ?
            LEFT JOIN media ON media.id = output.media ORDER BY system.id LIMIT ?""",
            (item.position, SAMPLE_SYSTEMS),
        )
        shown = f"{item.input} {_path_of(database, item.media)}".strip()
        texts = (shown, item.reference, item.context)
        samples.append(SampleItem(item.key, *texts, item.factors, dict(outputs.fetchall())))
    return tuple(samples)


def _path_of(database: sqlite3.Connection, media: int | None) -> str:
    found = database.execute("SELECT path FROM media WHERE id = ?", (media,)).fetchone()
    return str(found[0]) if found else ""


def _media_note(database: sqlite3.Connection) -> tuple[str, ...]:
    """Count the files of each kind: “With 12 pictures, 1 sound (4.1 MB).”"""
    found = database.execute("SELECT kind, count(*), sum(size) FROM media GROUP BY kind").fetchall()
    if not found:
        return ()
    parts = ", ".join(f"{count:,} {kind if count == 1 else kind + 's'}" for kind, count, _ in found)
    return (f"With {parts} ({sum(size for *_, size in found) / 1_000_000:.1f} MB).",)


# --- judgements ------------------------------------------------------------------------------


def preview_judgements(format: str, spool: JudgementSpool) -> JudgementPreview:
    """Count what was judged, by whom, and with which values."""
    database = spool.database
    (n_judgements,) = database.execute("SELECT count(*) FROM judgement").fetchone()
    (n_screens,) = database.execute("SELECT count(*) FROM screen").fetchone()
    rows = database.execute(
        """SELECT criterion, count(*), min(value), max(value), max(value <> round(value)) = 0
        FROM judgement GROUP BY criterion ORDER BY criterion"""
    )
    names = list(spool.criteria)
    criteria = tuple(
        CriterionPreview(
            names[number],
            count,
            lowest,
            highest,
            bool(whole),
            spool.labels.get(number, {}),
            number in spool.marked,
            tuple(spool.marked.get(number, ())),
        )
        for number, count, lowest, highest, whole in rows
    )
    return JudgementPreview(
        format=format,
        n_judgements=n_judgements,
        n_screens=n_screens,
        n_raters=len(spool.raters),
        n_items=spool.n_items,
        systems=tuple(spool.system_names),
        criteria=criteria,
        files=_files(database),
        notes=(*spool.notes, *_without_difference(criteria)),
    )


def _without_difference(criteria: Sequence[CriterionPreview]) -> Iterator[str]:
    """A column of one value may be a setting of the tool, rather than answers."""
    for each in criteria:
        if each.lowest == each.highest and each.judgements > 1 and not each.has_marks:
            yield (
                f'All {each.judgements:,} values of "{each.name}" are {each.lowest:g}. If raters '
                "did not give them, leave the column out."
            )
