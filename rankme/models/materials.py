"""Items, systems and outputs: what is judged."""

from __future__ import annotations

import mimetypes

from django.db import models
from django.utils.translation import gettext_lazy as _

from .campaigns import Campaign
from .jobs import Job, one_at_a_time


class MediaFile(models.Model):
    """A picture, sound or film that items and outputs show; frozen with them (a trigger).

    `name` is in the addresses for which raters' browsers ask: it is random, so that nobody can
    guess it and it reveals nothing. `stored` is what the storage calls the file, and `path` is
    where the organiser had it.
    """

    class Kind(models.TextChoices):
        PICTURE = "picture", _("picture")
        SOUND = "sound", _("sound")
        FILM = "film", _("film")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="media_files")
    name = models.CharField(max_length=40, unique=True)
    stored = models.CharField(max_length=200, editable=False)
    path = models.CharField(max_length=300)
    kind = models.CharField(max_length=8, choices=Kind)
    media_type = models.CharField(max_length=20)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    seconds = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["campaign", "id"]

    def __str__(self) -> str:
        return self.path

    @property
    def file_name(self) -> str:
        """Its random name as a file, with an ending from which a browser knows the type."""
        return f"{self.name}{mimetypes.guess_extension(self.media_type) or ''}"


class Item(models.Model):
    """One test-set input.

    `input` is text or, for tables and grids of pictures, a JSON document as text. `alt` describes
    the picture, sound or film for people who cannot perceive it.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="items")
    key = models.CharField(max_length=2000)
    position = models.PositiveIntegerField()
    input = models.TextField(blank=True)
    reference = models.TextField(blank=True)
    context = models.TextField(blank=True)
    factors = models.JSONField(default=dict, blank=True)
    media = models.ForeignKey(
        MediaFile, models.PROTECT, null=True, blank=True, related_name="items"
    )
    alt = models.TextField(blank=True, default="", db_default="")

    class Meta:
        ordering = ["campaign", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "key"], name="item_key_once"),
            models.UniqueConstraint(fields=["campaign", "position"], name="item_position_once"),
        ]

    def __str__(self) -> str:
        return self.key


class System(models.Model):
    """A peer system, a baseline or a human topline. `folded` makes names unique to the eye."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="systems")
    name = models.CharField(max_length=200)
    folded = models.CharField(max_length=400, editable=False)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["campaign", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "folded"], name="system_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Output(models.Model):
    """A system's text or file for one item; a trigger freezes it once its campaign is launched."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="outputs")
    system = models.ForeignKey(System, models.CASCADE, related_name="outputs", db_index=False)
    text = models.TextField(blank=True)
    # Suggested marks that raters confirm, change or remove; see `rankme.importing.readers.marks`.
    marks = models.JSONField(null=True, blank=True)
    media = models.ForeignKey(
        MediaFile, models.PROTECT, null=True, blank=True, related_name="outputs"
    )
    alt = models.TextField(blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["system", "item"], name="one_output_per_system_and_item"
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]


class MaterialImport(Job):
    """An uploaded file on its way in: first checked and previewed, then taken or dropped."""

    class Kind(models.TextChoices):
        OUTPUTS = "outputs", _("System outputs")
        JUDGEMENTS = "judgements", _("Judgements collected elsewhere")
        SCORES = "scores", _("Scores of metrics")

    class Phase(models.TextChoices):
        CHECK = "check", _("Checking")
        COLUMNS = "columns", _("Waiting for you to say what the columns are")
        PREVIEWED = "previewed", _("Waiting for your decision")
        TAKE = "take", _("Importing")
        TAKEN = "taken", _("Imported")
        DROPPED = "dropped", _("Discarded")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="material_imports")
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.OUTPUTS)
    phase = models.CharField(max_length=10, choices=Phase, default=Phase.CHECK)
    # Names under MEDIA_ROOT/imports/: role ("outputs", "items") → stored name; labels are the
    # names that the organiser's files had, for messages.
    files = models.JSONField(default=dict)
    labels = models.JSONField(default=dict)
    format = models.CharField(max_length=20, blank=True)
    options = models.JSONField(default=dict, blank=True)
    problems = models.JSONField(default=list, blank=True)
    preview = models.JSONField(default=dict, blank=True)

    class Meta(Job.Meta):
        ordering = ["-requested_at"]
        constraints = [one_at_a_time("one_import_at_a_time")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.campaign} ({self.phase})"
