"""Judgements collected elsewhere become an archived campaign, analysed like any other."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from rankme.actions import jobs
from rankme.actions.campaign.campaigns import change_definition, create_campaign
from rankme.actions.material.material_rows import forget_material
from rankme.actions.material.materials import (
    end_import,
    files_of,
    lock_for_import,
    progress_of,
    remembered_columns,
    with_columns,
)
from rankme.importing import (
    AS_PROPOSED,
    JudgementMaterial,
    JudgementPreview,
    Reading,
    read_judgement_material,
    reading_from,
)
from rankme.importing.sources import Paths, Progress
from rankme.models import Campaign, MaterialImport
from rankme.protocols.definition import Definition
from rankme.protocols.files import stored_definition

from .archive_definitions import archive_definition, guessed_definition
from .archive_rows import fill_archive

READ_SHARE = 0.4


def import_judgements(
    owner: User,
    paths: Paths,
    *,
    title: str,
    format: str = "",
    definition: Definition | None = None,
    reading: Reading = AS_PROPOSED,
    keep_rater_names: bool = False,
) -> Campaign:
    """Make an archive of files of judgements, at once and whole.

    Parameters
    ----------
    definition : the campaign file with which the judgements were collected; without it the
        criteria and their instruments are read off the values
    reading : what the columns are; without it, as the campaign file remembers, or as proposed
    keep_rater_names : the names of raters become their labels, which published reports show;
        otherwise labels are keyed, as those of a campaign's own raters

    Raises
    ------
    ImportRefused : a file is not right; carries every problem
    """
    if reading == AS_PROPOSED and definition:
        reading = reading_from(remembered_columns(definition))
    material = read_judgement_material(paths, format or None, reading=reading)
    with material, transaction.atomic():
        definition = definition or guessed_definition(title, material.preview)
        definition = with_columns(definition, material.preview.tables)
        campaign = create_campaign(owner, definition, is_archive=True)
        fill_archive(campaign, material, by=owner, keep_rater_names=keep_rater_names)
    return Campaign.objects.get(pk=campaign.pk)


def start_archive(owner: User, *, title: str) -> Campaign:
    """An empty archive, which an upload of judgements will fill and close.

    A file with the columns of the owner's newest archive will be read as that one was.
    """
    definition = archive_definition(title, {"judgement": {}})
    newest = Campaign.objects.filter(owner=owner, is_archive=True).order_by("-created_at").first()
    if newest:
        material = stored_definition(newest.definition).material
        definition = definition.model_copy(update={"material": material})
    return create_campaign(owner, definition, is_archive=True)


def preview_of_judgements(row: MaterialImport) -> JudgementPreview:
    with _read(row, progress_of(row)) as material:
        return material.preview


def _read(row: MaterialImport, progress: Progress) -> JudgementMaterial:
    reading = reading_from(row.options.get("reading", {}))
    with files_of(row) as paths:
        return read_judgement_material(
            paths, row.format or None, progress=progress, reading=reading
        )


def take_judgements(row: MaterialImport) -> None:
    """Fill the archive of an import with its judgements, in one transaction."""
    progress = progress_of(row, upto=READ_SHARE)
    with _read(row, progress) as material, transaction.atomic():
        campaign = lock_for_import(row)
        forget_material(campaign)
        guessed = guessed_definition(campaign.title, material.preview)
        definition = with_columns(guessed, material.preview.tables)
        campaign = change_definition(campaign, definition, by=row.requested_by)
        step = _("Storing the judgements")

        def heartbeat(share: float) -> None:
            jobs.heartbeat_while_copying(row, progress=share, step=step)

        fill_archive(
            campaign,
            material,
            by=row.requested_by,
            keep_rater_names=row.options.get("keep_rater_names", False),
            heartbeat=heartbeat,
        )
        end_import(row)
