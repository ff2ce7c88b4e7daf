"""The shapes of the API about panels: accounts, studies, the people who come, and money.

Every amount is a whole number in the currency's smallest unit.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from rankme.actions.panel import bounds
from rankme.actions.panel.money import MOST_SHARE
from rankme.actions.panel.paying import LEAST_SHARE
from rankme.actions.panel.rejecting import CATEGORIES, LONGEST_REASON, SHORTEST_REASON
from rankme.actions.panel.talking import LONGEST_MESSAGE
from rankme.models import PanelAccount, PanelPayment, PanelStudy
from rankme.panel_calls.prolific import least_longest_minutes
from rankme.permissions import may_see_people
from rankme.queries.panel_books import Entry, money_of, states_of

from .view import Strict

MINOR = "In the currency's smallest unit."
LARGEST_LIMIT = 1e12


Amount = partial(serializers.IntegerField, min_value=1, max_value=bounds.MOST_MINOR)
Reason = partial(
    serializers.CharField,
    max_length=bounds.LONGEST_REASON,
    default="",
    allow_blank=True,
)

# --- Accounts ----------------------------------------------------------------------------------


class AccountSerializer(serializers.ModelSerializer[PanelAccount]):
    class Meta:
        model = PanelAccount
        fields = [
            "id",
            "name",
            "panel",
            "workspace",
            "project",
            "currency",
            "hooked_at",
            "created_at",
        ]


class NewAccountSerializer(Strict):
    name = serializers.CharField(max_length=bounds.LONGEST_ACCOUNT)
    token = serializers.CharField(
        max_length=bounds.LONGEST_TOKEN, help_text="Stored encrypted, never shown again."
    )
    workspace = serializers.CharField(
        max_length=bounds.LONGEST_ID,
        default="",
        help_text="If the token has several.",
    )
    project = serializers.CharField(
        max_length=bounds.LONGEST_ID,
        default="",
        help_text="By default the workspace's first.",
    )


class AccountTokenSerializer(Strict):
    token = serializers.CharField(
        max_length=bounds.LONGEST_TOKEN, help_text="Replaces the stored one."
    )


@extend_schema_field({"oneOf": [{"type": "number"}, {"type": "string", "format": "date"}]})
class LimitField(serializers.Field[Any, Any, Any, Any]):
    """A limit of a range: a number, or a date for a range of dates."""

    def to_internal_value(self, given: Any) -> int | float | str:
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        if is_number and abs(given) < LARGEST_LIMIT:
            return given  # type: ignore[no-any-return]
        if isinstance(given, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", given, re.ASCII):
            return given
        raise serializers.ValidationError("A number, or a date such as 2026-11-23.")

    def to_representation(self, limit: Any) -> Any:
        return limit


class FilterSerializer(serializers.Serializer[Any]):
    """A filter of the panel: a choice from a list, or a range."""

    id = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.CharField(help_text="`select` or `range`")
    choices = serializers.DictField(child=serializers.CharField())
    values = serializers.CharField(help_text="Of a range: `integer`, `float` or `date`.")
    low = LimitField(allow_null=True)
    high = LimitField(allow_null=True)


class ChosenFilterSerializer(Strict):
    filter_id = serializers.CharField(max_length=100)
    selected_values = serializers.ListField(
        child=serializers.CharField(max_length=100), required=False, allow_empty=False
    )
    selected_range = serializers.DictField(
        child=LimitField(), required=False, help_text='{"lower": 18, "upper": 40}'
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if ("selected_values" in given) == ("selected_range" in given):
            raise serializers.ValidationError("Give selected_values or selected_range.")
        if set(given.get("selected_range", {})) - {"lower", "upper"}:
            raise serializers.ValidationError("A range has lower and upper.")
        return given


class EligibleSerializer(Strict):
    filters = ChosenFilterSerializer(many=True)


class CountSerializer(serializers.Serializer[Any]):
    count = serializers.IntegerField(help_text="People of the panel who pass the filters.")


class EarlierStudySerializer(serializers.ModelSerializer[PanelStudy]):
    campaign = serializers.CharField(source="campaign.code")

    class Meta:
        model = PanelStudy
        fields = ["key", "name", "campaign", "state", "created_at"]


# --- Studies -----------------------------------------------------------------------------------


class NewStudySerializer(Strict):
    account = serializers.IntegerField(min_value=1, max_value=2**31, help_text="Its `id`.")
    name = serializers.CharField(max_length=bounds.LONGEST_NAME)
    description = serializers.CharField(max_length=bounds.LONGEST_DESCRIPTION)
    places = serializers.IntegerField(min_value=1, max_value=bounds.MOST_PLACES)
    reward = Amount(help_text=MINOR)
    minutes = serializers.IntegerField(
        min_value=1, max_value=bounds.MOST_MINUTES, help_text="Expected."
    )
    longest_minutes = serializers.IntegerField(min_value=2, max_value=bounds.MOST_LONGEST_MINUTES)
    ceiling = Amount(help_text="Places, bonuses, fees and taxes together never cost more.")
    devices = serializers.ListField(
        child=serializers.ChoiceField(bounds.DEVICES), allow_empty=False, max_length=3
    )
    filters = ChosenFilterSerializer(many=True, default=list)
    keep_out = serializers.ListField(
        child=serializers.CharField(max_length=24),
        default=list,
        help_text="Keys of earlier studies whose raters cannot take part.",
    )
    let_in = serializers.ListField(
        child=serializers.CharField(max_length=24),
        default=list,
        help_text="Keys of earlier studies whose raters alone can take part.",
    )
    is_secure = serializers.BooleanField(
        default=False,
        help_text="The panel signs each link; only in workspaces that have it.",
    )
    approval = serializers.ChoiceField(
        PanelStudy.Approval.choices, default=PanelStudy.Approval.AFTER_CHECKS
    )
    tops_up = serializers.BooleanField(
        default=False, help_text="Add places when batches are free again."
    )
    pays_shares = serializers.BooleanField(
        default=False, help_text="Needs dynamic payments at the panel."
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        least = least_longest_minutes(given["minutes"])
        if given["longest_minutes"] < least:
            raise serializers.ValidationError(
                {"longest_minutes": [f"At least {least}, for the panel."]}
            )
        return given


class ChangedStudySerializer(NewStudySerializer):
    """A changed draft: what is left out gets its default."""

    account = None  # type: ignore[assignment]


class MoneySerializer(serializers.Serializer[Any]):
    paid = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="Noted, or asked for.")
    lost = serializers.IntegerField(help_text="The panel's answer is missing: a person decides.")
    unseen = serializers.IntegerField(
        help_text="Bonuses that the panel accepted hours ago and does not show."
    )


class StudySerializer(serializers.ModelSerializer[PanelStudy]):
    account = serializers.IntegerField(source="account_id")
    devices = serializers.ListField(child=serializers.CharField())
    filters = serializers.ListField(child=serializers.DictField())
    money = serializers.SerializerMethodField()
    submissions = serializers.SerializerMethodField(help_text="How many are in each state.")

    class Meta:
        model = PanelStudy
        fields = [
            *(
                "key",
                "external_id",
                "address_there",
                "account",
                "state",
                "name",
                "description",
                "places",
                "reward",
                "currency",
            ),
            "minutes", "longest_minutes", "devices", "filters", "is_secure", "approval",
            "tops_up", "ceiling", "committed", "excess", "problem", "untrusted_entries",
            "synced_at", "money", "submissions",
        ]  # fmt: skip

    @extend_schema_field(MoneySerializer)
    def get_money(self, study: PanelStudy) -> dict[str, Any]:
        return dict(MoneySerializer(money_of(study)).data)

    @extend_schema_field(serializers.DictField(child=serializers.IntegerField()))
    def get_submissions(self, study: PanelStudy) -> dict[str, int]:
        return states_of(study)


class CostSerializer(serializers.Serializer[Any]):
    ceiling = serializers.IntegerField(help_text="What the study may cost at most.")
    is_within_ceiling = serializers.BooleanField()
    total = serializers.IntegerField(help_text="With fees and tax.")
    available = serializers.IntegerField(help_text="What is in the wallet.")
    per_hour = serializers.IntegerField(help_text="What an hour of work earns.")
    least_per_hour = serializers.IntegerField(help_text="The panel's minimum.")
    is_affordable = serializers.BooleanField()
    is_fair = serializers.BooleanField()


class TransitionSerializer(Strict):
    action = serializers.ChoiceField(["publish", "pause", "resume", "stop"])


class PlacesSerializer(Strict):
    more = serializers.IntegerField(min_value=1, max_value=bounds.MOST_PLACES)


class CeilingSerializer(Strict):
    ceiling = Amount(help_text=MINOR)


# --- People ------------------------------------------------------------------------------------


class PaymentSerializer(serializers.ModelSerializer[PanelPayment]):
    class Meta:
        model = PanelPayment
        fields = ["id", "kind", "amount", "currency", "state", "problem", "reason", "settled_at"]


class EntrySerializer(serializers.Serializer[Any]):
    """One person in both books; either side can be missing."""

    submission = serializers.IntegerField(source="submission.pk", default=None)
    external_id = serializers.CharField(
        source="submission.external_id", default=None, help_text="The submission at the panel."
    )
    person = serializers.SerializerMethodField(
        help_text="The panel's id of the rater, for roles that see these ids."
    )
    state = serializers.CharField(source="submission.state", default=None)
    entered_code = serializers.CharField(source="submission.entered_code", default=None)
    seconds = serializers.FloatField(source="submission.seconds", default=None)
    rater = serializers.CharField(source="rater.label", default=None)
    outcome = serializers.CharField(source="rater.outcome", default=None)
    has_right_code = serializers.BooleanField()
    waits_for_a_person = serializers.BooleanField()
    payments = PaymentSerializer(many=True)

    def get_person(self, entry: Any) -> str | None:
        submission = entry.submission
        if submission is None or not may_see_people(self.context["request"], submission.study):
            return None
        return str(submission.person)


class BooksSerializer(serializers.Serializer[Any]):
    """Everybody who has finished on at least one side, each in exactly one of the lists.

    People in `asked_to_return` have not returned their submission yet.
    """

    both = EntrySerializer(many=True)
    only_here = EntrySerializer(many=True)
    only_there = EntrySerializer(many=True)
    asked_to_return = EntrySerializer(many=True)
    at_work = serializers.IntegerField()
    left = serializers.IntegerField(help_text="Returned, or out of time.")
    open_questions = serializers.IntegerField(help_text="People about whom somebody decides.")


class ShareSerializer(Strict):
    percent = serializers.IntegerField(min_value=LEAST_SHARE, max_value=MOST_SHARE)
    reason = Reason()


class BonusSerializer(Strict):
    amount = Amount(help_text=MINOR)
    reason = Reason()


class RaterBonusSerializer(Strict):
    rater = serializers.CharField(max_length=40, help_text="The rater's label.")
    amount = Amount(help_text=MINOR)


class BonusesSerializer(Strict):
    """An hourly rate for everybody who was approved, or a list."""

    per_hour = Amount(required=False)
    bonuses = RaterBonusSerializer(many=True, required=False)
    reason = Reason()

    dry_run = serializers.BooleanField(default=False, help_text="Only say who would get how much.")

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if ("per_hour" in given) == ("bonuses" in given):
            raise serializers.ValidationError("Give per_hour or bonuses.")
        return given


class DraftedSerializer(serializers.Serializer[Any]):
    drafted = serializers.IntegerField(help_text="Payments that a worker will make.")
    bonuses = RaterBonusSerializer(many=True)
    cost = serializers.IntegerField(help_text="Of all of them, about, with fees and tax.")


class MessageSerializer(Strict):
    body = serializers.CharField(max_length=LONGEST_MESSAGE)


class ReturnSerializer(Strict):
    reason = Reason()


class RejectionSerializer(Strict):
    category = serializers.ChoiceField(sorted(CATEGORIES))
    message = serializers.CharField(min_length=SHORTEST_REASON, max_length=LONGEST_REASON)


class RejectionDraftSerializer(serializers.Serializer[Any]):
    category = serializers.CharField()
    message = serializers.CharField(help_text="Empty where nothing speaks for a rejection.")
    failed = serializers.IntegerField(help_text="Attention checks that the rater failed.")
    needed = serializers.IntegerField(help_text="How many the panel asks for.")


class LostPaymentSerializer(Strict):
    was_paid = serializers.BooleanField(help_text="What the panel's own pages show.")


def entry_of(submission: Any) -> Entry:
    return Entry(submission.participant, submission, tuple(submission.payments.order_by("id")))
