"""Made-up basketball games in RotoWire's JSON, and made-up systems that report on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

TEAMS = {
    "Harbour City": "Herons",
    "Northfield": "Foxes",
    "Lakeside": "Otters",
    "Old Port": "Gulls",
    "Millbrook": "Badgers",
    "Eastgate": "Swifts",
}
FIRST_NAMES = ("Ada", "Ben", "Carl", "Dora", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jon")
LAST_NAMES = ("Abel", "Brook", "Crane", "Dale", "Ellis", "Frost", "Gray", "Hill", "Ives", "Joyce")
PLAYERS_PER_TEAM = 5
BOX_COLUMNS = ("FIRST_NAME", "SECOND_NAME", "TEAM_CITY", "MIN", "PTS", "REB", "AST", "STL", "BLK")
# How often a system gets a number wrong, and whether it keeps the order of importance.
SYSTEMS = {
    "Gold": (0.0, True),
    "Template": (0.0, False),
    "Planner": (0.1, True),
    "Copier": (0.25, True),
    "Baseline": (0.4, False),
}


@dataclass(frozen=True)
class Game:
    name: str
    document: dict[str, Any]


def draw_games(n_games: int, *, seed: int = 4) -> list[Game]:
    """Draw games; `document` has RotoWire's keys (box_score, home_line, vis_line, …)."""
    rng = np.random.default_rng(seed)
    return [Game(f"game-{number:03d}", _document(rng)) for number in range(n_games)]


def report(game: Game, system: str) -> list[str]:
    """The sentences of a made-up system about a game; the same call gives the same sentences."""
    wrong, ordered = SYSTEMS[system]
    rng = np.random.default_rng([len(system), *game.name.encode(), *system.encode()])
    sentences = [_slip(rng, wrong, words, numbers) for words, numbers in _facts(game.document)]
    if not ordered:
        sentences = [sentences[place] for place in rng.permutation(len(sentences))]
    return sentences


def _document(rng: np.random.Generator) -> dict[str, Any]:
    home, visitors = rng.choice(list(TEAMS), size=2, replace=False)
    players = [
        _player(first, last, home if place < PLAYERS_PER_TEAM else visitors, rng)
        for place, (first, last) in enumerate(
            zip(rng.permutation(FIRST_NAMES), rng.permutation(LAST_NAMES), strict=True)
        )
    ]
    return {
        "home_name": TEAMS[home],
        "home_city": str(home),
        "vis_name": TEAMS[visitors],
        "vis_city": str(visitors),
        "home_line": _line(home, [player for player in players if player["TEAM_CITY"] == home]),
        "vis_line": _line(
            visitors, [player for player in players if player["TEAM_CITY"] == visitors]
        ),
        "box_score": {
            column: {str(place): str(player[column]) for place, player in enumerate(players)}
            for column in BOX_COLUMNS
        },
    }


def _player(first: str, last: str, city: str, rng: np.random.Generator) -> dict[str, Any]:
    return {
        "FIRST_NAME": str(first),
        "SECOND_NAME": str(last),
        "TEAM_CITY": str(city),
        "MIN": int(rng.integers(18, 41)),
        "PTS": int(rng.integers(2, 35)),
        "REB": int(rng.integers(0, 14)),
        "AST": int(rng.integers(0, 12)),
        "STL": int(rng.integers(0, 5)),
        "BLK": int(rng.integers(0, 4)),
    }


def _line(city: str, players: list[dict[str, Any]]) -> dict[str, str]:
    return {
        "TEAM-CITY": str(city),
        "TEAM-NAME": TEAMS[city],
        "TEAM-PTS": str(sum(player["PTS"] for player in players)),
        "TEAM-REB": str(sum(player["REB"] for player in players)),
        "TEAM-AST": str(sum(player["AST"] for player in players)),
    }


def _facts(document: dict[str, Any]) -> Iterator[tuple[str, list[int]]]:
    """Sentences with gaps for numbers, the most important first."""
    lines = sorted(
        (document["home_line"], document["vis_line"]), key=lambda line: -int(line["TEAM-PTS"])
    )
    winner, loser = lines
    yield (
        f"The {winner['TEAM-CITY']} {winner['TEAM-NAME']} beat the {loser['TEAM-CITY']} "
        f"{loser['TEAM-NAME']} {{}}–{{}}.",
        [int(winner["TEAM-PTS"]), int(loser["TEAM-PTS"])],
    )
    box = document["box_score"]
    places = sorted(box["PTS"], key=lambda place: -int(box["PTS"][place]))
    for place in places[:3]:
        yield (
            f"{box['FIRST_NAME'][place]} {box['SECOND_NAME'][place]} scored {{}} points and took "
            "{} rebounds in {} minutes.",
            [int(box[column][place]) for column in ("PTS", "REB", "MIN")],
        )
    yield (
        f"The {winner['TEAM-NAME']} had {{}} assists, the {loser['TEAM-NAME']} {{}}.",
        [int(winner["TEAM-AST"]), int(loser["TEAM-AST"])],
    )


def _slip(rng: np.random.Generator, wrong: float, words: str, numbers: list[int]) -> str:
    slipped = [
        number + int(rng.choice([-3, -2, 2, 5])) if rng.random() < wrong else number
        for number in numbers
    ]
    return words.format(*[max(number, 0) for number in slipped])
