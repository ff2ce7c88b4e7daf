"""Settle disagreements of raters, next to their judgements."""

from __future__ import annotations

import math
from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import Campaign, Item, Output, Settlement
from rankme.models.settlements import SETTLED
from rankme.protocols.files import stored_definition
from rankme.protocols.instruments.base import Refused, Subject
from rankme.queries.disagreements.settled import settled_about
from rankme.queries.disagreements.values import comparable_criteria, scale_of


@transaction.atomic
def settle(
    campaign: Campaign,
    item: Item,
    output: Output | None,
    values: Mapping[str, float | None],
    *,
    reason: str,
    by: User,
) -> list[Settlement]:
    """Store a curator's values of an output, or of the item as a whole; None leaves one open again.

    Values that apply already are not stored again.

    Raises
    ------
    RefusedAction : a draft, no reason, nothing that changes, or a value that raters cannot give
    """
    if campaign.is_draft:
        raise RefusedAction(_("A draft has no judgements that could be settled."))
    if not reason.strip():
        raise RefusedAction(_("Give a reason: it is kept with the value."))
    criteria = {each.name: each for each in comparable_criteria(campaign)}
    standing = settled_about(campaign, item)
    place = output.pk if output else None
    stored = []
    for name, value in values.items():
        if name not in criteria:
            raise RefusedAction(_("There is no such criterion."))
        known = standing.get((place, name))
        if value == (known.value if known else None):
            continue
        if value is not None:
            _refuse_impossible(campaign, item, output, name, value)
        # The event takes the lock of the chain, so that rows come in the order of their events.
        row = Settlement(
            campaign=campaign,
            item=item,
            output=output,
            criterion=criteria[name],
            value=None if value is None else float(value),
            reason=reason.strip()[:500],
            decided_by=by,
        )
        event = note(campaign, by, SETTLED, item=item.key, criterion=name, sha256=row.sha256)
        event.refresh_from_db(fields=["happened_at"])
        row.decided_at = event.happened_at
        row.save(force_insert=True)
        stored.append(row)
    if not stored:
        raise RefusedAction(_("These are the values that apply already: nothing would change."))
    return stored


def _refuse_impossible(
    campaign: Campaign, item: Item, output: Output | None, name: str, value: float
) -> None:
    """Refuse what no rater could have answered, as far as the instrument says so of a number."""
    scale = scale_of(campaign, name)
    if not math.isfinite(value) or (scale.labels and value not in scale.labels):
        raise RefusedAction(_("%(name)s does not have this value.") % {"name": name})
    specs = stored_definition(campaign.definition).criteria
    spec = next((each for each in specs if each.name == name), None)
    if spec is None or scale.labels or spec.tool.marks_outputs:
        return
    subject = Subject(
        item.input, item.reference, item.factors, output=output.text if output else ""
    )
    try:
        spec.tool.clean(value, spec.settings, subject)
    except Refused as refusal:
        raise RefusedAction(f"{name}: {refusal}") from refusal
