"""The seal of a shared task, and its end: which uploads become codes, and who tells the names."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from rankme.actions.shared_task import sealing, unsealing
from rankme.errors import RefusedAction
from rankme.models import SharedTask, SystemUpload
from rankme.pages.campaign.campaign_page import FORM, act
from rankme.queries.shared_task import overview
from rankme.untrusted.whole_numbers import number_in

from .hosting import MOST_SHOWN, task_page


@task_page(*FORM)
def seal_task(request: HttpRequest, task: SharedTask) -> HttpResponse:
    """Show what becomes a code, with what hosts decide about, and seal it."""
    if task.sealed_at is not None:
        return redirect("rankme:task", task.code)
    tracks = task.tracks.filter(is_development=False)
    late = SystemUpload.objects.filter(
        track__in=tracks, is_late=True, role=SystemUpload.Role.PRIMARY, withdrawn_at=None
    ).select_related("team", "track", "system")[:MOST_SHOWN]
    if request.method == "POST":
        choice = sealing.Choice(
            late=_ticked(request, "late"), with_reference=_ticked(request, "reference")
        )
        done = _("The task is sealed. Launch the campaigns of its tracks next.")
        if act(request, done, sealing.seal, task, choice):
            return redirect("rankme:task", task.code)
        return redirect("rankme:task-seal", task.code)
    context = {"task": task, "tracks": tracks, "late": late} | _found(task)
    context["without_primary"] = overview.teams_without_primary(task)
    return render(request, "shared_task/seal.html", context)


def _found(task: SharedTask) -> dict[str, Any]:
    """What would be sealed now, or why nothing can be."""
    try:
        sealing.refuse_before_the_close(task)
        return {"fields": sealing.fields_of(task)}
    except RefusedAction as refusal:
        return {"refusal": str(refusal)}


def _ticked(request: HttpRequest, name: str) -> list[int]:
    values = request.POST.getlist(name)[:MOST_SHOWN]
    return [number for number in map(number_in, values) if number]


@task_page(*FORM)
def unseal_task(request: HttpRequest, task: SharedTask) -> HttpResponse:
    """Ask for the names, agree to it, or tell them alone with a reason."""
    if not task.is_sealed:
        return redirect("rankme:task", task.code)
    if request.method == "POST":
        if request.POST.get("act") == "ask":
            done = _("You have asked for the names. Another host has to agree.")
            act(request, done, unsealing.ask_to_unseal, task)
        else:
            reason = request.POST.get("reason", "")[:2_000]
            done = _("The task is unsealed. Its pages and reports show the names.")
            if act(request, done, unsealing.unseal, task, reason=reason):
                return redirect("rankme:task", task.code)
        return redirect("rankme:task-unseal", task.code)
    context = {"task": task, "missing": unsealing.missing_before_the_names(task)}
    return render(request, "shared_task/unseal.html", context)
