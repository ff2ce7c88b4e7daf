"""The form with which an analysis is asked for, and its translation into options."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy as _

from analysis.ranking.clusters import METHODS, SCHEME_OF
from analysis.report.options import MODELS
from analysis.scales.outliers import TREATMENTS
from analysis.table import ORDER, POSITION
from rankme.actions.runs.run_metrics import chosen_metric_options
from rankme.actions.runs.run_options import MOST_RUNS, default_options
from rankme.errors import InvalidOptions
from rankme.models import Campaign
from rankme.queries.judgement_table import VERSION, factor_column

METHOD_TITLES = {
    "wmt": _("TrueSkill, the shared tasks' procedure"),
    "bradley-terry": _("Bradley–Terry"),
    "order": _("TrueSkill, one pass in the given order"),
    "k-player": _("TrueSkill, one pass by whole screens"),
}
RESAMPLING_TITLES = {
    "none": _("none, as published"),
    "raters": _("whole raters"),
    "items": _("whole items"),
    "raters-items": _("raters and items"),
    "screens": _("whole screens"),
    "pairs": _("pairs"),
}
MODEL_TITLES = {
    "one-way": _("by system"),
    "interaction": _("system × factor, with interaction"),
    "factorial": _("system and factors"),
    "rater": _("system and rater"),
    "latin": _("system, rater and factors (Latin square)"),
}
OUTLIER_TITLES = {
    "none": _("keep"),
    "replace": _("replace with the mean"),
    "winsorise": _("clip to the limit (winsorise)"),
    "drop": _("leave out"),
}
FURTHER = ("covariates", "alpha", "exclude_raters", "exclusion_reason", "seed")
MEASURED = ("scale", "count", "time")


class AnalysisForm(forms.Form):
    """Begins with the campaign's own options; asks only what its criteria can use."""

    criteria = forms.MultipleChoiceField(
        label=_("Criteria"), widget=forms.CheckboxSelectMultiple, required=False
    )
    method = forms.ChoiceField(
        label=_("Ranking"),
        choices=[(name, METHOD_TITLES.get(name, name)) for name in METHODS],
    )
    resample = forms.MultipleChoiceField(
        label=_("Resample before each run"),
        choices=list(RESAMPLING_TITLES.items()),
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "The published table uses no resampling. Claims use the resampling of what they are "
            "about: raters, items, or both."
        ),
    )
    runs = forms.IntegerField(label=_("Runs"), min_value=1, max_value=MOST_RUNS)
    versions = forms.TypedMultipleChoiceField(
        label=_("Versions of the campaign"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_(
            "Only the judgements under these versions. To compare versions, compute one analysis "
            "for each, or choose the factor “version”."
        ),
    )
    model = forms.ChoiceField(
        label=_("Analysis of variance"),
        choices=[(name, MODEL_TITLES.get(name, name)) for name in MODELS],
    )
    factors = forms.MultipleChoiceField(
        label=_("Factors"), widget=forms.CheckboxSelectMultiple, required=False
    )
    outliers = forms.ChoiceField(
        label=_("Outliers beyond mean ± 2 SD"),
        choices=[(name, OUTLIER_TITLES.get(name, name)) for name in TREATMENTS],
    )
    alpha = forms.FloatField(label=_("Significance level"), min_value=0.0001, max_value=0.5)
    exclude_raters = forms.CharField(
        label=_("Exclude raters"),
        required=False,
        help_text=_(
            "Rater labels, separated by spaces. Raters that you "
            "have already excluded stay excluded."
        ),
    )
    exclusion_reason = forms.CharField(
        label=_("Reason for the exclusion"),
        max_length=500,
        required=False,
        help_text=_("Appears in the report."),
    )
    log_scale = forms.MultipleChoiceField(
        label=_("Use logarithms of"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_(
            "For magnitudes and times, where a few very large values would decide a mean. "
            "Rankings of pairs use only the order of values and stay as they are."
        ),
    )
    standardise = forms.MultipleChoiceField(
        label=_("Standardise within each rater"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_(
            "Each value becomes its distance from its rater's mean, in the rater's standard "
            "deviations, as at WMT."
        ),
    )
    metrics = forms.MultipleChoiceField(
        label=_("Metrics to compare with people"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_("On a separate page. The ranking by people never uses them."),
    )
    covariates = forms.MultipleChoiceField(
        label=_("Hold constant in a second ranking"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_(
            "Properties with numbers, such as length. The report describes what the order would "
            "be for outputs that are equal in them; it claims nothing from it."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**63 - 1,
        help_text=_("The same seed and the same judgements give the same numbers."),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        files: MultiValueDict[str, UploadedFile[Any]] | None = None,
        *,
        campaign: Campaign,
    ) -> None:
        self.campaign = campaign
        self.defaults = default_options(campaign)
        self.versions_there_are = range(1, campaign.version + 1)
        super().__init__(data, files, initial=self._initial())
        kinds = self.defaults["kinds"]
        factors = _factors_of(campaign)
        self._offer("criteria", list(kinds))
        self._offer("factors", factors)
        self._offer("metrics", self.defaults.get("metrics", []))
        numbers = [*_numeric_factors_of(campaign), *self.defaults.get("metrics", [])]
        self._offer("covariates", numbers)
        self._offer("versions", [str(number) for number in self.versions_there_are])
        unused = ["criteria"] if len(kinds) == 1 else []
        unused += ["versions"] if campaign.version < 2 else []
        if not self.defaults.get("metrics"):
            unused.append("metrics")
        if not numbers:
            unused.append("covariates")
        if "relative" not in kinds.values():
            unused += ["method", "resample", "runs"]
        if not set(kinds.values()) & {*MEASURED, "error"}:
            unused += ["model", "factors", "outliers"]
        elif not factors:
            unused.append("factors")
        for name, fitting in self._transformed(kinds).items():
            self._offer(name, fitting)
            unused += [] if fitting else [name]
        for name in unused:
            del self.fields[name]

    def _transformed(self, kinds: Mapping[str, str]) -> dict[str, list[str]]:
        """The criteria whose values may be logarithms or standardised.

        A ranking of pairs uses neither, so relative criteria only have the choice where metrics
        are compared with them.
        """
        relative = ("relative",) if self.defaults.get("metrics") else ()
        fitting = {
            "log_scale": ("scale", "count", "time", *relative),
            "standardise": ("scale", *relative),
        }
        return {
            name: [criterion for criterion, kind in kinds.items() if kind in those]
            for name, those in fitting.items()
        }

    def _offer(self, field: str, names: list[str]) -> None:
        cast(forms.MultipleChoiceField, self.fields[field]).choices = [
            (name, name) for name in names
        ]

    def _initial(self) -> dict[str, Any]:
        treatments = set(self.defaults.get("outliers", {}).values())
        return {
            "criteria": list(self.defaults["kinds"]),
            "versions": [str(number) for number in self.versions_there_are],
            "method": self.defaults.get("method", "wmt"),
            "resample": self.defaults.get(
                "resample", ["none", SCHEME_OF[self.defaults["generality"]]]
            ),
            "runs": self.defaults.get("runs", 200),
            "model": self.defaults.get("model", "one-way"),
            "factors": self.defaults["factors"],
            "outliers": treatments.pop() if len(treatments) == 1 else "none",
            "log_scale": self.defaults.get("log_scale", []),
            "standardise": self.defaults.get("standardise", []),
            "metrics": self.defaults.get("metrics", []),
            "covariates": self.defaults.get("covariates", []),
            "alpha": self.defaults.get("alpha", 0.05),
            "seed": self.defaults["seed"],
        }

    def first_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in FURTHER]

    def further_fields(self) -> list[forms.BoundField]:
        """The options that most analyses leave at their defaults."""
        return [field for field in self.visible_fields() if field.name in FURTHER]

    def clean_covariates(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["covariates"]
        compared = self.cleaned_data.get("metrics", ())
        for name in chosen:
            if name in self.defaults.get("metrics", []) and name not in compared:
                raise forms.ValidationError(
                    _("Choose %(name)s among the metrics, too: its scores are read there."),
                    params={"name": name},
                )
        return chosen

    def options(self) -> dict[str, Any]:
        """Return the choices as options of a run."""
        chosen = dict(self.cleaned_data)
        chosen["exclude_raters"] = chosen["exclude_raters"].split()
        if set(chosen.get("criteria", ())) == set(self.defaults["kinds"]):
            del chosen["criteria"]
        if len(chosen.get("versions", ())) == len(self.versions_there_are):
            del chosen["versions"]
        if "metrics" in chosen:
            chosen |= chosen_metric_options(self.campaign, chosen["metrics"])
        if "outliers" in chosen:
            chosen["outliers"] = self._treatments(chosen["outliers"])
        return chosen

    def _treatments(self, treatment: str) -> dict[str, str]:
        """Treat all measured criteria alike, or as the campaign says if nothing else was chosen."""
        if treatment == self.initial["outliers"]:
            return dict(self.defaults.get("outliers", {}))
        kinds = self.defaults["kinds"]
        return {name: treatment for name, kind in kinds.items() if kind in MEASURED}

    def add_problems(self, refused: InvalidOptions) -> None:
        """Show why an action was refused next to the field that caused it."""
        for problem in refused.problems:
            field = problem.place if problem.place in self.fields else None
            self.add_error(field, problem.message)


def _documents_of(campaign: Campaign) -> list[dict[str, Any]]:
    return list(campaign.items.exclude(factors={}).values_list("factors", flat=True)[:1000])


def _numeric_factors_of(campaign: Campaign) -> list[str]:
    """The factors whose levels are numbers, and not one number alone."""
    levels: dict[str, set[str]] = {}
    for factors in _documents_of(campaign):
        for name, level in factors.items():
            levels.setdefault(name, set()).add(str(level))
    return sorted(
        factor_column(name)
        for name, found in levels.items()
        if len(found) > 1 and all(_is_number(level) for level in found)
    )


def _is_number(level: str) -> bool:
    try:
        return math.isfinite(float(level))
    except ValueError:
        return False


def _factors_of(campaign: Campaign) -> list[str]:
    documents = _documents_of(campaign)
    names = {factor_column(name) for factors in documents for name in factors}
    names |= {VERSION} if campaign.version > 1 else set()
    return sorted(names if campaign.is_archive else names | {POSITION, ORDER})
