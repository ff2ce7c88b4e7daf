"""Shared tasks: teams, their uploads, and the codes that hide names, with the rules of times."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

import rankme.models.campaigns

# The clock, the number and the limits of uploads are the database's, whatever a web host believes.
UPLOADS = """
CREATE FUNCTION rankme_judge_upload() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    task rankme_sharedtask;
    team rankme_team;
    began timestamptz;
    earlier integer;
BEGIN
    -- One upload of a team at a time: their numbers have no gap.
    SELECT * INTO team FROM rankme_team WHERE id = NEW.team_id FOR NO KEY UPDATE;
    SELECT shared.* INTO task FROM rankme_sharedtask shared
        JOIN rankme_track track ON track.task_id = shared.id WHERE track.id = NEW.track_id
        FOR SHARE OF shared;
    NEW.received_at := clock_timestamp();
    NEW.in_grace := false;
    NEW.is_late := false;
    NEW.role := 'none';
    NEW.withdrawn_at := NULL;
    IF team.task_id <> task.id OR NOT EXISTS (
        SELECT FROM rankme_teamsystem WHERE id = NEW.system_id AND team_id = team.id
    ) THEN
        RAISE EXCEPTION 'team, system and track belong to different tasks'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'upload_is_of_one_task';
    END IF;
    IF team.state NOT IN ('waiting', 'approved') THEN
        RAISE EXCEPTION 'the team does not take part'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'upload_of_a_team_that_takes_part';
    END IF;
    SELECT count(*), coalesce(max(number), 0) + 1 INTO earlier, NEW.number
        FROM rankme_systemupload WHERE team_id = NEW.team_id AND track_id = NEW.track_id;
    IF team.kind <> 'rehearsal' THEN
        IF task.sealed_at IS NOT NULL THEN
            RAISE EXCEPTION 'the task is sealed'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'upload_before_the_seal';
        END IF;
    END IF;
    IF team.kind <> 'team' THEN
        RETURN NEW;
    END IF;
    IF NEW.received_at < task.opens_at THEN
        RAISE EXCEPTION 'the task is not open yet'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'upload_after_the_opening';
    END IF;
    IF NEW.received_at > task.closes_at THEN
        SELECT began_at INTO began FROM rankme_uploadticket
            WHERE id = NEW.ticket_id AND team_id = NEW.team_id AND track_id = NEW.track_id;
        NEW.in_grace := coalesce(began <= task.closes_at, false)
            AND NEW.received_at <= task.closes_at + make_interval(secs => task.grace_seconds);
        NEW.is_late := NOT NEW.in_grace;
        IF NEW.is_late AND task.late = 'refuse' THEN
            RAISE EXCEPTION 'the task is closed'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'upload_before_the_close';
        END IF;
    END IF;
    IF earlier >= task.most_uploads THEN
        RAISE EXCEPTION 'the team has used its uploads to this track'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'upload_within_the_limit';
    END IF;
    IF task.most_uploads_a_day IS NOT NULL AND task.most_uploads_a_day <= (
        SELECT count(*) FROM rankme_systemupload
        WHERE team_id = NEW.team_id AND track_id = NEW.track_id
            AND received_at > NEW.received_at - interval '24 hours'
    ) THEN
        RAISE EXCEPTION 'the team has used its uploads of the last 24 hours'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'upload_within_the_limit_of_a_day';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER upload_is_judged BEFORE INSERT ON rankme_systemupload
    FOR EACH ROW EXECUTE FUNCTION rankme_judge_upload();

-- Of an upload only what counts changes: its role until the seal, a withdrawal until the names.
CREATE FUNCTION rankme_guard_upload() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    task rankme_sharedtask;
    old_facts jsonb := to_jsonb(OLD) - 'role' - 'withdrawn_at';
BEGIN
    IF TG_OP = 'DELETE' OR to_jsonb(NEW) - 'role' - 'withdrawn_at' <> old_facts THEN
        RAISE EXCEPTION '% on % is refused: the record is never changed', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT shared.* INTO task FROM rankme_sharedtask shared
        JOIN rankme_track track ON track.task_id = shared.id WHERE track.id = NEW.track_id
        FOR SHARE OF shared;
    IF task.sealed_at IS NOT NULL AND NEW.role <> OLD.role THEN
        RAISE EXCEPTION 'roles are fixed by the seal'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'roles_are_fixed_by_the_seal';
    END IF;
    IF OLD.withdrawn_at IS NOT NULL AND NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at THEN
        RAISE EXCEPTION 'a withdrawal stays'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_withdrawal_stays';
    END IF;
    IF task.unsealed_at IS NOT NULL AND NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at THEN
        RAISE EXCEPTION 'nothing is withdrawn after the names are known'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_end_with_the_seal';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER upload_is_guarded BEFORE UPDATE OR DELETE ON rankme_systemupload
    FOR EACH ROW EXECUTE FUNCTION rankme_guard_upload();

CREATE TRIGGER upload_is_never_emptied BEFORE TRUNCATE ON rankme_systemupload
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER systemcode_is_insert_only BEFORE UPDATE OR DELETE ON rankme_systemcode
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER systemcode_is_never_emptied BEFORE TRUNCATE ON rankme_systemcode
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER taskevent_is_insert_only BEFORE UPDATE OR DELETE ON rankme_taskevent
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER taskevent_is_never_emptied BEFORE TRUNCATE ON rankme_taskevent
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();

-- A seal is set once, and its commitment with it; what was unsealed stays so.
CREATE FUNCTION rankme_guard_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.sealed_at IS NOT NULL AND (
        NEW.sealed_at, NEW.seal_salt, NEW.seal_sha256, NEW.seed, NEW.opens_at, NEW.closes_at
    ) IS DISTINCT FROM (
        OLD.sealed_at, OLD.seal_salt, OLD.seal_sha256, OLD.seed, OLD.opens_at, OLD.closes_at
    ) THEN
        RAISE EXCEPTION 'a seal is set once'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_seal_is_set_once';
    END IF;
    IF OLD.unsealed_at IS NOT NULL AND (
        NEW.unsealed_at, NEW.unsealed_by_id, NEW.unseal_asked_by_id, NEW.unseal_reason
    ) IS DISTINCT FROM (
        OLD.unsealed_at, OLD.unsealed_by_id, OLD.unseal_asked_by_id, OLD.unseal_reason
    ) THEN
        RAISE EXCEPTION 'what was unsealed stays so'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'what_was_unsealed_stays_so';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER seal_is_guarded BEFORE UPDATE ON rankme_sharedtask
    FOR EACH ROW EXECUTE FUNCTION rankme_guard_seal();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0017_hidden_campaigns"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SharedTask",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "code",
                    models.CharField(
                        default=rankme.models.campaigns.new_code,
                        editable=False,
                        max_length=24,
                        unique=True,
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("call", models.TextField(blank=True)),
                ("terms", models.TextField(blank=True)),
                (
                    "registration",
                    models.CharField(
                        choices=[
                            ("open", "Anybody with the link takes part at once"),
                            ("approve", "A host approves each team; it can upload before that"),
                            ("closed", "Invited teams alone"),
                        ],
                        default="approve",
                        max_length=10,
                    ),
                ),
                ("opens_at", models.DateTimeField()),
                ("preregister_until", models.DateTimeField(blank=True, null=True)),
                ("closes_at", models.DateTimeField()),
                ("grace_seconds", models.PositiveSmallIntegerField(default=300)),
                (
                    "late",
                    models.CharField(
                        choices=[
                            ("refuse", "Late uploads are refused"),
                            ("mark", "Late uploads are taken and marked; hosts decide about each"),
                        ],
                        default="refuse",
                        max_length=10,
                    ),
                ),
                ("most_uploads", models.PositiveSmallIntegerField(default=7)),
                ("most_uploads_a_day", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("most_judged", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "teams_named",
                    models.CharField(
                        choices=[
                            ("at_once", "at once"),
                            ("date", "from a day on"),
                            ("publication", "when the results are published"),
                            ("never", "never"),
                        ],
                        default="publication",
                        max_length=12,
                    ),
                ),
                ("teams_named_at", models.DateTimeField(blank=True, null=True)),
                ("seed", models.BigIntegerField()),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("sealed_at", models.DateTimeField(blank=True, null=True)),
                ("seal_salt", models.CharField(blank=True, max_length=64)),
                ("seal_sha256", models.CharField(blank=True, max_length=64)),
                ("unseal_asked_at", models.DateTimeField(blank=True, null=True)),
                ("unsealed_at", models.DateTimeField(blank=True, null=True)),
                ("unseal_reason", models.TextField(blank=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="shared_tasks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "unseal_asked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "unsealed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="TaskHost",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "added_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hosts",
                        to="rankme.sharedtask",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hosted_tasks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("team", "Team"),
                            ("hosts", "Baselines of the hosts"),
                            ("rehearsal", "Rehearsal of the hosts"),
                        ],
                        default="team",
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waits for approval"),
                            ("approved", "Takes part"),
                            ("refused", "Refused"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(max_length=32)),
                ("publication_name", models.CharField(max_length=80)),
                ("institution", models.CharField(blank=True, max_length=200)),
                ("citation", models.TextField(blank=True)),
                ("accepted_terms_at", models.DateTimeField(blank=True, null=True)),
                (
                    "registered_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="teams",
                        to="rankme.sharedtask",
                    ),
                ),
            ],
            options={
                "ordering": ["task", "id"],
            },
        ),
        migrations.CreateModel(
            name="TeamInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("hash", models.CharField(max_length=64, unique=True)),
                ("note", models.CharField(blank=True, max_length=200)),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="team_invitations",
                        to="rankme.sharedtask",
                    ),
                ),
                (
                    "team",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="invitation",
                        to="rankme.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="TeamMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("hash", models.CharField(max_length=64, unique=True)),
                ("is_captain", models.BooleanField(default=False)),
                (
                    "added_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="rankme.team",
                    ),
                ),
            ],
            options={
                "ordering": ["team", "id"],
            },
        ),
        migrations.CreateModel(
            name="TaskEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("verb", models.CharField(max_length=60)),
                ("detail", models.JSONField(default=dict)),
                (
                    "happened_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="rankme.sharedtask",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="rankme.team",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="rankme.teammember",
                    ),
                ),
            ],
            options={
                "ordering": ["-happened_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="TeamSystem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("description", models.TextField(blank=True)),
                ("is_constrained", models.BooleanField(default=True)),
                (
                    "registered_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="systems",
                        to="rankme.team",
                    ),
                ),
            ],
            options={
                "ordering": ["team", "id"],
            },
        ),
        migrations.CreateModel(
            name="Track",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("is_development", models.BooleanField(default=False)),
                ("position", models.PositiveSmallIntegerField(default=0)),
                ("sources_sha256", models.CharField(blank=True, max_length=64)),
                ("references_sha256", models.CharField(blank=True, max_length=64)),
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="track",
                        to="rankme.campaign",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tracks",
                        to="rankme.sharedtask",
                    ),
                ),
            ],
            options={
                "ordering": ["task", "position", "id"],
            },
        ),
        migrations.CreateModel(
            name="SystemUpload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(default=0, editable=False)),
                ("file_name", models.CharField(max_length=200)),
                ("stored", models.CharField(editable=False, max_length=200)),
                ("size", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "received_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("in_grace", models.BooleanField(default=False, editable=False)),
                ("is_late", models.BooleanField(default=False, editable=False)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("none", "Does not count"),
                            ("primary", "Primary"),
                            ("contrastive", "Contrastive"),
                        ],
                        default="none",
                        max_length=12,
                    ),
                ),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uploads",
                        to="rankme.team",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uploads",
                        to="rankme.teammember",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uploads",
                        to="rankme.teamsystem",
                    ),
                ),
                (
                    "track",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uploads",
                        to="rankme.track",
                    ),
                ),
            ],
            options={
                "ordering": ["team", "track", "number"],
            },
        ),
        migrations.CreateModel(
            name="SystemCode",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=8)),
                (
                    "upload",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="code",
                        to="rankme.systemupload",
                    ),
                ),
                (
                    "track",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="codes",
                        to="rankme.track",
                    ),
                ),
            ],
            options={
                "ordering": ["track", "code"],
            },
        ),
        migrations.CreateModel(
            name="Dispute",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("answer", models.TextField(blank=True)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="disputes",
                        to="rankme.team",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="disputes",
                        to="rankme.teammember",
                    ),
                ),
                (
                    "track",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="disputes",
                        to="rankme.track",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="UploadCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("working", "Working"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("progress", models.FloatField(default=0.0, help_text="Share done, 0 to 1")),
                (
                    "step",
                    models.CharField(
                        blank=True, help_text="What is being done now", max_length=200
                    ),
                ),
                ("error", models.TextField(blank=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claimed_by", models.CharField(blank=True, max_length=200)),
                (
                    "requested_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("heartbeat_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("is_valid", models.BooleanField(null=True)),
                ("problems", models.JSONField(blank=True, default=list)),
                ("warnings", models.JSONField(blank=True, default=list)),
                ("scores", models.JSONField(blank=True, default=dict)),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "upload",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="check_job",
                        to="rankme.systemupload",
                    ),
                ),
            ],
            options={
                "ordering": ["-requested_at"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="UploadTicket",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.UUIDField(default=uuid.uuid4, unique=True)),
                (
                    "began_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tickets",
                        to="rankme.team",
                    ),
                ),
                (
                    "track",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tickets",
                        to="rankme.track",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="systemupload",
            name="ticket",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="upload",
                to="rankme.uploadticket",
            ),
        ),
        migrations.AddConstraint(
            model_name="sharedtask",
            constraint=models.CheckConstraint(
                condition=models.Q(("closes_at__gt", models.F("opens_at"))),
                name="task_closes_after_it_opens",
            ),
        ),
        migrations.AddConstraint(
            model_name="sharedtask",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("preregister_until", None),
                    ("preregister_until__lte", models.F("closes_at")),
                    _connector="OR",
                ),
                name="task_preregistration_ends_before_the_close",
            ),
        ),
        migrations.AddConstraint(
            model_name="sharedtask",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("teams_named", "date"), _negated=True),
                    ("teams_named_at__isnull", False),
                    _connector="OR",
                ),
                name="task_teams_are_named_on_a_day",
            ),
        ),
        migrations.AddConstraint(
            model_name="sharedtask",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("unsealed_at", None), ("sealed_at__isnull", False), _connector="OR"
                ),
                name="task_is_unsealed_after_it_was_sealed",
            ),
        ),
        migrations.AddConstraint(
            model_name="sharedtask",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("unsealed_at", None),
                    models.Q(
                        ("unsealed_by__isnull", False),
                        models.Q(("unseal_reason", ""), _negated=True),
                    ),
                    models.Q(
                        ("unseal_asked_by__isnull", False),
                        ("unsealed_by__isnull", False),
                        models.Q(("unseal_asked_by", models.F("unsealed_by")), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="two_people_or_a_reason_unseal",
            ),
        ),
        migrations.AddConstraint(
            model_name="taskhost",
            constraint=models.UniqueConstraint(fields=("task", "user"), name="one_row_per_host"),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.UniqueConstraint(
                models.F("task"),
                django.db.models.functions.text.Lower("name"),
                name="team_name_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.CheckConstraint(
                condition=models.Q(("name__regex", "^[A-Za-z0-9][A-Za-z0-9_.-]+$")),
                name="team_name_is_plain",
            ),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "team"), _negated=True),
                fields=("task", "kind"),
                name="hosts_have_one_team_of_each_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="teammember",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_captain", True), ("removed_at", None)),
                fields=("team",),
                name="one_captain_per_team",
            ),
        ),
        migrations.AddConstraint(
            model_name="teamsystem",
            constraint=models.UniqueConstraint(
                models.F("team"),
                django.db.models.functions.text.Lower("name"),
                name="system_name_once_per_team",
            ),
        ),
        migrations.AddConstraint(
            model_name="track",
            constraint=models.UniqueConstraint(fields=("task", "name"), name="track_name_once"),
        ),
        migrations.AddConstraint(
            model_name="systemcode",
            constraint=models.UniqueConstraint(
                fields=("track", "code"), name="code_once_per_track"
            ),
        ),
        migrations.AddConstraint(
            model_name="systemcode",
            constraint=models.UniqueConstraint(
                condition=models.Q(("upload", None)),
                fields=("track",),
                name="one_reference_per_track",
            ),
        ),
        migrations.AddIndex(
            model_name="uploadcheck",
            index=models.Index(
                condition=models.Q(("state__in", ["queued", "working"])),
                fields=["requested_at"],
                name="uploadcheck_under_way",
            ),
        ),
        migrations.AddConstraint(
            model_name="systemupload",
            constraint=models.UniqueConstraint(
                fields=("team", "track", "number"), name="uploads_are_numbered"
            ),
        ),
        migrations.AddConstraint(
            model_name="systemupload",
            constraint=models.UniqueConstraint(
                condition=models.Q(("role", "primary"), ("withdrawn_at", None)),
                fields=("team", "track"),
                name="one_primary_per_team_and_track",
            ),
        ),
        migrations.AddConstraint(
            model_name="systemupload",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["none", "primary", "contrastive"])),
                name="upload_role_is_known",
            ),
        ),
        migrations.RunSQL(UPLOADS),
    ]
