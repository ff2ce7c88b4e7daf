"""Calls to a panel: what is asked again, what never is, and what a failure means."""

import ssl
import time
from dataclasses import replace

import httpx
import pytest

from rankme.panel_calls import calls, entry_tokens, webhooks
from rankme.panel_calls.calls import AnswerLost, Calls, PanelAway, PanelRefused
from rankme.panel_calls.entry_tokens import UntrustedEntry, check_entry
from rankme.panel_calls.prolific import Prolific
from rankme.practice_panel.faults import Fault
from rankme.practice_panel.keys import entry_link
from rankme.practice_panel.panel import PracticePanel
from tests.panels.in_process import connect
from tests.practice_panel.studies import study_document

HOST = "https://eval.example.org"


@pytest.fixture(scope="module")
def panel() -> PracticePanel:
    return PracticePanel()


@pytest.fixture
def pauses() -> list[float]:
    return []


def test_certificates_are_read_once_for_all_connections(monkeypatch):
    make, made = ssl.create_default_context, []

    def noted(*arguments, **options) -> ssl.SSLContext:
        made.append(make(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(ssl, "create_default_context", noted)
    for _ in range(3):
        calls.new_client(HOST, {}).close()
    assert len(made) <= 1
    assert all(context.verify_mode == ssl.CERT_REQUIRED for context in made)


@pytest.fixture
def prolific(panel: PracticePanel, pauses: list[float], monkeypatch) -> Prolific:
    panel.reset()
    connect(panel, monkeypatch)
    token = {"Authorization": f"Token {panel.token}"}
    return Prolific(Calls("https://api.prolific.com", token, sleep=pauses.append))


def order(panel: PracticePanel, kind: str, times: int = 1, path: str = "") -> None:
    panel.faults.ordered.append(Fault(kind, path, times=times))


def published(panel: PracticePanel, **changes):
    study = panel.books.create_study(study_document(panel.books.project, **changes))
    return panel.books.transition_study(study, "PUBLISH")


@pytest.mark.parametrize("kind", ["too_many", "too_many_wait", "server_error", "silent", "cut"])
def test_a_question_is_asked_again(panel, prolific, pauses, kind: str):
    order(panel, kind, times=2)
    assert prolific.balance(panel.books.workspace) == panel.books.available
    assert len(pauses) == 2
    assert (min(pauses) >= 1) == (kind == "too_many_wait"), "the panel's own pause is kept"


def test_a_question_is_not_asked_for_ever(panel, prolific, pauses):
    order(panel, "too_many", times=99)
    with pytest.raises(PanelAway):
        prolific.user()
    assert len(panel.journal) == calls.TRIES


def test_pauses_grow_and_differ(panel, prolific, monkeypatch):
    monkeypatch.setattr(calls, "SECONDS_BEFORE_REPEATING", 1)
    pauses: list[float] = []
    token = {"Authorization": f"Token {panel.token}"}
    some = Calls("https://x", token, sleep=pauses.append, jitter=iter([0, 1, 0.5]).__next__)
    order(panel, "server_error", times=9)
    with pytest.raises(AnswerLost):
        some.ask("GET", "/api/v1/users/me/")
    assert pauses == [1, 6, 8]


@pytest.mark.parametrize(
    ("kind", "error", "happened"),
    [
        ("too_many", PanelAway, 0),
        ("server_error", AnswerLost, 0),
        ("silent", AnswerLost, 1),
        ("cut", AnswerLost, 1),
    ],
)
def test_money_is_asked_for_once(panel, prolific, kind: str, error: type, happened: int):
    study = published(panel)
    panel.books.arrive(study, "a")
    listed = prolific.list_bonuses(study.id, [("a", 150)])
    assert (listed.amount, listed.total) == (150, 204)
    order(panel, kind, path="pay")
    with pytest.raises(error):
        prolific.pay_bonuses(listed.id)
    assert panel.books.bonuses[listed.id].paid == happened
    assert sum("/pay/" in line.path for line in panel.journal) == 1


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (302, {"Location": "https://elsewhere.example/"}, ""),
        (304, {}, ""),
        (200, {}, "<html>We are back soon</html>"),
        (200, {}, ""),
        (204, {}, ""),
    ],
)
def test_only_the_described_yes_pays_a_bonus(monkeypatch, status, headers, body):
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, headers=headers, text=body)

    answers_with(monkeypatch, answer)
    with pytest.raises(AnswerLost):
        Prolific(Calls(HOST, {})).pay_bonuses("b1")


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"id": "s1", "status": "AWAITING REVIEW", "study_id": "x", "started_at": None},
        {"id": "s2", "status": "APPROVED", "study_id": "x", "started_at": None},
        {"id": "s1", "status": "UNKNOWN", "study_id": "x", "started_at": None},
    ],
)
def test_only_the_submission_in_its_new_state_says_that_it_was_approved(monkeypatch, document):
    answers_with(monkeypatch, lambda request: httpx.Response(200, json=document))
    with pytest.raises(AnswerLost):
        Prolific(Calls(HOST, {})).approve("s1")


def answers_with(monkeypatch, answer) -> None:
    def new_client(base: str, headers) -> httpx.Client:
        return httpx.Client(base_url=base, transport=httpx.MockTransport(answer))

    monkeypatch.setattr(calls, "new_client", new_client)
    monkeypatch.setattr(calls, "SECONDS_BEFORE_REPEATING", 0)


def test_one_odd_filter_costs_that_filter_alone(monkeypatch, caplog):
    rows = [
        {"filter_id": "age", "type": "range", "data_type": "integer", "min": 18, "max": 100},
        {"filter_id": "joined", "type": "range", "data_type": "date", "min": "2014-01-01"},
        {"filter_id": "rooms", "type": "range", "data_type": "float", "min": 0.5, "max": "9.5"},
        {"filter_id": "odd", "type": "range", "data_type": "colour", "min": "red"},
        {"filter_id": "odder", "type": "range", "data_type": "integer", "min": "2014-01-01"},
        {"title": "no id"},
    ]
    answers_with(monkeypatch, lambda request: httpx.Response(200, json={"results": rows}))
    found = Prolific(Calls(HOST, {})).filters("w")
    assert [(one.id, one.low, one.high) for one in found] == [
        ("age", 18, 100),
        ("joined", "2014-01-01", None),
        ("rooms", 0.5, 9.5),
    ]
    assert "not as described" in caplog.text


def test_a_list_that_names_no_pages_is_read_to_its_end(monkeypatch):
    monkeypatch.setattr("rankme.panel_calls.prolific.ROWS_PER_PAGE", 2)
    groups = [{"id": f"g{number}", "name": f"wave {number}"} for number in range(5)]

    def page(request: httpx.Request) -> httpx.Response:
        start = int(request.url.params["offset"])
        return httpx.Response(200, json={"results": groups[start : start + 2]})

    answers_with(monkeypatch, page)
    assert Prolific(Calls(HOST, {})).find_group("w", "wave 4") == "g4"
    answers_with(monkeypatch, lambda request: httpx.Response(200, json={"results": groups}))
    assert Prolific(Calls(HOST, {})).find_group("w", "wave 9") == ""


def test_a_subscription_is_read_alone_or_from_the_list_as_described(monkeypatch):
    confirmed = []

    def answer(request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if request.method == "GET":
            return httpx.Response(200, json={"results": []})
        if path.endswith("subscriptions/"):
            made = {"id": "h1", "event_type": "x", "target_url": "y"}
            return httpx.Response(201, json=made, headers={"X-Hook-Secret": "s"})
        confirmed.append(path)
        return httpx.Response(200, json={})

    answers_with(monkeypatch, answer)
    Prolific(Calls(HOST, {})).subscribe("w", "https://eval.example.org/hook/")
    assert confirmed == ["/api/v1/hooks/subscriptions/h1/"] * 2


def test_an_address_without_a_server_has_done_nothing():
    nowhere = Calls("http://127.0.0.1:9", {}, sleep=lambda seconds: None)
    with pytest.raises(PanelAway):
        nowhere.ask("POST", "/")


def test_the_panels_own_reasons_are_told(panel, prolific):
    with pytest.raises(PanelRefused, match=r"reward: Pay at least 6.00 an hour") as refused:
        prolific.create_study(study_document(panel.books.project, reward=10))
    assert refused.value.status == 400
    wrong = Prolific(Calls("https://x", {"Authorization": "Token stolen"}))
    with pytest.raises(PanelRefused, match="Invalid token"):
        wrong.user()


def test_all_pages_are_read_and_none_past_the_end(panel, prolific, monkeypatch):
    monkeypatch.setattr("rankme.panel_calls.prolific.ROWS_PER_PAGE", 2)
    study = published(panel, total_available_places=4)
    for name in "abcd":
        panel.books.arrive(study, name)
    assert [one.person for one in prolific.submissions(study.id)] == list("abcd")
    assert {line.status for line in panel.journal} == {200}
    order(panel, "page_past_end", times=2)
    assert [one.person for one in prolific.submissions(study.id)] == list("abcd")
    assert panel.journal[-1].status == 404


def test_both_shapes_of_a_submission_are_the_same_submission(panel, prolific):
    study = published(panel)
    one = panel.books.arrive(study, "a")
    panel.books.submit(one, "DONE")
    alone = prolific.submission(one.id)
    assert list(prolific.submissions(study.id)) == [replace(alone, study="", bonuses=None)]
    assert (alone.person, alone.code, alone.study, alone.bonuses) == ("a", "DONE", study.id, ())
    assert alone.seconds == pytest.approx(one.seconds)


def test_a_lost_study_is_found_by_its_name(panel, prolific):
    order(panel, "cut")
    with pytest.raises(AnswerLost):
        prolific.create_study(study_document(panel.books.project, internal_name="ours"))
    found = prolific.find_study("ours")
    assert found is not None
    assert found.id in panel.books.studies
    assert prolific.find_study("theirs") is None


def test_a_workspaces_secret_is_kept_and_subscriptions_are_not_doubled(panel, prolific):
    workspace = panel.books.workspace
    secret = prolific.hook_secret(workspace)
    assert prolific.hook_secret(workspace) == secret
    for _ in range(2):
        prolific.subscribe(workspace, "http://127.0.0.1/hook/")
    assert [one.is_enabled for one in panel.hooks.subscriptions] == [True, True]


def test_only_fresh_and_untouched_webhooks_are_genuine(panel, prolific):
    secret = prolific.hook_secret(panel.books.workspace)
    headers = panel.hooks.signed(b'{"a": 1}')
    stamp = headers["X-Prolific-Request-Timestamp"]
    good = {"stamp": stamp, "signature": headers["X-Prolific-Request-Signature"]}
    now = time.time()
    assert webhooks.is_genuine(secret, b'{"a": 1}', **good, now=now)
    assert not webhooks.is_genuine(secret, b'{"a":1}', **good, now=now)
    assert not webhooks.is_genuine("other", b'{"a": 1}', **good, now=now)
    assert not webhooks.is_genuine(secret, b'{"a": 1}', **good, now=now + 301)
    for stamp in ("²", "1" * 5_000):
        assert not webhooks.is_genuine(secret, b'{"a": 1}', **good | {"stamp": stamp}, now=now)
    assert not webhooks.is_genuine(secret, b'{"a": 1}', **good | {"signature": "é"}, now=now)


@pytest.fixture
def entry(panel, prolific):
    study = published(panel, is_external_study_url_secure=True)
    link = httpx.URL(entry_link(panel.books, panel.keys, panel.books.arrive(study, "a")))
    return dict(link.params)


ADDRESS = "https://eval.example.org/r/CODE/"


def test_a_signed_entry_is_trusted(panel, entry):
    check_entry(entry["prolific_token"], entry, address=ADDRESS, keys=panel.keys.jwks())


@pytest.mark.parametrize(
    ("audience", "fits"),
    [
        ("https://eval.example.org/r/CODE/?PROLIFIC_PID=a&STUDY_ID=b", True),
        ("https://eval.example.org:443/r/CODE?x", True),
        ("https://eval.example.org", True),
        (["https://other.example", "https://eval.example.org/r/CODE/"], True),
        ("https://eval.example.org/r/OTHER/", False),
        ("http://eval.example.org/r/CODE/", False),
        ("https://eval.example.org.evil.example/r/CODE/", False),
        ("https://eval.example.org:8443/r/CODE/", False),
        ("https://[/", False),
        (None, False),
    ],
)
def test_an_audience_is_the_studys_address_with_any_query(audience, fits):
    assert entry_tokens.is_for(audience, ADDRESS) == fits


def test_the_panel_signs_the_parameters_of_the_address(panel, prolific):
    link = study_document("")["external_study_url"].replace("PROLIFIC_PID=", "worker=")
    study = published(panel, is_external_study_url_secure=True, external_study_url=link)
    came = dict(
        httpx.URL(entry_link(panel.books, panel.keys, panel.books.arrive(study, "a"))).params
    )
    ids = {**came, "PROLIFIC_PID": came["worker"]}
    token, keys = came["prolific_token"], panel.keys.jwks()
    check_entry(token, ids, address=ADDRESS, keys=keys, names={"PROLIFIC_PID": "worker"})
    with pytest.raises(UntrustedEntry):
        check_entry(token, ids, address=ADDRESS, keys=keys)


@pytest.mark.parametrize("wrong", ["pid", "audience", "key", "none", "unsigned", "expired"])
def test_any_other_entry_is_not(panel, prolific, entry, monkeypatch, wrong: str):
    query, address, token = dict(entry), ADDRESS, entry["prolific_token"]
    match wrong:
        case "pid":
            query["PROLIFIC_PID"] = "b"
        case "audience":
            address = "https://evil.example.org/r/CODE/"
        case "key":
            token = type(panel.keys)().sign({"sub": entry["SESSION_ID"]})
        case "none":
            token = ""
        case "unsigned":
            claims = entry_tokens.jwt.decode(token, options={"verify_signature": False})
            token = entry_tokens.jwt.encode(
                claims, None, "none", headers={"kid": panel.keys.key_id}
            )
        case "expired":
            monkeypatch.setattr("rankme.practice_panel.keys.time.time", lambda: 1_000_000)
            one = panel.books.submissions[entry["SESSION_ID"]]
            query = dict(httpx.URL(entry_link(panel.books, panel.keys, one)).params)
            token = query["prolific_token"]
            monkeypatch.undo()
            connect(panel, monkeypatch)
    with pytest.raises(UntrustedEntry):
        check_entry(token, query, address=address, keys=panel.keys.jwks())
