"""The pages of one's own account: who may open them, and what they say."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from evalsite import environment
from rankme.actions.accounts import passwords
from rankme.models import AuditEvent
from rankme.pages.account.urls import urlpatterns
from tests.accounts import PASSWORD, limited_to, make_account

pytestmark = pytest.mark.django_db
EVERYBODY, PEOPLE_WITH_AN_ACCOUNT, NOBODY = "everybody", "account", "nobody"
POLICY = {
    "account_login": {"GET": EVERYBODY, "POST": EVERYBODY},
    "account_inactive": {"GET": EVERYBODY},
    "account_reauthenticate": {
        "GET": PEOPLE_WITH_AN_ACCOUNT,
        "POST": PEOPLE_WITH_AN_ACCOUNT,
    },
    "account_reset_password": {"GET": EVERYBODY, "POST": EVERYBODY},
    "account_reset_password_done": {"GET": EVERYBODY},
    "account_reset_password_from_key": {"GET": EVERYBODY},
    "account_reset_password_from_key_done": {"GET": EVERYBODY},
    "mfa_authenticate": {"GET": EVERYBODY, "POST": EVERYBODY},
    "mfa_login_webauthn": {"GET": EVERYBODY, "POST": EVERYBODY},
    "mfa_reauthenticate": {"GET": PEOPLE_WITH_AN_ACCOUNT},
    "mfa_reauthenticate_webauthn": {"GET": PEOPLE_WITH_AN_ACCOUNT},
    "mfa_index": {"GET": PEOPLE_WITH_AN_ACCOUNT},
    "mfa_activate_totp": {"GET": PEOPLE_WITH_AN_ACCOUNT, "POST": PEOPLE_WITH_AN_ACCOUNT},
    "mfa_deactivate_totp": {"GET": PEOPLE_WITH_AN_ACCOUNT, "POST": PEOPLE_WITH_AN_ACCOUNT},
    "mfa_view_recovery_codes": {"GET": PEOPLE_WITH_AN_ACCOUNT},
    "mfa_generate_recovery_codes": {"GET": PEOPLE_WITH_AN_ACCOUNT, "POST": PEOPLE_WITH_AN_ACCOUNT},
    "mfa_list_webauthn": {"GET": EVERYBODY},
    "mfa_add_webauthn": {"GET": PEOPLE_WITH_AN_ACCOUNT, "POST": PEOPLE_WITH_AN_ACCOUNT},
    "mfa_remove_webauthn": {"GET": PEOPLE_WITH_AN_ACCOUNT, "POST": PEOPLE_WITH_AN_ACCOUNT},
    "account_logout": {"GET": NOBODY, "POST": EVERYBODY},
    "account_change_password": {"GET": PEOPLE_WITH_AN_ACCOUNT, "POST": PEOPLE_WITH_AN_ACCOUNT},
    "usersessions_list": {"GET": PEOPLE_WITH_AN_ACCOUNT, "POST": PEOPLE_WITH_AN_ACCOUNT},
    "single_sign_on_start": {"GET": NOBODY, "POST": EVERYBODY},
    "openid_connect_callback": {"GET": EVERYBODY, "POST": NOBODY},
    "socialaccount_connections": {"GET": PEOPLE_WITH_AN_ACCOUNT, "POST": PEOPLE_WITH_AN_ACCOUNT},
}

PARTS = {
    "mfa_remove_webauthn": {"pk": 1},
    "account_reset_password_from_key": {"uidb36": "1", "key": "abc-def"},
    "openid_connect_callback": {"provider_id": "127.0.0.1-9"},
}


@pytest.fixture(autouse=True)
def provider(settings, monkeypatch):
    """There is single sign-on, at a server that does not answer."""
    for name, value in {
        "SERVER": "http://127.0.0.1:9",
        "CLIENT_ID": "a",
        "CLIENT_SECRET": "b",
    }.items():
        monkeypatch.setenv(f"OIDC_{name}", value)
    settings.SOCIALACCOUNT_PROVIDERS = environment.single_sign_on("OIDC", production=False)


def test_every_page_of_the_account_has_a_policy():
    assert {pattern.name for pattern in urlpatterns} == POLICY.keys()


@pytest.mark.parametrize(
    ("name", "method"), [(name, method) for name, who in POLICY.items() for method in who]
)
def test_only_people_with_an_account_open_its_pages(name, method):
    stranger, olga = Client(), Client()
    olga.force_login(make_account())
    may = POLICY[name][method]
    address = reverse(name, kwargs=PARTS.get(name, {}))
    refused, opened = stranger.generic(method, address), olga.generic(method, address)
    if may == NOBODY:
        assert (refused.status_code, opened.status_code) == (405, 405)
    elif may == EVERYBODY:
        assert "next=" not in refused.headers.get("Location", "")
        assert refused.status_code in (200, 302)
    else:
        assert refused["Location"].startswith("/login/?next=")
        # The second factors ask for the password again; and she has none to remove yet.
        asked = opened.headers.get("Location", "")
        assert not asked.startswith("/login/") or asked.startswith("/login/again/")
        assert opened.status_code in (200, 302, 404, 405)


def test_changes_of_an_account_need_the_csrf_token():
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_account())
    for name in ("account_change_password", "usersessions_list", "account_logout"):
        assert client.post(reverse(name)).status_code == 403, name


def test_nobody_makes_an_account(client):
    for address in ("/signup/", "/accounts/signup/", "/login/signup/"):
        assert client.get(address).status_code == 404
    assert "signup" not in client.get(reverse("account_login")).text


def test_a_closed_account_stays_out(client):
    make_account(is_active=False)
    answer = client.post(reverse("account_login"), {"login": "olga", "password": PASSWORD})
    assert (answer.status_code, "_auth_user_id" in client.session) == (200, False)


def test_guesses_at_the_old_password_are_limited_like_those_at_the_login(client, monkeypatch):
    limited_to(monkeypatch, 3)
    client.force_login(make_account())
    new = {"password1": "kestrels and herons", "password2": "kestrels and herons"}
    page = reverse("account_change_password")
    for _ in range(3):
        client.post(page, new | {"oldpassword": "guess"})
    answer = client.post(page, new | {"oldpassword": PASSWORD})
    assert "Wait a minute" in answer.text
    assert get_user_model().objects.get().check_password(PASSWORD)
    assert AuditEvent.objects.filter(verb=passwords.REFUSED).count() == 3


def test_guesses_at_the_password_asked_for_again_are_limited_too(client, monkeypatch):
    limited_to(monkeypatch, 3)
    client.force_login(make_account())
    page = reverse("account_reauthenticate") + "?next=/sessions/"
    for _ in range(3):
        assert client.post(page, {"password": "guess"}).status_code == 200
    assert "Wait a minute" in client.post(page, {"password": PASSWORD}).text
    limited_to(monkeypatch, 30)
    assert client.post(page, {"password": PASSWORD})["Location"] == "/sessions/"


@pytest.mark.parametrize("weak", ["password1", "olga-olga", "12345678901", "short1"])
def test_a_new_password_is_checked(client, weak):
    client.force_login(make_account())
    form = {"oldpassword": PASSWORD, "password1": weak, "password2": weak}
    assert client.post(reverse("account_change_password"), form).status_code == 200
    assert get_user_model().objects.get().check_password(PASSWORD)
