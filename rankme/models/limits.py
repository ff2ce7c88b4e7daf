"""How often somebody did what nobody needs to do often."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class RateBucket(models.Model):
    """What is left to somebody of one thing; it fills up again with time."""

    mark = models.CharField(max_length=64, primary_key=True)
    left = models.FloatField()
    filled_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.mark
