"""Uploads of outputs, in the worker: read for their preview, then imported."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from rankme.actions.material.additions import additions_in, store_additions
from rankme.actions.material.material_rows import READ_SHARE, copy_material, forget_material
from rankme.actions.material.materials import (
    adds_to_launched,
    end_import,
    files_of,
    lock_for_import,
    progress_of,
    with_columns,
)
from rankme.actions.rows.pictures import problem_with_pictures
from rankme.actions.rows.source_texts import note_on_source
from rankme.actions.rows.stored_files import deleted_on_failure
from rankme.importing import Material, Preview, read_material, reading_from
from rankme.importing.sources import Progress
from rankme.models import Campaign, MaterialImport
from rankme.protocols.dialogues import text_checks
from rankme.protocols.files import definition_to_document, stored_definition


def preview_of_outputs(row: MaterialImport) -> Preview:
    material = _read(row, progress_of(row))
    with material:
        inputs = ((item.key, item.input) for item in material.items())
        definition = stored_definition(row.campaign.definition)
        found = [problem_with_pictures(definition, inputs), note_on_source(definition, material)]
        notes = (*material.preview.notes, *filter(None, found))
        if adds_to_launched(row):
            notes = (additions_in(row.campaign, material).sentence, *notes)
        return replace(material.preview, notes=notes)


def take_outputs(row: MaterialImport) -> None:
    """Replace a draft's material, or add to a launched campaign's, in one transaction.

    Raters read none of these rows before the plan has them.
    """
    progress = progress_of(row, upto=READ_SHARE)
    material = _read(row, progress)
    with material, deleted_on_failure() as stored, transaction.atomic():
        campaign = lock_for_import(row)
        if adds_to_launched(row):
            store_additions(campaign, additions_in(campaign, material), material, stored)
        else:
            forget_material(campaign)
            copy_material(row, campaign, material, stored)
            _remember_columns(campaign, material.preview)
        end_import(row)


def _read(row: MaterialImport, progress: Progress) -> Material:
    reading = reading_from(row.options.get("reading", {}))
    checks = text_checks(stored_definition(row.campaign.definition))
    with files_of(row) as paths:
        return read_material(
            paths, row.format or None, progress=progress, reading=reading, checks=checks
        )


def _remember_columns(campaign: Campaign, preview: Preview) -> None:
    """Write into the campaign file what the columns were: the next upload is read the same way."""
    definition = stored_definition(campaign.definition)
    remembered = with_columns(definition, preview.tables)
    if remembered != definition:
        campaign.definition = definition_to_document(remembered)
        campaign.save(update_fields=["definition"])
