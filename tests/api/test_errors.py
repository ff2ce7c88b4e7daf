"""Every error has the same shape, regardless of its cause and of the code that noticed it."""

import json

import pytest
from django.db import DataError, OperationalError

from rankme.api.views import campaigns as views


def shape_of(response) -> str:
    """The error's code; the shape is asserted."""
    body = response.json()
    assert set(body) == {"error"}, body
    assert set(body["error"]) == {"code", "message", "problems"}
    assert body["error"]["message"]
    assert all(set(problem) == {"place", "message"} for problem in body["error"]["problems"])
    return body["error"]["code"]


def places_of(response) -> list[str]:
    return [problem["place"] for problem in response.json()["error"]["problems"]]


def test_unknown_addresses_are_404_in_the_same_shape(olga, anybody):
    for client in (olga, anybody):
        for method in ("get", "post", "put", "patch", "delete", "options"):
            response = getattr(client, method)("/api/v1/nothing/here")
            assert (response.status_code, shape_of(response)) == (404, "not_found")
    assert olga.get("/api/v1/campaigns/%00/").status_code == 404
    assert olga.get("/api/v1/campaigns/a%20b/").status_code == 404
    assert olga.get(f"/api/v1/campaigns/x/analysis-runs/{10**30}/").status_code == 404


def test_other_methods_are_405(olga):
    response = olga.patch("/api/v1/campaigns/", {})
    assert (response.status_code, shape_of(response)) == (405, "method_not_allowed")
    assert "GET" in response["Allow"]
    assert olga.options("/api/v1/campaigns/").status_code == 405


def test_without_a_key_it_is_401(anybody):
    response = anybody.get("/api/v1/campaigns/")
    assert (response.status_code, shape_of(response)) == (401, "not_authenticated")
    assert response["WWW-Authenticate"].startswith("Token")


def test_unexpected_errors_are_500_without_details(olga, monkeypatch, caplog):
    def stumble(*arguments):
        raise ValueError("inner workings")

    monkeypatch.setattr(views, "preset_names", stumble)
    response = olga.get("/api/v1/presets/")
    assert (response.status_code, shape_of(response)) == (500, "internal")
    assert "inner workings" not in response.content.decode()
    assert "inner workings" in caplog.text


def test_a_value_that_reached_the_database_is_400_and_logged(olga, monkeypatch, caplog):
    def too_long(*arguments):
        raise DataError("value too long")

    monkeypatch.setattr(views, "preset_names", too_long)
    assert olga.get("/api/v1/presets/").status_code == 400
    assert "refused only by the database" in caplog.text


def test_a_database_that_is_away_is_503(olga, monkeypatch):
    def away(*arguments):
        raise OperationalError("connection refused")

    monkeypatch.setattr(views, "preset_names", away)
    response = olga.get("/api/v1/presets/")
    assert (response.status_code, shape_of(response)) == (503, "unavailable")


def test_unknown_parameters_and_doubled_ones_are_400(olga):
    for query in ("user__password__startswith=a", "_connector=OR", "ordering=id", "colour=red"):
        response = olga.get(f"/api/v1/campaigns/?{query}")
        assert (response.status_code, shape_of(response)) == (400, "invalid")
        assert places_of(response) == [query.partition("=")[0]]
    assert olga.get("/api/v1/campaigns/?state=draft&state=closed").status_code == 400
    assert olga.get("/api/v1/presets/?page=1").status_code == 400
    assert olga.get("/api/v1/campaigns/?format=json").status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"preset": 1e400}',
        b'{"preset": NaN}',
        b'{"preset": "a", "preset": "b"}',
        b'{"preset": "a\\u0000b"}',
        b'{"preset": "\\ud800"}',
        b'{"preset": "\xff"}',
        b'{"preset": ' + b"9" * 5000 + b"}",
        b"[" * 20_000 + b"]" * 20_000,
        b'{"definition": ' + b'{"a":' * 40 + b"1" + b"}" * 41,
        b'{"definition": {"seed": 99999999999999999999}}',
        b"[]",
        b"null",
        b'"text"',
    ],
)
def test_unclean_json_is_400(olga, body):
    response = olga.generic("POST", "/api/v1/campaigns/", body, "application/json")
    assert response.status_code == 400, response.content
    shape_of(response)


def test_too_large_a_body_is_413(olga):
    body = json.dumps({"preset": "a" * 6_000_000})
    response = olga.generic("POST", "/api/v1/campaigns/", body, "application/json")
    assert (response.status_code, shape_of(response)) == (413, "too_large")


def test_another_content_type_is_415_and_another_accept_406(olga):
    response = olga.generic("POST", "/api/v1/campaigns/", b"a=b", "text/plain")
    assert (response.status_code, shape_of(response)) == (415, "unsupported_media_type")
    response = olga.get("/api/v1/campaigns/", HTTP_ACCEPT="image/png")
    assert (response.status_code, shape_of(response)) == (406, "not_acceptable")


def test_an_action_takes_no_body(olga):
    made = olga.post("/api/v1/campaigns/", {"preset": "e2e-quality"}).json()
    response = olga.post(f"/api/v1/campaigns/{made['code']}/pause/", {"force": True})
    assert (response.status_code, places_of(response)) == (400, ["force"])


def test_a_refused_action_is_409_with_the_reason(olga):
    made = olga.post("/api/v1/campaigns/", {"preset": "e2e-quality"}).json()
    response = olga.post(f"/api/v1/campaigns/{made['code']}/launch/")
    assert (response.status_code, shape_of(response)) == (409, "refused")
    assert "no material" in response.json()["error"]["message"]


def test_another_sites_form_cannot_use_a_session(db):
    from rest_framework.test import APIClient

    from tests.campaigns import make_owner

    client = APIClient(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(make_owner())
    response = client.post("/api/v1/campaigns/", {"preset": "e2e-quality"})
    assert (response.status_code, shape_of(response)) == (403, "permission_denied")
