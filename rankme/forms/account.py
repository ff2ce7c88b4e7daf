"""Forms of a person's own account."""

from __future__ import annotations

from typing import Any

from allauth.account import forms as allauth_forms
from allauth.account.adapter import get_adapter
from django import forms


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
