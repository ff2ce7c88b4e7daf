"""Damaged copies of outputs, as the organiser wants them: seen and changed before the launch."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.checks.drawing import Damage, damages_in
from rankme.errors import RefusedAction
from rankme.models import Campaign, DamagedText, Output
from rankme.protocols.checks import CheckSpec
from rankme.untrusted.clean_text import storable

from .campaigns import definition_of
from .plans import draw_checks, draw_plan

LONGEST = 100_000


def damages_of(campaign: Campaign) -> Iterator[tuple[CheckSpec, Damage]]:
    """Every damaged text that a launch would store, once.

    Raises
    ------
    RefusedAction : the plan or its checks cannot be drawn
    """
    return damages_in(list(draw_checks(campaign, draw_plan(campaign))))


def has_damages(campaign: Campaign) -> bool:
    return any(check.tool.damages for check in definition_of(campaign).checks)


@transaction.atomic
def change_damaged_text(
    campaign: Campaign, check: str, output: Output, text: str, *, by: User
) -> None:
    """Show this text as the damaged copy of an output; an empty one takes the change back."""
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if not campaign.is_draft:
        raise RefusedAction(_("The campaign has been launched: its checks can no longer change."))
    if not any(spec.name == check and spec.tool.damages for spec in definition_of(campaign).checks):
        raise RefusedAction(_("There is no such check any more."))
    text = text.replace("\r\n", "\n").strip()
    if not storable(text):
        raise RefusedAction(_("The text contains a character that cannot be stored."))
    if text == output.text.strip():
        raise RefusedAction(_("This is the text itself. A damaged copy must differ from it."))
    kept = DamagedText.objects.filter(campaign=campaign, check_name=check, output=output)
    if not text:
        kept.delete()
    else:
        DamagedText.objects.update_or_create(
            campaign=campaign, check_name=check, output=output, defaults={"text": text[:LONGEST]}
        )
    note(campaign, by, gettext_noop("damaged text changed"), check=check, output=output.pk)
