"""Moments as every page shows them: with their zone."""

from __future__ import annotations

import datetime as dates
from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.dateformat import format as formatted

register = template.Library()

ANYWHERE_ON_EARTH = dates.timezone(timedelta(hours=-12))
FORMATS = {
    "": "Y-m-d H:i T",
    "day": "Y-m-d",
    "seconds": "Y-m-d H:i:s T",
    "hour": "H:i T",
    "weekday": "D j M, H:i T",
}


@register.filter
def moment(value: datetime | None, kind: str = "") -> str:
    """A time such as `2026-11-24 09:30 UTC`; nothing where there is none."""
    return formatted(timezone.localtime(value), FORMATS[kind]) if value else ""


@register.filter
def aoe(value: datetime | None) -> str:
    """The same moment “anywhere on Earth”, where deadlines of the field end (UTC−12)."""
    return f"{value.astimezone(ANYWHERE_ON_EARTH):%Y-%m-%d %H:%M} AoE" if value else ""


@register.filter
def iso(value: datetime | None) -> str:
    """The moment for a program, with its zone."""
    return value.isoformat() if value else ""
