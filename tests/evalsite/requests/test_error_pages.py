"""Every error is a page that says what to do next; scripts get JSON."""

import psycopg2
import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import connection
from django.test import Client

from rankme.pages.previews import gallery
from rankme.pages.rater import rater_identity
from tests.campaigns import make_campaign, make_owner


@pytest.fixture
def visitor() -> Client:
    """Somebody who gets the answer that a browser would get."""
    return Client(raise_request_exception=False)


def raising(error: Exception):
    def view(*arguments, **names):
        raise error

    return view


@pytest.fixture
def failing(monkeypatch, visitor):
    """Let a rater's page and another page fail, and give both answers."""

    def answers(error: Exception, method: str = "get", **headers):
        # The URL configuration holds the views themselves, so what they call fails.
        monkeypatch.setattr(rater_identity, "campaign_at", raising(error))
        monkeypatch.setattr(gallery, "render", raising(error))
        return getattr(visitor, method)("/r/x/", **headers), visitor.get("/gallery/", **headers)

    return answers


def lost_connection() -> Exception:
    """What psycopg2 raises when the server dies during a statement, as Django passes it on."""
    try:
        with connection.wrap_database_errors:
            raise psycopg2.DatabaseError("server closed the connection unexpectedly\n\tIt died.")
    except Exception as error:
        return error


@pytest.mark.django_db
def test_a_mistyped_link_says_what_a_rater_can_do(visitor):
    answer = visitor.get("/r/no-such-campaign/")
    assert answer.status_code == 404
    assert "This link does not work" in answer.text
    assert "write to the person who sent you the link" in answer.text
    assert "start page" not in answer.text, "raters have no account here"
    assert answer.headers["Cache-Control"] == "no-store"
    campaign = make_campaign()
    for wrong in (f"/r/{campaign.code}/nothing/", f"/r/{campaign.code}/resume/"):
        assert "This link does not work" in visitor.get(wrong).text


@pytest.mark.django_db
def test_a_wrong_address_says_what_an_organiser_can_do(visitor):
    visitor.force_login(make_owner())
    for wrong in ("/campaigns/no-such-campaign/", "/nothing/", "/reports/nothing/"):
        answer = visitor.get(wrong)
        assert answer.status_code == 404
        assert "Page not found" in answer.text
        assert "Go to the start page" in answer.text


@pytest.mark.parametrize(
    ("error", "status", "heading"),
    [
        # While the database can be reached, raters read these in the words of their campaign.
        pytest.param(
            *(PermissionDenied(), 403, "You do not have access to this page"),
            marks=pytest.mark.django_db,
        ),
        pytest.param(
            *(SuspiciousOperation(), 400, "The request could not be read"),
            marks=pytest.mark.django_db,
        ),
        pytest.param(
            *(RequestDataTooBig(), 413, "The form is too large"), marks=pytest.mark.django_db
        ),
        (RuntimeError("secret"), 500, "Something went wrong"),
        (lost_connection(), 503, "The site cannot answer right now"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_error_is_a_page_of_the_site_and_needs_no_database(failing, error, status, heading):
    """No database is open where there is no mark: a page that asked it would fail the test."""
    for answer in failing(error):
        assert answer.status_code == status
        assert f"<h1>{heading}</h1>" in answer.text
        assert "css/base.css" in answer.text
        assert "secret" not in answer.text


def test_error_pages_speak_the_browsers_language(failing):
    for answer in failing(RuntimeError(), headers={"Accept-Language": "ar"}):
        assert '<html lang="ar" dir="rtl">' in answer.text
    for answer in failing(RuntimeError(), headers={"Accept-Language": "fr"}):
        assert '<html lang="en" dir="ltr">' in answer.text


def test_an_outage_page_reloads_but_never_resends_a_form(failing):
    page, _ = failing(lost_connection())
    assert page.headers["Retry-After"] == "5"
    assert 'data-again="5"' in page.text
    assert "wait.js" in page.text
    form, _ = failing(lost_connection(), "post")
    assert (form.status_code, "data-again" in form.text) == (503, False)
    assert "send it again" in form.text


def test_an_outage_is_one_line_in_the_log(failing, caplog):
    failing(lost_connection())
    outages = [each for each in caplog.records if each.name == "evalsite.error_pages"]
    assert [record.levelname for record in outages] == ["ERROR", "ERROR"]
    for record in outages:
        assert record.exc_info is None
        assert "\n" not in record.getMessage()
        assert "server closed the connection unexpectedly It died." in record.getMessage()


@pytest.mark.django_db
def test_an_outage_that_middleware_meets_is_503_too(visitor, monkeypatch, caplog):
    """The session is stored after the view, where no middleware sees what it raises."""
    ada = make_owner("ada")
    ada.set_password("correct horse battery")
    ada.save()
    monkeypatch.setattr(SessionStore, "save", raising(lost_connection()))
    answer = visitor.post("/login/", {"login": "ada", "password": "correct horse battery"})
    assert answer.status_code == 503
    assert [record.levelname for record in caplog.records if record.levelno > 20] == ["ERROR"]


@pytest.mark.django_db
def test_an_address_of_a_form_that_is_reloaded_explains_itself(visitor):
    campaign = make_campaign()
    visitor.force_login(campaign.owner)
    for address in (f"/campaigns/{campaign.code}/pause/", f"/r/{campaign.code}/submit/"):
        answer = visitor.get(address)
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
        assert "This address cannot be opened directly" in answer.text


@pytest.mark.django_db
def test_scripts_get_json(visitor, monkeypatch):
    monkeypatch.setattr("rankme.api.views.reference.render", raising(RuntimeError()))
    assert visitor.get("/api/v1/docs/").json()["error"]["code"] == "internal"
    monkeypatch.setattr("rankme.api.views.reference.render", raising(lost_connection()))
    answer = visitor.get("/api/v1/docs/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
    wrong = visitor.get("/api/v1/presets/", headers={"Host": "elsewhere.example"})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "malformed")
    other = visitor.post("/api/v1/token/", headers={"Sec-Fetch-Site": "cross-site"})
    assert (other.status_code, other.json()["error"]["code"]) == (403, "permission_denied")
    posted = visitor.post("/api/v1/docs/")
    assert (posted.status_code, posted.json()["error"]["code"]) == (405, "method_not_allowed")
