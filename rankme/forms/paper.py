"""Forms of the page for the paper: drafts to confirm, and an earlier study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.errors import TableError
from rankme.exporting.paper.earlier import as_csv, read_study
from rankme.exporting.paper.heds import Answer, parsed
from rankme.untrusted.clean_text import storable

from .panel import CleanCharField

LONGEST_ANSWER = 4_000
MOST_PROBLEMS = 20


class EarlierForm(forms.Form):
    """The scores of an earlier study."""

    file = forms.FileField(
        label=_("Scores of an earlier study (CSV)"),
        help_text=_(
            "Columns: criterion, system, score; names as in this campaign. With a column of "
            "letters (systems that share one were not told apart), conclusions are compared, too."
        ),
    )

    def clean_file(self) -> str:
        """The scores as they are stored."""
        try:
            scores = as_csv(read_study(self.cleaned_data["file"].file))
        except TableError as error:
            raise forms.ValidationError(list(error.problems)[:MOST_PROBLEMS]) from error
        if not storable(scores):
            raise forms.ValidationError(_("This contains a character that cannot be stored."))
        return scores


class AnswersForm(forms.Form):
    """One or two fields for each question; what is saved unchanged is confirmed."""

    def __init__(self, *arguments: Any, asked: Sequence[Answer], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.asked = asked
        for place, answer in enumerate(asked):
            for name, field in _fields(place, answer):
                self.fields[name] = field

    def groups(self) -> Iterator[tuple[Answer, list[forms.BoundField]]]:
        """Each question with its fields."""
        for place, answer in enumerate(self.asked):
            yield answer, [self[name] for name, _field in _fields(place, answer)]

    def answers(self) -> dict[str, str]:
        """What was said, in the form in which it is stored."""
        found = {}
        for place, answer in enumerate(self.asked):
            chosen = self.cleaned_data.get(f"q{place}") or ""
            words = self.cleaned_data.get(f"q{place}-words") or ""
            text = chosen if isinstance(chosen, str) else ", ".join(chosen)
            found[answer.name] = f"{text}: {words}" if text and words else text
        return found


def _fields(place: int, answer: Answer) -> Iterator[tuple[str, forms.Field]]:
    """Yield the fields for an answer by their names, filled with the draft."""
    question, known = answer.question, answer.text or answer.draft
    label = f"{question.number} {answer.scope}".strip() + f" · {question.label}"
    if not question.key:
        label = question.label
    if not question.options:
        hint = _("Codes, separated by commas") if question.takes == "languages" else ""
        yield (
            f"q{place}",
            CleanCharField(
                label=label,
                initial=known,
                required=False,
                max_length=LONGEST_ANSWER,
                help_text=hint,
                widget=forms.Textarea(attrs={"rows": 2}) if question.is_long else None,
            ),
        )
        return
    chosen, words = parsed(known)
    choices = [
        (str(number), option.rstrip(" +")) for number, option in enumerate(question.options, 1)
    ]
    initial = [str(number) for number in chosen]
    if question.takes == "one":
        yield (
            f"q{place}",
            forms.ChoiceField(
                label=label,
                choices=[("", "–"), *choices],
                initial=initial[0] if initial else "",
                required=False,
            ),
        )
    else:
        yield (
            f"q{place}",
            forms.MultipleChoiceField(
                label=label,
                choices=choices,
                initial=initial,
                required=False,
                widget=forms.CheckboxSelectMultiple,
            ),
        )
    if any(option.endswith("+") for option in question.options):
        yield (
            f"q{place}-words",
            CleanCharField(
                label=_("In words, or an address"),
                initial=words,
                required=False,
                max_length=LONGEST_ANSWER,
            ),
        )
