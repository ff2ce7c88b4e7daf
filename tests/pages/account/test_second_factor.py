"""A second factor: added, asked for, limited, recovered from, and required where a site says so."""

import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from rankme.actions.accounts import api_keys, passwords, second_factors
from rankme.actions.rate_limits import Limit
from rankme.errors import RefusedAction
from rankme.models import AuditEvent
from rankme.pages.account.urls import urlpatterns
from rankme.sign_in import events
from tests.accounts import PASSWORD, is_in, make_account
from tests.campaigns import make_campaign

pytestmark = pytest.mark.django_db


def code_of(secret: str, steps: int = 0) -> str:
    """The code of now, which stays good for half a minute, or the next, which is another one."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))


def log_in(client: Client, password: str = PASSWORD):
    return client.post(reverse("account_login"), {"login": "olga", "password": password})


def confirmed(client: Client) -> None:
    """Enter the password again, as sensitive pages ask."""
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})


@pytest.fixture
def app(client, django_capture_on_commit_callbacks) -> tuple[str, list[str]]:
    """Olga has an app: its secret, and her codes for recovery. Nobody is logged in."""
    make_account()
    log_in(client)
    confirmed(client)
    page = reverse("mfa_activate_totp")
    secret = client.get(page).context["form"].secret
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(page, {"code": code_of(secret)})
    codes = client.get(answer["Location"]).context["unused_codes"]
    client.post(reverse("account_logout"))
    return secret, codes


def test_a_password_alone_no_longer_opens(client, app):
    secret, _ = app
    answer = log_in(client)
    assert (answer["Location"], is_in(client)) == (reverse("mfa_authenticate"), False)
    assert client.get("/campaigns/").status_code == 302
    logins = AuditEvent.objects.filter(verb=passwords.LOGGED_IN)
    assert logins.count() == 1  # the one before
    client.post(answer["Location"], {"code": code_of(secret, 1)})
    assert is_in(client) and logins.count() == 2


def test_a_code_works_once_also_in_another_browser(app):
    secret, _ = app
    one, two = Client(), Client()
    code = code_of(secret, 1)
    for client in (one, two):
        client.post(log_in(client)["Location"], {"code": code})
    assert (is_in(one), is_in(two)) == (True, False)


@pytest.mark.without_its_guard
def test_without_the_note_of_used_codes_one_works_twice(app, monkeypatch):
    from django.core.cache import cache

    monkeypatch.setattr(second_factors, "use_code", lambda user, code: True)
    secret, _ = app
    one, two = Client(), Client()
    for client in (one, two):
        cache.clear()  # another web process has another cache
        client.post(log_in(client)["Location"], {"code": code_of(secret, 1)})
    assert is_in(one) and is_in(two)


def test_guesses_at_codes_are_limited_in_all_processes_together(app, monkeypatch):
    usual = second_factors.GUESSES
    few = Limit("few codes", most=3, again_every=usual.again_every)
    monkeypatch.setattr(second_factors, "GUESSES", few)
    secret, _ = app
    for _ in range(3):
        client = Client()
        assert "Incorrect code" in client.post(log_in(client)["Location"], {"code": "x"}).text
    client = Client()
    answer = client.post(log_in(client)["Location"], {"code": code_of(secret, 1)})
    assert "Too many wrong codes" in answer.text and not is_in(client)
    assert AuditEvent.objects.filter(verb=events.REFUSED).count() == 3


def test_a_recovery_code_opens_once_and_is_noted(app):
    _, codes = app
    assert len(codes) == 10
    one, two = Client(), Client()
    for client in (one, two):
        client.post(log_in(client)["Location"], {"code": codes[0]})
    assert (is_in(one), is_in(two)) == (True, False)
    assert AuditEvent.objects.filter(verb=events.RECOVERED).count() == 1


def test_recovery_codes_are_shown_once(client, app):
    secret, codes = app
    client.post(log_in(client)["Location"], {"code": code_of(secret, 1)})
    confirmed(client)
    page = client.get(reverse("mfa_view_recovery_codes")).text
    assert "shown once" in page and not any(code in page for code in codes)
    assert client.post(reverse("mfa_generate_recovery_codes")).status_code == 302
    renewed = client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"]
    assert len(renewed) == 10 and set(renewed).isdisjoint(codes)


def test_secrets_are_stored_encrypted(app):
    secret, codes = app
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in stored and not any(code in stored for code in codes)


def test_changes_of_factors_ask_for_the_password_again(client):
    make_account()
    log_in(client)
    for name in ("mfa_activate_totp", "mfa_add_webauthn"):
        asked = client.get(reverse(name))
        assert asked["Location"].startswith(reverse("account_reauthenticate")), name
    confirmed(client)
    assert client.get(reverse("mfa_activate_totp")).status_code == 200


def test_changes_of_factors_are_noted(client, app):
    secret, _ = app
    client.post(log_in(client)["Location"], {"code": code_of(secret, 1)})
    confirmed(client)
    client.post(reverse("mfa_deactivate_totp"))
    verbs = list(AuditEvent.objects.filter(actor__username="olga").values_list("verb", flat=True))
    assert events.ADDED in verbs and events.REMOVED in verbs
    assert not Authenticator.objects.exists()


def test_a_key_for_scripts_is_not_given_for_a_password_alone(app):
    with pytest.raises(RefusedAction, match="second factor"):
        api_keys.obtain_key("olga", PASSWORD, address="127.0.0.1")


def test_an_operator_removes_what_somebody_has_lost(client, app, capsys):
    call_command("organiser", "olga", "--remove-second-factors")
    assert "2 removed" in capsys.readouterr().out
    log_in(client)
    assert is_in(client)
    assert AuditEvent.objects.filter(verb=second_factors.RESET).exists()


def test_without_a_key_for_secrets_no_factor_can_be_added(client, settings):
    settings.PANEL_KEYS = []
    make_account()
    log_in(client)
    assert "PANEL_KEYS" in client.get(reverse("mfa_index")).text
    assert client.get(reverse("mfa_activate_totp"))["Location"] == reverse("mfa_index")
    assert client.get(reverse("mfa_add_webauthn"))["Location"] == reverse("mfa_index")


# --- A site that requires one ------------------------------------------------------------------

OPEN_WITHOUT = {"mfa_index", "account_reauthenticate", "mfa_activate_totp", "mfa_add_webauthn"}


def test_without_a_required_factor_every_page_leads_to_it(client, settings):
    settings.SECOND_FACTOR_REQUIRED = True
    campaign = make_campaign(owner=make_account())
    log_in(client)
    pages = ["/", "/campaigns/", "/campaigns/new/", f"/campaigns/{campaign.code}/", "/operation/"]
    pages += ["/sessions/", "/password/", "/panel-accounts/", "/admin/", "/second-factor/passkeys/"]
    for page in pages:
        assert client.get(page)["Location"] == reverse("mfa_index"), page
    paused = client.post(f"/campaigns/{campaign.code}/pause/")
    assert paused["Location"] == reverse("mfa_index")
    campaign.refresh_from_db()
    assert campaign.is_running
    assert client.get("/api/v1/campaigns/").status_code == 403
    assert "This site requires a second factor" in client.get(reverse("mfa_index")).text
    assert client.get("/help/").status_code == 200
    assert client.get(f"/r/{campaign.code}/").status_code in (200, 302)


def test_only_the_way_to_a_factor_is_open_without_one(client, settings):
    settings.SECOND_FACTOR_REQUIRED = True
    make_account()
    log_in(client)
    opened = {
        pattern.name
        for pattern in urlpatterns
        if not pattern.pattern.regex.groups
        and client.get(reverse(pattern.name)).headers.get("Location") != reverse("mfa_index")
    }
    assert opened == OPEN_WITHOUT | {"account_logout", "mfa_view_recovery_codes"}


def test_with_a_required_factor_the_pages_open_and_it_stays(client, app, settings):
    settings.SECOND_FACTOR_REQUIRED = True
    secret, _ = app
    client.post(log_in(client)["Location"], {"code": code_of(secret, 1)})
    assert client.get("/campaigns/").status_code == 200
    confirmed(client)
    refused = client.post(reverse("mfa_deactivate_totp"))
    assert "Add another one before" in refused.text
    assert Authenticator.objects.filter(type="totp").exists()


def test_a_key_from_before_stops_where_a_factor_is_required(client, settings):
    make_account()
    key = api_keys.obtain_key("olga", PASSWORD, address="127.0.0.1")
    header = {"authorization": f"Token {key}"}
    assert client.get("/api/v1/campaigns/", headers=header).status_code == 200
    settings.SECOND_FACTOR_REQUIRED = True
    assert client.get("/api/v1/campaigns/", headers=header).status_code == 401
    with pytest.raises(RefusedAction, match="second factor"):
        api_keys.obtain_key("olga", PASSWORD, address="127.0.0.1")


def test_nobody_removes_the_passkey_of_somebody_else(client):
    make_account("stan")
    theirs = Authenticator.objects.create(
        user=get_user_model().objects.get(), type="webauthn", data={"name": "Stan's"}
    )
    make_account()
    log_in(client)
    confirmed(client)
    address = reverse("mfa_remove_webauthn", args=[theirs.pk])
    assert client.post(address).status_code == 404
    assert Authenticator.objects.filter(pk=theirs.pk).exists()


def test_a_new_passkey_is_proposed_the_name_of_its_browser(client):
    make_account()
    log_in(client)
    confirmed(client)
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    page = client.get(reverse("mfa_add_webauthn"), headers={"user-agent": agent}).text
    assert 'value="Firefox, Linux"' in page
