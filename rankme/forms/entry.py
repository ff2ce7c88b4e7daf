"""The questions that a campaign asks before the work and at its end, as forms."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _

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
