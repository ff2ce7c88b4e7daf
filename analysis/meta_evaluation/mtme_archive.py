"""Archives of the WMT metrics tasks, in the folders of Google's mt-metrics-eval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from analysis.csv_rows import finite_number
from analysis.errors import TableError
from analysis.table import JudgementTable
from analysis.text_metrics.score_files import MetricScores, scores_from

MISSING = "None"


@dataclass(frozen=True, eq=False)
class Archive:
    """One language pair: judgements (items are segments, with their document), and metrics.

    Systems that have no human scores (most references) have metric scores only.
    """

    judgements: JudgementTable
    scores: MetricScores


@dataclass
class _Reader:
    """Collects the problems of all files."""

    folder: Path
    problems: list[str] = field(default_factory=list)

    def lines(self, path: Path) -> list[str]:
        """Return the lines of a file; one that cannot be read is a problem."""
        try:
            return path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            self.problems.append(f"{path.relative_to(self.folder)}: cannot be read: {error}.")
            return []

    def scores(self, path: Path) -> Iterator[tuple[int, str, float | None]]:
        """Line, system and score of a `.score` file, whose cells are separated by white space."""
        for number, line in enumerate(self.lines(path), start=1):
            cells = line.split()
            value = finite_number(cells[1]) if len(cells) == 2 else None
            if len(cells) != 2 or (value is None and cells[1] != MISSING):
                place = f"{path.relative_to(self.folder)}, line {number}"
                self.problems.append(f'{place}: "{line[:40]}" is not a system and a score.')
                continue
            yield number, cells[0], value

    def refuse(self) -> None:
        if self.problems:
            raise TableError(self.problems)


def read_archive(folder: Path, pair: str, human: str = "mqm") -> Archive:
    """Read one language pair of an archive such as `wmt22`.

    Parameters
    ----------
    folder : with `human-scores`, `metric-scores` and, if the archive has them, `documents`
    pair : the language pair, `en-de`
    human : the name of the human scores, as in `human-scores/en-de.mqm.seg.score`

    Returns
    -------
    Judgements with a single "rater", which is the name of the scores, and all metrics; the name
    of a metric includes that of its reference (`BLEU-refA`).

    Raises
    ------
    TableError : with every problem and its file and line
    """
    reader = _Reader(folder)
    path = folder / "human-scores" / f"{pair}.{human}.seg.score"
    if not path.exists():
        known = sorted(
            each.name for each in (folder / "human-scores").glob("*.seg.score") if each.is_file()
        )
        listed = ", ".join(known) or "none"
        raise TableError([f"There is no {path.relative_to(folder)}; the folder has: {listed}."])
    judged = _by_segment(reader, path)
    documents = _documents(reader, pair)
    found: dict[tuple[str, str, str], float] = {}
    metrics = folder / "metric-scores" / pair
    for file in sorted(metrics.glob("*.seg.score")):
        name = file.name.removesuffix(".seg.score")
        found |= {
            (name, system, _item(segment)): value
            for (system, segment), value in _by_segment(reader, file).items()
            if value is not None
        }
    for file in sorted(metrics.glob("*.sys.score")):
        name = file.name.removesuffix(".sys.score")
        found |= {
            (name, system, ""): value
            for _, system, value in reader.scores(file)
            if value is not None
        }
    _check_lengths(reader, judged, documents)
    reader.refuse()
    return Archive(_judgements(judged, documents, human), scores_from(found))


def _item(segment: int) -> str:
    return f"{segment:06}"


def _by_segment(reader: _Reader, path: Path) -> dict[tuple[str, int], float | None]:
    """Scores by system and number of the segment, counted from 1 within each system."""
    found: dict[tuple[str, int], float | None] = {}
    seen: dict[str, int] = {}
    for _, system, value in reader.scores(path):
        seen[system] = seen.get(system, 0) + 1
        found[system, seen[system]] = value
    if len(set(seen.values())) > 1:
        few, many = min(seen.values()), max(seen.values())
        reader.problems.append(
            f"{path.relative_to(reader.folder)}: systems have between {few} and {many} segments."
        )
    return found


def _documents(reader: _Reader, pair: str) -> list[str]:
    """Return the document of each segment; none where there is no such file."""
    path = reader.folder / "documents" / f"{pair}.docs"
    if not path.exists():
        return []
    return [line.split()[-1] if line.split() else "" for line in reader.lines(path)]


def _check_lengths(
    reader: _Reader, judged: dict[tuple[str, int], float | None], documents: list[str]
) -> None:
    segments = max((segment for _, segment in judged), default=0)
    if documents and len(documents) != segments:
        reader.problems.append(
            f"The file of documents has {len(documents)} lines for {segments} segments."
        )


def _judgements(
    judged: dict[tuple[str, int], float | None], documents: list[str], human: str
) -> JudgementTable:
    rows = [(system, segment, value) for (system, segment), value in judged.items()]
    known = [(system, segment, value) for system, segment, value in rows if value is not None]
    if not known:
        raise TableError([f"All scores of {human} are {MISSING}."])
    columns: dict[str, list[object]] = {
        "rater": [human] * len(known),
        "item": [_item(segment) for _, segment, _ in known],
        "system": [system for system, _, _ in known],
        "criterion": [human] * len(known),
        "value": [value for _, _, value in known],
        "screen": [f"{system} {_item(segment)}" for system, segment, _ in known],
    }
    if documents:
        columns["document"] = [documents[segment - 1] for _, segment, _ in known]
    return JudgementTable.from_columns(columns).in_order()
