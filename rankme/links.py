"""The addresses under which raters come in."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse

from rankme.models import Campaign
from rankme.protocols.definition import Definition

from .panel_links import PANELS


def entry_link(request: HttpRequest, campaign: Campaign) -> str:
    return request.build_absolute_uri(reverse("rankme:enter", args=[campaign.code]))


def panel_link(entry: str, definition: Definition) -> str:
    """The link with the panel's own placeholders for its ids; empty where none are taken."""
    if not definition.crowd.takes_panel_ids:
        return ""
    panel = PANELS[definition.crowd.panel]
    id_name = definition.crowd.id_parameter or panel.id_parameter
    session_name = definition.crowd.session_parameter or panel.session_parameter
    if panel.name == "prolific":
        return (
            f"{entry}?{id_name}={{{{%PROLIFIC_PID%}}}}&STUDY_ID={{{{%STUDY_ID%}}}}"
            f"&{session_name}={{{{%SESSION_ID%}}}}"
        )
    study = f"&{panel.study_parameter}=STUDY" if panel.study_parameter else ""
    return f"{entry}?{id_name}=ID&{session_name}=SESSION{study}"


def invitation_link(entry: str, token: str) -> str:
    return f"{entry}?invitation={token}"
