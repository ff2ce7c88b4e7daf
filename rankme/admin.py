"""A read-only admin of Django: every change goes through the actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.account import admin as addresses_admin  # noqa: F401
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa import admin as second_factors_admin  # noqa: F401
from allauth.mfa.models import Authenticator
from allauth.socialaccount import admin as single_sign_on_admin  # noqa: F401
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions import admin as sessions_admin  # noqa: F401
from allauth.usersessions.models import UserSession
from django.contrib import admin

# Imported for their registrations, which are taken back below.
from django.contrib.auth import admin as accounts_admin  # noqa: F401
from django.contrib.auth.models import Group, User
from django.forms import Media
from django.http import HttpRequest
from rest_framework.authtoken import admin as tokens_admin  # noqa: F401
from rest_framework.authtoken.models import TokenProxy

from rankme import models

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin  # takes no type arguments when it runs


class LookingOnly(ModelAdmin):
    """Lists and shows rows, and has no button that does anything."""

    actions = None
    list_per_page = 50
    # A second count of a million rows would not help anybody.
    show_full_result_count = False

    # The admin's scripts serve its forms, which nobody sees here, and break the page's policy.
    media = Media()

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Only what the filters next to the list ask for.

        Django allows any lookup of a row's fields, and with `__startswith` anybody could read a
        hidden one character by character.
        """
        exact = ("__exact", "__id__exact", "__isnull")
        return lookup in {f"{name}{ending}" for name in self.list_filter for ending in exact}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class CampaignAdmin(LookingOnly):
    list_display = ("title", "state", "owner", "code", "created_at")
    list_filter = ("state", "is_archive")
    search_fields = ("title", "code")


class OfCampaign(LookingOnly):
    list_display = ["__str__", "campaign"]
    list_select_related = ["campaign"]
    list_filter = ("campaign",)


class ParticipantAdmin(OfCampaign):
    # The panel's ids stay in their table.
    exclude = ("external_id", "session_id")
    list_display = ["label", "campaign", "panel", "state", "arrived_at"]


class InvitationAdmin(OfCampaign):
    exclude = ("token", "mail")


class SubmissionAdmin(LookingOnly):
    list_display = ("id", "received_at", "screen", "revision", "late", "surplus")


class AuditEventAdmin(OfCampaign):
    list_display = ["happened_at", "verb", "actor", "campaign"]
    list_select_related = ["campaign", "actor"]


class UserAdmin(LookingOnly):
    fields = ("username", "is_active", "is_staff", "is_superuser", "last_login", "date_joined")
    list_display = ("username", "is_active", "is_superuser", "last_login")
    search_fields = ("username",)


SPECIAL: dict[type[Any], type[LookingOnly]] = {
    models.Campaign: CampaignAdmin,
    models.Participant: ParticipantAdmin,
    models.Invitation: InvitationAdmin,
    models.Submission: SubmissionAdmin,
    models.AuditEvent: AuditEventAdmin,
}
OF_A_CAMPAIGN = (
    models.AnalysisRun,
    models.Assignment,
    models.Batch,
    models.CampaignVersion,
    models.Criterion,
    models.Item,
    models.MaterialImport,
    models.Membership,
    models.Plan,
    models.RaterExclusion,
    models.Slot,
    models.System,
)
OTHERS = (models.Judgement, models.QuarantinedPayload, models.Report, models.Trial)

# Also secrets and tokens of single sign-on, which are not even stored.
SINGLE_SIGN_ON = (SocialAccount, SocialApp, SocialToken)
for model in (Authenticator, EmailAddress, Group, TokenProxy, User, UserSession, *SINGLE_SIGN_ON):
    admin.site.unregister(model)
admin.site.register(User, UserAdmin)
for model, model_admin in SPECIAL.items():
    admin.site.register(model, model_admin)
admin.site.register(OF_A_CAMPAIGN, OfCampaign)
admin.site.register(OTHERS, LookingOnly)


# The site's one way in; the admin has no login of its own.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
