"""Amounts of money in templates."""

from __future__ import annotations

from django import template

from rankme.actions.panel.studies import amount_in_words

register = template.Library()


@register.filter
def money(minor: int, currency: str) -> str:
    """Minor units as people write them: `150|money:"GBP"` is `1.50 GBP`."""
    return amount_in_words(int(minor), currency)
