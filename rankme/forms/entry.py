"""The questions that a campaign asks before the work, as a form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from rankme.protocols.checks import CheckSpec
from rankme.protocols.crowd import EntryQuestion


class CampaignsChoice(forms.ChoiceField):
    """Its choices are the campaign's own words, in the campaign's language."""

    has_own_words = True


class EntryForm(forms.Form):
    """One field per question; `answers()` is what `answer_entry_questions` takes."""

    def __init__(
        self, questions: Sequence[EntryQuestion], data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(data, prefix="entry")
        for question in questions:
            self.fields[question.name] = _field(question)

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


def _field(question: EntryQuestion) -> forms.Field:
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
