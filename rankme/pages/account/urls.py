"""Addresses of the account's pages, under the names by which django-allauth looks them up."""

from allauth.account import views
from django.urls import URLPattern, path

from . import pages

urlpatterns: list[URLPattern] = [
    path("login/", views.login, name="account_login"),
    path("login/inactive/", views.account_inactive, name="account_inactive"),
    path("login/again/", views.reauthenticate, name="account_reauthenticate"),
    path("logout/", pages.log_out, name="account_logout"),
    path("password/", pages.change_password, name="account_change_password"),
    path("sessions/", pages.sessions, name="usersessions_list"),
]
