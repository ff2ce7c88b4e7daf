"""The panel's filters: fetched when they are needed, and kept for an hour."""

from __future__ import annotations

from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext as _

from rankme.models import PanelAccount
from rankme.panel_calls.calls import PanelError
from rankme.panel_calls.prolific import Filter

from .accounts import panel_of

KEPT_SECONDS = 3600
# The site fills these in with groups of its own.
OF_GROUPS = ("participant_group_allowlist", "participant_group_blocklist")


def available_filters(account: PanelAccount) -> list[Filter]:
    """Every filter that the account can use, by title."""
    key = f"panel-filters-2-{account.pk}"
    found: list[Filter] | None = cache.get(key)
    if found is None:
        every = panel_of(account).filters(account.workspace)
        usable = [
            candidate
            for candidate in every
            if candidate.id not in OF_GROUPS
            if candidate.kind == "range" or candidate.choices
        ]
        found = sorted(usable, key=lambda candidate: candidate.title.casefold())
        cache.set(key, found, KEPT_SECONDS)
    return found


def described(account: PanelAccount, chosen: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The filters of a study in words: what they are about, and what they let in."""
    try:
        known = {offered.id: offered for offered in available_filters(account)}
    except PanelError:
        known = {}
    titles = dict(
        zip(OF_GROUPS, (_("Let in only raters of"), _("Keep out raters of")), strict=True)
    )
    names = dict(account.studies.exclude(group="").values_list("group", "name"))
    lines = []
    for each in chosen:
        offered = known.get(each["filter_id"])
        title = offered.title if offered else titles.get(each["filter_id"], each["filter_id"])
        limits = each.get("selected_range") or {}
        words = names if offered is None else offered.choices
        values = [words.get(str(value), str(value)) for value in each.get("selected_values") or ()]
        between = " – ".join(str(limits.get(side, "")) for side in ("lower", "upper"))
        lines.append((title, between if limits else ", ".join(values)))
    return lines


def count_eligible(account: PanelAccount, filters: list[dict[str, Any]]) -> int:
    """Count the people of the panel who pass these filters."""
    return panel_of(account).count_eligible(filters, account.workspace)
