"""The questions that a campaign asks before the work, as a form."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.utils.translation import gettext as _

from rankme.protocols.definition import EntryQuestion


class EntryForm(forms.Form):
    """One field per question; `answers()` is what `answer_entry_questions` takes."""

    def __init__(self, questions: Sequence[EntryQuestion], data: object = None) -> None:
        super().__init__(data, prefix="entry")
        for question in questions:
            self.fields[question.name] = _field(question)

    def answers(self) -> dict[str, str]:
        return {name: value for name, value in self.cleaned_data.items() if value}


def _field(question: EntryQuestion) -> forms.Field:
    choices = question.choices
    if question.kind == "text":
        return forms.CharField(
            label=question.question, required=question.required, max_length=2_000
        )
    if question.kind == "yes-no":
        choices = {"yes": _("Yes"), "no": _("No")}
    field = forms.ChoiceField(
        label=question.question,
        required=question.required,
        choices=list(choices.items()),
        widget=forms.RadioSelect,
    )
    # "Yes" and "No" are the site's own words, in its own language.
    field.has_own_words = question.kind == "choice"
    return field
