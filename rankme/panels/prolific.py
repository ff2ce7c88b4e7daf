"""Prolific's API, as far as the site uses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .calls import AnswerLost, Calls, PanelRefused

API = "/api/v1"
ROWS_PER_PAGE = 200
MOST_PAGES = 500
HOOKS = ("submission.status.change", "study.status.change")


@dataclass(frozen=True)
class StudyThere:
    """A study as the panel has it. Money is in minor units."""

    id: str
    status: str
    places: int
    places_taken: int
    reward: int
    internal_name: str

    @classmethod
    def read(cls, found: dict[str, Any]) -> StudyThere:
        return cls(
            id=str(found["id"]),
            status=str(found["status"]),
            places=int(found["total_available_places"]),
            places_taken=int(found.get("places_taken") or 0),
            reward=int(found["reward"]),
            internal_name=str(found.get("internal_name") or ""),
        )


@dataclass(frozen=True)
class SubmissionThere:
    """A submission, read from either of the two shapes in which the panel writes it."""

    id: str
    person: str
    status: str
    code: str
    started_at: datetime | None
    completed_at: datetime | None
    seconds: float | None
    return_requested_at: datetime | None

    @classmethod
    def read(cls, found: dict[str, Any]) -> SubmissionThere:
        seconds = found.get("time_taken")
        return cls(
            id=str(found["id"]),
            person=str(found.get("participant_id") or found.get("participant") or ""),
            status=str(found["status"]),
            code=str(found.get("study_code") or ""),
            started_at=_moment(found.get("started_at")),
            completed_at=_moment(found.get("completed_at")),
            seconds=None if seconds is None else float(seconds),
            return_requested_at=_moment(found.get("return_requested")),
        )


@dataclass(frozen=True)
class Filter:
    """A filter of the panel: a choice from a list, or a range."""

    id: str
    title: str
    kind: str
    choices: dict[str, str]
    low: int
    high: int

    @classmethod
    def read(cls, found: dict[str, Any]) -> Filter:
        choices = found.get("choices")
        return cls(
            id=str(found["filter_id"]),
            title=str(found.get("title") or found["filter_id"]),
            kind=str(found.get("type") or "select"),
            choices=dict(choices) if isinstance(choices, dict) else {},
            low=int(found.get("min") or 0),
            high=int(found.get("max") or 0),
        )


@dataclass(frozen=True)
class ListedBonuses:
    """Bonuses that were handed in and are not paid yet; `total` has fees and tax."""

    id: str
    amount: int
    total: int


@dataclass(frozen=True)
class Prolific:
    """One account's way to the panel."""

    calls: Calls

    # Account --------------------------------------------------------------------------------

    def user(self) -> dict[str, Any]:
        return dict(self.calls.ask("GET", f"{API}/users/me/"))

    def workspaces(self) -> dict[str, str]:
        """Titles by id. The list has 20 entries unless more are asked for."""
        found = self.calls.ask("GET", f"{API}/workspaces/", limit=1000)["results"]
        return {str(row["id"]): str(row.get("title") or row["id"]) for row in found}

    def balance(self, workspace: str) -> int:
        found = self.calls.ask("GET", f"{API}/workspaces/{workspace}/balance/")
        return int(found["available_balance"])

    def filters(self) -> list[Filter]:
        return [Filter.read(row) for row in self._pages(f"{API}/filters/")]

    def count_eligible(self, filters: Sequence[dict[str, Any]]) -> int:
        document = {"filters": list(filters)}
        # A question, although it is asked by POST.
        found = self.calls.ask("POST", f"{API}/eligibility-count/", document, may_repeat=True)
        return int(found["count"])

    def cost(self, reward: int, places: int) -> int:
        """What so many places cost, with fees and tax."""
        document = {"reward": reward, "total_available_places": places}
        found = self.calls.ask("POST", f"{API}/study-cost-calculator/", document, may_repeat=True)
        return round(float(found["total_cost"]))

    def least_per_hour(self, workspace: str, currency: str) -> int:
        """The lowest pay per hour that the panel accepts."""
        found = self.calls.ask(
            "GET", f"{API}/reward-recommendations/", workspace_id=workspace, currency=currency
        )
        return round(float(found["min_reward_per_hour"]))

    # Studies --------------------------------------------------------------------------------

    def create_study(self, document: dict[str, Any]) -> StudyThere:
        return StudyThere.read(self.calls.ask("POST", f"{API}/studies/", document))

    def study(self, study: str) -> StudyThere:
        return StudyThere.read(self.calls.ask("GET", f"{API}/studies/{study}/"))

    def find_study(self, internal_name: str) -> StudyThere | None:
        """The study that has our own name for it, if its creation succeeded after all."""
        for found in self._pages(f"{API}/studies/"):
            if found.get("internal_name") == internal_name:
                return StudyThere.read(found)
        return None

    def transition(self, study: str, action: str) -> StudyThere:
        path = f"{API}/studies/{study}/transition/"
        return StudyThere.read(self.calls.ask("POST", path, {"action": action}))

    def set_places(self, study: str, places: int) -> StudyThere:
        """Setting the same number again changes nothing, but the money is reserved once."""
        document = {"total_available_places": places}
        found = self.calls.ask("PATCH", f"{API}/studies/{study}/", document)
        return StudyThere.read(found)

    def delete_study(self, study: str) -> None:
        self.calls.ask("DELETE", f"{API}/studies/{study}/")

    # Submissions ----------------------------------------------------------------------------

    def submissions(self, study: str) -> Iterator[SubmissionThere]:
        for found in self._pages(f"{API}/studies/{study}/submissions/"):
            yield SubmissionThere.read(found)

    def submission(self, submission: str) -> SubmissionThere:
        return SubmissionThere.read(self.calls.ask("GET", f"{API}/submissions/{submission}/"))

    def approve(self, submission: str) -> SubmissionThere:
        path = f"{API}/submissions/{submission}/transition/"
        return SubmissionThere.read(self.calls.ask("POST", path, {"action": "APPROVE"}))

    def approve_many(self, submissions: Sequence[str]) -> None:
        """Have several approved. The panel accepts the list, and carries it out when it can."""
        document = {"submission_ids": list(submissions)}
        self.calls.ask("POST", f"{API}/submissions/bulk-approve/", document)

    def pay_share(self, submission: str, code: str, percent: int, message: str) -> SubmissionThere:
        """Complete somebody's work by the researcher's own code, for a share of the reward."""
        path = f"{API}/submissions/{submission}/transition/"
        data = {"percentage_of_reward": percent, "message_to_participant": message}
        document = {"action": "COMPLETE", "completion_code": code, "completion_code_data": data}
        return SubmissionThere.read(self.calls.ask("POST", path, document))

    def reject(self, submission: str, category: str, message: str) -> SubmissionThere:
        path = f"{API}/submissions/{submission}/transition/"
        document = {"action": "REJECT", "rejection_category": category, "message": message}
        return SubmissionThere.read(self.calls.ask("POST", path, document))

    def request_return(self, submission: str, reasons: list[str]) -> None:
        path = f"{API}/submissions/{submission}/request-return/"
        self.calls.ask("POST", path, {"request_return_reasons": reasons}, may_repeat=True)

    # Bonuses, messages, groups --------------------------------------------------------------

    def list_bonuses(self, study: str, amounts: Sequence[tuple[str, int]]) -> ListedBonuses:
        """Hand in bonuses. Amounts are minor units here, and major units in the panel's list."""
        lines = [f"{name},{amount // 100}.{amount % 100:02}" for name, amount in amounts]
        document = {"study_id": study, "csv_bonuses": "\n".join(lines)}
        found = self.calls.ask("POST", f"{API}/submissions/bonus-payments/", document)
        return ListedBonuses(
            str(found["id"]), round(float(found["amount"])), round(float(found["total_amount"]))
        )

    def pay_bonuses(self, listed: str) -> None:
        self.calls.ask("POST", f"{API}/bulk-bonus-payments/{listed}/pay/")

    def send_message(self, person: str, study: str, body: str) -> None:
        document = {"recipient_id": person, "study_id": study, "body": body}
        self.calls.ask("POST", f"{API}/messages/", document)

    def create_group(self, workspace: str, name: str) -> str:
        document = {"workspace_id": workspace, "name": name, "description": name}
        return str(self.calls.ask("POST", f"{API}/participant-groups/", document)["id"])

    def find_group(self, workspace: str, name: str) -> str:
        """The id of the group with this name; empty if there is none."""
        for found in self._pages(f"{API}/participant-groups/", workspace_id=workspace):
            if found.get("name") == name:
                return str(found["id"])
        return ""

    def add_to_group(self, group: str, people: Sequence[str]) -> None:
        path = f"{API}/participant-groups/{group}/participants/"
        self.calls.ask("POST", path, {"participant_ids": list(people)}, may_repeat=True)

    # Webhooks -------------------------------------------------------------------------------

    def hook_secret(self, workspace: str) -> str:
        """The workspace's secret. A second one would replace it and break other tools' hooks."""
        path = f"{API}/hooks/secrets/"
        found = self.calls.ask("GET", path, workspace_id=workspace)["results"]
        if found and found[0].get("value"):
            return str(found[0]["value"])
        return str(self.calls.ask("POST", path, {"workspace_id": workspace})["value"])

    def missing_hooks(self, workspace: str, address: str) -> list[str]:
        """The kinds of events of which `address` is not told (any more)."""
        path = f"{API}/hooks/subscriptions/"
        existing = self.calls.ask("GET", path, workspace_id=workspace)["results"]
        known = {
            row["event_type"]
            for row in existing
            if row["target_url"] == address and row.get("is_enabled", True)
        }
        return [event_type for event_type in HOOKS if event_type not in known]

    def subscribe(self, workspace: str, address: str) -> None:
        """Have `address` called for each kind of event; subscriptions that exist are kept."""
        path = f"{API}/hooks/subscriptions/"
        for event_type in self.missing_hooks(workspace, address):
            wanted = {"workspace_id": workspace, "event_type": event_type, "target_url": address}
            made, headers = self.calls.respond("POST", path, wanted)
            secret = {"secret": headers.get("X-Hook-Secret", "")}
            self.calls.ask("POST", f"{path}{made['id']}/", secret)

    # Pages ----------------------------------------------------------------------------------

    def _pages(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Every row of a list, until the panel names no further page.

        A page past the end is 404 there. Where the panel names one anyway, the list got shorter
        while it was read.
        """
        offset = 0
        for _page in range(MOST_PAGES):
            asked = {**query, "limit": ROWS_PER_PAGE, "offset": offset}
            try:
                found = self.calls.ask("GET", path, None, **asked)
            except PanelRefused as refusal:
                if refusal.status == 404 and offset:
                    return
                raise
            yield from found["results"]
            links = found.get("_links") or {}
            if not (links.get("next") or {}).get("href") or not found["results"]:
                return
            offset += len(found["results"])
        raise AnswerLost("The panel's list has no end.")


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
