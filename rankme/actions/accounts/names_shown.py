"""Note who looked at the names of systems while reading judgements."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.models import Campaign


def note_names_shown(campaign: Campaign, *, by: User) -> None:
    """Write the event. Without one, people have read the judgements by code."""
    note(campaign, by, gettext_noop("names of systems shown"))
