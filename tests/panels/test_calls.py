"""Calls to a panel: what is asked again, what never is, and what a failure means."""

import ssl
import time

import httpx
import pytest

from rankme.panels import calls, entry_tokens, webhooks
from rankme.panels.calls import AnswerLost, Calls, PanelAway, PanelRefused
from rankme.panels.entry_tokens import Keys, UntrustedEntry, check_entry
from rankme.panels.prolific import Prolific
from rankme.rehearsal.faults import Fault
from rankme.rehearsal.keys import entry_link
from rankme.rehearsal.panel import PracticePanel
from tests.panels.in_process import connect
from tests.rehearsal.studies import study_document

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
    study = panel.books.create_study(study_document(**changes))
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


def test_an_address_without_a_server_has_done_nothing():
    nowhere = Calls("http://127.0.0.1:9", {}, sleep=lambda seconds: None)
    with pytest.raises(PanelAway):
        nowhere.ask("POST", "/")


def test_the_panels_own_reasons_are_told(prolific):
    with pytest.raises(PanelRefused, match=r"reward: Pay at least 6.00 an hour") as refused:
        prolific.create_study(study_document(reward=10))
    assert refused.value.status == 400
    wrong = Prolific(Calls("https://x", {"Authorization": "Token stolen"}))
    with pytest.raises(PanelRefused, match="Invalid token"):
        wrong.user()


def test_all_pages_are_read_and_none_past_the_end(panel, prolific, monkeypatch):
    monkeypatch.setattr("rankme.panels.prolific.ROWS_PER_PAGE", 2)
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
    assert list(prolific.submissions(study.id)) == [prolific.submission(one.id)]
    assert prolific.submission(one.id).person == "a"


def test_a_lost_study_is_found_by_its_name(panel, prolific):
    order(panel, "cut")
    with pytest.raises(AnswerLost):
        prolific.create_study(study_document(internal_name="ours"))
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
    assert not webhooks.is_genuine(secret, b'{"a": 1}', **good | {"stamp": "²"}, now=now)
    assert not webhooks.is_genuine(secret, b'{"a": 1}', **good | {"signature": "é"}, now=now)


@pytest.fixture
def entry(panel, prolific):
    study = published(panel, is_external_study_url_secure=True)
    link = httpx.URL(entry_link(panel.books, panel.keys, panel.books.arrive(study, "a")))
    return dict(link.params)


def test_a_signed_entry_is_trusted(prolific, entry):
    token = entry["prolific_token"]
    check_entry(token, entry, audience=[HOST], calls=prolific.calls, keys=Keys())


@pytest.mark.parametrize("wrong", ["pid", "audience", "key", "none", "unsigned", "expired"])
def test_any_other_entry_is_not(panel, prolific, entry, monkeypatch, wrong: str):
    query, audience, token, keys = dict(entry), [HOST], entry["prolific_token"], Keys()
    match wrong:
        case "pid":
            query["PROLIFIC_PID"] = "b"
        case "audience":
            audience = ["https://evil.example.org"]
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
            monkeypatch.setattr("rankme.rehearsal.keys.time.time", lambda: 1_000_000)
            one = panel.books.submissions[entry["SESSION_ID"]]
            query = dict(httpx.URL(entry_link(panel.books, panel.keys, one)).params)
            token = query["prolific_token"]
            monkeypatch.undo()
            connect(panel, monkeypatch)
    with pytest.raises(UntrustedEntry):
        check_entry(token, query, audience=audience, calls=prolific.calls, keys=keys)


def test_strangers_tokens_do_not_make_us_ask_for_keys_again_and_again(panel, prolific, entry):
    keys = Keys(clock=lambda: 0.0)
    stranger = PracticePanel().keys.sign({"sub": "x"})
    for _ in range(3):
        with pytest.raises(UntrustedEntry):
            check_entry(stranger, entry, audience=[HOST], calls=prolific.calls, keys=keys)
    assert sum("jwks" in line.path for line in panel.journal) == 1
