"""Our calls and the practice panel's answers are those that Prolific describes."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankme.models import PanelSubmission
from rankme.panel_calls.calls import Calls
from rankme.panel_calls.entry_tokens import read_keys
from rankme.panel_calls.prolific import API, HOOKS, SUBMISSION_STATES, Filter, Prolific
from rankme.practice_panel.panel import PracticePanel
from rankme.practice_panel.published import published_calls
from rankme.practice_panel.wire import Request, Response
from tests.panels.in_process import connect
from tests.practice_panel.studies import study_document

from . import description

SCREENED = {
    "code": "OUT",
    "code_type": "FIXED_SCREENOUT",
    "actor": "participant",
    "actions": [{"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": 20, "slots": 5}],
}
SHARED = {
    "code": "SHARE",
    "code_type": "OTHER",
    "actor": "researcher",
    "actions": [{"action": "DYNAMIC_PAYMENT"}],
}


class Heard(PracticePanel):
    """A practice panel that notes what it is asked and what it answers."""

    def __init__(self) -> None:
        self.exchanges: list[tuple[Request, Response]] = []
        super().__init__()

    def handle(self, request: Request) -> Response:
        response = super().handle(request)
        self.exchanges.append((request, response))
        return response


@pytest.fixture
def heard(monkeypatch) -> Heard:
    panel = Heard()
    connect(panel, monkeypatch)
    return panel


@pytest.fixture
def prolific(heard: Heard) -> Prolific:
    return Prolific(Calls("https://x", {"Authorization": f"Token {heard.token}"}))


@pytest.fixture
def whole_life(heard: Heard, prolific: Prolific) -> Heard:
    """Every call that the client makes, with studies and submissions in every state."""
    books = heard.books
    of_account(prolific, books.workspace)
    study = of_studies(heard, prolific)
    of_submissions(heard, prolific, study)
    of_people(heard, prolific, study)
    assert prolific.hook_secret(books.workspace) == prolific.hook_secret(books.workspace)
    assert set(HOOKS) <= set(prolific.event_types())
    prolific.subscribe(books.workspace, "https://eval.example.org/hook/")
    prolific.missing_hooks(books.workspace, "https://eval.example.org/hook/")
    return heard


def of_account(prolific: Prolific, workspace: str) -> None:
    assert prolific.user()
    assert list(prolific.workspaces()) == [workspace]
    assert prolific.projects(workspace)
    assert (prolific.balance(workspace), prolific.currency(workspace)) == (1_000_000, "GBP")
    assert prolific.least_per_hour(workspace, "GBP") == 600
    chosen = [_chosen(offered) for offered in prolific.filters(workspace) if offered.choices]
    ranges = [_range(offered) for offered in prolific.filters(workspace) if not offered.choices]
    assert prolific.count_eligible([*chosen, *[each for each in ranges if each]], workspace)
    assert prolific.cost(200, 4) == 1088


def _chosen(offered: Filter) -> dict[str, Any]:
    return {"filter_id": offered.id, "selected_values": list(offered.choices)[:1]}


def _range(offered: Filter) -> dict[str, Any]:
    if offered.kind != "range":
        return {}
    limits = {"lower": offered.low, "upper": offered.high}
    return {"filter_id": offered.id, "selected_range": limits}


def of_studies(heard: Heard, prolific: Prolific) -> str:
    """One study through all its states; its id."""
    document = study_document(
        heard.books.project,
        internal_name="ours",
        total_available_places=8,
        maximum_allowed_time=60,
        completion_codes=[*study_document("")["completion_codes"], SCREENED, SHARED],
        filters=[{"filter_id": "age", "selected_range": {"lower": 18, "upper": 40}}],
        is_external_study_url_secure=True,
    )
    prolific.delete_study(prolific.create_study(document).id)
    study = prolific.create_study(document).id
    assert prolific.change_study(study, document | {"reward": 300}).reward == 300
    assert prolific.find_study("ours")
    assert prolific.count_studies() == 1
    for action in ("PUBLISH", "PAUSE", "START"):
        prolific.transition(study, action)
    over = prolific.create_study(document).id
    assert [prolific.transition(over, action).status for action in ("PUBLISH", "STOP")] == [
        "ACTIVE",
        "COMPLETED",
    ]
    prolific.set_places(study, 9)
    assert prolific.study(study).places == 9
    return study


def of_submissions(heard: Heard, prolific: Prolific, study: str) -> None:
    """Submissions in every state, in lists and alone."""
    books = heard.books
    came = {name: books.arrive(books.studies[study], name) for name in "abcdefghi"}
    list(prolific.submissions(study))
    for name, code in (("a", "DONE"), ("b", "DONE"), ("c", "DONE"), ("d", "SHARE"), ("e", "OUT")):
        books.submit(came[name], code)
    prolific.approve(came["a"].id)
    prolific.approve_many([came["b"].id])
    prolific.reject(came["c"].id, "FAILED_CHECK", "x" * 100)
    prolific.pay_share(came["d"].id, "SHARE", 40, "Thank you.")
    books.leave(came["f"], "RETURNED")
    books.leave(came["g"], "TIMED-OUT")
    came["h"].status = "RESERVED"
    prolific.request_return(came["i"].id, ["Did not finish study."])
    books.submit(came["i"], "DONE")
    prolific.pay_bonuses(prolific.list_bonuses(study, [(came["a"].id, 150)]).id)
    assert prolific.submission(came["a"].id).bonuses == (150,)
    listed = {there.id: there for there in prolific.submissions(study)}
    for one in came.values():
        alone = prolific.submission(one.id)
        assert replace(alone, study="", bonuses=None) == listed[one.id]


def of_people(heard: Heard, prolific: Prolific, study: str) -> None:
    prolific.send_message("a", study, "Thank you.")
    assert prolific.messages("a")
    group = prolific.create_group(heard.books.workspace, "wave 1")
    assert prolific.find_group(heard.books.workspace, "wave 1") == group
    prolific.add_to_group(group, ["a", "b"])
    assert prolific.count_groups(heard.books.workspace) == 1
    read_keys(prolific.calls)


def test_every_call_and_every_answer_is_as_described(whole_life: Heard):
    differences = {
        f"{request.method} {request.path}: {problem}"
        for request, response in whole_life.exchanges
        for problem in [
            *description.problems_of_call(request),
            *description.problems_of_answer(request, response),
        ]
    }
    assert differences == set()


def test_the_life_that_is_compared_has_every_call_and_every_state(whole_life: Heard):
    called = set(re.findall(r"prolific\.(\w+)\(", Path(__file__).read_text()))
    assert {name for name in vars(Prolific) if name[0] != "_"} - {"odd", "calls"} <= called
    used = {(request.method, _kind(request.path)) for request, _response in whole_life.exchanges}
    known = {(call.method, call.path.pattern) for call in published_calls()}
    unused = {
        (method, pattern)
        for method, pattern in known
        if not any(verb == method and re.match(pattern, path) for verb, path in used)
    }
    assert unused == set()
    seen = set(_states([response.document for _request, response in whole_life.exchanges]))
    assert {str(state) for state in PanelSubmission.State} == SUBMISSION_STATES
    assert seen >= SUBMISSION_STATES
    assert {"UNPUBLISHED", "ACTIVE", "PAUSED", "COMPLETED"} <= seen


def _kind(path: str) -> str:
    return path.removeprefix(f"{API}/").strip("/")


def _states(answer: Any) -> Iterator[str]:
    if isinstance(answer, list):
        for each in answer:
            yield from _states(each)
    elif isinstance(answer, dict):
        if isinstance(answer.get("status"), str):
            yield answer["status"]
        yield from _states(list(answer.values()))
