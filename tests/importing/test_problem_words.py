"""Each problem says where it is, what was found, what was expected, and what to do about it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankme.importing import ImportRefused, read_judgement_material, read_material
from rankme.importing.problems import grouped

OUTPUTS, JUDGED = "system,item,output\n", "rater,item,system,criterion,value\n"
of_outputs, of_judgements = read_material, read_judgement_material
Reader = Callable[[Path], Any]
CASES: dict[str, tuple[Reader, str, int, str, str, str]] = {
    "too many cells": (of_outputs, f"{OUTPUTS}A,1,Yes, no.\n", 2, "4", "has 4 cells", "quotation"),
    "no system": (of_outputs, f"{OUTPUTS},1,Yes.\n", 2, "system", "name the system", "Fill it in"),
    "twice": (of_outputs, f"{OUTPUTS}A,1,x\nA,1,y\n", 3, "", "on line 2", "Delete one"),
    "alike": (of_outputs, f"{OUTPUTS}A,1,x\na,2,y\n", 3, "system", "upper and lower", "alike"),
    "open quote": (of_outputs, f'{OUTPUTS}A,1,"x\n', 2, "", "never closed", "Close it"),
    "same heading": (
        of_outputs, "system,item,output,output\nA,1,x,y\n", 1, "output", "twice", "Rename",
    ),
    "other input": (
        of_outputs, "system,item,input,output\nA,1,i,x\nB,1,j,y\n", 3, "input", "differs",
        "Make them the same",
    ),
    "no number": (
        of_judgements, f"{JUDGED}r,1,A,q,good\n", 2, "value", '"good" is not', "such as 4",
    ),
    "no value": (of_judgements, f"{JUDGED}r,1,A,q,\n", 2, "value", "empty", "delete the row"),
    "no rater": (of_judgements, f"{JUDGED},1,A,q,3\n", 2, "rater", "empty", "Fill it in"),
    "judged twice": (
        of_judgements, f"{JUDGED}r,1,A,q,3\nr,1,A,q,4\n", 3, "", "on line 2", "screen",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_problem_says_what_was_found_and_what_to_do(tmp_path: Path, name: str) -> None:
    read, text, line, column, found, advice = CASES[name]
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(ImportRefused) as refused:
        read(path)
    problem = refused.value.problems[0]
    assert (problem.file, problem.line, problem.column) == ("data.csv", line, column)
    assert found in problem.message and advice in problem.message, problem.message
    assert problem.message.count(". ") >= 1 or ";" in problem.message


def test_a_problem_of_a_workbook_names_its_sheet_and_many_alike_are_one_line(
    tmp_path: Path,
) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "ratings"
    book.active.append(JUDGED.strip().split(","))
    for number in range(160):
        book.active.append(["ada", f"i{number}", "gpt", "fluency", f"good{number}"])
    path = tmp_path / "ratings.xlsx"
    book.save(path)
    with pytest.raises(ImportRefused) as refused:
        read_judgement_material(path)
    (group,) = grouped(refused.value.problems)
    assert (group.file, group.column, group.count) == ("ratings.xlsx, sheet ratings", "value", 160)
    assert group.text.startswith(
        'ratings.xlsx, sheet ratings, line 2, column value: "good0" is not'
    )
