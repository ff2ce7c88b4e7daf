"""A study follows its campaign: it sends people while there is work, and ends with it."""

from __future__ import annotations

from rankme.errors import RankmeError
from rankme.models import PanelStudy
from rankme.queries.panel_places import AT_WORK, places_missing, wants_people

from . import studies

State = PanelStudy.State


def follow_campaign(study: PanelStudy) -> PanelStudy:
    """Pause, resume and stop with the campaign and its free batches.

    `pauses` says that the site paused the study, so that the site resumes it.
    """
    if study.campaign.is_over and study.state in (State.ACTIVE, State.PAUSED):
        return studies.stop_study(study, by=None)
    if study.state == State.ACTIVE and not wants_people(study):
        return studies.pause_study(study, by=None)
    if study.state == State.PAUSED and study.pauses and wants_people(study):
        return studies.resume_study(study, by=None)
    return study


def follow_at_once(study_id: int) -> None:
    """Follow the campaign right after it changed. If the panel is away, the next visit repeats."""
    study = PanelStudy.objects.select_related("account", "campaign").get(pk=study_id)
    try:
        follow_campaign(study)
    except RankmeError as error:
        PanelStudy.objects.filter(pk=study_id).update(problem=str(error))


def top_up(study: PanelStudy) -> None:
    """By rule: when all who came are done and batches are free, offer places for them."""
    if not study.tops_up or study.state != State.AWAITING_REVIEW or not study.campaign.is_running:
        return
    at_work = study.submissions.filter(state__in=AT_WORK).exists()
    missing = places_missing(study)
    if missing and not at_work:
        studies.add_places(study, missing, by=None)
