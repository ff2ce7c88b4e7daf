"""Prolific's API, as far as the site uses it."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, TypeVar

from django.utils.translation import gettext as _

from .calls import AnswerLost, Calls, PanelRefused

API = "/api/v1"
ROWS_PER_PAGE = 200
MOST_PAGES = 500
HOOKS = ("submission.status.change", "study.status.change")
SUBMISSION_STATES = frozenset(
    {
        "RESERVED",
        "ACTIVE",
        "TIMED-OUT",
        "AWAITING REVIEW",
        "APPROVED",
        "PARTIALLY APPROVED",
        "RETURNED",
        "REJECTED",
        "SCREENED OUT",
    }
)

Limit = int | float | str
Read = TypeVar("Read")


def _day(text: Any) -> str:
    """A date as the panel wants it back; some come with a time."""
    return date.fromisoformat(str(text)[:10]).isoformat()


# A limit of a range, by the type of its values.
LIMITS: dict[str, Callable[[Any], Limit]] = {"integer": int, "float": float, "date": _day}

log = logging.getLogger(__name__)


def least_longest_minutes(minutes: int) -> int:
    """The shortest maximum time that the panel accepts for a study of this many minutes."""
    return math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes))


@dataclass(frozen=True)
class StudyThere:
    """A study as the panel has it. Money is in minor units."""

    id: str
    status: str
    places: int
    reward: int

    @classmethod
    def read(cls, found: dict[str, Any]) -> StudyThere:
        return cls(
            id=str(found["id"]),
            status=str(found["status"]),
            places=int(found["total_available_places"]),
            reward=int(found["reward"]),
        )


@dataclass(frozen=True)
class SubmissionThere:
    """A submission, read from any of the shapes in which the panel writes it.

    A list has the code as `study_code`, a single submission as `entered_code`; only a single one
    names its study and its bonuses. What an answer leaves out is None.
    """

    id: str
    person: str
    status: str
    code: str | None
    started_at: datetime | None
    completed_at: datetime | None
    seconds: float | None
    return_requested_at: datetime | None
    study: str = ""
    bonuses: tuple[int, ...] | None = None

    @classmethod
    def read(cls, found: dict[str, Any]) -> SubmissionThere:
        if found["status"] not in SUBMISSION_STATES:
            raise ValueError(f"status {found['status']}")
        codes = [found[name] for name in ("study_code", "entered_code") if name in found]
        started, completed = _moment(found.get("started_at")), _moment(found.get("completed_at"))
        seconds = found.get("time_taken")
        if seconds is None and started and completed:
            seconds = (completed - started).total_seconds()
        bonuses = found.get("bonus_payments")
        return cls(
            id=str(found["id"]),
            person=str(found.get("participant_id") or found.get("participant") or ""),
            status=found["status"],
            code=str(codes[0] or "") if codes else None,
            started_at=started,
            completed_at=completed,
            seconds=None if seconds is None else float(seconds),
            return_requested_at=_moment(found.get("return_requested")),
            study=str(found.get("study_id") or ""),
            bonuses=None if bonuses is None else tuple(round(amount) for amount in bonuses),
        )


@dataclass(frozen=True)
class Filter:
    """A filter of the panel: a choice from a list, or a range of numbers or dates.

    `low` and `high` are written as the panel writes them; None where it names no limit.
    """

    id: str
    title: str
    kind: str
    choices: dict[str, str]
    values: str
    low: Limit | None
    high: Limit | None

    @classmethod
    def read(cls, found: dict[str, Any]) -> Filter:
        choices = found.get("choices")
        kind = str(found.get("type") or "select")
        values = str(found.get("data_type") or "integer") if kind == "range" else ""
        limit = LIMITS[values] if kind == "range" else str
        low, high = found.get("min"), found.get("max")
        return cls(
            id=str(found["filter_id"]),
            title=str(found.get("title") or found["filter_id"]),
            kind=kind,
            choices={str(name): str(title) for name, title in choices.items()} if choices else {},
            values=values,
            low=None if low is None else limit(low),
            high=None if high is None else limit(high),
        )


@dataclass(frozen=True)
class ListedBonuses:
    """Bonuses that were handed in and are not paid yet; `total` has fees and tax."""

    id: str
    amount: int
    total: int

    @classmethod
    def read(cls, found: dict[str, Any]) -> ListedBonuses:
        total = round(float(found["total_amount"]))
        return cls(str(found["id"]), round(float(found.get("amount") or total)), total)


@dataclass(frozen=True)
class Message:
    """A message between the account and a participant."""

    sender: str
    body: str
    sent_at: datetime | None
    study: str

    @classmethod
    def read(cls, found: dict[str, Any]) -> Message:
        about = found.get("data") or {}
        return cls(
            sender=str(found["sender_id"]),
            body=str(found["body"]),
            sent_at=_moment(found.get("sent_at")),
            study=str(about.get("study_id") or ""),
        )


@dataclass(frozen=True)
class Prolific:
    """Prolific's API, with one account's token.

    Each method reads its answer as Prolific describes it (docs.prolific.com/openapi.yaml). An
    answer of another shape counts as lost, because nobody knows what the panel did.
    """

    calls: Calls
    # What lists contained that could not be read.
    odd: list[str] = field(default_factory=list)

    # Account --------------------------------------------------------------------------------

    def user(self) -> str:
        """The account's own id, which shows that the token is valid."""
        return self._ask(lambda found: str(found["id"]), "GET", "users/me/")

    def workspaces(self) -> dict[str, str]:
        """Titles by id. The list has 20 entries unless more are asked for."""
        return self._ask(_titles, "GET", "workspaces/", limit=1000)

    def projects(self, workspace: str) -> dict[str, str]:
        """A workspace's projects: titles by id."""
        return self._ask(_titles, "GET", f"workspaces/{workspace}/projects/", limit=1000)

    def balance(self, workspace: str) -> int:
        return self._ask(
            lambda found: int(found["available_balance"]), "GET", f"workspaces/{workspace}/balance/"
        )

    def currency(self, workspace: str) -> str:
        """The currency of the workspace's wallet, and so of all its studies."""
        return self._ask(
            lambda found: str(found["currency_code"]).upper()[:3],
            "GET",
            f"workspaces/{workspace}/balance/",
        )

    def filters(self, workspace: str) -> list[Filter]:
        return list(self._readable(Filter.read, "filters/", workspace_id=workspace))

    def count_eligible(self, filters: Sequence[dict[str, Any]], workspace: str) -> int:
        document = {"filters": list(filters), "workspace_id": workspace}
        # A question, although it is asked by POST.
        return self._ask(
            lambda found: int(found["count"]),
            "POST",
            "eligibility-count/",
            document,
            may_repeat=True,
        )

    def cost(self, reward: int, places: int) -> int:
        """Cost of this many places, with fees and tax."""
        document = {"reward": reward, "total_available_places": places}
        return self._ask(
            lambda found: round(float(found["total_cost"])),
            "POST",
            "study-cost-calculator/",
            document,
            may_repeat=True,
        )

    def least_per_hour(self, workspace: str, currency: str) -> int:
        """The lowest pay per hour that the panel recommends, newest first in its list."""
        return self._ask(
            lambda found: round(float(found[0]["min_reward_per_hour"])),
            "GET",
            "reward-recommendations/",
            workspace_id=workspace,
            currency=currency,
        )

    # Studies --------------------------------------------------------------------------------

    def create_study(self, document: dict[str, Any]) -> StudyThere:
        return self._ask(StudyThere.read, "POST", "studies/", document)

    def study(self, study: str) -> StudyThere:
        return self._ask(StudyThere.read, "GET", f"studies/{study}/")

    def find_study(self, internal_name: str) -> StudyThere | None:
        """The study that has our own name for it, if its creation succeeded after all."""
        for found in self._pages("studies/"):
            if found.get("internal_name") == internal_name:
                return self.study(str(found["id"]))
        return None

    def count_studies(self) -> int:
        return sum(1 for _ in self._readable(StudyThere.read, "studies/"))

    def transition(self, study: str, action: str) -> StudyThere:
        document = {"action": action}
        return self._ask(StudyThere.read, "POST", f"studies/{study}/transition/", document)

    def change_study(self, study: str, document: dict[str, Any]) -> StudyThere:
        """Change a study that is not published. The same change again changes nothing."""
        path = f"studies/{study}/"
        return self._ask(StudyThere.read, "PATCH", path, document, may_repeat=True)

    def set_places(self, study: str, places: int) -> StudyThere:
        """Setting the same number again changes nothing, but the money is reserved once."""
        document = {"total_available_places": places}
        return self._ask(StudyThere.read, "PATCH", f"studies/{study}/", document)

    def delete_study(self, study: str) -> None:
        self._ask(_nothing, "DELETE", f"studies/{study}/")

    # Submissions ----------------------------------------------------------------------------

    def submissions(self, study: str) -> Iterator[SubmissionThere]:
        return self._readable(SubmissionThere.read, f"studies/{study}/submissions/")

    def submission(self, submission: str) -> SubmissionThere:
        return self._ask(SubmissionThere.read, "GET", f"submissions/{submission}/")

    def approve(self, submission: str) -> SubmissionThere:
        return self._moved(submission, "APPROVED", {"action": "APPROVE"})

    def approve_many(self, submissions: Sequence[str]) -> None:
        """Have several approved. The panel accepts the list, and carries it out when it can."""
        document = {"submission_ids": list(submissions)}
        self._ask(_nothing, "POST", "submissions/bulk-approve/", document)

    def pay_share(self, submission: str, code: str, percent: int, message: str) -> SubmissionThere:
        """Complete a submission by the researcher's own code, for a share of the reward."""
        data = {"percentage_of_reward": percent, "message_to_participant": message}
        document = {"action": "COMPLETE", "completion_code": code, "completion_code_data": data}
        return self._moved(submission, "PARTIALLY APPROVED", document)

    def reject(self, submission: str, category: str, message: str) -> SubmissionThere:
        document = {"action": "REJECT", "rejection_category": category, "message": message}
        return self._moved(submission, "REJECTED", document)

    def _moved(self, submission: str, status: str, document: dict[str, Any]) -> SubmissionThere:
        """Only an answer that shows the submission in its new state says that it was done."""

        def read(found: dict[str, Any]) -> SubmissionThere:
            there = SubmissionThere.read(found)
            if (there.id, there.status) != (submission, status):
                raise ValueError(f"{there.id} is {there.status}")
            return there

        return self._ask(read, "POST", f"submissions/{submission}/transition/", document)

    def request_return(self, submission: str, reasons: list[str]) -> None:
        document = {"request_return_reasons": reasons}
        path = f"submissions/{submission}/request-return/"
        self._ask(_nothing, "POST", path, document, may_repeat=True)

    # Bonuses, messages, groups --------------------------------------------------------------

    def list_bonuses(self, study: str, amounts: Sequence[tuple[str, int]]) -> ListedBonuses:
        """Hand in bonuses. Amounts are minor units here, and major units in the panel's list."""
        lines = [f"{name},{amount // 100}.{amount % 100:02}" for name, amount in amounts]
        document = {"study_id": study, "csv_bonuses": "\n".join(lines)}
        return self._ask(ListedBonuses.read, "POST", "submissions/bonus-payments/", document)

    def pay_bonuses(self, listed: str) -> None:
        """The panel says with 202 that it will pay."""
        answer = self.calls.ask("POST", f"{API}/bulk-bonus-payments/{listed}/pay/")
        if answer.status != 202:
            raise _odd(f"{answer.status} instead of 202")

    def send_message(self, person: str, study: str, body: str) -> None:
        document = {"recipient_id": person, "study_id": study, "body": body}
        self._ask(_nothing, "POST", "messages/", document)

    def messages(self, person: str) -> list[Message]:
        """List the messages between the account and a participant."""
        return list(self._readable(Message.read, "messages/", user_id=person))

    def create_group(self, workspace: str, name: str) -> str:
        document = {"workspace_id": workspace, "name": name, "description": name}
        return self._ask(lambda found: str(found["id"]), "POST", "participant-groups/", document)

    def find_group(self, workspace: str, name: str) -> str:
        """The id of the group with this name; empty if there is none."""
        for found in self._pages("participant-groups/", workspace_id=workspace):
            if found.get("name") == name:
                return str(found["id"])
        return ""

    def count_groups(self, workspace: str) -> int:
        return sum(1 for _ in self._pages("participant-groups/", workspace_id=workspace))

    def add_to_group(self, group: str, people: Sequence[str]) -> None:
        document = {"participant_ids": list(people)}
        path = f"participant-groups/{group}/participants/"
        self._ask(_nothing, "POST", path, document, may_repeat=True)

    # Webhooks -------------------------------------------------------------------------------

    def hook_secret(self, workspace: str) -> str:
        """The workspace's secret. A second one would replace it and break other tools' hooks."""
        path = "hooks/secrets/"
        found = self._ask(_rows, "GET", path, workspace_id=workspace)
        if found and found[0].get("value"):
            return str(found[0]["value"])
        wanted = {"workspace_id": workspace}
        return self._ask(lambda made: str(made["value"]), "POST", path, wanted)

    def event_types(self) -> list[str]:
        found = self._ask(_rows, "GET", "hooks/event-types/")
        return [str(row.get("event_type")) for row in found]

    def missing_hooks(self, workspace: str, address: str) -> list[str]:
        """The kinds of events of which `address` is not told (any more)."""
        existing = self._ask(_rows, "GET", "hooks/subscriptions/", workspace_id=workspace)
        known = {
            row.get("event_type")
            for row in existing
            if row.get("target_url") == address and row.get("is_enabled", True)
        }
        return [event_type for event_type in HOOKS if event_type not in known]

    def subscribe(self, workspace: str, address: str) -> None:
        """Have `address` called for each kind of event; subscriptions that exist are kept."""
        path = f"{API}/hooks/subscriptions/"
        for event_type in self.missing_hooks(workspace, address):
            wanted = {"workspace_id": workspace, "event_type": event_type, "target_url": address}
            made = self.calls.ask("POST", path, wanted)
            with _as_described(path, made.document):
                # Described as a list of subscriptions; the guides show the subscription alone.
                alone = made.document["results"][0] if "results" in made.document else made.document
                number = str(alone["id"])
            secret = {"secret": made.headers.get("X-Hook-Secret", "")}
            self.calls.ask("POST", f"{path}{number}/", secret)

    # Answers --------------------------------------------------------------------------------

    def _ask(
        self,
        read: Callable[[Any], Read],
        method: str,
        path: str,
        document: Any = None,
        *,
        may_repeat: bool | None = None,
        **query: Any,
    ) -> Read:
        path = f"{API}/{path}"
        answer = self.calls.ask(method, path, document, may_repeat=may_repeat, **query).document
        with _as_described(f"{method} {path}", answer):
            return read(answer)

    def _readable(self, read: Callable[[Any], Read], path: str, **query: Any) -> Iterator[Read]:
        """A list's entries. One of another shape than the described one is left out alone."""
        for row in self._pages(path, **query):
            try:
                with _as_described(path, row):
                    found = read(row)
            except AnswerLost as error:
                log.warning("%s", error)
                self.odd.append(str(error))
            else:
                yield found

    def _pages(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Read every page of a list.

        A page past the end is 404 there. Where the panel names one anyway, the list got shorter
        while it was read. Lists that name no pages at all have another after a full one, unless
        they give the same rows whatever is asked for.
        """
        offset, before = 0, None
        for _page in range(MOST_PAGES):
            asked = {**query, "limit": ROWS_PER_PAGE, "offset": offset}
            try:
                found = self._ask(dict, "GET", path, **asked)
            except PanelRefused as refusal:
                if refusal.status == 404 and offset:
                    return
                raise
            with _as_described(path, found):
                rows = _rows(found)
                following = (found.get("_links") or {}).get("next") or {}
            if not rows or rows[0] == before:
                return
            yield from rows
            has_next = bool(following.get("href"))
            if not has_next and ("_links" in found or len(rows) < ROWS_PER_PAGE):
                return
            offset, before = offset + len(rows), rows[0]
        raise AnswerLost(_("The panel's list has no end."))


def _nothing(answer: Any) -> None:
    """Ignore the content of a successful answer."""


def _rows(answer: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in answer["results"]]


def _titles(answer: Any) -> dict[str, str]:
    return {str(row["id"]): str(row.get("title") or row["id"]) for row in _rows(answer)}


@contextlib.contextmanager
def _as_described(call: str, answer: Any) -> Iterator[None]:
    """Read an answer; an unreadable one is lost, neither yes nor no."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        wrong = f"{type(error).__name__} {error}"[:200]
        raise _odd(f"{call}: {wrong}; {outline(answer)}") from error


def outline(answer: Any) -> str:
    """The names and types in an answer, without what it says about anybody."""
    kind = type(answer).__name__
    if isinstance(answer, dict):
        parts = [f"{name}: {type(value).__name__}" for name, value in list(answer.items())[:20]]
        return f"{{{', '.join(parts)}}}"[:400]
    if isinstance(answer, list) and answer:
        return f"[{len(answer)} × {outline(answer[0])}]"
    return kind


def _odd(what: str) -> AnswerLost:
    return AnswerLost(_("The panel's answer is not as described: %(what)s") % {"what": what})


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
