"""The shapes of raters, of what they did, and of what organisers decide about them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from rankme.links import invitation_link
from rankme.permissions import Permission, may

from .view import Strict


class ExclusionSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField()
    rule = serializers.CharField(help_text="Of the campaign, if one excluded the rater.")
    by_rater = serializers.BooleanField(help_text="They withdrew their answers, for good.")
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)


class RaterSerializer(serializers.Serializer[Any]):
    """One rater by label, never by the panel's id."""

    id = serializers.IntegerField(source="participant.pk")
    rater = serializers.CharField(source="participant.label", help_text="The label.")
    name = serializers.SerializerMethodField(
        help_text="Of a personal link; empty for roles that see no identities."
    )
    panel = serializers.CharField(source="participant.panel")
    state = serializers.CharField(source="participant.state")
    outcome = serializers.CharField(source="participant.outcome")
    arrived_at = serializers.DateTimeField(source="participant.arrived_at")
    last_seen = serializers.DateTimeField(allow_null=True)
    withdrawn_at = serializers.DateTimeField(source="participant.withdrawn_at", allow_null=True)
    erased_at = serializers.DateTimeField(
        source="participant.erased_at", allow_null=True, help_text="Of who the rater is."
    )
    screens = serializers.IntegerField()
    seconds_per_screen = serializers.FloatField(allow_null=True)
    pace = serializers.CharField(help_text="`slow` or `fast` compared with the others, or empty.")
    flags = serializers.SerializerMethodField()
    exclusion = ExclusionSerializer(allow_null=True)

    def get_name(self, line: Any) -> str:
        return line.invitation if may(self.context["request"], Permission.IDENTITIES) else ""

    def get_flags(self, line: Any) -> dict[str, int]:
        return dict(line.flags)


class LeaseSerializer(serializers.Serializer[Any]):
    """A rater's hold on a batch."""

    id = serializers.IntegerField(source="assignment.pk")
    batch = serializers.IntegerField(source="assignment.batch.number", help_text="From 0.")
    state = serializers.CharField(source="assignment.state")
    counts = serializers.BooleanField(
        source="assignment.counts", help_text="For its batch; no analysis uses an excluded rater."
    )
    screens = serializers.IntegerField()
    screens_done = serializers.IntegerField()
    claimed_at = serializers.DateTimeField(source="assignment.claimed_at")
    leased_until = serializers.DateTimeField(source="assignment.leased_until")
    ended_at = serializers.DateTimeField(source="assignment.ended_at", allow_null=True)


class HeldBatchSerializer(LeaseSerializer):
    rater = serializers.CharField(source="assignment.participant.label")
    is_overdue = serializers.BooleanField()


class CommentSerializer(serializers.Serializer[Any]):
    item = serializers.CharField()
    text = serializers.CharField()


class RaterDetailSerializer(RaterSerializer):
    batches = LeaseSerializer(many=True)
    comments = CommentSerializer(many=True)
    past_exclusions = ExclusionSerializer(many=True)


class NewExclusionSerializer(Strict):
    reason = serializers.CharField(max_length=500, help_text="Appears in the report.")


class CheckLineSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    answered = serializers.IntegerField()
    failed = serializers.IntegerField(allow_null=True)
    paired_p = serializers.FloatField(allow_null=True)
    unpaired_p = serializers.FloatField(allow_null=True)
    icc = serializers.FloatField(allow_null=True)


class AlarmSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    sentence = serializers.CharField(help_text="What was found, and what could explain it.")
    rate = serializers.CharField(help_text="How many careful raters get this alarm.")


class QualityLineSerializer(serializers.Serializer[Any]):
    """The facts about one rater that *Quality* shows."""

    id = serializers.IntegerField(source="participant.pk")
    rater = serializers.CharField(source="participant.label", help_text="The label.")
    checks = CheckLineSerializer(many=True)
    screens = serializers.IntegerField(source="facts.screens")
    median_seconds = serializers.FloatField(source="facts.median_seconds", allow_null=True)
    median_active_seconds = serializers.FloatField(
        source="facts.median_active_seconds", allow_null=True
    )
    impossible_times = serializers.IntegerField(source="facts.impossible_times")
    same_answer_share = serializers.FloatField(source="facts.same_answer_share", allow_null=True)
    position_bias = serializers.FloatField(source="facts.position_bias", allow_null=True)
    agreement = serializers.FloatField(source="facts.agreement", allow_null=True)
    alarms = AlarmSerializer(many=True, help_text="Hints for people. They decide nothing.")
    rules = serializers.SerializerMethodField(help_text="The parts of rules that caught the rater.")
    is_excluded = serializers.SerializerMethodField()
    sentence = serializers.CharField(help_text="What is notable. It decides nothing.")

    def get_rules(self, line: Any) -> list[str]:
        return [str(decision.rule) for decision in line.decisions]

    def get_is_excluded(self, line: Any) -> bool:
        return line.exclusion is not None


class NewLinksSerializer(Strict):
    names = serializers.ListField(
        child=serializers.CharField(max_length=200),
        default=list,
        max_length=1_000,
        help_text="Each is stored with its link, and shown next to the rater's answers.",
    )
    unnamed = serializers.IntegerField(min_value=0, max_value=1_000, default=0)
    on_pages = serializers.BooleanField(
        default=False,
        help_text="Add them to the pages of all their work that raters of these names have, in "
        "campaigns that you own or edit.",
    )


class InvitationSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    link = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    has_address = serializers.BooleanField(
        source="mail", help_text="Whether an address is kept, for reminders. It is never shown."
    )
    mail_stopped_at = serializers.DateTimeField(
        allow_null=True, help_text="When the person asked for no more mail about this link."
    )
    reminder_asked_at = serializers.DateTimeField(
        allow_null=True, help_text="Since when a reminder waits to be sent."
    )
    reminded_at = serializers.DateTimeField(allow_null=True)
    has_work_page = serializers.BooleanField(
        source="work_page", help_text="Whether it is on a page of all the person's work."
    )

    def get_link(self, invitation: Any) -> str:
        return invitation_link(self.context["entry"], invitation.token)


class LinkMailSerializer(Strict):
    mail = serializers.EmailField(help_text="The address to which the link is sent.")
    keep = serializers.BooleanField(
        default=False,
        help_text="Keep the address, encrypted, so that the person can be reminded. Without it, "
        "an address that was kept is forgotten.",
    )


class RemindersSerializer(serializers.Serializer[Any]):
    """Whom a reminder would be sent to now, or is being sent to."""

    number = serializers.IntegerField(help_text="How many people get one mail each.")


class WorkPageSerializer(serializers.Serializer[Any]):
    link = serializers.CharField(help_text="For the rater. Shown only once.")
