"""Documents in a campaign's material and plan."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from rankme.designs.document_order import Documents
from rankme.errors import RefusedAction
from rankme.models import Campaign, Item, Trial
from rankme.protocols.definition import Definition
from rankme.protocols.documents import DOCUMENT, SEGMENT, place_of

FIRST_SEGMENT = {SEGMENT: "1"}


def documents_of(campaign: Campaign, definition: Definition) -> Documents | None:
    """Group the items, by their positions, into documents; None if the campaign has none.

    Raises
    ------
    RefusedAction : the campaign shows documents, but an item is in none
    """
    if not definition.has_documents:
        return None
    segments: dict[str, dict[int, int]] = {}
    rows = campaign.items.order_by("position").values_list("key", "factors")
    for index, (key, factors) in enumerate(rows.iterator(chunk_size=20_000)):
        document, segment = place_of(factors)
        if not segment:
            raise RefusedAction(
                _(
                    "Raters see whole documents, but the item “%(item)s” is in none. Upload the "
                    "material with a column for the document and one for the segment’s number."
                )
                % {"item": key[:60]}
            )
        segments.setdefault(document, {})[segment] = index
    return Documents.of(
        [[found[number] for number in sorted(found)] for found in segments.values()]
    )


def is_last_segment(trial: Trial) -> bool:
    """Whether the trial's item ends its document; an item without a document does."""
    document, segment = place_of(trial.item.factors)
    following = {DOCUMENT: document, SEGMENT: str(segment + 1)}
    of_campaign = Item.objects.filter(campaign_id=trial.item.campaign_id)
    return not segment or not of_campaign.filter(factors__contains=following).exists()


def count_documents(trials: QuerySet[Trial], definition: Definition) -> int:
    """Count the documents that begin in these trials; 0, without a query, where no screen asks."""
    if not any(screen.scope == "document" for screen in definition.screens):
        return 0
    return trials.filter(item__factors__contains=FIRST_SEGMENT).count()


def screens_of_batch(batch: int, definition: Definition, *, trials: int) -> int:
    """Count the screens of a sitting of the batch; `trials` includes its checks."""
    documents = count_documents(Trial.objects.filter(batch_id=batch), definition)
    return definition.screens_in_all(trials, documents)
