"""The end of a visit: another batch, the code, or a batch given back."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from rankme.actions.sitting import assignments, participation
from rankme.errors import RefusedAction
from rankme.forms.entry import QuestionsForm
from rankme.models import Assignment, Participant
from rankme.panel_links.outcomes import Outcome
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition
from rankme.queries.documents import screens_of_batch

from .endings import ending_of_rater, money
from .rater_pages import State, asks_at_the_end, leftovers_of, rater_page, step_of, stored_screens


@require_safe
@rater_page
def more(request: HttpRequest, rater: Participant) -> HttpResponse:
    """After a batch, where the campaign allows several: another one, or the code."""
    if rater.state == State.COMPLETED:
        return redirect(step_of(rater, frozen_definition(rater.campaign).definition))
    finished = rater.assignments.filter(state=Assignment.State.COMPLETED).count()
    return render(
        request,
        "participant/departure/more.html",
        {"campaign": rater.campaign, "finished": finished},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def end_questions(request: HttpRequest, rater: Participant) -> HttpResponse:
    """Ask the last questions. The work is done and the code is given, so answers are optional."""
    definition = frozen_definition(rater.campaign).definition
    if step_of(rater, definition) != request.path:
        return redirect(step_of(rater, definition))
    if request.method == "POST" and "skip" in request.POST:
        participation.answer_end_questions(rater, {})
        return redirect("rankme:done", rater.campaign.code)
    answers = request.POST if request.method == "POST" else None
    form = QuestionsForm(definition.end_questions, answers, prefix="end", known=rater.entry_answers)
    if form.is_valid():
        participation.answer_end_questions(rater, form.answers())
        return redirect("rankme:done", rater.campaign.code)
    status = 422 if form.is_bound else 200
    context = {"campaign": rater.campaign, "definition": definition, "form": form}
    return render(request, "participant/departure/end_questions.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def done(request: HttpRequest, rater: Participant) -> HttpResponse:
    """The code, the way back to the panel, and room for a comment."""
    definition = frozen_definition(rater.campaign).definition
    if request.method == "POST":
        return _take_leave(request, rater)
    if rater.state != State.COMPLETED:
        return redirect(step_of(rater, definition))
    return render(request, "participant/departure/done.html", done_context(rater, definition))


def done_context(rater: Participant, definition: Definition) -> dict[str, Any]:
    return ending_of_rater(rater, definition) | {
        "campaign": rater.campaign,
        "definition": definition,
        "comment": "" if rater.is_second_browser else rater.comment,
        "is_late": rater.outcome == Outcome.LATE,
        "has_withdrawn": rater.withdrawn_at is not None,
        "leftovers": leftovers_of(rater),
        "has_questions_left": asks_at_the_end(rater, definition),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def give_back(request: HttpRequest, rater: Participant) -> HttpResponse:
    """End a batch early after a confirmation, or undo that."""
    definition = frozen_definition(rater.campaign).definition
    if request.method == "POST" and not rater.is_second_browser:
        if request.POST.get("decision") == "go-on":
            participation.go_on_after_all(rater)
        elif request.POST.get("decision") == "give-back":
            participation.give_back(rater)
        rater.refresh_from_db()
        return redirect(step_of(rater, definition))
    if rater.state == State.RETURNED:
        context = done_context(rater, definition)
        context["has_lost_place"] = assignments.has_lost_place(rater)
        return render(request, "participant/departure/returned.html", context)
    assignment = assignments.current_batch(rater) if rater.state == State.WORKING else None
    if assignment is None or rater.is_second_browser:
        return redirect(step_of(rater, definition))
    trials = len(assignment.presentation)
    screens = screens_of_batch(assignment.batch_id, definition, trials=trials)
    context = {
        "campaign": rater.campaign,
        "answered": len(stored_screens(assignment)),
        "screens": screens,
        "pay": money(definition.crowd.pay_by_outcome.returned, definition.crowd.currency),
    }
    return render(request, "participant/departure/give_back.html", context)


def _take_leave(request: HttpRequest, rater: Participant) -> HttpResponse:
    """Ends the visit when it has not ended yet, and keeps a last comment."""
    had_ended = rater.state == State.COMPLETED
    try:
        participation.complete_participation(rater)
    except RefusedAction:
        return redirect("rankme:work", rater.campaign.code)
    # PostgreSQL cannot hold NUL, and nobody writes one on purpose.
    comment = request.POST.get("comment", "").replace("\x00", "")
    may_comment = rater.withdrawn_at is None and not (rater.is_second_browser and rater.comment)
    if comment and may_comment:
        participation.leave_comment(rater, comment)
    if had_ended:
        return redirect("rankme:done", rater.campaign.code)
    rater.refresh_from_db()
    return redirect(step_of(rater, frozen_definition(rater.campaign).definition))
