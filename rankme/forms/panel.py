"""Forms of the paid crowd: accounts, studies, payments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rankme.actions.panel import bounds
from rankme.actions.panel.money import MOST_SHARE
from rankme.actions.panel.paying import LEAST_SHARE
from rankme.actions.panel.rejecting import CATEGORIES, LONGEST_REASON, SHORTEST_REASON
from rankme.actions.panel.talking import LONGEST_MESSAGE
from rankme.models import PanelAccount, PanelStudy
from rankme.panel_calls.prolific import Filter, least_longest_minutes
from rankme.untrusted.clean_text import storable

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

DEVICES = list(zip(bounds.DEVICES, (_("Desktop"), _("Tablet"), _("Phone")), strict=True))


class CleanCharField(forms.CharField):
    """Text that the database can store."""

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        if not storable(text):
            raise forms.ValidationError(_("This contains a character that cannot be stored."))
        return text


class MoneyField(forms.DecimalField):
    """An amount as people write it; clean gives minor units."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            min_value=options.pop("min_value", 0.01),
            max_value=bounds.MOST_MINOR // bounds.MINOR_UNITS,
            decimal_places=2,
            **options,
        )

    def clean(self, value: Any) -> Any:
        amount = super().clean(value)
        return None if amount is None else int(amount * bounds.MINOR_UNITS)


class AccountForm(forms.Form):
    """A new account. The token is never shown again."""

    name = CleanCharField(
        label=_("Name"), max_length=bounds.LONGEST_ACCOUNT, help_text=_("Only you see it.")
    )
    token = CleanCharField(
        label=_("API token"),
        max_length=bounds.LONGEST_TOKEN,
        help_text=_("It is stored encrypted and never shown again."),
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    workspace = CleanCharField(
        label=_("Workspace ID"),
        max_length=bounds.LONGEST_ID,
        required=False,
        help_text=_("Needed only if the token has several workspaces."),
    )
    project = CleanCharField(
        label=_("Project ID"),
        max_length=bounds.LONGEST_ID,
        required=False,
        help_text=_("Where studies go. Without one, into the workspace's first project."),
    )


class TokenForm(forms.Form):
    token = CleanCharField(
        label=_("New API token"),
        max_length=bounds.LONGEST_TOKEN,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )


class StudyForm(forms.Form):
    """A study's conditions and pay."""

    account = forms.ModelChoiceField(PanelAccount.objects.none(), label=_("Account"))
    name = CleanCharField(label=_("Name of the study"), max_length=bounds.LONGEST_NAME)
    description = CleanCharField(
        label=_("Description"),
        max_length=bounds.LONGEST_DESCRIPTION,
        help_text=_("What people at the panel read before they decide to take part."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    places = forms.IntegerField(
        label=_("Places"),
        min_value=1,
        max_value=bounds.MOST_PLACES,
        help_text=_("One for each rater. More can be added later, but none removed."),
    )
    reward = MoneyField(label=_("Reward per rater"), help_text=_("In the account's currency."))
    minutes = forms.IntegerField(
        label=_("Expected minutes"), min_value=1, max_value=bounds.MOST_MINUTES
    )
    longest_minutes = forms.IntegerField(
        label=_("Longest time in minutes"), min_value=2, max_value=bounds.MOST_LONGEST_MINUTES
    )
    ceiling = MoneyField(
        label=_("Ceiling"),
        help_text=_(
            "Places, bonuses, fees and taxes together never cost more than this. Proposed: what "
            "the places cost. Bonuses and further places need more."
        ),
    )
    devices = forms.MultipleChoiceField(
        label=_("Devices"), choices=DEVICES, widget=forms.CheckboxSelectMultiple
    )
    is_secure = forms.BooleanField(
        label=_("Signed links"),
        required=False,
        help_text=_(
            "The panel signs each link, so that nobody can use another person's ID. Only some "
            "workspaces have this: in others no token comes, and everybody is turned away."
        ),
    )
    approval = forms.ChoiceField(
        label=_("Approve automatically"), choices=PanelStudy.Approval.choices
    )
    tops_up = forms.BooleanField(
        label=_("Add places when batches are free again"),
        required=False,
        help_text=_("Up to the ceiling."),
    )
    pays_shares = forms.BooleanField(
        label=_("Part of the reward can be paid"),
        required=False,
        help_text=_("Only for workspaces in which the panel has enabled dynamic payments."),
    )
    keep_out = forms.ModelMultipleChoiceField(
        PanelStudy.objects.none(), label=_("Keep out raters of"), required=False
    )
    let_in = forms.ModelMultipleChoiceField(
        PanelStudy.objects.none(), label=_("Let in only raters of"), required=False
    )

    def __init__(
        self,
        *arguments: Any,
        accounts: Any,
        studies: Any,
        filters: Sequence[Filter] = (),
        fixed: Sequence[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.filters = filters
        self.fields["account"].queryset = accounts  # type: ignore[attr-defined]
        for name in fixed:
            self.fields[name].disabled = True
        for name in ("keep_out", "let_in"):
            self.fields[name].queryset = studies  # type: ignore[attr-defined]
            if not studies:
                del self.fields[name]
        for offered in filters:
            self.fields |= _fields_of(offered)

    def typed(self) -> dict[str, Any]:
        """Return the fields as they were typed, for the same form with other filters."""
        return {
            name: field.widget.value_from_datadict(self.data, self.files, self.add_prefix(name))
            for name, field in self.fields.items()
            if not field.disabled
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        shortest, longest = cleaned.get("minutes"), cleaned.get("longest_minutes")
        if shortest and longest and longest < shortest:
            self.add_error("longest_minutes", _("Longer than the expected time."))
        elif shortest and longest and longest < (least := least_longest_minutes(shortest)):
            reason = _("The panel wants at least %(least)s minutes here.")
            self.add_error("longest_minutes", reason % {"least": least})
        for offered in self.filters:
            low, high = cleaned.get(f"low-{offered.id}"), cleaned.get(f"high-{offered.id}")
            if offered.kind == "range" and low is not None and high is not None and low > high:
                self.add_error(f"high-{offered.id}", _("Not below the lower limit."))
        return cleaned

    @property
    def filter_groups(self) -> list[tuple[Filter, list[forms.BoundField]]]:
        """The fields of each filter."""
        return [(offered, [self[name] for name in _fields_of(offered)]) for offered in self.filters]

    def chosen_filters(self) -> list[dict[str, Any]]:
        """The filters as the panel takes them."""
        chosen: list[dict[str, Any]] = []
        for offered in self.filters:
            if offered.kind == "range":
                limits = {
                    "lower": self.cleaned_data[f"low-{offered.id}"],
                    "upper": self.cleaned_data[f"high-{offered.id}"],
                }
                chosen.append({"filter_id": offered.id, "selected_range": limits})
            else:
                values = self.cleaned_data[f"any-{offered.id}"]
                chosen.append({"filter_id": offered.id, "selected_values": values})
        return chosen


def chosen_before(filters: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The fields of filters that a study has."""
    values: dict[str, Any] = {}
    for chosen in filters:
        name, limits = chosen["filter_id"], chosen.get("selected_range")
        if limits is None:
            values[f"any-{name}"] = chosen.get("selected_values")
        else:
            values |= {f"low-{name}": limits.get("lower"), f"high-{name}": limits.get("upper")}
    return values


def _fields_of(offered: Filter) -> dict[str, forms.Field]:
    """A filter as fields: two limits, or a list to choose from."""
    if offered.kind == "range":
        return {
            f"low-{offered.id}": _limit(_("%(filter)s, from"), offered, offered.low),
            f"high-{offered.id}": _limit(_("%(filter)s, to"), offered, offered.high),
        }
    choices = list(offered.choices.items())
    return {f"any-{offered.id}": forms.MultipleChoiceField(label=offered.title, choices=choices)}


class DayField(forms.DateField):
    """A date between two others; clean gives it as the panel writes it."""

    def __init__(self, *, min_value: Any, max_value: Any, **options: Any) -> None:
        limits = {"type": "date", "min": min_value or "", "max": max_value or ""}
        super().__init__(widget=forms.DateInput(attrs=limits, format="%Y-%m-%d"), **options)
        self.least, self.most = min_value or "", max_value or "9999"

    def clean(self, value: Any) -> Any:
        day = super().clean(value)
        text = "" if day is None else day.isoformat()
        if text and not self.least <= text <= self.most:
            limits = {"from": self.least or "–", "to": self.most}
            raise forms.ValidationError(_("A date from %(from)s to %(to)s.") % limits)
        return text


LIMIT_FIELDS = {"integer": forms.IntegerField, "float": forms.FloatField, "date": DayField}


def _limit(label: StrPromise, offered: Filter, initial: Any) -> forms.Field:
    limited: Any = LIMIT_FIELDS[offered.values]
    field: forms.Field = limited(
        label=label % {"filter": offered.title},
        initial=initial,
        min_value=offered.low,
        max_value=offered.high,
    )
    return field


class PlacesForm(forms.Form):
    more = forms.IntegerField(label=_("More places"), min_value=1, max_value=bounds.MOST_PLACES)


class CeilingForm(forms.Form):
    ceiling = MoneyField(label=_("Ceiling"))


class CostForm(forms.Form):
    """The cost that was confirmed, in minor units."""

    cost = forms.IntegerField(min_value=1)


class BonusForm(forms.Form):
    amount = MoneyField(label=_("Amount"))
    reason = CleanCharField(label=_("Reason"), max_length=bounds.LONGEST_REASON, required=False)


class HourlyBonusForm(forms.Form):
    """Raise everyone who was paid to an hourly rate."""

    per_hour = MoneyField(label=_("Pay per hour"))
    reason = CleanCharField(label=_("Reason"), max_length=bounds.LONGEST_REASON, required=False)


class BonusFileForm(forms.Form):
    lines = CleanCharField(
        label=_("One bonus per line"),
        max_length=200_000,
        help_text=_("The rater's name as on this page, a comma, and the amount: r0a1b2c3d4e,1.50"),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    reason = CleanCharField(label=_("Reason"), max_length=bounds.LONGEST_REASON, required=False)

    def rows(self) -> list[str]:
        return [line for line in str(self.cleaned_data["lines"]).splitlines() if line.strip()]


class ShareForm(forms.Form):
    percent = forms.IntegerField(label=_("Percent"), min_value=LEAST_SHARE, max_value=MOST_SHARE)
    reason = CleanCharField(label=_("Reason"), max_length=bounds.LONGEST_REASON, required=False)


class MessageForm(forms.Form):
    body = CleanCharField(
        label=_("Message"), max_length=LONGEST_MESSAGE, widget=forms.Textarea(attrs={"rows": 3})
    )


class ReturnForm(forms.Form):
    reason = CleanCharField(label=_("Reason"), max_length=bounds.LONGEST_REASON, required=False)


class RejectForm(forms.Form):
    """The reason for a rejection: one of the panel's categories, and the organiser's words."""

    category = forms.ChoiceField(
        label=_("Reason"), choices=[(name, _(title)) for name, title in CATEGORIES.items()]
    )
    message = CleanCharField(
        label=_("Message to the rater"),
        min_length=SHORTEST_REASON,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("At least 100 characters: what the rater did, and how it was seen."),
    )
    sure = forms.BooleanField(label=_("Yes, I want to reject this submission for good."))
