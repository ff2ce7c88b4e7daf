"""Forms of shared tasks, for hosts and teams."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.planning.published import STUDIES
from rankme.actions.shared_task.next_year import TIMES
from rankme.actions.shared_task.room import BOUNDS, problems_of_means
from rankme.actions.shared_task.tasks import CHANGEABLE
from rankme.models import SharedTask, Team
from rankme.queries.shared_task.system_names import address_of_code, earlier_codes, title_of_code

LABELS = {
    "title": _("Title"),
    "call": _("Call"),
    "terms": _("Terms that each team accepts"),
    "registration": _("Who can register"),
    "opens_at": _("Opens (UTC)"),
    "preregister_until": _("Systems can be announced until (UTC)"),
    "closes_at": _("Closes (UTC)"),
    "grace_seconds": _("Seconds for uploads that began before the close"),
    "late": _("Late uploads"),
    "most_uploads": _("Uploads of a team to a track"),
    "most_uploads_a_day": _("Of these, within 24 hours"),
    "most_judged": _("Primary systems of a track that people judge"),
    "teams_named": _("Teams are named"),
    "teams_named_at": _("Named from (UTC)"),
    "teams_first_days": _("Days in which teams alone read their results and may object"),
}
HINTS = {
    "call": _("What teams read before they register."),
    "preregister_until": _("Systems announced until then have the first places. Empty: none have."),
    "most_uploads_a_day": _("Empty: no limit."),
    "most_judged": _("Empty: all that count."),
    "teams_named_at": _("Only if teams are named from a day on."),
    "teams_first_days": _("From the unseal on. Empty: nobody waits, and nobody can object."),
}


class TaskForm(forms.ModelForm):  # type: ignore[type-arg]
    """The facts of a task; its constraints are the database's, and the action words them."""

    class Meta:
        model = SharedTask
        fields = CHANGEABLE
        labels = LABELS
        help_texts = HINTS
        widgets = {
            name: forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
            for name in TIMES
        } | {name: forms.Textarea({"rows": 4}) for name in ("call", "terms")}

    def _post_clean(self) -> None:
        """Leave the constraints to the action."""


class CopyForm(forms.ModelForm):  # type: ignore[type-arg]
    """What a copy never takes over unseen: its title and its times."""

    class Meta:
        model = SharedTask
        fields = ("title", *TIMES)
        labels = LABELS
        widgets = {name: TaskForm.Meta.widgets[name] for name in TIMES}

    is_checked = forms.BooleanField(label=_("I have checked the title and the times"))

    def __init__(self, *args: Any, is_named_on_a_day: bool, **more: Any) -> None:
        super().__init__(*args, **more)
        if not is_named_on_a_day:
            del self.fields["teams_named_at"]

    def _post_clean(self) -> None:
        """Leave the constraints to the action."""


class TrackForm(forms.Form):
    name = forms.CharField(label=_("Name of the track"), max_length=60)
    is_development = forms.BooleanField(
        label=_("Development: teams see scores at once, and nothing is judged"), required=False
    )


class HostForm(forms.Form):
    username = forms.CharField(label=_("Name of the account"), max_length=150)


class FactsForm(forms.ModelForm):  # type: ignore[type-arg]
    """How the paper names a team; its action judges the name."""

    class Meta:
        model = Team
        fields = ("publication_name", "institution", "citation")
        labels = {
            "publication_name": _("Name in publications"),
            "institution": _("Institution"),
        }

    citation = forms.CharField(
        label=_("Paper to cite, as BibTeX"),
        required=False,
        max_length=5_000,
        widget=forms.Textarea({"rows": 3}),
    )


class RegistrationForm(forms.Form):
    name = forms.CharField(
        label=_("Short name"),
        help_text=_("For tables and files: letters A–Z, digits, dots, hyphens, underscores."),
        min_length=2,
        max_length=32,
    )
    publication_name = forms.CharField(label=_("Name in publications"), max_length=80)
    institution = forms.CharField(label=_("Institution"), max_length=200, required=False)
    captain = forms.CharField(label=_("Your name"), max_length=100)
    email = forms.EmailField(label=_("Your email address"), required=False)
    accepts_terms = forms.BooleanField(label=_("My team accepts the terms"), required=False)
    invitation = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput)


class SystemForm(forms.Form):
    name = forms.CharField(label=_("Name of the system"), max_length=60)
    description = forms.CharField(
        label=_("Description"), required=False, widget=forms.Textarea({"rows": 3}), max_length=5_000
    )
    is_constrained = forms.BooleanField(
        label=_("Uses the given data alone (constrained)"), required=False
    )
    judged_before = forms.ChoiceField(
        label=_("Was judged the year before as"),
        help_text=_("People judge it again, so that the results say whether both scales agree."),
        required=False,
    )

    def __init__(self, *args: Any, team: Team, **more: Any) -> None:
        super().__init__(*args, **more)
        earlier = [(address_of_code(each), title_of_code(each)) for each in earlier_codes(team)]
        if earlier:
            field = cast(forms.ChoiceField, self.fields["judged_before"])
            field.choices = [("", _("– not judged before –")), *earlier]
        else:
            del self.fields["judged_before"]


class MemberForm(forms.Form):
    name = forms.CharField(label=_("Name of the member"), max_length=100)
    email = forms.EmailField(label=_("Email address"), required=False)


class UploadForm(forms.Form):
    """A file for a track, by the ids that the page offers."""

    track = forms.IntegerField(min_value=1, max_value=2**62)
    system = forms.IntegerField(min_value=1, max_value=2**62)
    file = forms.FileField(label=_("File with the outputs"), allow_empty_file=True)
    ticket = forms.UUIDField(required=False, widget=forms.HiddenInput)


class CapacityForm(forms.Form):
    """What a track has: its raters, their time or the money, and how far judgements scatter."""

    raters = forms.IntegerField(label=_("Raters"), **BOUNDS["raters"])
    items = forms.IntegerField(label=_("Items"), **BOUNDS["items"])
    repeats = forms.IntegerField(label=_("Raters of each output"), **BOUNDS["repeats"])
    seconds = forms.FloatField(label=_("Seconds for an output"), **BOUNDS["seconds"])
    minutes = forms.FloatField(
        label=_("Minutes of each rater"), required=False, **BOUNDS["minutes"]
    )
    money = forms.FloatField(label=_("Money"), required=False, **BOUNDS["money"])
    pay = forms.FloatField(label=_("Pay for an hour"), required=False, **BOUNDS["pay"])
    spreads = forms.ChoiceField(
        label=_("Judgements scatter as in"), choices=[(each.key, each.title) for each in STUDIES]
    )

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        for name, problem in problems_of_means(given).items():
            self.add_error(name or None, problem)
        return given


class DisputeForm(forms.Form):
    track = forms.IntegerField(min_value=1, max_value=2**62)
    text = forms.CharField(max_length=5_000)
