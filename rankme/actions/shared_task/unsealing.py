"""Unsealing: two hosts, or one with a reason, tell the names once the numbers are fixed."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import AuditEvent, Campaign, SharedTask, SystemCode, TaskEvent
from rankme.models.campaigns import PREREGISTERED
from rankme.queries.shared_task.system_names import blind_runs

from .sealing import commitment, mapping_of

ASKED = gettext_noop("names asked for")
UNSEALED = gettext_noop("systems unsealed")


def missing_before_the_names(task: SharedTask) -> list[str]:
    """What is not yet fixed blind, in sentences: with it missing, only a reason unseals."""
    missing = []
    for track in task.tracks.filter(is_development=False).select_related("campaign"):
        told = {"track": track.name}
        if not _has_plan(track.campaign):
            missing.append(
                _("The analysis of the track “%(track)s” was not registered by a launch.") % told
            )
        elif not track.campaign.is_over:
            missing.append(_("The campaign of the track “%(track)s” is not closed.") % told)
        elif not blind_runs(track.campaign):
            missing.append(_("The track “%(track)s” has no report after its close.") % told)
    return missing


def _has_plan(campaign: Campaign) -> bool:
    return AuditEvent.objects.filter(campaign=campaign, verb=PREREGISTERED).exists()


@transaction.atomic
def ask_to_unseal(task: SharedTask, *, by: User) -> SharedTask:
    """Ask for the names; another host has to agree."""
    task = _sealed(task, by)
    _refuse_what_is_missing(task)
    if task.unseal_asked_by_id is None:
        task.unseal_asked_by = by
        task.unseal_asked_at = Now()
        task.save(update_fields=["unseal_asked_by", "unseal_asked_at"])
        TaskEvent.objects.create(task=task, actor=by, verb=ASKED)
    task.refresh_from_db()
    return task


@transaction.atomic
def unseal(task: SharedTask, *, by: User, reason: str = "") -> SharedTask:
    """Tell the names: as the second host, or alone with a reason. It cannot be taken back.

    Raises
    ------
    RefusedAction : another host has to agree, or a report is missing and no reason is given
    """
    task = _sealed(task, by)
    reason = reason.strip()
    missing = missing_before_the_names(task)
    if not reason:
        _refuse_what_is_missing(task)
        if task.unseal_asked_by_id in (None, by.pk):
            raise RefusedAction(
                _("Another host has to ask for the names before you agree, or give a reason.")
            )
    mapping = mapping_of(task)
    fits = commitment(task.seal_salt, mapping) == task.seal_sha256
    task.unsealed_by, task.unsealed_at, task.unseal_reason = by, Now(), reason
    task.save(update_fields=["unsealed_by", "unsealed_at", "unseal_reason"])
    told = {
        "salt": task.seal_salt,
        "commitment": task.seal_sha256,
        "fits": fits,
        "reason": reason,
        "missing": missing,
        "asked_by": task.unseal_asked_by_id,
    }
    names = _names(task)
    for track in task.tracks.filter(is_development=False).select_related("campaign"):
        # The commitment is to the codes of all tracks, and so is what has to be hashed again.
        note(track.campaign, by, UNSEALED, names=names[track.pk], mapping=mapping, **told)
    TaskEvent.objects.create(task=task, actor=by, verb=UNSEALED, detail=told | {"mapping": mapping})
    task.refresh_from_db()
    return task


def _sealed(task: SharedTask, by: User) -> SharedTask:
    task = SharedTask.objects.select_for_update(no_key=True).get(pk=task.pk)
    if by.pk != task.owner_id and not task.hosts.filter(user=by).exists():
        raise RefusedAction(_("Only hosts of the task do that."))
    if task.sealed_at is None:
        raise RefusedAction(_("The task is not sealed: there are no codes yet."))
    if task.unsealed_at is not None:
        raise RefusedAction(_("The names are known already."))
    return task


def _refuse_what_is_missing(task: SharedTask) -> None:
    if missing := missing_before_the_names(task):
        advice = _("Compute the reports first, or unseal with a reason.")
        raise RefusedAction(" ".join([*missing, advice]))


def _names(task: SharedTask) -> dict[int, dict[str, str]]:
    found: dict[int, dict[str, str]] = {track.pk: {} for track in task.tracks.all()}
    codes = SystemCode.objects.filter(track__task=task)
    for row in codes.select_related("upload__team", "upload__system"):
        upload = row.upload
        name = "reference" if upload is None else f"{upload.team.name}: {upload.system.name}"
        found[row.track_id][row.code] = name
    return found
