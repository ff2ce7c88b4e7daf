"""The practice panel answers as the real one is documented to answer."""

import hashlib
import hmac
import json
import threading
from base64 import b64encode

import httpx
import jwt
import pytest
from django.core.management import CommandError, call_command

from rankme.practice_panel.hooks import Subscription
from rankme.practice_panel.panel import PracticePanel
from rankme.practice_panel.published import published_calls
from rankme.practice_panel.routes import ROUTES
from rankme.practice_panel.server import PracticeServer
from rankme.practice_panel.wire import Request, Response
from tests.practice_panel.studies import study_document


class Caller:
    """Calls a panel in this process, as its holder of the token."""

    def __init__(self, panel: PracticePanel) -> None:
        self.panel = panel

    def __call__(self, method: str, path: str, document=None, **query: str):
        headers = {"authorization": f"Token {self.panel.token}"}
        body = b"" if document is None else json.dumps(document).encode()
        return self.panel.handle(Request(method, f"/api/v1/{path}", query, headers, body))

    def order(self, name: str, **document):
        path = f"/__control/{name}"
        return self.panel.handle(Request("POST", path, body=json.dumps(document).encode()))


@pytest.fixture(scope="module")
def panel() -> PracticePanel:
    return PracticePanel()


@pytest.fixture
def call(panel: PracticePanel) -> Caller:
    panel.reset()
    return Caller(panel)


def create(call: Caller, **changes) -> Response:
    return call("POST", "studies/", study_document(call.panel.books.project, **changes))


def published(call: Caller, **changes) -> str:
    study = create(call, **changes).document["id"]
    assert call("POST", f"studies/{study}/transition/", {"action": "PUBLISH"}).status == 200
    return study


def arrived(call: Caller, study: str, participant: str) -> dict:
    return call.order("arrive", study=study, participant=participant).document


def test_a_list_and_a_single_submission_name_the_person_differently(call: Caller):
    study = published(call)
    one = arrived(call, study, "p" * 24)
    row = call("GET", f"studies/{study}/submissions/").document["results"][0]
    alone = call("GET", f"submissions/{one['id']}/").document
    assert row["participant_id"] == alone["participant"] == "p" * 24
    assert "participant" not in row
    assert alone["study_id"] == study
    assert "study_id" not in row


def test_a_page_past_the_end_is_not_found(call: Caller):
    study = published(call)
    arrived(call, study, "a")
    first = call("GET", f"studies/{study}/submissions/", limit="1", offset="0").document
    assert first["_links"]["next"]["href"] is None
    assert call("GET", f"studies/{study}/submissions/", limit="1", offset="1").status == 404


def test_places_only_grow_and_a_returned_place_is_free_again(call: Caller):
    study = published(call, total_available_places=1)
    one = arrived(call, study, "a")
    assert call.order("arrive", study=study, participant="b").status == 409
    call.order("return", submission=one["id"])
    assert call.order("arrive", study=study, participant="b").status == 200
    assert call("PATCH", f"studies/{study}/", {"total_available_places": 0}).status == 400


def test_nobody_is_approved_whose_state_forbids_it_and_nobody_twice(call: Caller):
    study = published(call, total_available_places=3)
    late, done = arrived(call, study, "a")["id"], arrived(call, study, "b")["id"]
    approve = {"action": "APPROVE"}
    assert call("POST", f"submissions/{done}/transition/", approve).status == 400
    call.order("submit", submission=done, code="DONE")
    call.order("time-out", submission=late)
    assert call("POST", f"submissions/{late}/transition/", approve).status == 400
    for _ in range(2):
        assert call("POST", f"submissions/{done}/transition/", approve).status == 200
    assert call.panel.books.submissions[done].reward_paid == 225


def test_bonuses_are_paid_again_when_they_are_asked_for_again(call: Caller):
    study = published(call)
    arrived(call, study, "a")
    listed = {"study_id": study, "csv_bonuses": "a,1.50"}
    bonuses = call("POST", "submissions/bonus-payments/", listed).document
    assert (bonuses["amount"], bonuses["total_amount"]) == (150, 204)
    for _ in range(2):
        assert call("POST", f"bulk-bonus-payments/{bonuses['id']}/pay/").status == 202
    assert call.panel.books.studies[study].submissions[0].bonuses == [150, 150]


def test_an_empty_wallet_publishes_nothing(call: Caller):
    call.order("configure", wallet=10)
    study = create(call).document["id"]
    refused = call("POST", f"studies/{study}/transition/", {"action": "PUBLISH"})
    assert refused.status == 400
    assert "wallet" in refused.document["error"]["detail"]


@pytest.mark.parametrize(
    "changes",
    [{"filters": None}, {"reward": 10}, {"completion_code": "X"}, {"completion_codes": []}],
)
def test_studies_that_the_panel_would_refuse_are_refused(call: Caller, changes: dict):
    assert create(call, **changes).status == 400
    assert create(call).status == 201


@pytest.mark.parametrize(
    ("kind", "status", "lost", "happens"),
    [
        ("too_many", 429, "", False),
        ("too_many_wait", 429, "", False),
        ("server_error", 500, "", False),
        ("revoked_token", 401, "", False),
        ("silent", 201, "silent", True),
        ("cut", 201, "cut", True),
    ],
)
def test_a_fault_happens_once(call: Caller, kind: str, status: int, lost: str, happens: bool):
    call.order("fault", kind=kind, path="studies")
    met = create(call)
    assert (met.status, met.lost, len(call.panel.books.studies)) == (status, lost, int(happens))
    assert ("Retry-After" in met.headers) == (kind == "too_many_wait")
    assert create(call).status == 201


def test_webhooks_are_signed_over_their_bytes_and_come_as_ordered(call: Caller):
    secret = call("POST", "hooks/secrets/", {"workspace_id": call.panel.books.workspace}).document
    wanted = {
        "workspace_id": call.panel.books.workspace,
        "event_type": "submission.status.change",
        "target_url": "http://127.0.0.1:1/",
    }
    made = call("POST", "hooks/subscriptions/", wanted)
    confirmed = {"secret": made.headers["X-Hook-Secret"]}
    number = made.document["results"][0]["id"]
    assert call("POST", f"hooks/subscriptions/{number}/", confirmed).status == 200
    call.order("configure", doubled=True)
    arrived(call, published(call), "a")
    first, second = call.panel.hooks.take()
    assert first == second
    stamp = first.headers["X-Prolific-Request-Timestamp"].encode()
    digest = hmac.new(secret["value"].encode(), stamp + first.body, hashlib.sha256).digest()
    assert b64encode(digest).decode() == first.headers["X-Prolific-Request-Signature"]


def test_a_webhook_that_failed_comes_again_under_the_same_id_and_a_fresh_signature(call: Caller):
    hooks = call.panel.hooks
    hooks.new_secret()
    hooks.subscriptions.append(Subscription("h", "study.status.change", "http://x/", "c", True))
    now = [1_000_000.0]
    hooks.clock = lambda: now[0]
    hooks.tell("study.status.change", "s1", {"status": "ACTIVE"})
    calls = hooks.take()
    while calls:
        hooks.failed(calls[-1])
        assert hooks.take() == [], "not at once"
        now[0] += 10
        calls += (again := hooks.take())
        if not again:
            break
    assert len(calls) == 12
    assert len({each.headers["X-Event-ID"] for each in calls}) == 1
    assert len({each.headers["X-Timestamp"] for each in calls}) == 1
    assert len({each.headers["X-Prolific-Request-Signature"] for each in calls}) == 12
    assert not hooks.subscriptions[0].is_enabled, "a subscriber that never answers is left alone"


def test_a_secure_study_signs_who_comes(call: Caller):
    study = published(call, is_external_study_url_secure=True)
    link = httpx.URL(arrived(call, study, "a")["link"])
    keys = call.panel.handle(Request("GET", "/.well-known/study/jwks.json")).document
    key = jwt.PyJWKSet.from_dict(keys)[call.panel.keys.key_id].key
    whole = str(link.copy_remove_param("prolific_token"))
    claims = jwt.decode(link.params["prolific_token"], key, ["RS256"], audience=whole)
    assert claims["sub"] == link.params["SESSION_ID"]
    assert claims["exp"] - claims["iat"] == 120
    assert claims["prolific"]["PROLIFIC_PID"] == link.params["PROLIFIC_PID"] == "a"


def test_the_process_answers_on_this_machine_and_keeps_a_journal(panel: PracticePanel):
    panel.reset()
    server = PracticeServer(panel)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        with httpx.Client(base_url=server.address, trust_env=False) as client:
            token = {"Authorization": f"Token {panel.token}"}
            assert client.get("/api/v1/users/me/", headers=token).json()["id"] == "practice"
            assert client.get("/api/v1/users/me/").status_code == 401
            client.post("/__control/fault", json={"kind": "cut"})
            with pytest.raises(httpx.RemoteProtocolError):
                client.get("/api/v1/users/me/", headers=token)
            journal = client.post("/__control/requests", json={}).json()["requests"]
        assert [line["status"] for line in journal] == [200, 401, 200]
        assert server.server_address[0] == "127.0.0.1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_production_site_starts_no_practice_panel(settings):
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="production"):
        call_command("practice_panel")


@pytest.mark.parametrize(
    ("method", "path", "document", "query"),
    [
        ("GET", "studies/", None, {"page_size": "200"}),
        ("POST", "submissions/s1/transition/", {"action": "RETURN"}, {}),
        ("POST", "submissions/s1/transition/", {"action": "REJECT", "message": "Bad."}, {}),
        ("POST", "submissions/bonus-payments/", {"study_id": "s", "csv_bonuses": "p,150p"}, {}),
        ("POST", "studies/", study_document("p", reward="2.25"), {}),
        ("POST", "studies/", study_document("p", eligibility_requirements=[]), {}),
        ("POST", "bulk-bonus-payments/b1/pay/", {"sure": True}, {}),
    ],
)
def test_a_call_of_another_shape_than_the_published_one_is_refused(
    call: Caller, method: str, path: str, document, query: dict
):
    refused = call(method, path, document, **query)
    assert refused.status == 400
    assert refused.document["error"]["detail"]


def test_every_address_of_the_practice_panel_has_a_published_shape():
    calls = published_calls()
    for method, pattern, _function in ROUTES:
        path = pattern.pattern.removesuffix(r"\Z").replace(r"([\w-]+)", "x1")
        assert any(one.method == method and one.path.match(path) for one in calls), path
