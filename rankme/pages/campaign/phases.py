"""The phases of a campaign, with their pages in the order of the work."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from rankme.models import Campaign
from rankme.permissions import Permission, may
from rankme.queries.panel_books import has_panel

# A page's name, its title, what it needs, and whether this campaign has it.
Pages = list[tuple[str, str, Permission, bool]]


P = Permission


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


def phases_of(request: HttpRequest, campaign: Campaign) -> list[Phase]:
    """The pages that a member may open, in the order of the work: preparation, rating, analysis."""
    launched, collects, is_over = not campaign.is_draft, not campaign.is_archive, campaign.is_over
    prepare: Pages = [
        ("campaign-edit", _("Definition"), P.EDIT if campaign.is_draft else P.FILES, True),
        ("campaign-material", _("Material"), P.FILES, True),
        ("campaign-launch", _("Launch"), P.EDIT, campaign.is_draft and collects),
    ]
    collect: Pages = [
        ("campaign-links", _("Links"), P.IDENTITIES, launched and collects),
        ("campaign-panel", _("Panel"), P.IDENTITIES, launched and has_panel(campaign)),
        ("campaign-monitor", _("Monitor"), P.WATCH, launched and collects),
        ("campaign-raters", _("Raters"), P.WATCH, launched),
        ("campaign-quality", _("Quality"), P.WATCH, launched and collects),
    ]
    analyse: Pages = [
        ("analysis-runs", _("Report"), P.REPORTS, launched),
        ("campaign-items", _("Items"), P.READ, launched),
        ("campaign-metrics", _("Metrics"), P.FILES, True),
    ]
    general: Pages = [
        ("campaign", _("Overview"), P.SEE, True),
        ("campaign-members", _("Members"), P.SEE, True),
        ("campaign-history", _("History"), P.HISTORY, True),
    ]
    phases = [
        _phase(request, campaign, _("Campaign"), general),
        _phase(request, campaign, _("Preparation"), prepare, is_now=campaign.is_draft),
        _phase(request, campaign, _("Rating"), collect, is_now=launched and not is_over),
        _phase(request, campaign, _("Analysis"), analyse, is_now=is_over),
    ]
    # A draft says what it gets at the launch; an archive, and some roles, never get it.
    is_told = collects and may(request, P.EDIT)
    return [phase for phase in phases if phase.tabs or is_told]


def _phase(
    request: HttpRequest, campaign: Campaign, title: str, pages: Pages, *, is_now: bool = False
) -> Phase:
    addresses = [
        (name, tab, address_of(name, campaign))
        for name, tab, needs, is_there in pages
        if is_there and may(request, needs)
    ]
    return Phase(title, [Tab(*tab) for tab in addresses if tab[2]], is_now)


def address_of(name: str, campaign: Campaign, *more: object) -> str:
    """The address of a campaign's page; empty where this site has no such page."""
    try:
        return reverse(f"rankme:{name}", args=[campaign.code, *more])
    except NoReverseMatch:
        return ""
