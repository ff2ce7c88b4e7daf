"""Questions to raters about themselves: before the work, and at its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from analysis.translatable import gettext_noop as _

from .parts import Labels, Part, ShortName, mapping_of
from .problem_words import Finding

YES_NO = ("yes", "no")
Kind = Annotated[
    Literal["choice", "text", "yes-no"],
    Labels({"choice": _("Choices"), "text": _("Text"), "yes-no": _("Yes or no")}),
]


class ShowIf(Part):
    """When a question is asked: after one of these answers to an earlier question.

    A file may say `is` for one answer or several.
    """

    question: str = Field(
        min_length=1, max_length=60, title=_("Short name of the earlier question")
    )
    answers: list[str] = Field(
        min_length=1,
        max_length=100,
        title=_("Answers after which this question is asked"),
        description=_("Names of choices (or yes, no), one per line."),
    )

    @model_validator(mode="before")
    @classmethod
    def one_answer_is_a_list_of_one(cls, condition: Any) -> Any:
        if not isinstance(condition, dict) or "is" not in condition or "answers" in condition:
            return condition
        rest = {name: value for name, value in condition.items() if name != "is"}
        wanted = condition["is"]
        return rest | {"answers": wanted if isinstance(wanted, list) else [wanted]}


class Question(Part):
    """One question with its answers; a hidden question is never required and has no answer."""

    model_config = ConfigDict(title=_("Question"))

    name: ShortName
    question: str = Field(min_length=1, title=_("Question"))
    kind: Kind = Field("choice", title=_("Kind"))
    choices: dict[str, str] = Field(
        default_factory=dict,
        title=_("Choices"),
        description=_(
            "One per line, as name: text that raters see. Only for questions with choices."
        ),
    )
    required: bool = Field(True, title=_("Answer required"))
    show_if: ShowIf | None = Field(
        None,
        title=_("Depends on another question"),
        description=_("Asked only after these answers to an earlier question"),
    )

    @field_validator("choices", mode="before")
    @classmethod
    def pairs_are_mappings(cls, choices: Any) -> Any:
        return mapping_of(choices)

    @model_validator(mode="after")
    def a_choice_has_choices(self) -> Question:
        if self.kind == "choice" and len(self.choices) < 2:
            raise ValueError("a question with choices needs at least two of them")
        return self

    @property
    def known_answers(self) -> tuple[str, ...] | None:
        """The names of all answers; None where raters write their own."""
        if self.kind == "text":
            return None
        return YES_NO if self.kind == "yes-no" else tuple(self.choices)


class EntryQuestion(Question):
    """Asked before the work; an answer outside `accept` ends the visit as screened out.

    So does one that as many raters have given as `most` allows: those who work or have finished.
    """

    accept: list[str] = Field(
        default_factory=list,
        title=_("Accepted answers"),
        description=_("Names of choices, one per line. Leave it empty to accept every answer."),
    )

    most: dict[str, Annotated[int, Field(ge=1, le=1_000_000)]] = Field(
        default_factory=dict,
        max_length=100,
        title=_("Most raters with an answer"),
        description=_(
            "One per line, as name: number. Who gives this answer later is turned away as “no work "
            "left”. Leave it empty for no limit."
        ),
    )

    @model_validator(mode="after")
    def accepted_answers_are_known(self) -> EntryQuestion:
        known = self.known_answers
        unknown = set(self.accept) - set(self.accept if known is None else known)
        if unknown:
            raise ValueError(
                f"these accepted answers are not among the choices: {', '.join(sorted(unknown))}"
            )
        return self

    @model_validator(mode="after")
    def limited_answers_are_accepted(self) -> EntryQuestion:
        possible = self.accept or self.known_answers or ()
        if unknown := sorted(set(self.most) - set(possible)):
            names = ", ".join(name[:60] for name in unknown[:10])
            raise ValueError(f"these answers have a limit and are not accepted choices: {names}")
        return self


class EndQuestion(Question):
    """Asked after the last batch; raters can leave without answering, and have their code."""

    required: bool = Field(False, title=_("Answer required"))


def asked_after(
    questions: Sequence[Question], answers: Mapping[str, str]
) -> Iterator[tuple[Question, bool]]:
    """Yield every question with whether a rater with these answers is asked it.

    `answers` may contain answers to hidden questions; they show no others. Conditions can name
    questions that are not in the list: their answers count as they are.
    """
    listed = {question.name for question in questions}
    seen = {name: answer for name, answer in answers.items() if name not in listed}
    for question in questions:
        condition = question.show_if
        is_asked = condition is None or seen.get(condition.question) in condition.answers
        if is_asked and question.name in answers:
            seen[question.name] = answers[question.name]
        yield question, is_asked


def names_asked(questions: Sequence[Question], answers: Mapping[str, str]) -> set[str]:
    """The questions that a rater with these answers is asked."""
    return {question.name for question, is_asked in asked_after(questions, answers) if is_asked}


def condition_problems(
    part: str, questions: Sequence[Question], before: Sequence[Question] = ()
) -> Iterator[Finding]:
    """Find conditions that can never hold. Only earlier questions decide, so none is circular."""
    earlier: dict[str, Question] = {question.name: question for question in before}
    names = {question.name for question in questions}
    for number, question in enumerate(questions):
        if question.show_if is not None:
            place = (part, number, "show_if")
            yield from _problems_of(question.show_if, place, earlier, names)
        earlier[question.name] = question


def _problems_of(
    condition: ShowIf, place: tuple[str, int, str], earlier: Mapping[str, Question], names: set[str]
) -> Iterator[Finding]:
    asked = earlier.get(condition.question)
    if asked is None and condition.question in names:
        words = f"“{condition.question}” must be asked before this question"
        yield (*place, "question"), words
    elif asked is None:
        yield (*place, "question"), f"there is no question “{condition.question[:60]}”"
    elif asked.known_answers is not None:
        unknown = sorted(set(condition.answers) - set(asked.known_answers))
        if unknown:
            names_of = ", ".join(asked.known_answers)
            words = f"“{unknown[0][:60]}” is not an answer to “{asked.name}”: choose {names_of}"
            yield (*place, "answers"), words
