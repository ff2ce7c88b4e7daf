"""Forms of the page of metrics: which to compute, and a file of scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

TITLES = {
    "bleu": _("BLEU: overlap with the references"),
    "chrf": _("chrF: overlap of characters with the references"),
    "chrf++": _("chrF++: overlap of characters and words with the references"),
    "ter": _("TER: edits to reach a reference"),
    "nist": _("NIST: overlap with the references; rare phrases count more"),
    "rouge-l": _("ROUGE-L: longest common subsequence with a reference"),
    "cider": _("CIDEr: overlap weighted by how telling words are"),
    "accuracy": _("Accuracy: the same words as a reference"),
    "edit-distance": _("Edit distance in words, as TUNA counts it"),
    "dice": _("Dice: overlap of attribute sets"),
    "masi": _("MASI: overlap of attribute sets that favours subsets"),
    "uniqueness": _("Uniqueness: attribute sets that fit the target alone"),
    "minimality": _("Minimality: unique attribute sets that cannot be shorter"),
    "ser": _("Slot error rate of E2E meaning representations"),
    "copied": _("Share of words copied from the input"),
    "lengths": _("Lengths in words and characters"),
    "distinct": _("Distinct words and phrases of a system"),
    "msttr": _("Mean share of different words in segments of 50 (MSTTR)"),
}


class ComputeForm(forms.Form):
    """Choose metrics to compute; those that the material does not allow are disabled."""

    metrics = forms.MultipleChoiceField(
        label=_("Metrics"), widget=forms.CheckboxSelectMultiple, required=True
    )
    lowercase = forms.BooleanField(
        label=_("BLEU and chrF in lower case"),
        help_text=_("As the E2E challenge reports BLEU. TER always ignores case."),
        required=False,
    )

    def __init__(self, *arguments: Any, reasons: Mapping[str, str], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.possible = [(name, title_of(name)) for name, reason in reasons.items() if not reason]
        cast(forms.MultipleChoiceField, self.fields["metrics"]).choices = self.possible
        self.impossible = [(title_of(name), reason) for name, reason in reasons.items() if reason]


def title_of(name: str) -> str:
    return str(TITLES.get(name, name))


class ScoresForm(forms.Form):
    """A file of scores or verdicts from elsewhere, and facts that the file lacks."""

    file = forms.FileField(
        label=_("File (a table)"),
        help_text=_(
            "CSV, Excel, OpenDocument, JSON, JSON lines or Parquet; you can correct what each "
            "column is. Scores: system, item, metric, score, or system, item and a column for each "
            "metric. Without an item: the score of a whole system. Pairwise verdicts: judge, item, "
            "first, second, winner, in the order in which the outputs were shown, or an arena’s "
            "question_id, model_a, model_b, winner. Facts that were extracted from texts about "
            "tables: system, item, entity, value, type, supported."
        ),
    )
    lower_is_better = forms.CharField(
        label=_("Metrics that are better when lower"),
        help_text=_("Separate names with commas. TER, SER, WER, CER, MER and WIL are known."),
        required=False,
        max_length=2_000,
    )
    is_judge = forms.BooleanField(
        label=_("These are scores by a language model that acts as a rater"),
        help_text=_("On the scale of the raters: they are then compared with single raters too."),
        required=False,
    )
    own_systems = forms.CharField(
        label=_("Systems that the judge's own model wrote"),
        help_text=_("Separate names with commas. The report says whether it prefers them."),
        required=False,
        max_length=2_000,
    )

    def options(self) -> dict[str, Any]:
        lower = _names(self.cleaned_data["lower_is_better"])
        return {
            **({"lower_is_better": lower} if lower else {}),
            "is_judge": self.cleaned_data["is_judge"],
            "own_systems": _names(self.cleaned_data["own_systems"]),
        }


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
