"""The phases of a campaign, with their pages in the order of the work."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from rankme.models import Campaign
from rankme.queries.panel_books import has_panel

# A page's name, its title, and whether this campaign has it.
Pages = list[tuple[str, str, bool]]


@dataclass(frozen=True)
class Tab:
    name: str
    title: str
    address: str


@dataclass(frozen=True)
class Phase:
    """Pages that belong together; `is_now` for the phase that the campaign has reached."""

    title: str
    tabs: list[Tab]
    is_now: bool


def phases_of(campaign: Campaign) -> list[Phase]:
    """The campaign's pages in the order of the work: preparation, rating, analysis."""
    launched, collects, is_over = not campaign.is_draft, not campaign.is_archive, campaign.is_over
    prepare: Pages = [
        ("campaign-edit", _("Definition"), True),
        ("campaign-material", _("Material"), True),
        ("campaign-launch", _("Launch"), campaign.is_draft and collects),
    ]
    collect: Pages = [
        ("campaign-links", _("Links"), launched and collects),
        ("campaign-panel", _("Panel"), launched and has_panel(campaign)),
        ("campaign-monitor", _("Monitor"), launched and collects),
        ("campaign-raters", _("Raters"), launched),
        ("campaign-quality", _("Quality"), launched and collects),
    ]
    analyse: Pages = [
        ("analysis-runs", _("Report"), launched),
        ("campaign-items", _("Items"), launched),
        ("campaign-metrics", _("Metrics"), True),
    ]
    general: Pages = [
        ("campaign", _("Overview"), True),
        ("campaign-members", _("Members"), True),
        ("campaign-history", _("History"), True),
    ]
    phases = [
        _phase(campaign, _("Campaign"), general),
        _phase(campaign, _("Preparation"), prepare, is_now=campaign.is_draft),
        _phase(campaign, _("Rating"), collect, is_now=launched and not is_over),
        _phase(campaign, _("Analysis"), analyse, is_now=is_over),
    ]
    # What others get at the launch, an archive never gets.
    return [phase for phase in phases if phase.tabs or collects]


def _phase(campaign: Campaign, title: str, pages: Pages, *, is_now: bool = False) -> Phase:
    addresses = [(name, tab, address_of(name, campaign)) for name, tab, shown in pages if shown]
    return Phase(title, [Tab(*tab) for tab in addresses if tab[2]], is_now)


def address_of(name: str, campaign: Campaign, *more: object) -> str:
    """The address of a campaign's page; empty where this site has no such page."""
    try:
        return reverse(f"rankme:{name}", args=[campaign.code, *more])
    except NoReverseMatch:
        return ""
