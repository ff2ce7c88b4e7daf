"""The practice panel's control routes: people who come and go, faults, the journal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from . import shapes
from .faults import Fault
from .keys import entry_link
from .state import PanelState
from .wire import Request, Response, find, not_found


def answer(panel: PanelState, request: Request) -> Response:
    """Do what a test or a rehearsal orders."""
    name = request.path.strip("/").partition("/")[2].replace("-", "_")
    command = COMMANDS.get(name)
    if command is None:
        raise not_found()
    return Response(200, command(panel, request.document))


def health(panel: PanelState, sent: dict[str, Any]) -> Any:
    return {"token": panel.token, "workspace": panel.books.workspace}


def reset(panel: PanelState, sent: dict[str, Any]) -> Any:
    panel.reset()
    return health(panel, sent)


def configure(panel: PanelState, sent: dict[str, Any]) -> Any:
    """Set what is in the wallet, how webhooks are delivered, and when lists are carried out."""
    panel.books.wallet = int(sent.get("wallet", panel.books.wallet))
    panel.hooks.doubled = bool(sent.get("doubled", panel.hooks.doubled))
    panel.books.approves_later = bool(sent.get("approves_later", panel.books.approves_later))
    if not panel.books.approves_later:
        panel.books.carry_out()
    panel.hooks.reordered = bool(sent.get("reordered", panel.hooks.reordered))
    return health(panel, sent)


def fault(panel: PanelState, sent: dict[str, Any]) -> Any:
    panel.faults.ordered.append(Fault.read(sent))
    return {"ordered": len(panel.faults.ordered)}


def requests(panel: PanelState, sent: dict[str, Any]) -> Any:
    return {"requests": [asdict(line) for line in panel.journal]}


def arrive(panel: PanelState, sent: dict[str, Any]) -> Any:
    """Somebody takes a place; the answer has the link that they would follow."""
    study = find(panel.books.studies, str(sent["study"]))
    submission = panel.books.arrive(study, str(sent["participant"]))
    return shapes.single(submission) | {"link": entry_link(panel.books, panel.keys, submission)}


def submit(panel: PanelState, sent: dict[str, Any]) -> Any:
    submission = find(panel.books.submissions, sent["submission"])
    panel.books.submit(submission, str(sent.get("code", "")))
    return shapes.single(submission)


def leave(panel: PanelState, sent: dict[str, Any], *, status: str) -> Any:
    submission = find(panel.books.submissions, sent["submission"])
    panel.books.leave(submission, status)
    return shapes.single(submission)


def books(panel: PanelState, sent: dict[str, Any]) -> Any:
    """Everything that was paid, for the comparison at the end."""
    return {
        "available": panel.books.available,
        "spent": panel.books.spent,
        "messages": panel.books.messages,
        "submissions": [
            shapes.single(submission)
            | {"paid": submission.reward_paid, "history": submission.history}
            for submission in panel.books.submissions.values()
        ],
    }


COMMANDS: dict[str, Callable[[PanelState, dict[str, Any]], Any]] = {
    "health": health,
    "reset": reset,
    "configure": configure,
    "fault": fault,
    "requests": requests,
    "arrive": arrive,
    "submit": submit,
    "return": partial(leave, status="RETURNED"),
    "time_out": partial(leave, status="TIMED-OUT"),
    "books": books,
}
