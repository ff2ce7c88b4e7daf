"""The rarer formats say where a problem is and what to do about it, as tables do."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.importing.uploads import places, refusal, write_zip

ENTITIES = """
    <ENTITY ID="1" TYPE="target" IMAGE="a.svg"/>
    <ENTITY ID="2" TYPE="distractor" IMAGE="a.svg"/>"""
TRIAL = f"""<TRIALS>
 <TRIAL ID="t0"><DOMAIN>{ENTITIES}</DOMAIN><WORD-STRING>the first</WORD-STRING></TRIAL>
 <TRIAL ID="t1">
  <DOMAIN>{ENTITIES}
  </DOMAIN>
  <WORD-STRING>the second</WORD-STRING>
 </TRIAL>
</TRIALS>
"""
LINE_OF_T1, LINE_OF_ITS_ENTITY = 5, 8
TUNA = {"S/t.xml": TRIAL, "images/a.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>'}
PLAIN = {"source.txt": "one\ntwo\n", "A.txt": "1\n2\n"}
BOX = {"PTS": {"0": "20"}, "TEAM_CITY": {"0": "Hull"}}
GAME: dict[str, Any] = {"home_line": {"PTS": "1"}, "vis_line": {"PTS": "2"}, "box_score": BOX}
REPORTS = {"A.txt": "Won.\nLost.\n"}
E2E = {"A.tsv": "MR\toutput\nname[A]\tA.\n", "refs.csv": "mr,ref\nname[A],A.\n"}


class Case(NamedTuple):
    """The files of an upload, and the problem that is expected."""

    files: dict[str, str]
    file: str
    line: int | None
    column: str
    found: str
    advice: str


def tuna(
    right: str,
    wrong: str,
    line: int,
    found: str,
    advice: str,
    *,
    column: str = "",
    last: bool = True,
) -> Case:
    """The right text of the second (or first) trial replaced by a wrong one."""
    before, found_right, after = TRIAL.rpartition(right) if last else TRIAL.partition(right)
    assert found_right
    return Case(TUNA | {"S/t.xml": before + wrong + after}, "S/t.xml", line, column, found, advice)


def games(*documents: Any) -> dict[str, str]:
    """An array with a game on each line."""
    return {"g.json": "[\n" + ",\n".join(map(json.dumps, documents)) + "\n]", **REPORTS}


def game(change: dict[str, Any], found: str, advice: str) -> Case:
    return Case(games(GAME, GAME | change), "g.json", 3, "", found, advice)


CASES = {
    "no ID": tuna(' ID="t1"', "", LINE_OF_T1, "has no ID", "Add one"),
    "no description": tuna(
        "<WORD-STRING>the second</WORD-STRING>", "", LINE_OF_T1, "no WORD-STRING", "Add one"
    ),
    "no entities": tuna(ENTITIES, "", LINE_OF_T1, "has no entities", "Add an ENTITY"),
    "two targets": tuna("distractor", "target", LINE_OF_T1, "has 2 targets", "exactly one"),
    "same entity": tuna('ID="2"', 'ID="1"', LINE_OF_T1, "an ID of their own", "Give each"),
    "no picture": tuna(
        "a.svg", "b.svg", LINE_OF_ITS_ENTITY, '"b.svg" is not', "Add it", column="IMAGE"
    ),
    "other domain": tuna(
        'ID="t1">\n  <DOMAIN>' + ENTITIES, 'ID="t0">\n  <DOMAIN>' + ENTITIES.replace("2", "3"),
        LINE_OF_T1, "differs from the one in up.zip/S/t.xml, line 2", "Make them the same",
    ),
    "not closed": tuna("</DOMAIN>\n", "\n", 11, "mismatched tag", "Correct", column="4"),
    "entity": tuna(
        "<TRIALS>", '\n<!DOCTYPE a [<!ENTITY b "bb">]>\n<TRIALS>', 2, "define entities",
        "Write the characters", last=False,
    ),
    "no trial": Case(TUNA | {"S/u.xml": "<X/>"}, "S/u.xml", 1, "", "has no TRIAL", "leave out"),
    "no SVG": Case(
        TUNA | {"images/a.svg": "text"}, "images/a.svg", None, "", "not a picture", "Save it"
    ),
    "wrong ending": Case({"S/t.txt": TRIAL}, "", None, "", "no XML file", '".xml"'),
    "two sources": Case(
        PLAIN | {"src.en.txt": "one\n"}, "src.en.txt", None, "", "look like the source", "Rename"
    ),
    "short": Case(PLAIN | {"A.txt": "1\n"}, "A.txt", 2, "", "has 1 lines", "Add the lines"),
    "long": Case(PLAIN | {"A.txt": "1\n2\n3\n"}, "A.txt", 3, "", "has 3 lines", "Delete the lines"),
    "same game": Case(
        games(*[GAME | {"id": "x"}] * 2), "g.json", 3, "", "appears twice", "another id"
    ),
    "no object": Case(games(GAME, 7), "g.json", 3, "", "not an object", "box_score"),
    "no line": game({"home_line": None}, "has no home_line", "Add it"),
    "no columns": game({"box_score": {"PTS": 3}}, "not made of columns", "Write each"),
    "other players": game(
        {"box_score": {"PTS": {"0": 1}, "AST": {"1": 1}}}, "different players", "every column"
    ),
    "nested": game({"box_score": {"PTS": {"0": [1]}}}, "tables within", "Write each cell"),
    "broken array": Case(
        {"g.json": f"[\n{json.dumps(GAME)},\n{{\"box_score\": \n", **REPORTS},
        "g.json", 3, "", "not JSON", "Correct",
    ),
    "broken line": Case(
        {"g.jsonl": f"{json.dumps(GAME)}\n{{broken\n", **REPORTS},
        "g.jsonl", 2, "", "not JSON", "Correct",
    ),
    "short reports": Case(
        games(GAME, GAME, GAME), "A.txt", 3, "", "has 2 lines", "Add the lines"
    ),
    "long reports": Case(games(GAME), "A.txt", 2, "", "has 2 lines", "Delete the lines"),
    "no E2E": Case(
        E2E | {"x.csv": "a,b\n1,2\n"}, "x.csv", 1, "", "needs the columns", "leave the file out"
    ),
    "no meaning": Case(
        E2E | {"A.tsv": "MR\toutput\nname[A]\tA.\nname[B]\tB.\n"}, "A.tsv", 3, "MR",
        "not in the file of references", "Correct it",
    ),
    "quotes": Case(
        {"A.tsv": "MR\toutput\n'name[A]'\t'A.'\n'name[B]'\tB.\n"}, "A.tsv", 3, "output",
        "in single quotes", "this cell as well",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_problem_says_where_it_is_and_what_to_do(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    problems = refusal(write_zip(tmp_path / "up.zip", case.files))
    fitting = [problem for problem in problems if case.found in problem.message]
    file = f"up.zip/{case.file}" if case.file else ""
    assert places(tuple(fitting)) == [(file, case.line, case.column)], problems
    assert case.advice in fitting[0].message, problems
