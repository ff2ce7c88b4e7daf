"""The practice panel's books: its wallet, studies and submissions, and the rules about them."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from .wire import Refusal

# What a study costs on top of its rewards, in percent. The real panel has other fees.
FEE_PERCENT, VAT_PERCENT = 30, 20
TAKES_A_PLACE = ("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED")
UNDER_WAY = ("RESERVED", "ACTIVE")
CAN_RETURN = (*UNDER_WAY, "AWAITING REVIEW")
NO_CODE = "NOCODE"


def new_id() -> str:
    """An id as the panel draws them: 24 hexadecimal digits."""
    return secrets.token_hex(12)


def with_fees(rewards: int) -> dict[str, int]:
    """The cost of these rewards, part by part, in minor units."""
    fees = -(-rewards * FEE_PERCENT // 100)
    vat = -(-fees * VAT_PERCENT // 100)
    return {"rewards": rewards, "fees": fees, "vat": vat, "total": rewards + fees + vat}


@dataclass
class Submission:
    """One person's way through a study, from the reservation to the decision."""

    id: str
    study: Study
    participant: str
    started_at: datetime
    status: str = "ACTIVE"
    completed_at: datetime | None = None
    code: str = ""
    reward_paid: int = 0
    bonuses: list[int] = field(default_factory=list)
    return_requested: datetime | None = None
    history: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float | None:
        if self.completed_at is None:
            return None
        return (self.completed_at - self.started_at).total_seconds()


@dataclass
class Study:
    """A study as it was sent, with its state and what has been reserved for it."""

    id: str
    document: dict[str, Any]
    created_at: datetime
    status: str = "UNPUBLISHED"
    submissions: list[Submission] = field(default_factory=list)

    @property
    def places(self) -> int:
        return int(self.document["total_available_places"])

    @property
    def reward(self) -> int:
        return int(self.document["reward"])

    @property
    def places_taken(self) -> int:
        return sum(submission.status in TAKES_A_PLACE for submission in self.submissions)

    def action_of(self, code: str, actor: str = "participant") -> dict[str, Any]:
        """The study's action for this code."""
        for known in self.document["completion_codes"]:
            if known["code"] == code and known.get("actor", "participant") == actor:
                action: dict[str, Any] = known["actions"][0]
                return action
        return {"action": "MANUALLY_REVIEW"}


@dataclass
class Bonuses:
    """A list of bonuses that was handed in; paying it is a second call."""

    id: str
    study: Study
    amounts: list[tuple[Submission, int]]
    paid: int = 0

    @property
    def cost(self) -> dict[str, int]:
        return with_fees(sum(amount for _, amount in self.amounts))


Told = Callable[[str, str, dict[str, Any]], None]


class Books:
    """Everything that the panel knows, and the only way to change it."""

    def __init__(self, wallet: int = 1_000_000, told: Told = lambda kind, who, more: None) -> None:
        self.wallet = wallet
        self.spent = 0
        self.told = told
        self.workspace, self.project = new_id(), new_id()
        self.studies: dict[str, Study] = {}
        self.submissions: dict[str, Submission] = {}
        self.bonuses: dict[str, Bonuses] = {}
        self.groups: dict[str, dict[str, Any]] = {}
        self.messages: list[dict[str, Any]] = []
        # Lists of approvals are only accepted, and carried out some time later.
        self.approves_later = False
        self.accepted: list[Submission] = []
        self.now: Callable[[], datetime] = lambda: datetime.now(UTC)

    # Money --------------------------------------------------------------------------------

    @property
    def reserved(self) -> int:
        """Money that published studies may still cost."""
        return sum(
            with_fees(study.reward * self._unpaid_places(study))["total"]
            for study in self.studies.values()
            if study.status in ("ACTIVE", "PAUSED", "AWAITING REVIEW")
        )

    def _unpaid_places(self, study: Study) -> int:
        paid = sum(submission.reward_paid > 0 for submission in study.submissions)
        return max(0, study.places - paid)

    @property
    def available(self) -> int:
        return self.wallet - self.spent - self.reserved

    def _need(self, amount: int) -> None:
        if amount > self.available:
            raise Refusal(400, "Not enough funds", "The wallet has too little in it.", 140100)

    # Studies ------------------------------------------------------------------------------

    def check_project(self, document: dict[str, Any]) -> None:
        """The real panel puts a study without a project into the user's first project, which may
        be in another workspace. Here that is refused, because it is never meant."""
        if document.get("project") != self.project:
            raise Refusal(400, "Bad request", {"project": ["Name a project of this workspace."]})

    def create_study(self, document: dict[str, Any]) -> Study:
        study = Study(new_id(), document, self.now())
        self.studies[study.id] = study
        return study

    def transition_study(self, study: Study, action: str) -> Study:
        allowed = {
            "PUBLISH": ("UNPUBLISHED",),
            "START": ("PAUSED",),
            "PAUSE": ("ACTIVE",),
            "STOP": ("ACTIVE", "PAUSED", "AWAITING REVIEW"),
        }
        if action not in allowed or study.status not in allowed[action]:
            raise Refusal(400, "Bad request", f"Cannot {action} a study that is {study.status}.")
        if action == "PUBLISH":
            self._need(with_fees(study.reward * study.places)["total"])
        study.status = {"PAUSE": "PAUSED", "STOP": "COMPLETED"}.get(action, "ACTIVE")
        self._tell_study(study)
        return study

    def change_places(self, study: Study, places: int) -> Study:
        if study.status not in ("UNPUBLISHED", "COMPLETED") and places < study.places:
            raise Refusal(400, "Bad request", {"total_available_places": ["It can only grow."]})
        if study.status != "UNPUBLISHED":
            self._need(with_fees(study.reward * (places - study.places))["total"])
        study.document["total_available_places"] = places
        self.settle(study)
        return study

    def settle(self, study: Study) -> None:
        """Make a published study active while it has a free place or a person at work."""
        if study.status not in ("ACTIVE", "AWAITING REVIEW"):
            return
        is_open = study.places_taken < study.places or any(
            submission.status in UNDER_WAY for submission in study.submissions
        )
        status = "ACTIVE" if is_open else "AWAITING REVIEW"
        if status != study.status:
            study.status = status
            self._tell_study(study)

    def _tell_study(self, study: Study) -> None:
        self.told("study.status.change", study.id, {"status": study.status, "metadata": {}})

    # Submissions --------------------------------------------------------------------------

    def arrive(self, study: Study, participant: str) -> Submission:
        """Give a person a place; refuse a second one."""
        if study.status != "ACTIVE" or study.places_taken >= study.places:
            raise Refusal(409, "No place", "The study has no free place.")
        if any(submission.participant == participant for submission in study.submissions):
            raise Refusal(409, "No place", "This person has taken part.")
        submission = Submission(new_id(), study, participant, self.now())
        study.submissions.append(submission)
        self.submissions[submission.id] = submission
        self._moved(submission, "ACTIVE")
        return submission

    def submit(self, submission: Submission, code: str) -> None:
        """The rater enters a code, or comes back by a link that has it."""
        self._only_from(submission, UNDER_WAY, "complete")
        submission.code = code or NO_CODE
        submission.completed_at = self.now() + timedelta(seconds=1)
        action = submission.study.action_of(submission.code)
        match action["action"]:
            case "AUTOMATICALLY_APPROVE":
                self._pay(submission, submission.study.reward, "APPROVED")
            case "FIXED_SCREEN_OUT_PAYMENT":
                self._pay(submission, int(action["fixed_screen_out_reward"]), "SCREENED OUT")
            case _:
                if action["action"] == "REQUEST_RETURN":
                    submission.return_requested = self.now()
                self._moved(submission, "AWAITING REVIEW")

    def leave(self, submission: Submission, status: str) -> None:
        """The rater returns the place (RETURNED), or the time is over (TIMED-OUT)."""
        allowed = CAN_RETURN if status == "RETURNED" else UNDER_WAY
        self._only_from(submission, allowed, "leave")
        self._moved(submission, status)

    def approve(self, submission: Submission) -> None:
        """Pay the reward; approving again changes nothing."""
        if submission.status == "APPROVED":
            return
        self._only_from(submission, ("AWAITING REVIEW",), "approve")
        self._pay(submission, submission.study.reward, "APPROVED")

    def approve_many(self, submissions: list[Submission]) -> None:
        """Accept a list of approvals, and carry it out: at once, or later (`approves_later`)."""
        for submission in submissions:
            if submission.status != "APPROVED":
                self._only_from(submission, ("AWAITING REVIEW",), "approve")
        self.accepted += submissions
        if not self.approves_later:
            self.carry_out()

    def carry_out(self) -> None:
        """Approve accepted submissions, except of people who have left meanwhile."""
        accepted, self.accepted = self.accepted, []
        for submission in accepted:
            if submission.status == "AWAITING REVIEW":
                self.approve(submission)

    def pay_share(self, submission: Submission, code: str, percent: float) -> None:
        """Complete a submission by the researcher's own code, for a share of the reward."""
        self._only_from(submission, (*UNDER_WAY, "AWAITING REVIEW"), "complete")
        action = submission.study.action_of(code, "researcher")
        if action["action"] != "DYNAMIC_PAYMENT":
            raise Refusal(400, "Bad request", {"completion_code": ["This code pays no share."]})
        if not 8 <= percent <= 99:
            raise Refusal(400, "Bad request", {"percentage_of_reward": ["From 8 to 99."]})
        submission.code = code
        submission.completed_at = self.now()
        amount = round(submission.study.reward * percent / 100)
        self._pay(submission, amount, "PARTIALLY APPROVED")

    def reject(self, submission: Submission, message: str) -> None:
        self._only_from(submission, ("AWAITING REVIEW",), "reject")
        if len(message) < 100:
            raise Refusal(400, "Bad request", {"message": ["At least 100 characters."]})
        self._moved(submission, "REJECTED")

    def request_return(self, submission: Submission) -> None:
        self._only_from(submission, (*UNDER_WAY, "AWAITING REVIEW"), "ask to return")
        submission.return_requested = self.now()

    def _pay(self, submission: Submission, amount: int, status: str) -> None:
        submission.reward_paid += amount
        self.spent += with_fees(amount)["total"]
        self._moved(submission, status)

    def _only_from(self, submission: Submission, allowed: tuple[str, ...], what: str) -> None:
        if submission.status not in allowed:
            detail = f"Cannot {what} a submission that is {submission.status}."
            raise Refusal(400, "Bad request", detail, 140102)

    def _moved(self, submission: Submission, status: str) -> None:
        submission.status = status
        submission.history.append(status)
        more = {"participant_id": submission.participant, "status": status}
        self.told("submission.status.change", submission.id, more)
        self.settle(submission.study)

    # Bonuses ------------------------------------------------------------------------------

    def list_bonuses(self, study: Study, lines: list[tuple[str, int]]) -> Bonuses:
        """Hand in bonuses by the id of a person or of a submission; all must have taken part."""
        by_name = {submission.participant: submission for submission in study.submissions}
        by_name |= {submission.id: submission for submission in study.submissions}
        if unknown := [name for name, _ in lines if name not in by_name]:
            raise Refusal(400, "Bad request", {"csv_bonuses": [f"Did not take part: {unknown}"]})
        bonuses = Bonuses(new_id(), study, [(by_name[name], amount) for name, amount in lines])
        self.bonuses[bonuses.id] = bonuses
        return bonuses

    def pay_bonuses(self, bonuses: Bonuses) -> None:
        """Pay a list. The panel pays it again when it is asked again."""
        self._need(bonuses.cost["total"])
        for submission, amount in bonuses.amounts:
            submission.bonuses.append(amount)
        bonuses.paid += 1
        self.spent += bonuses.cost["total"]
