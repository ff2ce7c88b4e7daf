"""The panel's API: every address that the site calls, and what it does."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from . import shapes, study_refusals
from .books import new_id
from .hooks import EVENT_TYPES, Subscription
from .state import PanelState
from .wire import Refusal, Request, Response, find, not_found

Work = Callable[[], Response]
Route = Callable[["PanelState", Request, str], Response]
ROUTES: list[tuple[str, re.Pattern[str], Route]] = []


def route(method: str, path: str) -> Callable[[Route], Route]:
    """Note which function answers this method and path; `ID` is one part of the path."""
    pattern = re.compile(path.replace("ID", r"([\w-]+)") + r"\Z")

    def noted(function: Route) -> Route:
        ROUTES.append((method, pattern, function))
        return function

    return noted


def answer(panel: PanelState, request: Request, path: str) -> Response:
    known = [
        (method, found, function)
        for method, pattern, function in ROUTES
        if (found := pattern.match(path))
    ]
    for method, found, function in known:
        if method == request.method:
            return function(panel, request, found[1] if found.groups() else "")
    if known:
        raise Refusal(405, "Method not allowed", f"{request.method} is not possible here.")
    raise not_found()


# Account -----------------------------------------------------------------------------------


@route("GET", "users/me")
def show_user(panel: PanelState, request: Request, pk: str) -> Response:
    return Response(200, {"id": "practice", "email": "practice@example.org"})


@route("GET", "workspaces")
def list_workspaces(panel: PanelState, request: Request, pk: str) -> Response:
    workspace = {"id": panel.books.workspace, "title": "Practice", "description": ""}
    return Response(200, shapes.pages(request, [workspace]))


@route("GET", "workspaces/ID/balance")
def show_balance(panel: PanelState, request: Request, pk: str) -> Response:
    if pk != panel.books.workspace:
        raise not_found()
    return Response(200, shapes.balance(panel.books))


@route("GET", "workspaces/ID/projects")
def list_projects(panel: PanelState, request: Request, pk: str) -> Response:
    if pk != panel.books.workspace:
        raise not_found()
    project = {"id": panel.books.project, "title": "Practice project", "type": "PRIVATE"}
    return Response(200, shapes.pages(request, [project]))


@route("GET", "filters")
def list_filters(panel: PanelState, request: Request, pk: str) -> Response:
    return Response(200, shapes.pages(request, study_refusals.FILTERS))


@route("POST", "eligibility-count")
def count_eligible(panel: PanelState, request: Request, pk: str) -> Response:
    filters = request.document["filters"]
    study_refusals.check_filters(filters)
    return Response(200, {"count": study_refusals.EVERYBODY // (1 + 3 * len(filters))})


@route("POST", "study-cost-calculator")
def estimate_cost(panel: PanelState, request: Request, pk: str) -> Response:
    sent = request.document
    return Response(200, shapes.estimate(int(sent["reward"]), int(sent["total_available_places"])))


@route("GET", "reward-recommendations")
def recommend_reward(panel: PanelState, request: Request, pk: str) -> Response:
    rates = {
        "currency": request.query["currency"],
        "min_reward_per_hour": study_refusals.LEAST_PER_HOUR,
        "recommended_reward_per_hour": 900,
    }
    return Response(200, [rates])


# Studies -----------------------------------------------------------------------------------


@route("POST", "studies")
def create_study(panel: PanelState, request: Request, pk: str) -> Response:
    document = request.document
    study_refusals.check_study(document)
    panel.books.check_project(document)
    return Response(201, shapes.study(panel.books.create_study(document)))


@route("GET", "studies")
def list_studies(panel: PanelState, request: Request, pk: str) -> Response:
    return Response(
        200,
        shapes.pages(request, [shapes.study_row(study) for study in panel.books.studies.values()]),
    )


@route("GET", "studies/ID")
def show_study(panel: PanelState, request: Request, pk: str) -> Response:
    return Response(200, shapes.study(find(panel.books.studies, pk)))


@route("PATCH", "studies/ID")
def change_study(panel: PanelState, request: Request, pk: str) -> Response:
    study, changes = find(panel.books.studies, pk), request.document
    frozen = set(changes) - {"internal_name", "total_available_places"}
    if study.status != "UNPUBLISHED" and frozen:
        raise Refusal(400, "Bad request", {name: ["Published."] for name in frozen})
    if frozen:
        study_refusals.check_study(study.document | changes)
    if "total_available_places" in changes:
        panel.books.change_places(study, int(changes.pop("total_available_places")))
    study.document |= changes
    return Response(200, shapes.study(study))


@route("DELETE", "studies/ID")
def delete_study(panel: PanelState, request: Request, pk: str) -> Response:
    if find(panel.books.studies, pk).status != "UNPUBLISHED":
        raise Refusal(400, "Bad request", "Only a study that is not published can be deleted.")
    del panel.books.studies[pk]
    return Response(200, {})


@route("POST", "studies/ID/transition")
def transition_study(panel: PanelState, request: Request, pk: str) -> Response:
    study = panel.books.transition_study(
        find(panel.books.studies, pk), str(request.document["action"])
    )
    return Response(200, shapes.study(study))


@route("GET", "studies/ID/submissions")
def list_submissions(panel: PanelState, request: Request, pk: str) -> Response:
    rows = [shapes.row(submission) for submission in find(panel.books.studies, pk).submissions]
    is_wrong = panel.faults.take(request, ("page_past_end",)) != ""
    return Response(200, shapes.pages(request, rows, has_false_next=is_wrong))


# Submissions -------------------------------------------------------------------------------


@route("GET", "submissions/ID")
def show_submission(panel: PanelState, request: Request, pk: str) -> Response:
    return Response(200, shapes.single(find(panel.books.submissions, pk)))


@route("POST", "submissions/ID/transition")
def transition_submission(panel: PanelState, request: Request, pk: str) -> Response:
    submission, sent = find(panel.books.submissions, pk), request.document
    match sent["action"]:
        case "APPROVE":
            panel.books.approve(submission)
        case "REJECT":
            panel.books.reject(submission, str(sent["message"]))
        case "COMPLETE":
            percent = float(sent["completion_code_data"]["percentage_of_reward"])
            panel.books.pay_share(submission, str(sent["completion_code"]), percent)
        case action:
            raise Refusal(400, "Bad request", {"action": [f"{action} is not possible."]})
    return Response(200, shapes.moved(submission))


@route("POST", "submissions/bulk-approve")
def approve_many(panel: PanelState, request: Request, pk: str) -> Response:
    panel.books.approve_many(
        [find(panel.books.submissions, number) for number in request.document["submission_ids"]]
    )
    return Response(200, "Submissions will be approved.")


@route("POST", "submissions/ID/request-return")
def request_return(panel: PanelState, request: Request, pk: str) -> Response:
    submission = find(panel.books.submissions, pk)
    if not request.document["request_return_reasons"]:
        raise Refusal(400, "Bad request", {"request_return_reasons": ["Give a reason."]})
    panel.books.request_return(submission)
    return Response(200, shapes.return_requested(submission))


# Bonuses and messages ----------------------------------------------------------------------


@route("POST", "submissions/bonus-payments")
def list_bonuses(panel: PanelState, request: Request, pk: str) -> Response:
    sent = request.document
    lines = []
    for line in str(sent["csv_bonuses"]).splitlines():
        name, amount = line.split(",")
        lines.append((name.strip(), int(Decimal(amount) * 100)))
    bonuses = panel.books.list_bonuses(find(panel.books.studies, str(sent["study_id"])), lines)
    return Response(201, shapes.bonuses(bonuses))


@route("POST", "bulk-bonus-payments/ID/pay")
def pay_bonuses(panel: PanelState, request: Request, pk: str) -> Response:
    panel.books.pay_bonuses(find(panel.books.bonuses, pk))
    return Response(202, "The bonuses will be paid.")


@route("POST", "messages")
def send_message(panel: PanelState, request: Request, pk: str) -> Response:
    sent = request.document
    message = {name: str(sent[name]) for name in ("recipient_id", "study_id", "body")}
    panel.books.messages.append(message)
    return Response(204)


@route("GET", "messages")
def list_messages(panel: PanelState, request: Request, pk: str) -> Response:
    person = request.query["user_id"]
    found = [
        shapes.message(number, message)
        for number, message in enumerate(panel.books.messages)
        if person in (message["recipient_id"], message.get("sender_id"))
    ]
    return Response(200, {"results": found})


# Groups ------------------------------------------------------------------------------------


@route("GET", "participant-groups")
def list_groups(panel: PanelState, request: Request, pk: str) -> Response:
    groups = [shapes.group(panel.books.workspace, each) for each in panel.books.groups.values()]
    return Response(200, shapes.pages(request, groups))


@route("POST", "participant-groups")
def create_group(panel: PanelState, request: Request, pk: str) -> Response:
    group: dict[str, Any] = {
        "id": new_id(),
        "name": str(request.document["name"]),
        "participants": [],
    }
    panel.books.groups[group["id"]] = group
    return Response(201, shapes.group(panel.books.workspace, group))


@route("POST", "participant-groups/ID/participants")
def add_to_group(panel: PanelState, request: Request, pk: str) -> Response:
    members = find(panel.books.groups, pk)["participants"]
    members += [
        participant
        for participant in request.document["participant_ids"]
        if participant not in members
    ]
    now = panel.books.now()
    return Response(200, {"results": [shapes.member(each, now) for each in members]})


# Webhooks ----------------------------------------------------------------------------------


@route("GET", "hooks/event-types")
def list_event_types(panel: PanelState, request: Request, pk: str) -> Response:
    return Response(
        200, {"results": [{"event_type": name, "description": name} for name in EVENT_TYPES]}
    )


@route("GET", "hooks/secrets")
def list_secrets(panel: PanelState, request: Request, pk: str) -> Response:
    return Response(200, {"results": [_secret(panel)] if panel.hooks.secret else []})


@route("POST", "hooks/secrets")
def create_secret(panel: PanelState, request: Request, pk: str) -> Response:
    panel.hooks.new_secret()
    return Response(201, _secret(panel))


def _secret(panel: PanelState) -> dict[str, str]:
    hooks = panel.hooks
    return {"id": hooks.secret_id, "value": hooks.secret, "workspace_id": panel.books.workspace}


@route("GET", "hooks/subscriptions")
def list_subscriptions(panel: PanelState, request: Request, pk: str) -> Response:
    return Response(200, {"results": [_shown(panel, each) for each in panel.hooks.subscriptions]})


@route("POST", "hooks/subscriptions")
def subscribe(panel: PanelState, request: Request, pk: str) -> Response:
    sent = request.document
    if sent["event_type"] not in EVENT_TYPES:
        raise Refusal(400, "Bad request", {"event_type": ["Unknown."]})
    subscription = Subscription(
        new_id(), str(sent["event_type"]), str(sent["target_url"]), new_id()
    )
    panel.hooks.subscriptions.append(subscription)
    # Described as a list, although it is one.
    made = {"results": [_shown(panel, subscription)]}
    return Response(201, made, {"X-Hook-Secret": subscription.confirmation})


@route("POST", "hooks/subscriptions/ID")
def confirm_subscription(panel: PanelState, request: Request, pk: str) -> Response:
    for subscription in panel.hooks.subscriptions:
        if subscription.id == pk and request.document["secret"] == subscription.confirmation:
            subscription.is_enabled = True
            return Response(200, _shown(panel, subscription))
    raise not_found()


def _shown(panel: PanelState, subscription: Subscription) -> dict[str, Any]:
    return {
        "id": subscription.id,
        "event_type": subscription.event_type,
        "target_url": subscription.target_url,
        "is_enabled": subscription.is_enabled,
        "workspace_id": panel.books.workspace,
    }
