"""Launched campaigns have versions, and raters, sittings and submissions know theirs."""

import hashlib
import json

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


def write_first_versions(apps, schema_editor):
    """What was launched so far is its version 1."""
    Campaign = apps.get_model("rankme", "Campaign")
    CampaignVersion = apps.get_model("rankme", "CampaignVersion")
    for campaign in Campaign.objects.exclude(launched_at=None).iterator(chunk_size=100):
        written = json.dumps(
            campaign.definition, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        CampaignVersion.objects.create(
            campaign=campaign,
            number=1,
            change="launch",
            definition=campaign.definition,
            definition_sha256=hashlib.sha256(written.encode()).hexdigest(),
            items=campaign.items.count(),
            systems=campaign.systems.count(),
            created_at=campaign.launched_at,
        )
        Campaign.objects.filter(pk=campaign.pk).update(version=1)


CHECK_NOW = migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL IMMEDIATE")

KNOWN = """
ALTER TABLE rankme_participant ADD CONSTRAINT a_rater_saw_a_version
    FOREIGN KEY (campaign_id, version) REFERENCES rankme_campaignversion (campaign_id, number);
ALTER TABLE rankme_assignment ADD CONSTRAINT a_sitting_is_of_a_version
    FOREIGN KEY (campaign_id, version) REFERENCES rankme_campaignversion (campaign_id, number);
ALTER TABLE rankme_submission ADD CONSTRAINT a_submission_is_of_its_sittings_version
    FOREIGN KEY (assignment_id, version) REFERENCES rankme_assignment (id, version);
"""
KNOWN_BACK = """
ALTER TABLE rankme_participant DROP CONSTRAINT a_rater_saw_a_version;
ALTER TABLE rankme_assignment DROP CONSTRAINT a_sitting_is_of_a_version;
ALTER TABLE rankme_submission DROP CONSTRAINT a_submission_is_of_its_sittings_version;
"""

GUARD = """
CREATE TRIGGER campaignversion_is_insert_only BEFORE UPDATE OR DELETE ON rankme_campaignversion
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER campaignversion_is_never_emptied BEFORE TRUNCATE ON rankme_campaignversion
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();

CREATE FUNCTION rankme_forbid_version_gap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.number > 1 AND NOT EXISTS (
        SELECT 1 FROM rankme_campaignversion
        WHERE campaign_id = NEW.campaign_id AND number = NEW.number - 1
    ) THEN
        RAISE EXCEPTION 'version % is refused: there is no version before it', NEW.number
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER versions_have_no_gap BEFORE INSERT ON rankme_campaignversion
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_version_gap();
"""
GUARD_BACK = """
DROP TRIGGER campaignversion_is_insert_only ON rankme_campaignversion;
DROP TRIGGER campaignversion_is_never_emptied ON rankme_campaignversion;
DROP TRIGGER versions_have_no_gap ON rankme_campaignversion;
DROP FUNCTION rankme_forbid_version_gap();
"""

ONLY_THE_NEWEST_VERSION = """
CREATE OR REPLACE FUNCTION rankme_forbid_new_definition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.launched_at IS NOT NULL AND (
        NEW.launched_at IS DISTINCT FROM OLD.launched_at OR NEW.seed <> OLD.seed
    ) THEN
        RAISE EXCEPTION 'a launched campaign keeps its seed and launch time'
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.launched_at IS NOT NULL AND (
        OLD.launched_at IS NULL OR NEW.version <> OLD.version
        OR NEW.definition IS DISTINCT FROM OLD.definition
    ) AND NOT EXISTS (
        SELECT 1 FROM rankme_campaignversion version
        WHERE version.campaign_id = NEW.id AND version.number = NEW.version
            AND version.definition = NEW.definition AND NOT EXISTS (
                SELECT 1 FROM rankme_campaignversion newer
                WHERE newer.campaign_id = NEW.id AND newer.number > NEW.version)
    ) THEN
        RAISE EXCEPTION 'a launched campaign has the definition of its newest version'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
"""
DEFINITION_IS_FROZEN = """
CREATE OR REPLACE FUNCTION rankme_forbid_new_definition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.launched_at IS NOT NULL AND (
        NEW.launched_at IS DISTINCT FROM OLD.launched_at OR NEW.seed <> OLD.seed
        OR NEW.definition IS DISTINCT FROM OLD.definition
    ) THEN
        RAISE EXCEPTION 'a launched campaign keeps its definition, seed and launch time'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
"""


def with_version(model: str) -> migrations.AddField:
    """Whatever there is so far is of version 1."""
    field = models.PositiveSmallIntegerField(default=1)
    return migrations.AddField(model, "version", field, preserve_default=False)


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0020_tries_at_practice"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='CampaignVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('change', models.CharField(choices=[('launch', 'Launched'), ('definition', 'Definition changed'), ('extension', 'Plan extended'), ('reopening', 'Opened again')], max_length=10)),
                ('definition', models.JSONField()),
                ('definition_sha256', models.CharField(max_length=64)),
                ('items', models.PositiveIntegerField()),
                ('systems', models.PositiveIntegerField()),
                ('extension', models.JSONField(blank=True, default=dict)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='rankme.campaign')),
            ],
            options={
                'ordering': ['campaign', 'number'],
                'constraints': [
                    models.UniqueConstraint(fields=['campaign', 'number'], name='version_number_once'),
                    models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='versions_begin_at_one'),
                    models.CheckConstraint(condition=models.Q(models.Q(('change', 'launch'), ('number', 1)), models.Q(('number__gt', 1), models.Q(('change', 'launch'), _negated=True)), _connector='OR'), name='the_first_version_is_the_launch'),
                    models.CheckConstraint(condition=models.Q(('change', 'launch'), models.Q(('reason', ''), _negated=True), _connector='OR'), name='a_change_has_a_reason'),
                ],
            },
        ),
        migrations.AddField(
            model_name='campaign',
            name='version',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.RunPython(write_first_versions, migrations.RunPython.noop),
        CHECK_NOW,
        with_version("participant"),
        with_version("assignment"),
        with_version("submission"),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('id', 'version'), name='a_sitting_has_one_version'),
        ),
        migrations.AlterField(
            model_name='submission',
            name='assignment',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='rankme.assignment'),
        ),
        migrations.RunSQL(KNOWN, KNOWN_BACK),
        migrations.RunSQL(GUARD, GUARD_BACK),
        migrations.RunSQL(ONLY_THE_NEWEST_VERSION, DEFINITION_IS_FROZEN),
    ]
