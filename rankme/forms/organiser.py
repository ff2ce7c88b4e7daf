"""Small forms of the organiser's pages; the campaign's own is in `rankme.forms.definition`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from rankme.actions.campaign.extensions import MOST_RATERS
from rankme.actions.campaign.invitation_mail import sends_mail
from rankme.actions.campaign.members import MOST_DAYS, USUAL_DAYS
from rankme.actions.rows.versions import LONGEST_REASON
from rankme.designs.growth import MIXED_PERCENT, MOST_MIXED
from rankme.errors import InvalidDefinition, Problem
from rankme.importing import JUDGEMENT_READERS, READERS, Reader
from rankme.models import Campaign, MaterialImport, Role
from rankme.models.campaigns import MEMBER_CHOICES
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_yaml
from rankme.queries.shared_task.system_names import track_of
from rankme.untrusted.strict_yaml import LARGEST_FILE

from .panel import CleanCharField


class CampaignFileForm(forms.Form):
    """A campaign file, uploaded or pasted; the upload wins."""

    file = forms.FileField(label=_("Campaign file (YAML)"), required=False)
    text = forms.CharField(
        label=_("Or paste its text"),
        required=False,
        strip=False,
        max_length=LARGEST_FILE,
        widget=forms.Textarea(attrs={"rows": 24, "class": "code", "spellcheck": "false"}),
    )
    version = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not cleaned.get("file") and not (cleaned.get("text") or "").strip():
            raise forms.ValidationError(_("Choose a file or paste its text."))
        return cleaned

    def definition(self) -> Definition:
        return definition_from_yaml(self.source())

    def source(self) -> str:
        """The text of the file, or what was pasted."""
        file = self.cleaned_data.get("file")
        if not file:
            return str(self.cleaned_data["text"])
        if file.size > LARGEST_FILE:
            raise InvalidDefinition(
                [Problem("", str(_("This file is too large for a campaign file.")))]
            )
        try:
            file.seek(0)
            text: str = file.read().decode("utf-8-sig")
            return text
        except UnicodeDecodeError as error:
            message = str(_("This file is not UTF-8 text."))
            raise InvalidDefinition([Problem(f"byte {error.start}", message)]) from error


class CampaignSearchForm(forms.Form):
    """Words of a title and a state, both of which may be missing."""

    title = forms.CharField(
        label=_("Title contains"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[("", _("All")), *Campaign.State.choices, ("archive", _("Archive"))],
    )

    def conditions(self) -> Q:
        """The conditions on campaigns, with the states that the list shows."""
        title, state = self.cleaned_data["title"], self.cleaned_data["state"]
        is_found = Q(title__icontains=title)
        if state == "archive":
            return is_found & Q(is_archive=True)
        return is_found & Q(state=state, is_archive=False) if state else is_found


class ArchiveForm(forms.Form):
    title = forms.CharField(label=_("Title"), max_length=200)


class DeletionForm(forms.Form):
    """The title once more, so that nobody deletes another campaign than they mean."""

    title = forms.CharField(
        label=_("Title of the campaign"),
        help_text=_("Type it as it is written above."),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class DuplicateForm(forms.Form):
    title = forms.CharField(label=_("Title"), max_length=200)
    material = forms.BooleanField(label=_("With its items and outputs"), required=False)


class InvitationForm(forms.Form):
    """Names one per line, or a number of links without names."""

    names = forms.CharField(
        label=_("Names, one per line"),
        help_text=_(
            "Each name is stored with its link and shown next to the rater's answers, to you and "
            "the other members alone. Leave this empty to store no names."
        ),
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    unnamed = forms.IntegerField(
        label=_("Number of links without a name"),
        required=False,
        min_value=0,
        max_value=1_000,
        initial=0,
    )
    on_pages = forms.BooleanField(
        label=_("Add the links to the pages of all their work that raters of these names have"),
        help_text=_("In campaigns that you own or edit. Others get a link as usual."),
        required=False,
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.all_names(cleaned):
            raise forms.ValidationError(_("Enter at least one name or a number."))
        return cleaned

    def all_names(self, cleaned: dict[str, Any] | None = None) -> list[str]:
        cleaned = self.cleaned_data if cleaned is None else cleaned
        lines = (line.strip() for line in (cleaned.get("names") or "").splitlines())
        return [line for line in lines if line] + [""] * (cleaned.get("unnamed") or 0)


class LinkMailForm(forms.Form):
    mail = forms.EmailField(label=_("Mail address"))
    keep = forms.BooleanField(
        label=_("Keep the address, encrypted, so that the person can be reminded"),
        help_text=_(
            "It is erased with the identity, and when the person stops mails. The mail says that "
            "it is stored; your consent text must not say otherwise. Without the tick, the site "
            "stores no address of this person, and forgets one that it has kept."
        ),
        required=False,
    )


class InvitedMemberForm(forms.Form):
    role = forms.ChoiceField(
        label=_("Role"),
        choices=MEMBER_CHOICES,
        initial=Role.VIEWER,
        help_text=_("“Help” at the top has a table of what each role may do."),
    )
    days = forms.IntegerField(
        label=_("Days until the link ends"),
        initial=USUAL_DAYS,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_DAYS)],
    )
    mail = forms.EmailField(
        label=_("Mail address"),
        help_text=_(
            "The site sends the link there, and does not store the address. Leave it empty to send "
            "the link yourself."
        ),
        required=False,
    )

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if not sends_mail():
            del self.fields["mail"]


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=MEMBER_CHOICES)


class ExclusionForm(forms.Form):
    reason = CleanCharField(
        label=_("Reason"), help_text=_("Appears in the report."), max_length=500
    )


class ReasonForm(forms.Form):
    """The reason for changing a launched campaign, and the version that the change is based on."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=32_767)
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("Appears in the report, next to the number and the time of this version."),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class RatersForm(forms.Form):
    """The new number of raters for each trial."""

    raters_per_trial = forms.IntegerField(
        label=_("Raters per trial"), min_value=1, max_value=MOST_RATERS
    )
    mixed_percent = forms.IntegerField(
        label=_("Earlier systems in the new batches (%)"),
        min_value=0,
        max_value=MOST_MIXED,
        required=False,
        help_text=_(
            "If raters of the new systems judge none of the earlier ones, a difference between "
            "systems cannot be told from one between raters."
        ),
    )

    def sizes(self) -> tuple[int, int]:
        """Raters for each trial, and percent of screens with earlier systems."""
        mixed = self.cleaned_data["mixed_percent"]
        return self.cleaned_data["raters_per_trial"], MIXED_PERCENT if mixed is None else mixed


class HowManyRatersForm(forms.Form):
    """The number of raters whom the organiser has."""

    raters = forms.IntegerField(label=_("Number of raters"), min_value=1, max_value=100_000)


class ExtensionForm(ReasonForm):
    """The reason for an extension, and the plan and material for which it was drawn."""

    raters_per_trial = forms.IntegerField(
        widget=forms.HiddenInput, min_value=1, max_value=MOST_RATERS
    )
    mixed_percent = forms.IntegerField(
        widget=forms.HiddenInput, min_value=0, max_value=MOST_MIXED, initial=MIXED_PERCENT
    )
    items = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    systems = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


class ManyFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files under one label."""

    widget = ManyFiles

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        chosen = data if isinstance(data, list | tuple) else [data]
        clean_one = super().clean
        return [clean_one(upload, initial) for upload in chosen or [None]]


class MaterialForm(forms.Form):
    """Files of outputs (or of judgements, for an archive), and optionally a file of items."""

    outputs = FilesField(
        label=_("Outputs"),
        help_text=_("One or more files, or a ZIP archive."),
    )
    items = forms.FileField(
        label=_("Items (optional)"),
        help_text=_("Inputs, references, contexts and factors, if they are in a separate file."),
        required=False,
    )
    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        help_text=_("Usually detected from the content."),
    )
    keep_rater_names = forms.BooleanField(
        label=_("Keep the names of the raters"),
        help_text=_(
            "Published reports and their data then show these names. Leave this unticked if a name "
            "may be an e-mail address, a worker's ID, or a person's name."
        ),
        required=False,
    )

    def __init__(self, *arguments: Any, campaign: Campaign, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.kind = MaterialImport.Kind.OUTPUTS
        readers: Mapping[str, Reader[Any]] = READERS
        if campaign.is_archive:
            self.kind, readers = MaterialImport.Kind.JUDGEMENTS, JUDGEMENT_READERS
            self.fields["outputs"].label = _("Judgements")
            del self.fields["items"]
        else:
            del self.fields["keep_rater_names"]
            track = track_of(campaign)
            if track is not None and track.task.sealed_at is None:
                self.fields["outputs"].label = _("Sources")
                del self.fields["items"]
        cast(forms.ChoiceField, self.fields["format"]).choices = [
            ("", _("Detect automatically")),
            *((name, gettext(reader.title)) for name, reader in readers.items()),
        ]
        self.formats = [(gettext(found.title), gettext(found.help)) for found in readers.values()]

    def uploads(self) -> list[UploadedFile[bytes]]:
        items = self.cleaned_data.get("items")
        return [*self.cleaned_data["outputs"], *([items] if items else [])]

    def options(self) -> dict[str, Any]:
        return {
            name: self.cleaned_data[name]
            for name in ("keep_rater_names",)
            if name in self.cleaned_data
        }
