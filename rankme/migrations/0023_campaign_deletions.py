"""Launched campaigns can be deleted: after a time in which the owner can change their mind."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

# The times are the database's. No role can shorten the wait, or take a deletion back afterwards.
GUARD = """
CREATE FUNCTION rankme_guard_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.asked_at := clock_timestamp();
        NEW.due_at := NEW.asked_at + interval '14 days';
        NEW.cancelled_at := NULL;
        NEW.begun_at := NULL;
        NEW.finished_at := NULL;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.cancelled_at IS NULL AND OLD.finished_at IS NULL
        AND (OLD.id, OLD.campaign_id, OLD.code, OLD.asked_at, OLD.due_at)
            = (NEW.id, NEW.campaign_id, NEW.code, NEW.asked_at, NEW.due_at)
        AND (NEW.begun_at IS NOT DISTINCT FROM OLD.begun_at
            OR OLD.begun_at IS NULL AND OLD.due_at <= clock_timestamp()
            AND NOT EXISTS (SELECT FROM rankme_track WHERE campaign_id = OLD.campaign_id))
        AND (NEW.cancelled_at IS NULL OR NEW.begun_at IS NULL)
        AND (NEW.finished_at IS NULL OR OLD.begun_at IS NOT NULL
            AND NOT EXISTS (SELECT FROM rankme_campaign WHERE id = OLD.campaign_id))
    THEN RETURN NEW;
    END IF;
    RAISE EXCEPTION '% on % is refused: a deletion waits, and is then final', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER campaigndeletion_is_guarded
    BEFORE INSERT OR UPDATE OR DELETE ON rankme_campaigndeletion
    FOR EACH ROW EXECUTE FUNCTION rankme_guard_deletion();
CREATE TRIGGER campaigndeletion_is_never_emptied BEFORE TRUNCATE ON rankme_campaigndeletion
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();

CREATE FUNCTION rankme_is_being_deleted(campaign bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM rankme_campaigndeletion deletion
        WHERE deletion.campaign_id = campaign AND deletion.begun_at IS NOT NULL
            AND deletion.cancelled_at IS NULL AND deletion.finished_at IS NULL)
$$;
-- Whether the running statement is one of rankme_delete_of_campaign.
CREATE FUNCTION rankme_deletes_a_campaign() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT rankme_is_being_deleted(
        nullif(current_setting('rankme.deleted_campaign', true), '')::bigint)
$$;
"""

# What the triggers refused so far they refuse still, but for rows of a campaign that is deleted.
TRIGGERS = """
CREATE OR REPLACE FUNCTION rankme_forbid_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND rankme_deletes_a_campaign() THEN RETURN OLD; END IF;
    RAISE EXCEPTION '% on % is refused: the record is never changed', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE FUNCTION rankme_forbid_launched() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    campaign bigint;
BEGIN
    IF TG_TABLE_NAME = 'rankme_output' THEN
        SELECT campaign_id INTO campaign FROM rankme_item WHERE id = OLD.item_id;
    ELSE
        campaign := OLD.campaign_id;
    END IF;
    IF EXISTS (SELECT 1 FROM rankme_campaign WHERE id = campaign AND launched_at IS NOT NULL)
        AND NOT (TG_OP = 'DELETE' AND rankme_is_being_deleted(campaign))
    THEN
        RAISE EXCEPTION '% on % is refused: the campaign was launched', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION rankme_only_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND rankme_deletes_a_campaign() THEN RETURN OLD; END IF;
    IF TG_OP = 'UPDATE' THEN
        IF TG_TABLE_NAME = 'rankme_complaint' THEN
            IF NEW.text IN (OLD.text, '[erased]') THEN RETURN NEW; END IF;
        ELSIF NEW.body = '[erased]' AND NEW.body_sha256 = '' AND
            (NEW.id, NEW.participant_id, NEW.reason, NEW.received_at)
            IS NOT DISTINCT FROM (OLD.id, OLD.participant_id, OLD.reason, OLD.received_at)
        THEN RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION '% on % is refused: the record is never changed, only erased',
        TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE FUNCTION rankme_only_erase_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND rankme_deletes_a_campaign() THEN RETURN OLD; END IF;
    IF TG_OP = 'UPDATE' THEN
        IF NEW.submission_id = OLD.submission_id AND NEW.salt = '' AND NEW.words = '[]'
            AND EXISTS (
                SELECT FROM rankme_submission sent
                JOIN rankme_assignment sitting ON sitting.id = sent.assignment_id
                JOIN rankme_participant rater ON rater.id = sitting.participant_id
                WHERE sent.id = OLD.submission_id AND rater.erased_at IS NOT NULL
            )
        THEN RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION '% on % is refused: the record is never changed, only erased with its rater',
        TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
"""

# The one way to delete rows of the record: as the owner of the tables, some at a time, and of a
# campaign alone whose deletion has begun. The search path has no schema in which somebody else
# could make a table of the same name.
DELETE = """
CREATE FUNCTION rankme_delete_of_campaign(campaign bigint, record text, most integer)
    RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    chosen text;
    deleted integer;
BEGIN
    chosen := CASE
        WHEN record IN (
            'rankme_assignment', 'rankme_auditevent', 'rankme_batch', 'rankme_campaignversion',
            'rankme_checktrial', 'rankme_complaint', 'rankme_look', 'rankme_plan',
            'rankme_raterexclusion', 'rankme_ruledecision', 'rankme_settlement', 'rankme_slot'
        ) THEN 'campaign_id = $1'
        WHEN record IN ('rankme_quizattempt', 'rankme_quarantinedpayload')
            THEN 'participant_id IN (SELECT id FROM rankme_participant WHERE campaign_id = $1)'
        WHEN record = 'rankme_trial'
            THEN 'batch_id IN (SELECT id FROM rankme_batch WHERE campaign_id = $1)'
        WHEN record = 'rankme_trialoutput'
            THEN 'trial_id IN (SELECT trial.id FROM rankme_trial trial'
                ' JOIN rankme_batch batch ON batch.id = trial.batch_id'
                ' WHERE batch.campaign_id = $1)'
        WHEN record = 'rankme_submission'
            THEN 'assignment_id IN (SELECT id FROM rankme_assignment WHERE campaign_id = $1)'
        WHEN record IN ('rankme_judgement', 'rankme_submissionwords')
            THEN 'submission_id IN (SELECT sent.id FROM rankme_submission sent'
                ' JOIN rankme_assignment sitting ON sitting.id = sent.assignment_id'
                ' WHERE sitting.campaign_id = $1)'
        WHEN record = 'rankme_panelpayment'
            THEN 'study_id IN (SELECT id FROM rankme_panelstudy WHERE campaign_id = $1)'
    END;
    IF chosen IS NULL OR NOT rankme_is_being_deleted(campaign) THEN
        RAISE EXCEPTION 'deleting from % is refused: no deletion of campaign % has begun',
            record, campaign USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM set_config('rankme.deleted_campaign', campaign::text, true);
    EXECUTE format('DELETE FROM %1$I WHERE ctid = ANY (ARRAY('
        'SELECT ctid FROM %1$I WHERE %2$s LIMIT $2))', record, chosen)
        USING campaign, most;
    GET DIAGNOSTICS deleted = ROW_COUNT;
    PERFORM set_config('rankme.deleted_campaign', '', true);
    RETURN deleted;
END $$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION rankme_delete_of_campaign(bigint, text, integer)'
        ' SET search_path = %I, pg_temp', current_schema());
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0022_indexes_for_deletions")]

    operations = [
        migrations.CreateModel(
            name="CampaignDeletion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=24)),
                (
                    "asked_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "due_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("cancelled_at", models.DateTimeField(blank=True, null=True)),
                ("begun_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="deletions",
                        to="rankme.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(cancelled_at=None, finished_at=None),
                        fields=("campaign",),
                        name="one_deletion_at_a_time",
                    )
                ],
            },
        ),
        migrations.RunSQL(GUARD),
        migrations.RunSQL(TRIGGERS),
        migrations.RunSQL(DELETE),
    ]
