"""Single sign-on, against django-allauth's own OpenID Connect provider on this machine."""

import base64
import io
import json
import re
import time
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import pytest
import requests
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

from evalsite import environment
from rankme.models import AuditEvent
from rankme.sign_in.single_sign_on import Adapter
from tests.accounts import PASSWORD, is_in, make_account
from tests.live import free_port
from tests.single_sign_on.provider import CLIENT_ID, CLIENT_SECRET, provider
from tests.single_sign_on.provider import PASSWORD as PASSWORD_THERE

pytestmark = pytest.mark.django_db
HERE = "http://testserver"
TOKEN = "csrfmiddlewaretoken"
VISITOR, OLGA = "1", "2"  # the `sub` of each at the provider


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[str]:
    port = free_port()
    callback = f"{HERE}/login/single-sign-on/127.0.0.1-{port}/"
    with provider(tmp_path_factory.mktemp("provider"), callback, port) as address:
        yield address


@pytest.fixture
def site(server, settings, monkeypatch) -> Client:
    monkeypatch.setenv("OIDC_SERVER", server)
    monkeypatch.setenv("OIDC_CLIENT_ID", CLIENT_ID)
    monkeypatch.setenv("OIDC_CLIENT_SECRET", CLIENT_SECRET)
    monkeypatch.setenv("OIDC_NAME", "University of Kestrels")
    settings.SOCIALACCOUNT_PROVIDERS = environment.single_sign_on("OIDC", production=False)
    return Client()


def field(page: httpx.Response, name: str) -> str:
    return re.search(rf'name="{name}"[^>]*value="([^"]*)"', page.text)[1].replace("&amp;", "&")


def allow(address: str, person: str) -> str:
    """Log in at the provider and allow what the site asks; returns where it leads back to."""
    with httpx.Client(follow_redirects=True) as browser:
        page = browser.get(address)
        form = {"login": person, "password": PASSWORD_THERE, "next": field(page, "next")}
        page = browser.post(str(page.url), data=form | {TOKEN: field(page, TOKEN)})
        form = {"request": field(page, "request"), "scopes": "openid", "action": "grant"}
        answer = browser.post(
            address.partition("?")[0],
            data=form | {TOKEN: field(page, TOKEN)},
            follow_redirects=False,
        )
        assert answer.status_code == 302, answer.text
        return answer.headers["location"].removeprefix(HERE)


def start(client: Client, **sent: str) -> str:
    """Press the button of the login page; returns the address at the provider."""
    page = client.post(reverse("single_sign_on_start"), sent)
    assert page.status_code == 200
    return page["Refresh"].partition("url=")[2]


def sign_in(client: Client, person: str, **sent: str):
    return client.get(allow(start(client, **sent), person), follow=True)


def connect(account, sub: str, settings) -> SocialAccount:
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    return SocialAccount.objects.create(user=account, provider=app["provider_id"], uid=sub)


def test_somebody_connects_an_account_and_logs_in_with_it(site, settings):
    olga = make_account("olga")
    site.force_login(olga)
    page = reverse("socialaccount_connections")
    assert "University of Kestrels" in site.get(page).text
    asked = site.post(page)
    assert asked["Location"].startswith(reverse("account_reauthenticate"))
    going = site.post(asked["Location"], {"password": PASSWORD})
    shown = site.get(allow(going["Refresh"].partition("url=")[2], "visitor"), follow=True)
    assert "Your account is connected now." in shown.text
    site.post(reverse("account_logout"))
    assert not is_in(site)
    sign_in(site, "visitor", next="/doctor/")
    assert site.session["_auth_user_id"] == str(olga.pk)
    kept = SocialAccount.objects.get()
    assert kept.uid == VISITOR and not SocialToken.objects.exists()
    assert not {"name", "email", "preferred_username"} & set(str(kept.extra_data).split("'"))
    verbs = set(AuditEvent.objects.values_list("verb", flat=True))
    assert {"single sign-on connected", "logged in"} <= verbs


def test_an_account_is_found_by_the_sub_and_never_by_its_name_or_address(site, settings):
    """The provider's olga has the name and the address of an account of somebody else."""
    make_account("olga", email="olga@example.org")
    nora = make_account("nora")
    answer = sign_in(site, "olga")
    assert not is_in(site)
    assert "No account is connected" in answer.text
    connect(nora, OLGA, settings)
    sign_in(site, "olga")
    assert site.session["_auth_user_id"] == str(nora.pk)


def test_a_connection_to_another_server_opens_nothing(site, settings):
    connection = connect(make_account(), OLGA, settings)
    SocialAccount.objects.filter(pk=connection.pk).update(provider="login.elsewhere.org")
    sign_in(site, "olga")
    assert not is_in(site)


def test_somebody_elses_login_is_not_taken_over(site, settings):
    connect(make_account("nora"), VISITOR, settings)
    site.force_login(make_account("olga"))
    asked = site.post(reverse("socialaccount_connections"))
    going = site.post(asked["Location"], {"password": PASSWORD})
    shown = site.get(allow(going["Refresh"].partition("url=")[2], "visitor"), follow=True)
    assert "connected to another account" in shown.text
    assert SocialAccount.objects.get().user.username == "nora"


def test_a_connection_is_removed_by_its_owner_alone(site, settings):
    of_nora = connect(make_account("nora"), OLGA, settings)
    of_olga = connect(make_account("olga"), VISITOR, settings)
    site.force_login(of_olga.user)
    page = reverse("socialaccount_connections")
    asked = site.post(page, {"connection": of_nora.pk})
    site.post(asked["Location"], {"password": PASSWORD})
    assert SocialAccount.objects.count() == 2
    site.post(page, {"connection": of_olga.pk})
    assert SocialAccount.objects.get() == of_nora
    assert AuditEvent.objects.filter(verb="single sign-on disconnected").count() == 1


def test_an_account_that_is_closed_stays_closed(site, settings):
    nora = make_account("nora", is_active=False)
    connect(nora, OLGA, settings)
    sign_in(site, "olga")
    assert not is_in(site)


def test_an_answer_to_another_browser_opens_nothing(site, settings):
    """The state belongs to the browser that left for the provider."""
    connect(make_account(), OLGA, settings)
    back = allow(start(site), "olga")
    victim = Client()
    assert "did not work" in victim.get(back, follow=True).text
    assert not is_in(victim)
    site.get(back)
    assert is_in(site)


def test_only_a_number_is_asked_for_and_nobody_is_sent_elsewhere(site, settings):
    asked = parse_qs(urlsplit(start(site)).query)
    assert asked["scope"] == ["openid"]
    assert asked["code_challenge_method"] == ["S256"]
    connect(make_account(), OLGA, settings)
    back = allow(start(site, next="https://elsewhere.example.org/"), "olga")
    assert site.get(back)["Location"].startswith("/")


def test_people_who_change_their_mind_come_back(site):
    start(site)
    state = parse_qs(urlsplit(start(site)).query)["state"][0]
    app = reverse(
        "openid_connect_callback", args=[f"{urlsplit(start(site)).netloc}".replace(":", "-")]
    )
    shown = site.get(f"{app}?error=access_denied&state={state}", follow=True).text
    assert "You did not log in with University of Kestrels" in shown


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/", "SERVER/nothing/here"])
def test_a_provider_that_does_not_answer_is_said(site, server, settings, address, caplog):
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"]["server_url"] = address.replace("SERVER", server)
    shown = site.post(reverse("single_sign_on_start"), follow=True)
    assert "did not work. Try again, or use your password" in shown.text
    assert "Single sign-on failed" in caplog.text


def test_without_settings_there_is_no_single_sign_on(client):
    assert "single" not in client.get(reverse("account_login")).text.lower()
    assert client.post(reverse("single_sign_on_start")).status_code == 404
    assert client.get(reverse("openid_connect_callback", args=["any"])).status_code == 404
    client.force_login(make_account())
    assert client.get(reverse("socialaccount_connections")).status_code == 404


def test_a_start_without_a_safe_address_or_a_secret_is_refused(monkeypatch):
    monkeypatch.setenv("OIDC_SERVER", "http://login.example.org")
    with pytest.raises(ImproperlyConfigured, match="https"):
        environment.single_sign_on("OIDC", production=False)
    monkeypatch.setenv("OIDC_SERVER", "http://127.0.0.1:8080")
    with pytest.raises(ImproperlyConfigured, match="https"):
        environment.single_sign_on("OIDC", production=True)
    monkeypatch.setenv("OIDC_SERVER", "https://login.example.org/realms/main/")
    with pytest.raises(ImproperlyConfigured, match="OIDC_CLIENT_ID"):
        environment.single_sign_on("OIDC", production=True)
    monkeypatch.setenv("OIDC_CLIENT_ID", "rankme")
    monkeypatch.setenv("OIDC_CLIENT_SECRET", "secret")
    monkeypatch.setenv("OIDC_AUTH_METHOD", "private_key_jwt")
    with pytest.raises(ImproperlyConfigured, match="client_secret_post or client_secret_basic"):
        environment.single_sign_on("OIDC", production=True)
    monkeypatch.delenv("OIDC_AUTH_METHOD")
    (app,) = environment.single_sign_on("OIDC", production=True)["openid_connect"]["APPS"]
    assert app["provider_id"] == "login.example.org-realms-main"


ISSUER = "https://login.example.org"


class Wire(requests.adapters.BaseAdapter):
    """A provider whose answers the test makes; `sent` is what the site asked it last."""

    def __init__(self, **claims: object) -> None:
        super().__init__()
        self.claims = {"iss": ISSUER, "aud": CLIENT_ID, "sub": VISITOR} | claims

    def send(self, request: requests.PreparedRequest, **_given: object) -> requests.Response:
        self.sent = request
        now = int(time.time())
        told = {"iat": now, "exp": now + 60} | self.claims
        token = jwt.encode(told, "0" * 32, algorithm="HS256")
        addresses = {
            "authorization_endpoint": "auth",
            "token_endpoint": "token",
            "jwks_uri": "keys",
        }
        description = {name: f"{ISSUER}/{path}" for name, path in addresses.items()}
        description |= {"issuer": ISSUER, "token_endpoint_auth_methods_supported": SENDS_SECRET}
        answers = {"/token": {"access_token": "any", "token_type": "Bearer", "id_token": token}}
        answer = requests.Response()
        answer.status_code, answer.url, answer.request = 200, request.url, request
        answer.headers["Content-Type"] = "application/json"
        answer.raw = io.BytesIO(json.dumps(answers.get(request.path_url, description)).encode())
        return answer

    def close(self) -> None:
        pass


SENDS_SECRET = ["client_secret_basic", "client_secret_post"]
SECRET = "a+b/c%d:e f"


@pytest.fixture
def come_back(settings, monkeypatch):
    """Let somebody whose account is connected come back from a provider with these answers."""

    def back(wire: Wire, method: str = "") -> Client:
        given = {"SERVER": ISSUER, "CLIENT_ID": CLIENT_ID, "CLIENT_SECRET": SECRET}
        for name, value in (given | {"AUTH_METHOD": method}).items():
            monkeypatch.setenv(f"OIDC_{name}", value)
        settings.SOCIALACCOUNT_PROVIDERS = environment.single_sign_on("OIDC", production=True)
        session = requests.Session()
        session.mount("https://", wire)
        monkeypatch.setattr(Adapter, "get_requests_session", lambda self: session)
        client = Client()
        connect(make_account(), VISITOR, settings)
        state = parse_qs(urlsplit(start(client)).query)["state"][0]
        here = reverse("openid_connect_callback", args=["login.example.org"])
        client.get(here, {"code": "any", "state": state}, follow=True)
        return client

    return back


@pytest.mark.parametrize(
    "claims",
    [{"aud": "another site"}, {"iss": "https://another.example.org"}, {"exp": 1}],
    ids=["another site's", "another provider's", "expired"],
)
def test_a_token_for_others_logs_nobody_in(come_back, claims):
    assert not is_in(come_back(Wire(**claims)))


def test_the_secret_is_sent_as_the_provider_wants_it(come_back):
    """In the form it is as it is; in the header it is encoded (RFC 6749, section 2.3.1)."""
    wire = Wire()
    assert is_in(come_back(wire))
    assert parse_qs(wire.sent.body)["client_secret"] == [SECRET]
    assert "Authorization" not in wire.sent.headers


def test_the_secret_is_encoded_in_the_header(come_back):
    wire = Wire()
    assert is_in(come_back(wire, "client_secret_basic"))
    scheme, sent = wire.sent.headers["Authorization"].split(" ")
    assert (scheme, base64.b64decode(sent).decode()) == ("Basic", "rankme:a%2Bb%2Fc%25d%3Ae+f")
    assert "client_secret" not in parse_qs(wire.sent.body)
