"""How often a client may do something that nobody needs to do often."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class RateBucket(models.Model):
    """How much of something a client may still use; it refills over time."""

    mark = models.CharField(max_length=64, primary_key=True)
    left = models.FloatField()
    filled_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.mark
