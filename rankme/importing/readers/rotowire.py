"""RotoWire's JSON: box scores become tables that fit a screen; reports come from the systems."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from analysis.translatable import gettext_noop as _
from rankme.importing.files import SourceFile
from rankme.importing.problems import StopFile
from rankme.importing.sources import Sources, text_lines, whole_text
from rankme.importing.spooling.spool import NewItem, Spool, quoted
from rankme.importing.tabular.records import Shape, records, shape_of
from rankme.importing.tabular.upload_tables import OUTPUT_COLUMNS
from rankme.untrusted import strict_json

from .plain import advice_on_lines, lines_of
from .reader import Reader

NEEDED = ("box_score", "home_line", "vis_line")
NAME_COLUMNS = ("FIRST_NAME", "SECOND_NAME", "TEAM_CITY", "PLAYER_NAME")
# What readers of box scores look at first; the rest follows in the order of the file.
FIRST_COLUMNS = ("START_POSITION", "MIN", "PTS", "REB", "AST", "STL", "BLK")
FIRST_OF_TEAM = ("PTS", "WINS", "LOSSES", "PTS_QTR1", "PTS_QTR2", "PTS_QTR3", "PTS_QTR4")
SENTENCE = "/"

Game = dict[str, Any]


def is_rotowire(files: list[SourceFile]) -> bool:
    return any(_is_games(file) for file in files)


def _is_games(file: SourceFile) -> bool:
    return file.text_head.lstrip()[:1] in (b"[", b"{") and b'"box_score"' in file.text_head


def read_rotowire(sources: Sources, spool: Spool) -> None:
    """Games are numbered from 1, or have an `id`. Reports come as text, line n about game n, or as
    rows of system, item, output, where item 7 is game 7 and item 7/2 its second sentence.
    """
    games = _games(sources, spool)
    for file in sources.files:
        if _is_games(file):
            continue
        if shape := shape_of(file, OUTPUT_COLUMNS):
            _read_rows(sources, spool, file, shape, games)
        else:
            _read_lines(sources, spool, file, games)


def _games(sources: Sources, spool: Spool) -> dict[str, tuple[str, str]]:
    """Input and reference of each game by its key, in order."""
    games: dict[str, tuple[str, str]] = {}
    for file in sources.files:
        if not _is_games(file):
            continue
        for line, game in _documents(sources, file):
            file.rows += 1
            key = str(game.get("id", len(games) + 1)) if isinstance(game, dict) else "?"
            trouble = _trouble_with(game)
            if key in games:
                trouble = "appears twice. Give one of the two another id."
            if trouble:
                spool.problem((file, line), "", f"Game {quoted(key)} {trouble}")
                continue
            games[key] = json.dumps({"tables": tables(game)}, ensure_ascii=False), _summary(game)
    return games


def _documents(sources: Sources, file: SourceFile) -> Iterator[tuple[int, Any]]:
    """The games of one JSON array, or one game per line, each with its line."""
    deepest, line = sources.limits.json_depth, 1
    try:
        if file.head.lstrip()[:1] == b"[":
            yield from strict_json.elements(whole_text(sources, file), deepest=deepest)
            return
        for line, text in enumerate(text_lines(sources, file), start=1):
            if text.strip():
                yield line, strict_json.parse(text, deepest=deepest)
    except strict_json.InvalidJson as refused:
        message = f"{refused} Correct the file here."
        sources.problem((file, refused.line or line), "", message)
    except StopFile:
        return


def _trouble_with(game: Any) -> str | None:
    if not isinstance(game, dict):
        return f"is not an object. Write it as one with {', '.join(NEEDED)}."
    for name in NEEDED:
        if not isinstance(game.get(name), dict):
            return f"has no {name}. Add it, as an object of names and values."
    columns = game["box_score"].values()
    if not columns or not all(isinstance(column, dict) for column in columns):
        return (
            "has a box score that is not made of columns. Write each as an object of players' "
            "numbers and values."
        )
    if len({frozenset(column) for column in columns}) > 1:
        return (
            "has columns of different players in its box score. Give every column the same players."
        )
    cells = [cell for column in columns for cell in column.values()]
    cells += [*game["home_line"].values(), *game["vis_line"].values()]
    if any(isinstance(cell, dict | list) for cell in cells):
        return "has tables within its tables. Write each cell as a number or a text."
    return None


def _summary(game: Game) -> str:
    """The human report, whose words RotoWire keeps apart."""
    summary = game.get("summary", "")
    return " ".join(map(str, summary)) if isinstance(summary, list) else str(summary)


# --- tables ----------------------------------------------------------------------------------


def tables(game: Game) -> list[dict[str, Any]]:
    """The line score of both teams, then the box score, one table for each team's players."""
    return [_line_score(game), *_box_scores(game)]


def _line_score(game: Game) -> dict[str, Any]:
    lines = [
        {name.removeprefix("TEAM-").removeprefix("TEAM_"): cell for name, cell in line.items()}
        for line in (game["home_line"], game["vis_line"])
    ]
    columns = _ordered([*lines[0], *lines[1]], FIRST_OF_TEAM, leave=("NAME", "CITY"))
    rows = [
        [_team_name(game, side), *(_cell(line.get(column)) for column in columns)]
        for side, line in zip(("home", "vis"), lines, strict=True)
    ]
    return {"title": "Line score", "columns": ["Team", *map(_heading, columns)], "rows": rows}


def _box_scores(game: Game) -> list[dict[str, Any]]:
    box = game["box_score"]
    columns = _ordered(list(box), FIRST_COLUMNS, leave=NAME_COLUMNS)
    players = sorted(next(iter(box.values())), key=lambda place: (len(place), place))
    cities = box.get("TEAM_CITY", {})
    by_team = {
        side: [place for place in players if cities.get(place) == game.get(f"{side}_city")]
        for side in ("home", "vis")
    }
    # Two teams of one city cannot be told apart by it.
    is_parted = sorted(by_team["home"] + by_team["vis"]) == sorted(players)
    parts = (
        [(f"{_team_name(game, side)}: players", by_team[side]) for side in ("home", "vis")]
        if is_parted
        else [("Players", players)]
    )
    headings = ["Player", *map(_heading, columns)]
    return [
        {
            "title": title,
            "columns": headings,
            "rows": [
                [_player(box, place), *(_cell(box[column].get(place)) for column in columns)]
                for place in places
            ],
        }
        for title, places in parts
    ]


def _ordered(names: list[str], first: tuple[str, ...], leave: tuple[str, ...]) -> list[str]:
    distinct = list(dict.fromkeys(names))
    in_front = [name for name in first if name in distinct]
    return in_front + [name for name in distinct if name not in (*first, *leave)]


def _player(box: dict[str, dict[str, Any]], place: str) -> str:
    whole = box.get("PLAYER_NAME", {}).get(place)
    parts = [box.get(column, {}).get(place) for column in ("FIRST_NAME", "SECOND_NAME")]
    return str(whole) if whole else " ".join(str(part) for part in parts if part)


def _team_name(game: Game, side: str) -> str:
    return f"{game.get(f'{side}_city', '')} {game.get(f'{side}_name', '')}".strip() or side


def _heading(column: str) -> str:
    return column.replace("_", " ")


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


# --- reports ---------------------------------------------------------------------------------


def _read_rows(
    sources: Sources,
    spool: Spool,
    file: SourceFile,
    shape: Shape,
    games: dict[str, tuple[str, str]],
) -> None:
    for line, record in records(sources, file, shape):
        if not sources.has_all(OUTPUT_COLUMNS, record, (file, line)):
            continue
        game, _, sentence = record["item"].partition(SENTENCE)
        if game not in games:
            spool.problem(
                (file, line), "item", f"There is no game {quoted(game)}. Correct its name."
            )
            continue
        system = spool.system_number(record["system"], (file, line))
        tables_of_game, summary = games[game]
        reference = "" if sentence else summary
        new = NewItem(record["item"], tables_of_game, reference, factors={"game": game})
        item = spool.item_or_new(new, (file, line))
        if system is not None and item is not None:
            spool.add_output(system, item, record["output"], (file, line))


def _read_lines(
    sources: Sources, spool: Spool, file: SourceFile, games: dict[str, tuple[str, str]]
) -> None:
    system = spool.system_number(file.stem, (file, 1))
    if system is None:
        return
    keys, count = list(games), 0
    for count, text in enumerate(lines_of(sources, file), start=1):
        if count > len(keys):
            continue
        tables_of_game, summary = games[keys[count - 1]]
        key = keys[count - 1]
        new = NewItem(key, tables_of_game, summary, factors={"game": key})
        item = spool.item_or_new(new, (file, count))
        if item is not None:
            spool.add_output(system, item, text, (file, count))
    file.rows = count
    if count != len(keys):
        message = (
            f"The file has {count} lines, but there are {len(keys)} games."
            f" {advice_on_lines(count, len(keys))}"
        )
        spool.problem((file, min(count, len(keys)) + 1), "", message)


READER = Reader(
    title=_("RotoWire: box scores and reports"),
    help=_(
        "The JSON of the games, plus one text per system with one report per line, or rows of "
        "system, item, output."
    ),
    recognises=is_rotowire,
    read=read_rotowire,
)
