"""A campaign as the start of the next one: its definition and, if wanted, its material."""

from __future__ import annotations

import json
from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.actions.material.media import copy_media
from rankme.actions.rows.stored_files import deleted_on_failure
from rankme.errors import RefusedAction
from rankme.models import Campaign
from rankme.protocols.crowd import CompletionCodes
from rankme.protocols.definition import Definition

from .campaigns import create_campaign, definition_of
from .launches import MOST_OUTPUTS_IN_A_REQUEST, is_large

LONGEST_TITLE = 200


@transaction.atomic
def duplicate_campaign(
    campaign: Campaign, *, by: User, title: str = "", with_material: bool = False
) -> Campaign:
    """Make a draft of `by` with the same definition.

    It gets a seed of its own, so that its plan does not repeat the order of the first one, and no
    completion codes: those belong to one study of a panel, and would pay for the wrong one.

    Raises
    ------
    RefusedAction : an archive has nothing that could be asked again, or the material is too large
    """
    if campaign.is_archive:
        raise RefusedAction(_("An archive cannot be duplicated: nobody rated in it."))
    if with_material and is_large(campaign):
        raise RefusedAction(
            _(
                "The material has more than %(most)s outputs. Duplicate the campaign without it, "
                "then upload the files again."
            )
            % {"most": f"{MOST_OUTPUTS_IN_A_REQUEST:,}"}
        )
    copy = create_campaign(by, _definition_of_copy(campaign, title))
    if with_material:
        with deleted_on_failure() as stored:
            _copy_material(campaign, copy, copy_media(campaign, copy, stored))
    note(copy, by, gettext_noop("duplicated from another campaign"), code=campaign.code)
    return copy


def title_of_copy(campaign: Campaign) -> str:
    return (_("Copy of %(title)s") % {"title": campaign.title})[:LONGEST_TITLE]


def _definition_of_copy(campaign: Campaign, title: str) -> Definition:
    definition = definition_of(campaign)
    crowd = definition.crowd.model_copy(update={"completion_codes": CompletionCodes()})
    return definition.model_copy(
        update={"title": title or title_of_copy(campaign), "seed": None, "crowd": crowd}
    )


def _copy_material(source: Campaign, target: Campaign, media: Mapping[int, int]) -> None:
    """Copy rows inside the database; items and systems are found again by their positions.

    `media` has the ids of the copied files by the ids of the files.
    """
    new_media = "(%s::jsonb ->> media_id::text)::bigint"
    ids = json.dumps(dict(media))
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rankme_item"
            " (campaign_id, key, position, input, reference, context, factors, media_id, alt)"
            f" SELECT %s, key, position, input, reference, context, factors, {new_media}, alt"
            " FROM rankme_item WHERE campaign_id = %s ORDER BY position",
            [target.pk, ids, source.pk],
        )
        cursor.execute(
            "INSERT INTO rankme_system (campaign_id, name, folded, position)"
            " SELECT %s, name, folded, position"
            " FROM rankme_system WHERE campaign_id = %s ORDER BY position",
            [target.pk, source.pk],
        )
        cursor.execute(
            "INSERT INTO rankme_output (item_id, system_id, text, marks, media_id, alt)"
            " SELECT new_item.id, new_system.id, output.text, output.marks,"
            " (%s::jsonb ->> output.media_id::text)::bigint, output.alt"
            " FROM rankme_output output"
            " JOIN rankme_item item ON item.id = output.item_id AND item.campaign_id = %s"
            " JOIN rankme_system system ON system.id = output.system_id"
            " JOIN rankme_item new_item"
            "   ON new_item.campaign_id = %s AND new_item.position = item.position"
            " JOIN rankme_system new_system"
            "   ON new_system.campaign_id = %s AND new_system.folded = system.folded"
            " ORDER BY output.id",
            [ids, source.pk, target.pk, target.pk],
        )
