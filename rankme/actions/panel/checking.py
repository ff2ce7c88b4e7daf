"""Whether the panel answers an account as the site expects: every call that changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rankme.errors import RankmeError, RefusedAction
from rankme.models import PanelAccount, PanelSubmission
from rankme.panel_calls.calls import AnswerLost, PanelAway, PanelRefused
from rankme.panel_calls.entry_tokens import read_keys
from rankme.panel_calls.prolific import HOOKS, Prolific

from .accounts import address_of_hook, panel_of

NEW_TOKEN = "Create a new token at the panel and store it under “Panel accounts”."
NO_RIGHT = "The panel does not let this token do that. Ask the owner of the workspace, or support."
LATER = "Try again in a few minutes. If it stays so, look at the panel's status page."
ODD = (
    "The panel's API has changed, or was described wrongly. Report this line to the developers of "
    "RankME, and do not publish a study before it is settled."
)
# An example for questions about costs; nothing is created.
REWARD, PLACES = 200, 10


@dataclass(frozen=True)
class Verdict:
    """The result of one call: its answer, or the problem and how to fix it."""

    call: str
    is_good: bool
    what: str
    remedy: str = ""


def check_account(account: PanelAccount) -> Iterator[Verdict]:
    """Make each call that only asks. Nothing is created, changed or paid."""
    panel = panel_of(account)
    for call, ask in _questions(account, panel).items():
        panel.odd.clear()
        try:
            what = ask()
        except RankmeError as error:
            yield Verdict(call, False, str(error), _remedy(error))
            continue
        if panel.odd:
            yield Verdict(call, False, f"{what}; unreadable: {len(panel.odd)}, {panel.odd[0]}", ODD)
        else:
            yield Verdict(call, True, what)


def _remedy(error: RankmeError) -> str:
    if isinstance(error, PanelRefused):
        return NEW_TOKEN if error.status == 401 else NO_RIGHT
    if isinstance(error, PanelAway):
        return LATER
    return ODD if isinstance(error, AnswerLost) else ""


def _questions(account: PanelAccount, panel: Prolific) -> dict[str, Callable[[], str]]:
    workspace = account.workspace
    questions = {
        "user": lambda: f"the token belongs to {panel.user()}",
        "workspaces": lambda: _known(panel.workspaces(), workspace, "workspace"),
        "projects": lambda: _known(panel.projects(workspace), account.project, "project"),
        "wallet": lambda: _wallet(account, panel),
        "minimum pay": lambda: (
            f"{panel.least_per_hour(workspace, account.currency)} {account.currency} an hour, in "
            "the smallest unit"
        ),
        "cost of a study": lambda: f"{panel.cost(REWARD, PLACES)} for {PLACES} places of {REWARD}",
        "filters": lambda: f"{len(panel.filters(workspace))} filters",
        "people": lambda: f"{panel.count_eligible([], workspace)} people without any filter",
        "studies": lambda: f"{panel.count_studies()} studies",
        "groups": lambda: f"{panel.count_groups(workspace)} groups",
        "kinds of webhooks": lambda: _events(panel),
        "webhooks": lambda: _hooks(account, panel),
        "keys of signed links": lambda: f"{len(read_keys(panel.calls)['keys'])} keys",
    }
    newest = account.studies.exclude(external_id="").first()
    if newest is not None:
        questions["newest study"] = lambda: f"is {panel.study(newest.external_id).status}"
        questions["its submissions"] = lambda: (
            f"{sum(1 for _ in panel.submissions(newest.external_id))} submissions"
        )
    person = PanelSubmission.objects.filter(study__account=account).last()
    if person is not None:
        questions["one submission"] = lambda: f"is {panel.submission(person.external_id).status}"
        questions["messages"] = lambda: f"{len(panel.messages(person.person))} with one rater"
    return questions


def _known(found: dict[str, str], wanted: str, what: str) -> str:
    listed = ", ".join(f"{title} ({pk})" for pk, title in found.items()) or "none"
    if wanted and wanted not in found:
        raise RefusedAction(f"The account's {what} {wanted} is not among them: {listed}")
    return listed


def _wallet(account: PanelAccount, panel: Prolific) -> str:
    currency, available = panel.currency(account.workspace), panel.balance(account.workspace)
    if currency != account.currency:
        raise RefusedAction(
            f"The wallet has {currency}, and the account was stored with {account.currency}. "
            "Add the account again under another name."
        )
    return f"{available // 100}.{available % 100:02} {currency} can be spent"


def _events(panel: Prolific) -> str:
    found = panel.event_types()
    if missing := [name for name in HOOKS if name not in found]:
        raise RefusedAction(f"The panel no longer has {', '.join(missing)}. {ODD}")
    return ", ".join(found)


def _hooks(account: PanelAccount, panel: Prolific) -> str:
    missing = panel.missing_hooks(account.workspace, address_of_hook(account))
    if account.hooked_at and missing:
        raise RefusedAction(
            f"The panel has stopped calling this site about {', '.join(missing)}. Press “Connect "
            "webhooks” under “Panel accounts”."
        )
    return "not connected; the site asks every few minutes" if missing else "connected"
