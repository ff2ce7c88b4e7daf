"""Whether pages of accounts offer single sign-on, and what it is called."""

from __future__ import annotations

from django import template

from rankme.sign_on_provider import provider_name

register = template.Library()

register.simple_tag(provider_name, name="single_sign_on_name")
