"""Addresses of the OpenID Connect provider of the tests."""

from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.account.urls")),
    path("", include("allauth.idp.urls")),
]
