"""Other sites' pages change nothing, and every client is known by its own address."""

import http.server
import json
import threading
from ipaddress import ip_network

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from evalsite.origin import believe_the_proxy
from rankme.actions.accounts import passwords
from rankme.models import Assignment, AuditEvent, Campaign, Submission
from tests.accounts import PASSWORD, limited_to, make_account
from tests.browser.organiser import log_in
from tests.campaigns import make_campaign, make_owner
from tests.evalsite.processes import run
from tests.pages.rater.visits import arrive, begin, payload_for, send


@pytest.mark.django_db
@pytest.mark.parametrize("sent_from", ["cross-site", "same-site", "anything"])
def test_a_page_of_another_site_changes_nothing_even_with_the_token(sent_from):
    """`client` sends no CSRF token because none is asked for: this guard stands alone here."""
    client = Client()
    campaign = make_campaign()
    document = begin(client, campaign, id="w1")
    client.force_login(campaign.owner)
    elsewhere = {"Sec-Fetch-Site": sent_from}
    address = reverse("rankme:submit", args=[campaign.code])
    body = json.dumps(payload_for(campaign, document))
    answer = client.post(address, body, content_type="application/json", headers=elsewhere)
    assert answer.status_code == 403
    assert not Submission.objects.exists()
    pause = reverse("rankme:campaign-pause", args=[campaign.code])
    refused = client.post(pause, headers=elsewhere)
    assert (refused.status_code, "Nothing was changed" in refused.text) == (403, True)
    login = {"login": "olga", "password": PASSWORD}
    assert client.post("/login/", login, headers=elsewhere).status_code == 403
    assert client.delete("/api/v1/token/", headers=elsewhere).status_code == 403
    assert Campaign.objects.get().is_running


@pytest.mark.django_db
@pytest.mark.parametrize(
    "headers", [{}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}]
)
def test_our_own_pages_and_scripts_are_let_through(headers):
    client = Client(headers=headers)
    campaign = make_campaign()
    document = begin(client, campaign, id="w1")
    assert send(client, campaign, payload_for(campaign, document)).status_code == 201


@pytest.mark.django_db
def test_a_link_on_another_site_leads_in(client):
    campaign = make_campaign()
    door = reverse("rankme:enter", args=[campaign.code])
    assert (
        client.get(door, {"id": "w1"}, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200
    )


@pytest.mark.django_db
@pytest.mark.parametrize("purpose", ["image", "iframe", "script", "empty"])
def test_no_picture_or_frame_of_another_site_claims_a_batch(client, purpose):
    campaign = make_campaign()
    arrive(client, campaign, id="w1")
    client.post(reverse("rankme:instructions", args=[campaign.code]))
    work = reverse("rankme:work", args=[campaign.code])
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": purpose}
    assert client.get(work, headers=elsewhere).status_code == 403
    assert not Assignment.objects.exists()
    client.get(work, headers=elsewhere | {"Sec-Fetch-Dest": "document"})
    assert Assignment.objects.exists(), "a link may"


@pytest.mark.django_db
def test_a_trusted_origin_is_not_another_site(client, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://evaluation.example.org"]
    campaign = make_campaign()
    client.force_login(campaign.owner)
    headers = {"Sec-Fetch-Site": "same-site", "Origin": "https://evaluation.example.org"}
    pause = reverse("rankme:campaign-pause", args=[campaign.code])
    assert client.post(pause, headers=headers).status_code == 302


@pytest.fixture
def elsewhere(live_site):
    """A second origin on the same host: browsers send it even Lax cookies along."""
    campaign = make_campaign(owner=make_account())
    form = f"""<form method=post action="{live_site.url}/campaigns/{campaign.code}/pause/">
        <button>A nice button</button></form>
        <form method=post action="{live_site.url}/login/"><input name=login value=eve>
        <input name=password value=x><button>Another</button></form>"""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(form.encode())

        def log_message(self, *arguments):
            """A test needs no log of it."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield campaign, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("button", ["A nice button", "Another"])
def test_a_form_on_another_site_is_refused_in_a_real_browser(page, elsewhere, button):
    campaign, address = elsewhere
    log_in(page)
    page.goto(address)
    with page.expect_navigation() as navigation:
        page.get_by_role("button", name=button).click()
    assert navigation.value.status == 403
    campaign.refresh_from_db()
    assert campaign.is_running


# Addresses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("198.51.100.1, 203.0.113.7", "203.0.113.7"),  # the first is what the client claims
        ("2001:db8::7", "2001:db8::7"),
        ("203.0.113.7:50123", "203.0.113.7"),
        ("[2001:db8::7]:50123", "2001:db8::7"),
        ("unknown", "127.0.0.1"),
        ("", "127.0.0.1"),
    ],
)
def test_behind_a_proxy_the_last_forwarded_address_is_the_clients(forwarded, address):
    request = RequestFactory(headers={"X-Forwarded-For": forwarded}).get("/")
    believe_the_proxy(lambda request: HttpResponse())(request)
    assert request.META["REMOTE_ADDR"] == address


@pytest.mark.parametrize(("peer", "is_believed"), [("10.0.0.4", True), ("10.0.1.4", False)])
def test_only_the_named_proxies_are_believed(settings, peer, is_believed):
    settings.PROXIES = [ip_network("10.0.0.0/24"), ip_network("2001:db8::4")]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    said = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
    request = RequestFactory(headers=said, REMOTE_ADDR=peer).get("/")
    believe_the_proxy(lambda request: HttpResponse())(request)
    assert request.META["REMOTE_ADDR"] == ("203.0.113.7" if is_believed else peer)
    assert request.is_secure() == is_believed


FIRST_OF_BOTH = """
import importlib, os
import evalsite.settings as site
print(site.MIDDLEWARE[0])
os.environ["BEHIND_TLS_PROXY"] = "true"
print(importlib.reload(site).MIDDLEWARE[0])
"""


def test_only_a_site_behind_a_proxy_believes_it(servers):
    alone, behind = run(["-c", FIRST_OF_BOTH], servers).stdout.split()
    assert "believe" not in alone
    assert behind == "evalsite.origin.believe_the_proxy"


@pytest.mark.django_db
def test_the_admins_door_is_guarded_against_guessing_too(client, monkeypatch):
    assert client.get("/admin/")["Location"] == "/admin/login/?next=/admin/"
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/login/?next=%2Fadmin%2F"
    limited_to(monkeypatch, 3)
    boss = make_owner("boss")
    boss.is_staff = boss.is_superuser = True
    boss.set_password(PASSWORD)
    boss.save()
    for _ in range(3):
        client.post("/login/?next=/admin/", {"login": "boss", "password": "guess"})
    assert AuditEvent.objects.filter(verb=passwords.REFUSED).count() == 3
    client.post("/login/?next=/admin/", {"login": "boss", "password": PASSWORD})
    assert "_auth_user_id" not in client.session
    limited_to(monkeypatch, 30)
    client.post("/login/?next=/admin/", {"login": "boss", "password": PASSWORD})
    assert "_auth_user_id" in client.session


@pytest.mark.django_db
def test_the_admins_door_stays_shut_for_organisers(client):
    client.post("/login/?next=/admin/", {"login": make_account().username, "password": PASSWORD})
    assert client.get("/admin/login/").status_code == 403
    assert client.get("/admin/")["Location"].startswith("/admin/login/")
