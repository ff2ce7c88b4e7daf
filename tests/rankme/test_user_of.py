"""Who acts: only an account, even where a view forgot to ask for one."""

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.test import RequestFactory
from django.utils.functional import SimpleLazyObject

from rankme.permissions import user_of


def request_of(user):
    request = RequestFactory().get("/")
    request.user = SimpleLazyObject(lambda: user)
    return request


def test_the_account_of_a_request_acts():
    ann = User(username="ann")
    assert user_of(request_of(ann)) == ann


def test_nobody_acts_without_an_account():
    with pytest.raises(PermissionDenied):
        user_of(request_of(AnonymousUser()))
