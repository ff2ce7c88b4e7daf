"""The shapes of campaigns, presets and progress."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from analysis.planning.published import STUDIES
from analysis.planning.sizes import MOST_ITEMS, MOST_RATERS, MOST_REPEATS
from rankme.actions.campaign.members import MOST_DAYS, USUAL_DAYS
from rankme.actions.campaign.pilots import PREFIX
from rankme.actions.campaign.planner import OWN
from rankme.models import AuditEvent, Campaign, MemberInvitation, Membership
from rankme.models.campaigns import MEMBER_CHOICES

from .view import PageQuery, Strict


class CampaignQuery(PageQuery):
    state = serializers.ChoiceField(Campaign.State.choices, required=False)
    owned = serializers.BooleanField(allow_null=True, default=None, help_text="Only your own.")


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    owner = serializers.CharField(source="owner.get_username")

    class Meta:
        model = Campaign
        fields = [
            "id",
            "code",
            "title",
            "state",
            "is_archive",
            "version",
            "owner",
            "created_at",
            "launched_at",
            "closed_at",
        ]


class CampaignDetailSerializer(CampaignSerializer):
    definition = serializers.DictField(help_text="The campaign file as a document.")

    class Meta(CampaignSerializer.Meta):
        fields = [*CampaignSerializer.Meta.fields, "definition"]


class NewCampaignSerializer(Strict):
    """A preset's name, a definition, a campaign to copy, or an archive for judgements."""

    definition = serializers.DictField(required=False)
    preset = serializers.CharField(max_length=60, required=False)
    language = serializers.CharField(
        max_length=10,
        required=False,
        help_text="With `preset`: its texts in this language (de, cs or ar), if it has them.",
    )
    copy_of = serializers.CharField(
        max_length=60, required=False, help_text="The code of a campaign to duplicate."
    )
    material = serializers.BooleanField(
        required=False, help_text="With `copy_of`: copy its items and outputs, too."
    )
    archive = serializers.BooleanField(
        required=False, help_text="An empty campaign for an upload of judgements; needs a title."
    )
    title = serializers.CharField(
        max_length=200,
        required=False,
        help_text="The title of the archive or of the copy, or one that replaces the preset's.",
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        ways = ("definition", "preset", "copy_of", "archive")
        if sum(bool(given.get(way)) for way in ways) != 1:
            raise serializers.ValidationError(
                "Give a definition, a preset's name, copy_of, or archive."
            )
        if given.get("material") and "copy_of" not in given:
            raise serializers.ValidationError({"material": ["Only a copy takes material along."]})
        if "language" in given and "preset" not in given:
            raise serializers.ValidationError({"language": ["Only a preset has other languages."]})
        if "title" in given and "definition" in given:
            raise serializers.ValidationError({"title": ["A definition has its own title."]})
        if "title" not in given and given.get("archive"):
            raise serializers.ValidationError({"title": ["An archive needs a title."]})
        return given


class PlanQuery(serializers.Serializer[Any]):
    raters = serializers.IntegerField(
        min_value=1,
        max_value=100_000,
        required=False,
        help_text="Also say how many batches each of so many raters would do.",
    )


class RatersSerializer(Strict):
    raters = serializers.IntegerField(min_value=1, max_value=100_000)


class SpreadSerializer(serializers.Serializer[Any]):
    min = serializers.FloatField()
    mean = serializers.FloatField()
    max = serializers.FloatField()


class PlannedWorkSerializer(serializers.Serializer[Any]):
    """A plan in figures. The same draft always draws the same plan."""

    design = serializers.CharField(source="plan.design")
    seed = serializers.IntegerField(source="plan.seed")
    batches = serializers.IntegerField(source="plan.balance.batches")
    trials = serializers.IntegerField(source="plan.balance.trials")
    outputs_shown = serializers.IntegerField(source="plan.balance.judgements")
    judgements = serializers.IntegerField(help_text="Single values.")
    screens_per_trial = serializers.FloatField()
    raters_per_trial = serializers.IntegerField(source="plan.raters_per_trial")
    raters = serializers.IntegerField(
        source="estimate.raters", help_text="So many are needed, at `batches_per_rater`."
    )
    batches_per_rater = serializers.IntegerField(
        required=False, help_text="Only with the parameter `raters`: for these."
    )
    minutes_per_batch = serializers.FloatField(source="estimate.minutes_per_batch")
    minutes_per_rater = serializers.FloatField(source="estimate.minutes_per_rater")
    hours_in_all = serializers.FloatField(source="estimate.hours_in_all")
    cost = serializers.FloatField(source="estimate.cost", help_text="Without a panel's fees.")
    currency = serializers.CharField(source="estimate.currency")
    pay_per_hour = serializers.FloatField(source="estimate.pay_per_hour")
    pay_is_low = serializers.BooleanField(help_text="Below what the panel asks for.")
    words_per_screen = serializers.FloatField(source="reading.words_per_screen")
    is_too_fast_to_read = serializers.BooleanField(source="reading.is_too_fast")
    trials_per_batch = SpreadSerializer(source="plan.balance.trials_per_batch")
    outputs_per_system = SpreadSerializer(source="plan.balance.per_system")
    outputs_per_item = SpreadSerializer(source="plan.balance.per_item")
    raters_per_output = SpreadSerializer(source="plan.balance.per_output")
    notes = serializers.ListField(
        source="plan.notes", child=serializers.CharField(), help_text="What is not balanced."
    )


class OutlookQuery(serializers.Serializer[Any]):
    """A plan to ask about; what is left out is as the draft has it. Shares are in percent."""

    raters = serializers.IntegerField(min_value=1, max_value=MOST_RATERS, required=False)
    items = serializers.IntegerField(min_value=1, max_value=MOST_ITEMS, required=False)
    repeats = serializers.IntegerField(
        min_value=1, max_value=MOST_REPEATS, required=False, help_text="Raters of each output."
    )
    spreads = serializers.CharField(
        max_length=60,
        required=False,
        help_text="Those of a published study ("
        + ", ".join(f"`{each.key}`" for each in STUDIES)
        + f"), of a closed campaign (`{PREFIX}CODE`), or `{OWN}`: the four numbers.",
    )
    rater_system = serializers.FloatField(min_value=0, max_value=1e9, required=False)
    item_system = serializers.FloatField(min_value=0, max_value=1e9, required=False)
    residual = serializers.FloatField(min_value=1e-9, max_value=1e9, required=False)
    system = serializers.FloatField(min_value=0, max_value=1e9, required=False)
    seconds = serializers.FloatField(min_value=0.1, max_value=86_400, required=False)
    fixed_minutes = serializers.FloatField(min_value=0, max_value=1_000, required=False)
    pay = serializers.FloatField(
        min_value=0, max_value=100_000, required=False, help_text="For an hour."
    )
    fee = serializers.FloatField(min_value=0, max_value=500, required=False)
    dropouts = serializers.FloatField(min_value=0, max_value=95, required=False)
    lost = serializers.FloatField(
        min_value=0, max_value=95, required=False, help_text="Careful raters that are excluded."
    )
    overhead = serializers.FloatField(
        min_value=0, max_value=95, required=False, help_text="Time for checks."
    )
    money = serializers.FloatField(
        min_value=0, max_value=1e9, required=False, help_text="Also find the best plan for it."
    )
    most_minutes = serializers.FloatField(
        min_value=0, max_value=100_000, required=False, help_text="Also find the best plan in it."
    )
    most_raters = serializers.IntegerField(min_value=1, max_value=MOST_RATERS, required=False)


class PlannedSizeSerializer(serializers.Serializer[Any]):
    """One plan: its size, what it takes, and what it finds."""

    raters = serializers.IntegerField(source="size.raters")
    items = serializers.IntegerField(source="size.items")
    repeats = serializers.IntegerField(source="size.repeats")
    recruited = serializers.IntegerField(source="price.recruited")
    minutes_of_a_rater = serializers.FloatField(source="price.minutes_of_a_rater")
    hours = serializers.FloatField(source="price.hours")
    money = serializers.FloatField(source="price.money")
    lost_money = serializers.FloatField(source="price.lost_pay")
    detectable = serializers.FloatField(
        source="prospect.detectable",
        allow_null=True,
        help_text="The difference found with a power of .8; null where nothing can be claimed.",
    )
    half_width = serializers.FloatField(source="prospect.half_width", allow_null=True)
    found = serializers.FloatField(source="prospect.found")
    order = serializers.FloatField(
        source="prospect.order", help_text="1 where systems do not differ in the spreads."
    )
    boundary = serializers.FloatField(source="prospect.boundary")
    stable = serializers.FloatField(source="prospect.stable")
    wrong_sign = serializers.FloatField(source="prospect.wrong_sign", allow_null=True)
    exaggeration = serializers.FloatField(source="prospect.exaggeration", allow_null=True)


class PredictionSerializer(serializers.Serializer[Any]):
    found = serializers.FloatField(help_text="Share of the differences that is found.")
    low = serializers.FloatField(help_text="Nine in ten of the possible truths are from here …")
    high = serializers.FloatField(help_text="… to here.")
    naive = serializers.FloatField(help_text="What the pilot's own differences would promise.")


class OutlookSerializer(serializers.Serializer[Any]):
    plan = PlannedSizeSerializer(source="outlook.plan")
    best = PlannedSizeSerializer(source="outlook.best", allow_null=True)
    refusal = serializers.CharField(
        source="outlook.refusal", help_text="Why there is no best plan; empty otherwise."
    )
    widest = serializers.FloatField(
        allow_null=True,
        help_text="The largest difference on the scale, where the spreads are in its unit; no "
        "larger one is ever found.",
    )
    prediction = PredictionSerializer(
        allow_null=True, help_text="With a pilot of five systems or more."
    )


class LaunchedSerializer(CampaignSerializer):
    plan = PlannedWorkSerializer(
        allow_null=True, help_text="Null for a large campaign, whose plan a worker draws."
    )
    open_link = serializers.CharField(help_text="For raters; empty if it is switched off.")
    panel_link = serializers.CharField(help_text="With the panel's placeholders, or empty.")

    class Meta(CampaignSerializer.Meta):
        fields = [*CampaignSerializer.Meta.fields, "plan", "open_link", "panel_link"]


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """An account in the campaign, with its role."""

    class Meta:
        model = Membership
        fields = ["id", "username", "role", "added_at", "opened_at"]


class NewInvitationSerializer(Strict):
    role = serializers.ChoiceField(
        MEMBER_CHOICES,
        help_text="What each may do is in the docs, on the page about members.",
    )
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, default=USUAL_DAYS)


class RoleSerializer(Strict):
    role = serializers.ChoiceField(MEMBER_CHOICES)


class NewOwnerSerializer(Strict):
    member = serializers.IntegerField(min_value=1, help_text="The `id` of a member.")


class TypedTitleSerializer(Strict):
    title = serializers.CharField(
        max_length=200, help_text="The title of the campaign, as a confirmation."
    )


class DeletionSerializer(serializers.Serializer[Any]):
    """Whether a campaign is to be deleted. Until `due_at` it can be kept."""

    reason = serializers.CharField(help_text="What must be done before; empty if nothing.")
    asked_at = serializers.DateTimeField(allow_null=True)
    due_at = serializers.DateTimeField(allow_null=True)


class MemberInvitationSerializer(serializers.ModelSerializer[MemberInvitation]):
    """A link that lets one account in, once."""

    class Meta:
        model = MemberInvitation
        fields = ["id", "role", "made_at", "ends_at"]


class MadeInvitationSerializer(MemberInvitationSerializer):
    link = serializers.CharField(help_text="Shown only once.")

    class Meta(MemberInvitationSerializer.Meta):
        fields = [*MemberInvitationSerializer.Meta.fields, "link"]


class EventSerializer(serializers.ModelSerializer[AuditEvent]):
    actor = serializers.CharField(allow_null=True, help_text="Null: the site itself.")
    detail = serializers.DictField()

    class Meta:
        model = AuditEvent
        fields = ["id", "number", "happened_at", "actor", "verb", "detail"]


class DefinitionSerializer(Strict):
    definition = serializers.DictField()


class PresetSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()


class SystemProgressSerializer(serializers.Serializer[Any]):
    system = serializers.CharField(source="name")
    judged = serializers.IntegerField()
    planned = serializers.IntegerField()


class ProgressSerializer(serializers.Serializer[Any]):
    """The progress of a launched campaign, counted from the record at this moment."""

    batches = serializers.IntegerField(help_text="Each counted once per planned rater.")
    batches_done = serializers.IntegerField()
    batches_held = serializers.IntegerField()
    screens = serializers.IntegerField()
    screens_done = serializers.IntegerField()
    screens_per_hour = serializers.FloatField()
    expected_end = serializers.DateTimeField(allow_null=True)
    systems = SystemProgressSerializer(many=True)
