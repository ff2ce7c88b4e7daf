"""The tables that are written once: what was planned, what raters sent, who did what."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

# What remains of the words of a rater whose identity was erased.
ERASED = "[erased]"


class Record(models.Model):
    """Rows that the site adds and never changes.

    `manage.py migrate` gives the site's database role SELECT and INSERT on these tables and UPDATE
    on the columns of `changeable` alone (see `evalsite.roles`). Where `changeable` is empty,
    triggers refuse UPDATE, DELETE and TRUNCATE to everyone else too.
    """

    changeable: ClassVar[tuple[str, ...]] = ()

    class Meta:
        abstract = True
