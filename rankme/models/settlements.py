"""How a curator settled a disagreement: a row of its own, next to what raters said."""

from __future__ import annotations

import hashlib
import json

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from .campaigns import Campaign, Criterion
from .materials import Item, Output
from .record import Record

SETTLED = gettext_noop("disagreement settled")  # the verb of the audit events


class Settlement(Record):
    """One decision about an output, or an item as a whole. A trigger refuses UPDATE and DELETE.

    The newest one of an output and criterion applies; one without a value leaves it open again.
    None changes a judgement, a ranking or a report's number. The audit event of the same
    transaction has the row's hash, so that its chain shows a changed or missing row.
    """

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="settlements")
    item = models.ForeignKey(Item, models.PROTECT, related_name="settlements")
    output = models.ForeignKey(Output, models.PROTECT, related_name="+", null=True, blank=True)
    criterion = models.ForeignKey(Criterion, models.PROTECT, related_name="+")
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=500)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(name="a_settlement_has_a_reason", condition=~Q(reason="")),
            models.CheckConstraint(
                name="a_settled_value_is_a_finite_number",
                condition=Q(value=None)
                | Q(value__gte=-1.7976931348623157e308, value__lte=1.7976931348623157e308),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value}"

    @property
    def sha256(self) -> str:
        """A hash of what was decided, which its audit event has."""
        facts = [self.item_id, self.output_id, self.criterion_id, self.value, self.reason]
        return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()
