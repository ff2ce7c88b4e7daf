"""The questions that a campaign asks before the work and at its end, as forms."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from rankme.checks.moving_figures import DIGITS, MovingFigure, in_words
from rankme.protocols.checks import CheckSpec
from rankme.protocols.questions import Question, asked_after


class CampaignsChoice(forms.ChoiceField):
    """Its choices are the campaign's own words, in the campaign's language."""

    has_own_words = True


class QuestionsForm(forms.Form):
    """One field per question. A question that is hidden needs no answer and keeps none.

    `known` are answers that were given before, for conditions; questions that they hide for good
    are not in the form. `answers()` is what the record takes.
    """

    has_conditions = False  # whether a script has to show and hide questions

    def __init__(
        self,
        questions: Sequence[Question],
        data: Mapping[str, Any] | None = None,
        *,
        prefix: str = "entry",
        known: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(data, prefix=prefix)
        self.known = known or {}
        self.questions = _within_reach(questions, self.known)
        names = {question.name for question in self.questions}
        for question in self.questions:
            field = _field(question)
            if question.show_if and question.show_if.question in names:
                self.has_conditions = True
                field.widget.attrs |= {
                    "data-after": f"{prefix}-{question.show_if.question}",
                    "data-answers": json.dumps(question.show_if.answers, ensure_ascii=False),
                }
            self.fields[question.name] = field

    def clean(self) -> dict[str, Any]:
        given = {**self.known, **{name: str(value) for name, value in self.cleaned_data.items()}}
        for question, is_asked in asked_after(self.questions, given):
            if not is_asked:
                self.errors.pop(question.name, None)
                self.cleaned_data.pop(question.name, None)
        return self.cleaned_data

    def answers(self) -> dict[str, str]:
        return {name: value for name, value in self.cleaned_data.items() if value}


class QuizForm(forms.Form):
    """One field per question about the instructions. It knows the choices, not which is right."""

    def __init__(self, quizzes: Sequence[CheckSpec], data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, prefix="quiz")
        for quiz in quizzes:
            self.fields[quiz.name] = CampaignsChoice(
                label=quiz.settings.question,
                choices=[(choice, choice) for choice in quiz.settings.choices],
                widget=forms.RadioSelect,
            )


class FiguresForm(forms.Form):
    """For each moving figure a digit, and the answer to a question for those who do not see it.

    One of the two is needed. With both, the question counts: it is for everybody who wants it.
    """

    def __init__(
        self, figures: Mapping[str, tuple[CheckSpec, MovingFigure]], data: Mapping[str, Any] | None
    ) -> None:
        super().__init__(data, prefix="figure")
        self.figures = figures
        for name, (check, _figure) in figures.items():
            self.fields[name] = forms.ChoiceField(
                label=_("Which digit is it?"),
                choices=[(digit, digit) for digit in DIGITS],
                widget=forms.RadioSelect,
                required=False,
            )
            self.fields[in_words(name)] = CampaignsChoice(
                label=check.settings.question,
                choices=[(choice, choice) for choice in check.settings.choices],
                widget=forms.RadioSelect,
                required=False,
            )

    def clean(self) -> dict[str, Any]:
        for name in self.figures:
            said = (self.cleaned_data.get(name), self.cleaned_data.get(in_words(name)))
            if not any(said) and not {name, in_words(name)} & self.errors.keys():
                self.add_error(name, _("Choose a digit, or answer the question instead."))
        return self.cleaned_data

    def shown(self) -> Iterator[dict[str, Any]]:
        """Each figure with its two fields, and its picture as an address."""
        for name, (_check, figure) in self.figures.items():
            data = b64encode(figure.picture).decode()
            yield {
                "digits": self[name],
                "question": self[in_words(name)],
                "picture": f"data:image/png;base64,{data}",
            }


def _within_reach(questions: Sequence[Question], known: Mapping[str, str]) -> list[Question]:
    """The questions that can still be asked after these answers to earlier ones."""
    listed = {question.name for question in questions}
    kept: dict[str, Question] = {}
    for question in questions:
        condition = question.show_if
        if condition is None or (
            condition.question in kept
            if condition.question in listed
            else known.get(condition.question) in condition.answers
        ):
            kept[question.name] = question
    return list(kept.values())


def _field(question: Question) -> forms.Field:
    choices = question.choices
    if question.kind == "text":
        return forms.CharField(
            label=question.question, required=question.required, max_length=2_000
        )
    kind: type[forms.ChoiceField] = CampaignsChoice
    if question.kind == "yes-no":
        # The site's own words, in its own language.
        kind, choices = forms.ChoiceField, {"yes": _("Yes"), "no": _("No")}
    return kind(
        label=question.question,
        required=question.required,
        choices=list(choices.items()),
        widget=forms.RadioSelect,
    )
