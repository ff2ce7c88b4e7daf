"""Material of our own for every preset, as the readers want it: small to look at, or full-sized."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankme.protocols.meaning_representation import slots

from . import domains, extracts, games, places

FOLDER = Path(__file__).parent
SR11_DEEP_SYSTEMS = ("Corpus", "Alder", "Dill")
FACT_SENTENCES = 4  # of each system and game: 20 sentences a game in five conditions


@dataclass(frozen=True)
class Material:
    """An upload: the reader that it is for, and its files."""

    format: str
    files: Mapping[str, bytes]

    def write(self, folder: Path) -> list[Path]:
        """Put the files into a folder, and give their paths."""
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        return [folder / name for name in self.files]


def material(preset: str, *, full: bool = False) -> Material:
    """A preset's material: a few items, or (`full`) as many items and systems as in the paper."""
    return MATERIAL[preset](full)


def _places(full: bool) -> Material:
    """The E2E challenge: 630 meaning representations, 21 systems, one TSV each."""
    if not full:
        return Material("long", _stored("restaurants"))
    drawn = places.draw_places(630)
    return Material(
        "e2e",
        {
            f"{system}.tsv": _table(
                ("MR", "output"),
                ((place, places.describe(place, system)) for place in drawn),
                delimiter="\t",
            )
            for system in places.SYSTEMS
        },
    )


def _places_alone(full: bool) -> Material:
    """Only what workers write texts for."""
    if not full:
        return Material("items", {"items.csv": _stored("restaurants")["items.csv"]})
    rows = ((f"p{number:03d}", place) for number, place in enumerate(places.draw_places(60)))
    return Material("items", {"items.csv": _table(("item", "input"), rows)})


def _restaurants(full: bool) -> Material:
    """The same with its facts in words, for evaluations whose input is any text."""
    stored = _stored("restaurants")
    header, *rows = csv.reader(io.StringIO(stored["items.csv"].decode(), newline=""))
    place = header.index("input")
    for row in rows:
        row[place] = "; ".join(f"{name}: {value}" for name, value in slots(row[place]))
    return Material("long", stored | {"items.csv": _table(header, rows)})


def _extracts(systems: Sequence[str]) -> Callable[[bool], Material]:
    """Surface realisation: a hundred sentences in extracts of five."""

    def made(full: bool) -> Material:
        if not full:
            return Material("long", _stored("sentences", systems))
        drawn = extracts.draw_extracts(20)
        sentences = [
            (f"{extract.name}-{place + 1}", extract.around(place), sentence)
            for extract in drawn
            for place, sentence in enumerate(extract.sentences)
        ]
        items = (
            (key, context, extracts.realise(sentence, "Corpus"))
            for key, context, sentence in sentences
        )
        outputs = (
            (system, key, extracts.realise(sentence, system))
            for system in systems
            for key, _, sentence in sentences
        )
        return Material(
            "long",
            {
                "items.csv": _table(("item", "context", "reference"), items),
                "outputs.csv": _table(("system", "item", "output"), outputs),
            },
        )

    return made


def _lines(full: bool) -> Material:
    """As at WMT: a file of lines for each system, and for source and reference."""
    drawn = extracts.draw_extracts(20 if full else 4)
    sentences = [sentence for extract in drawn for sentence in extract.sentences]
    files = {"source.txt": _text(f"{one.when} / {one.who} / {one.what}" for one in sentences)}
    for system in extracts.SYSTEMS:
        name = "reference" if system == "Corpus" else system
        files[f"{name}.txt"] = _text(extracts.realise(one, system) for one in sentences)
    return Material("plain", files)


def _domains(full: bool) -> Material:
    """TUNA: 112 domains in XML with their pictures, twelve ways to describe them."""
    drawn = domains.draw_domains(112 if full else 24)
    return Material("tuna", {"tuna.zip": domains.tuna_archive(drawn)})


def _sentences_of_games(full: bool) -> Material:
    """Facts: twenty games, four sentences of each of five systems."""
    drawn = games.draw_games(20 if full else 2)
    rows = (
        (system, f"{game.name}/{number}", sentence)
        for system in games.SYSTEMS
        for game in drawn
        for number, sentence in enumerate(games.report(game, system)[:FACT_SENTENCES], start=1)
    )
    return Material(
        "rotowire",
        {"games.json": _games(drawn), "outputs.csv": _table(("system", "item", "output"), rows)},
    )


def _summaries_of_games(full: bool) -> Material:
    """Order: thirty games, one whole summary of each system."""
    drawn = games.draw_games(30 if full else 4)
    texts = {
        f"{system}.txt": _text(" ".join(games.report(game, system)) for game in drawn)
        for system in games.SYSTEMS
    }
    return Material("rotowire", {"games.json": _games(drawn)} | texts)


MATERIAL: dict[str, Callable[[bool], Material]] = {
    "best-worst": _restaurants,
    "direct-assessment": _lines,
    "e2e-coverage": _places,
    "e2e-elicitation": _places_alone,
    "e2e-naturalness": _places,
    "e2e-quality": _places,
    "pairwise-preference": _restaurants,
    "rotowire-facts": _sentences_of_games,
    "rotowire-ordering": _summaries_of_games,
    "sr11-deep": _extracts(SR11_DEEP_SYSTEMS),
    "sr11-shallow": _extracts(tuple(extracts.SYSTEMS)),
    "tuna08-identification": _domains,
}


# --- files -----------------------------------------------------------------------------------


def _stored(folder: str, systems: Sequence[str] | None = None) -> dict[str, bytes]:
    """A folder's items and outputs; with `systems` of so many of its systems alone."""
    items = (FOLDER / folder / "items.csv").read_bytes()
    outputs = (FOLDER / folder / "outputs.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(io.StringIO(outputs, newline=""))
    names = list(dict.fromkeys(row[0] for row in rows))[: len(systems) if systems else None]
    kept = (row for row in rows if row[0] in names)
    return {"items.csv": items, "outputs.csv": _table(header, kept)}


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], delimiter: str = ",") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _games(drawn: Sequence[games.Game]) -> bytes:
    documents = [{"id": game.name} | game.document for game in drawn]
    return json.dumps(documents, ensure_ascii=False).encode()
