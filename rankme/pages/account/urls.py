"""Addresses of the account's pages, under the names by which django-allauth looks them up."""

from allauth.account import views
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as app
from allauth.mfa.webauthn import views as passkeys
from django.urls import URLPattern, path, re_path
from django.views.generic import RedirectView

from . import pages, single_sign_on

RESET = "password/reset/"
FACTOR = "second-factor/"
SIGN_ON = "single-sign-on/"
LIST = "mfa_list_webauthn"  # where allauth leads after a passkey was removed

urlpatterns: list[URLPattern] = [
    path("login/", views.login, name="account_login"),
    path("login/inactive/", views.account_inactive, name="account_inactive"),
    path("login/again/", views.reauthenticate, name="account_reauthenticate"),
    path("login/code/", factors.authenticate, name="mfa_authenticate"),
    path("login/passkey/", passkeys.login_webauthn, name="mfa_login_webauthn"),
    path("login/again/code/", factors.reauthenticate, name="mfa_reauthenticate"),
    path(
        "login/again/passkey/", passkeys.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"
    ),
    path("login/" + SIGN_ON, single_sign_on.sign_in, name="single_sign_on_start"),
    # The address that an operator registers at the provider.
    path(
        "login/" + SIGN_ON + "<str:provider_id>/",
        single_sign_on.come_back,
        name="openid_connect_callback",
    ),
    path(SIGN_ON, single_sign_on.connections, name="socialaccount_connections"),
    path("logout/", pages.log_out, name="account_logout"),
    path("password/", pages.change_password, name="account_change_password"),
    path(RESET, pages.reset_password, name="account_reset_password"),
    path(RESET + "sent/", views.password_reset_done, name="account_reset_password_done"),
    path(
        RESET + "done/",
        views.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    re_path(
        rf"^{RESET}(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("sessions/", pages.sessions, name="usersessions_list"),
    path(FACTOR, pages.second_factor, name="mfa_index"),
    path(FACTOR + "app/", pages.kept(app.activate_totp), name="mfa_activate_totp"),
    path(FACTOR + "app/remove/", app.deactivate_totp, name="mfa_deactivate_totp"),
    path(FACTOR + "codes/", recovery.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        FACTOR + "codes/renew/",
        recovery.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(FACTOR + "passkeys/", RedirectView.as_view(pattern_name="mfa_index"), name=LIST),
    path(FACTOR + "passkeys/add/", pages.kept(passkeys.add_webauthn), name="mfa_add_webauthn"),
    path(FACTOR + "passkeys/<int:pk>/remove/", pages.remove_passkey, name="mfa_remove_webauthn"),
]
