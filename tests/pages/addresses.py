"""The addresses of a campaign's pages."""

from django.urls import reverse

from rankme.models import Campaign, MaterialImport


def address(name: str, campaign: Campaign, *more: object) -> str:
    return reverse(f"rankme:{name}", args=[campaign.code, *more])


def page_of(row: MaterialImport, name: str = "campaign-import") -> str:
    return address(name, row.campaign, row.pk)
