"""Forms of a person's own account."""

from __future__ import annotations

import re
from typing import Any

from allauth.account import forms as allauth_forms
from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.mfa.base import forms as code_forms
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.utils.translation import gettext as _

from rankme.actions.accounts import second_factors
from rankme.actions.rate_limits import MAILS, MAILS_FOR_AN_ADDRESS, take
from rankme.networks import network_of


class Plain(forms.Form):
    """No placeholders: every field has a label, and a placeholder looks like an answer."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class LoginForm(Plain, allauth_forms.LoginForm):
    """Name and password, protected against guessing like the API's keys."""


class ReauthenticateForm(Plain, allauth_forms.ReauthenticateForm):
    """The password once more, under the same limits."""


class ChangePasswordForm(Plain, allauth_forms.ChangePasswordForm):
    """A new password; the old one is under the limits, too."""

    def clean_oldpassword(self) -> str:
        password = str(self.cleaned_data["oldpassword"])
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("enter_current_password")
        return password


class LimitedCode(Plain):
    """A code can be guessed a few times, and used once, by all web processes together."""

    user: Any

    def clean_code(self) -> str:
        if not second_factors.may_guess(self.user):
            raise forms.ValidationError(_("Too many wrong codes. Try again in a few minutes."))
        code: str = super().clean_code()  # type: ignore[misc]
        if not second_factors.use_code(self.user, re.sub(r"\W", "", code)):
            raise forms.ValidationError(_("This code has been used. Wait for the next one."))
        second_factors.was_no_guess(self.user)
        return code


class CodeForm(LimitedCode, code_forms.AuthenticateForm):
    """The code of an app, or one for recovery, at the login."""


class CodeAgainForm(LimitedCode, code_forms.ReauthenticateForm):
    """The same, before somebody changes who can use the account."""


class NewAppForm(LimitedCode, ActivateTOTPForm):
    """The first code of a new app."""


class ResetPasswordForm(Plain, allauth_forms.ResetPasswordForm):
    """The mail address of an account; nobody's mailbox is filled by a stranger."""

    def clean_email(self) -> str:
        email: str = super().clean_email()
        network = network_of(context.request)
        if not (take(MAILS, email) and take(MAILS_FOR_AN_ADDRESS, network)):
            raise forms.ValidationError(_("Too many requests. Try again in a few minutes."))
        return email


class NewPasswordForm(Plain, allauth_forms.ResetPasswordKeyForm):
    """A new password, behind the link of a mail."""
