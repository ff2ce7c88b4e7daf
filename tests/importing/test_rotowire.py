"""RotoWire's JSON becomes tables; reports come as rows or as one line per game."""

import json
from pathlib import Path
from typing import Any

from rankme.demonstration.material import MATERIAL
from rankme.importing import read_material
from tests.importing.uploads import problems_of, read

GAME: dict[str, Any] = {
    "home_name": "Foxes",
    "home_city": "Northfield",
    "vis_name": "Otters",
    "vis_city": "Lakeside",
    "home_line": {"TEAM-NAME": "Foxes", "TEAM-AST": "9", "TEAM-PTS": "101", "TEAM-PTS_QTR1": "20"},
    "vis_line": {"TEAM-NAME": "Otters", "TEAM-AST": "7", "TEAM-PTS": "99", "TEAM-PTS_QTR1": "30"},
    "box_score": {
        "AST": {"0": "4", "1": "N/A", "10": "1"},
        "PTS": {"0": "20", "1": "N/A", "10": "31"},
        "FG_PCT": {"0": "50", "1": None, "10": "40"},
        "FIRST_NAME": {"0": "Ada", "1": "Ben", "10": "Carl"},
        "SECOND_NAME": {"0": "Abel", "1": "Brook", "10": "Crane"},
        "TEAM_CITY": {"0": "Northfield", "1": "Lakeside", "10": "Northfield"},
    },
    "summary": ["The", "Foxes", "won", "."],
}
ROWS = "system,item,output\nS,1,Whole report.\nS,1/2,Second sentence.\nT,1,Another report.\n"


def test_box_scores_become_a_table_for_the_teams_and_one_for_each_teams_players(
    tmp_path: Path,
) -> None:
    with read(tmp_path / "up", {"g.json": json.dumps([GAME]), "o.csv": ROWS}) as it:
        assert it.preview.format == "rotowire"
        whole, sentence = it.items()
        outputs = [(row.system, row.item_key, row.text) for row in it.outputs()]
    line, home, visitors = json.loads(whole.input)["tables"]
    assert line["columns"] == ["Team", "PTS", "PTS QTR1", "AST"]
    assert line["rows"] == [
        ["Northfield Foxes", "101", "20", "9"],
        ["Lakeside Otters", "99", "30", "7"],
    ]
    assert home["title"] == "Northfield Foxes: players"
    assert home["columns"] == ["Player", "PTS", "AST", "FG PCT"]
    assert home["rows"] == [["Ada Abel", "20", "4", "50"], ["Carl Crane", "31", "1", "40"]]
    assert visitors["rows"] == [["Ben Brook", "N/A", "N/A", ""]]
    assert (whole.key, whole.reference, whole.factors) == ("1", "The Foxes won .", {"game": "1"})
    assert (sentence.key, sentence.reference, sentence.factors) == ("1/2", "", {"game": "1"})
    assert sentence.input == whole.input
    assert outputs[1] == ("S", "1/2", "Second sentence.")


def test_teams_of_one_city_share_a_table(tmp_path: Path) -> None:
    game = GAME | {"home_city": "Lakeside"}
    with read(tmp_path / "up", {"g.json": json.dumps([game]), "o.csv": ROWS}) as it:
        tables = json.loads(next(it.items()).input)["tables"]
    assert [table["title"] for table in tables] == ["Line score", "Players"]
    assert len(tables[1]["rows"]) == 3


def test_a_text_per_system_has_one_report_per_line(tmp_path: Path) -> None:
    games = "\n".join(json.dumps(GAME | {"id": f"g{n}"}) for n in range(2))
    files = {"games.jsonl": games, "S.txt": "One.\nTwo.\n"}
    with read(tmp_path / "up", files) as material:
        assert [(row.system, row.item_key, row.text) for row in material.outputs()] == [
            ("S", "g0", "One."),
            ("S", "g1", "Two."),
        ]


def test_our_own_demonstration_games_are_read() -> None:
    with read_material(MATERIAL["rotowire-facts"].paths) as material:
        assert material.preview.format == "rotowire"
        assert material.preview.n_items == 8  # four sentences about each of two games
        tables = json.loads(next(material.items()).input)["tables"]
    assert [len(table["rows"]) for table in tables] == [2, 5, 5]


def test_unknown_games_are_refused(tmp_path: Path) -> None:
    games = json.dumps([GAME | {"id": "a"}])
    found = problems_of(tmp_path / "up", {"g.json": games, "o.csv": ROWS})
    assert 'There is no game "1".' in found[0].message
