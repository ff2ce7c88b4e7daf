"""Material of our own for every preset: small, made up, and in the files that the readers take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Material:
    """An upload: the reader that it is for, and its files."""

    format: str
    paths: tuple[Path, ...]


def _files(format: str, *names: str) -> Material:
    return Material(format, tuple(FOLDER / name for name in names))


_restaurants = _files("long", "restaurants/items.csv", "restaurants/outputs.csv")
_restaurants_in_words = _files("long", "restaurants_in_words/items.csv", "restaurants/outputs.csv")
_chat = _files("long", "chat/items.csv", "chat/outputs.csv")
_translations = _files("long", "translations/items.csv", "translations/outputs.csv")

MATERIAL = {
    "audio-quality": _files("long", "tunes/tunes.zip"),
    "best-worst": _restaurants_in_words,
    "chat-arena": _chat,
    "chat-likert": _chat,
    "contrastive-esa": _translations,
    "direct-assessment": _files(
        "plain",
        "lines/source.txt",
        "lines/reference.txt",
        "lines/Alder.txt",
        "lines/Beech.txt",
        "lines/Clover.txt",
        "lines/Dill.txt",
    ),
    "document-esa": _files("long", "translated_documents/outputs.csv"),
    "e2e-coverage": _restaurants,
    "e2e-elicitation": _files("items", "restaurants/items.csv"),
    "e2e-naturalness": _restaurants,
    "e2e-quality": _restaurants,
    "esa": _translations,
    "fact-spans": _files("rotowire", "games_at_length/games.json", "games_at_length/outputs.csv"),
    "image-captions": _files("long", "captions/captions.zip"),
    "likert-criteria": _restaurants_in_words,
    "mqm": _translations,
    "pairwise-preference": _restaurants_in_words,
    "rotowire-facts": _files(
        "rotowire", "games_by_sentence/games.json", "games_by_sentence/outputs.csv"
    ),
    "rotowire-ordering": _files(
        "rotowire",
        "games_whole/games.json",
        "games_whole/Gold.txt",
        "games_whole/Template.txt",
        "games_whole/Planner.txt",
        "games_whole/Copier.txt",
        "games_whole/Baseline.txt",
    ),
    "sr11-deep": _files("long", "sentences/items.csv", "sentences_of_three_systems/outputs.csv"),
    "sr11-shallow": _files("long", "sentences/items.csv", "sentences/outputs.csv"),
    "tuna08-identification": _files("tuna", "domains/tuna.zip"),
}
