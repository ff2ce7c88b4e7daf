"""Tables in which the answer to a question is not one number in one column.

Potato and forms of Mechanical Turk have a column for each option of a question: `tone.1`, `tone.2`
and so on with the option that was chosen, or `Answer.tone.1` with "true" for it. A `<crowd-form>`
puts all answers into one cell, as JSON; a group of buttons is an object that says of each option
whether it was chosen. So does jsPsych with the questions of a page; its other trials have a number
or a text there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rankme.untrusted import strict_json

ANSWER = "Answer."
TURK, JSPSYCH = "Answer.taskAnswers", ("response", "responses")  # columns with answers in JSON
# A response of another table may be any text, such as what a system wrote.
OF_JSPSYCH = frozenset({"trial_type", "trial_index"})
CHOSEN, NOT_CHOSEN = frozenset({"true", "TRUE", "True"}), frozenset({"false", "FALSE", "False"})
FEWEST_OPTIONS = 2
MOST_NAMED, LONGEST_NAMED = 20, 60


@dataclass(frozen=True)
class AnswerColumns:
    """How a row of such a file becomes one with a column for each question.

    Attributes
    ----------
    kept : places of the cells that stay as they are
    questions : column → question of the answers in JSON
    json : the place of that cell; None where there is none
    options : question → the option of each place, for questions with a column for each option
    """

    names: tuple[str, ...]
    kept: tuple[int, ...]
    questions: dict[str, str]
    json: int | None
    options: dict[str, dict[int, str]]

    @property
    def columns(self) -> tuple[str, ...]:
        kept = (self.names[place] for place in self.kept)
        return (*kept, *self.questions, *self.options)

    def reader(self) -> AnswerRows:
        return AnswerRows(self)


class AnswerRows:
    """Makes the rows under `AnswerColumns.columns`."""

    def __init__(self, columns: AnswerColumns) -> None:
        self._of = columns
        self._unknown: dict[str, None] = {}

    def __call__(self, cells: list[str]) -> list[str]:
        """Return the cells of a row.

        Raises
        ------
        ValueError : answers that are not JSON
        """
        of, told = self._of, self._told(cells)
        chosen = (
            " ".join(option for place, option in places.items() if _says(cells[place], option))
            for places in of.options.values()
        )
        return [
            *("" if told and place == of.json else cells[place] for place in of.kept),
            *(told.get(question, "") for question in of.questions.values()),
            *chosen,
        ]

    def _told(self, cells: list[str]) -> dict[str, str]:
        """The answers in JSON; a mixed column has other cells, too."""
        place = self._of.json
        if place is None:
            return {}
        told = answers_in(cells[place]) if place in self._of.kept else answers_of(cells[place])
        known = self._of.questions.values()
        if len(self._unknown) < MOST_NAMED:
            self._unknown |= {name: None for name in told if name not in known}
        return told

    def notes(self) -> Iterator[str]:
        if self._unknown:
            named = ", ".join(name[:LONGEST_NAMED] for name in self._unknown)
            yield f"These questions are left out, because the first rows do not have them: {named}."


def answer_columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> AnswerColumns | None:
    """Recognise such a file by its headings and first rows; None where it is another."""
    try:
        json, questions = _questions_of(names, rows)
    except ValueError:
        return None
    options = _options_of(names, rows)
    if json is None and not options:
        return None
    gone = {place for places in options.values() for place in places}
    kept = tuple(
        place
        for place, name in enumerate(names)
        if place not in gone and (place != json or name in JSPSYCH)
    )
    return AnswerColumns(tuple(names), kept, questions, json, options)


def _questions_of(
    names: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[int | None, dict[str, str]]:
    """Return the place of answers in JSON, and their questions, each with its new column."""
    for name in (TURK, *(JSPSYCH if set(names) >= OF_JSPSYCH else ())):
        place = names.index(name) if name in names else None
        cells = [row[place] for row in rows if len(row) > place] if place is not None else []
        told = [(answers_of if name == TURK else answers_in)(cell) for cell in cells]
        if any(told):
            added = ANSWER if name == TURK else ""
            questions = dict.fromkeys(question for answers in told for question in answers)
            return place, {_column_of(added + each, names): each for each in questions}
    return None, {}


def _column_of(question: str, names: Sequence[str]) -> str:
    return f"response.{question}" if question in names else question


def _options_of(names: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, dict[int, str]]:
    options: dict[str, dict[int, str]] = {}
    chosen: set[str] = set()
    for place, name in enumerate(names):
        question, dot, option = name.rpartition(".")
        cells = {row[place] for row in rows if len(row) > place}
        nothing = {"", *NOT_CHOSEN} if name.startswith(ANSWER) else {""}
        if dot and option and all(cell in nothing or _says(cell, option) for cell in cells):
            options.setdefault(question, {})[place] = option
            if cells - nothing:
                chosen.add(question)
    return {
        question: places
        for question, places in options.items()
        if len(places) >= FEWEST_OPTIONS
        and question in chosen
        and all(sum(_says(row[place], option) for place, option in places.items()) <= 1
                for row in rows if len(row) == len(names))
    }  # fmt: skip


def _says(cell: str, option: str) -> bool:
    return cell in CHOSEN or cell == option


def answers_of(cell: str) -> dict[str, str]:
    """Return the answers of a `<crowd-form>`: a number, a text, or the option that was chosen.

    Raises
    ------
    ValueError : the cell is not JSON
    """
    if not cell.strip():
        return {}
    document = strict_json.parse(cell)
    forms = document if isinstance(document, list) else [document]
    return {
        name: _answer(value)
        for form in forms
        if isinstance(form, dict)
        for name, value in form.items()
    }


def answers_in(cell: str) -> dict[str, str]:
    """Return the answers of a page in jsPsych; none where the cell is any other text."""
    try:
        return answers_of(cell) if cell.startswith("{") else {}
    except ValueError:
        return {}


def _answer(value: Any) -> str:
    if isinstance(value, dict):
        if isinstance(value.get("label"), str):  # of <crowd-classifier>
            return str(value["label"])
        return " ".join(option for option, is_given in value.items() if is_given is True)
    return "" if value is None or isinstance(value, bool | list) else str(value)
