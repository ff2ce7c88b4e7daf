"""The check of an account: every answer of the panel that changes nothing, with a verdict."""

import pytest
from django.core.management import CommandError, call_command

from rankme.actions.panel import accounts, sync
from rankme.models import PanelAccount
from rankme.practice_panel import routes, shapes
from rankme.practice_panel.wire import Response
from tests.panels.loop import Loop

pytestmark = pytest.mark.django_db


def checked(capsys, account: object = "Lab") -> tuple[str, str]:
    """What the command printed, and the error with which it ended."""
    error = ""
    try:
        call_command("panel_check", str(account))
    except CommandError as failure:
        error = str(failure)
    return capsys.readouterr().out, error


def test_an_account_whose_panel_answers_as_described_is_good(loop, capsys):
    accounts.connect_webhooks(loop.account)
    loop.finish("a")
    sync.sync_study(loop.study)
    before = [line for line in loop.panel.journal]
    printed, error = checked(capsys, loop.account.pk)
    assert error == ""
    assert "WRONG" not in printed
    for line in ("9989.12 GBP can be spent", "8 filters", "1 submissions", "connected"):
        assert line in printed, line
    assert "test study" in printed
    asked = loop.panel.journal[len(before) :]
    questions = ("eligibility-count", "study-cost-calculator")
    changing = [line for line in asked if line.method != "GET"]
    assert all(any(name in line.path for name in questions) for line in changing)
    assert loop.panel.token not in printed
    assert loop.panel.hooks.secret not in printed


@pytest.mark.parametrize(
    ("kind", "path", "told", "remedy"),
    [
        ("revoked_token", "users/me", "Invalid token", "Create a new token"),
        ("too_many", "balance", "too much to do", "Try again in a few minutes"),
        ("server_error", "filters", "error of its own", "Report this line"),
    ],
)
def test_each_failure_has_a_verdict_and_a_remedy(loop, capsys, kind, path, told, remedy):
    loop.fault(kind, path, times=4)
    printed, error = checked(capsys)
    assert error.startswith("1 of the panel's answers")
    wrong = printed[printed.index("WRONG") :].splitlines()
    assert told in wrong[0]
    assert remedy in wrong[1]
    assert printed.count("WRONG") == 1, "the other calls are made all the same"


def test_an_answer_of_another_shape_is_shown_by_its_names_alone(loop, capsys, monkeypatch):
    def other(panel, request, pk):
        return Response(200, {"minimum": 600, "email": "olga@example.org"})

    found = [
        (method, pattern, other if "reward" in pattern.pattern else function)
        for method, pattern, function in routes.ROUTES
    ]
    monkeypatch.setattr(routes, "ROUTES", found)
    printed, error = checked(capsys)
    assert "minimum: int, email: str" in printed
    assert "olga@example.org" not in printed
    assert "Report this line" in printed
    assert error


def test_a_wallet_in_another_currency_and_a_foreign_project_are_noticed(loop, capsys, monkeypatch):
    monkeypatch.setattr(shapes, "CURRENCY", "USD")
    PanelAccount.objects.update(project="p-of-another-workspace")
    printed, _error = checked(capsys)
    assert "The wallet has USD, and the account was stored with GBP" in printed
    assert "p-of-another-workspace is not among them" in printed


def test_webhooks_that_the_panel_gave_up_are_noticed(loop, capsys):
    accounts.connect_webhooks(loop.account)
    loop.panel.hooks.subscriptions.clear()
    printed, error = checked(capsys)
    assert "has stopped calling this site" in printed
    assert error


def test_an_unknown_account_names_the_known_ones(loop, capsys):
    _printed, error = checked(capsys, "Other")
    assert f"{loop.account.pk}  Lab (olga)" in error


def test_the_check_of_an_account_that_has_done_nothing_yet_is_complete(practice, capsys):
    loop = Loop(practice)
    loop.study.delete()
    assert checked(capsys)[1] == ""
