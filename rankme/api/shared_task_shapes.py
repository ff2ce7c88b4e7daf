"""The shapes of shared tasks: for teams, and for hosts."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from analysis.planning.published import STUDIES
from rankme.actions.shared_task.next_year import TIMES
from rankme.actions.shared_task.room import BOUNDS
from rankme.actions.shared_task.tasks import CHANGEABLE
from rankme.actions.shared_task.warnings import titled
from rankme.models import SharedTask, SystemUpload, Team, TeamMember, TeamSystem, Track

from .material_shapes import UploadField
from .view import LARGEST_ID, Strict

LINK = "Shown only once."


class TrackSerializer(serializers.ModelSerializer[Track]):
    class Meta:
        model = Track
        fields = ["id", "name", "is_development", "sources_sha256", "references_sha256"]


class RoomSerializer(serializers.Serializer[Any]):
    """What so many systems get; `costs` is to each of the others, as a share of `detectable`."""

    systems = serializers.IntegerField()
    items = serializers.IntegerField()
    judgements = serializers.FloatField(help_text="Of each system.")
    detectable = serializers.FloatField(
        allow_null=True, help_text="The difference that is found with a power of .8."
    )
    costs = serializers.FloatField(allow_null=True)
    is_whole = serializers.BooleanField(help_text="Whether every item is judged.")


class RoomsSerializer(serializers.Serializer[Any]):
    allowed = serializers.IntegerField(help_text="Systems for which every item is judged.")
    rooms = RoomSerializer(many=True)


class CallSerializer(serializers.ModelSerializer[SharedTask]):
    """What anybody with the address of the call may read; times are in UTC."""

    tracks = TrackSerializer(many=True)
    room = RoomsSerializer(allow_null=True)

    class Meta:
        model = SharedTask
        fields = [*CHANGEABLE, "tracks", "room"]


class MeansSerializer(Strict):
    """What a track has; a field that is left out is as its campaign is defined."""

    raters = serializers.IntegerField(required=False, **BOUNDS["raters"])
    items = serializers.IntegerField(required=False, **BOUNDS["items"])
    repeats = serializers.IntegerField(
        required=False, help_text="Raters of each output.", **BOUNDS["repeats"]
    )
    seconds = serializers.FloatField(
        required=False, help_text="For an output.", **BOUNDS["seconds"]
    )
    minutes = serializers.FloatField(
        required=False, help_text="Of each rater.", **BOUNDS["minutes"]
    )
    money = serializers.FloatField(required=False, **BOUNDS["money"])
    pay = serializers.FloatField(required=False, help_text="For an hour.", **BOUNDS["pay"])
    spreads = serializers.ChoiceField(
        [each.key for each in STUDIES], help_text="The study as in which judgements scatter."
    )
    tell = serializers.BooleanField(
        default=False, help_text="Let the call say it, until it is told again."
    )


class RegistrationSerializer(Strict):
    name = serializers.CharField(
        min_length=2, max_length=32, help_text="The short one of tables and files."
    )
    publication_name = serializers.CharField(max_length=80)
    institution = serializers.CharField(max_length=200, required=False, allow_blank=True)
    captain = serializers.CharField(max_length=100, help_text="Your own name.")
    email = serializers.EmailField(required=False, allow_blank=True)
    accepts_terms = serializers.BooleanField(required=False)
    invitation = serializers.CharField(max_length=100, required=False)


class SecretSerializer(serializers.Serializer[Any]):
    link = serializers.URLField(help_text=LINK)


class TeamSystemSerializer(serializers.ModelSerializer[TeamSystem]):
    class Meta:
        model = TeamSystem
        fields = ["id", "name", "description", "is_constrained", "registered_at"]


class NewSystemSerializer(Strict):
    name = serializers.CharField(max_length=60)
    description = serializers.CharField(max_length=5_000, required=False, allow_blank=True)
    is_constrained = serializers.BooleanField(
        default=True, help_text="Whether it uses the given data alone."
    )
    judged_before = serializers.CharField(
        max_length=60,
        required=False,
        help_text="For a baseline of the hosts: `CAMPAIGN/CODE` of the task of the year before.",
    )


class TeamSerializer(serializers.ModelSerializer[Team]):
    systems = TeamSystemSerializer(many=True)

    class Meta:
        model = Team
        fields = [
            "id",
            "name",
            "publication_name",
            "institution",
            "citation",
            "state",
            "registered_at",
            "systems",
        ]


class FactsSerializer(Strict):
    publication_name = serializers.CharField(max_length=80)
    institution = serializers.CharField(max_length=200, default="", allow_blank=True)
    citation = serializers.CharField(
        max_length=5_000, default="", allow_blank=True, help_text="BibTeX."
    )


class TeamMemberSerializer(serializers.ModelSerializer[TeamMember]):
    class Meta:
        model = TeamMember
        fields = ["id", "name", "is_captain", "added_at"]


class NewMemberSerializer(Strict):
    name = serializers.CharField(max_length=100)
    email = serializers.EmailField(required=False, allow_blank=True)


class NewHostSerializer(Strict):
    username = serializers.CharField(max_length=150)


class HostSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    username = serializers.CharField(source="user.username")
    added_at = serializers.DateTimeField()


class OwnTeamSerializer(TeamSerializer):
    """Your team and its task."""

    member = serializers.CharField(help_text="Your own name.")
    is_captain = serializers.BooleanField()
    task = CallSerializer()

    class Meta(TeamSerializer.Meta):
        fields = [*TeamSerializer.Meta.fields, "member", "is_captain", "task"]


class CheckSerializer(serializers.Serializer[Any]):
    state = serializers.CharField()
    error = serializers.CharField()
    is_valid = serializers.BooleanField(  # type: ignore[assignment]
        allow_null=True, help_text="null: not yet checked."
    )
    problems = serializers.ListField(
        child=serializers.DictField(),
        help_text="Each with `message`, `file`, `line` and `column`.",
    )
    warnings = serializers.SerializerMethodField()
    scores = serializers.SerializerMethodField(help_text="In development tracks alone.")

    @extend_schema_field(serializers.ListField(child=serializers.DictField()))
    def get_warnings(self, check: Any) -> list[dict[str, Any]]:
        return titled(check.warnings)

    @extend_schema_field(serializers.DictField(child=serializers.FloatField()))
    def get_scores(self, check: Any) -> dict[str, float]:
        found: dict[str, float] = check.scores
        return found if check.upload.track.is_development else {}


class TaskUploadSerializer(serializers.ModelSerializer[SystemUpload]):
    track = serializers.CharField(source="track.name")
    system = serializers.CharField(source="system.name")
    check = CheckSerializer(source="check_job")

    class Meta:
        model = SystemUpload
        fields = [
            "id",
            "number",
            "track",
            "system",
            "file_name",
            "size",
            "sha256",
            "received_at",
            "in_grace",
            "is_late",
            "role",
            "withdrawn_at",
            "check",
        ]


class HostedUploadSerializer(TaskUploadSerializer):
    team = serializers.CharField(source="team.name")

    class Meta(TaskUploadSerializer.Meta):
        fields = ["team", *TaskUploadSerializer.Meta.fields]


class NewTicketSerializer(Strict):
    track = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)


class TicketSerializer(serializers.Serializer[Any]):
    ticket = serializers.UUIDField(help_text="Send it with the upload that begins now.")


class NewTaskUploadSerializer(Strict):
    track = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    system = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    file = UploadField(allow_empty_file=True)
    ticket = serializers.UUIDField(required=False)


class TicketQuery(serializers.Serializer[Any]):
    ticket = serializers.UUIDField(required=False)


class RoleOfUploadSerializer(Strict):
    role = serializers.ChoiceField(SystemUpload.Role.choices)


class CountingSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    role = serializers.CharField()


class ReceiptSerializer(serializers.Serializer[Any]):
    task = serializers.CharField()
    track = serializers.CharField()
    team = serializers.CharField()
    system = serializers.CharField()
    number = serializers.IntegerField()
    file = serializers.CharField()
    size = serializers.IntegerField()
    sha256 = serializers.CharField()
    received_at = serializers.CharField()
    in_grace = serializers.BooleanField()
    is_late = serializers.BooleanField()
    role = serializers.CharField()
    withdrawn_at = serializers.CharField(allow_null=True)
    counts_now = CountingSerializer(many=True)


class TaskLineSerializer(serializers.ModelSerializer[SharedTask]):
    class Meta:
        model = SharedTask
        fields = ["id", "code", "title", "opens_at", "closes_at", "sealed_at", "unsealed_at"]


class HostedTrackSerializer(TrackSerializer):
    campaign = serializers.CharField(source="campaign.code")

    class Meta(TrackSerializer.Meta):
        fields = [*TrackSerializer.Meta.fields, "campaign"]


class HostedTaskSerializer(CallSerializer):
    """A task for its hosts."""

    tracks = HostedTrackSerializer(many=True)

    class Meta(CallSerializer.Meta):
        fields = [
            "code",
            *CallSerializer.Meta.fields,
            "sealed_at",
            "seal_sha256",
            "unseal_asked_at",
            "unsealed_at",
            "published_at",
        ]


class NewTaskSerializer(Strict, serializers.ModelSerializer[SharedTask]):
    class Meta:
        model = SharedTask
        fields = CHANGEABLE


class ChangedTaskSerializer(NewTaskSerializer):
    class Meta(NewTaskSerializer.Meta):
        extra_kwargs = {name: {"required": False} for name in CHANGEABLE}


class CopiedTaskSerializer(Strict, serializers.ModelSerializer[SharedTask]):
    """What a copy never takes over: its title and its times."""

    class Meta:
        model = SharedTask
        fields = ("title", *TIMES)


class NewTrackSerializer(Strict):
    name = serializers.CharField(max_length=60)
    is_development = serializers.BooleanField(default=False)
    preset = serializers.CharField(
        max_length=60, required=False, help_text="That the campaign begins with."
    )


class DecisionSerializer(Strict):
    decision = serializers.ChoiceField(["approve", "refuse", "withdraw"])


class NewLinkSerializer(Strict):
    """A link for a team that is invited, or into the hosts' own teams."""

    kind = serializers.ChoiceField(["invitation", "hosts", "rehearsal"])


class SealChoiceSerializer(Strict):
    late = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        max_length=500,
        default=list,
        help_text="Ids of late uploads that are let in.",
    )
    with_reference = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        max_length=50,
        default=list,
        help_text="Ids of tracks in which people judge the reference as a system.",
    )


class FieldUploadSerializer(serializers.Serializer[Any]):
    team = serializers.CharField(source="team.name")
    system = serializers.CharField(source="system.name")
    number = serializers.IntegerField()


class SealFieldSerializer(serializers.Serializer[Any]):
    track = serializers.CharField(source="track.name")
    judged = FieldUploadSerializer(many=True)
    left_out = FieldUploadSerializer(many=True, help_text="Over the limit of the task.")
    has_other_references = serializers.BooleanField(
        help_text="The references have changed since the task opened."
    )


class SealSerializer(serializers.Serializer[Any]):
    """What would become a code now; after the seal, its commitment alone."""

    sealed_at = serializers.DateTimeField(allow_null=True)
    commitment = serializers.CharField(allow_blank=True)
    refusal = serializers.CharField(allow_blank=True, help_text="Why the task cannot be sealed.")
    tracks = SealFieldSerializer(many=True)


class UnsealChoiceSerializer(Strict):
    act = serializers.ChoiceField(["ask", "agree", "alone"])
    reason = serializers.CharField(
        max_length=2_000, required=False, help_text="With `alone`; the history keeps it."
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if (given["act"] == "alone") != ("reason" in given):
            raise serializers.ValidationError({"reason": ["Give a reason with `alone` alone."]})
        return given


class UnsealSerializer(serializers.Serializer[Any]):
    sealed_at = serializers.DateTimeField(allow_null=True)
    unsealed_at = serializers.DateTimeField(allow_null=True)
    asked_at = serializers.DateTimeField(allow_null=True)
    asked_by = serializers.CharField(allow_blank=True)
    missing = serializers.ListField(
        child=serializers.CharField(),
        help_text="What is not yet fixed without the names: then only a reason unseals.",
    )
