"""Accounts at panels of paid raters, studies, submissions, and money that nothing can exceed."""

import django.db.models.deletion
import django.db.models.functions.datetime
import rankme.models.campaigns
from django.conf import settings
from django.db import migrations, models

# What a study can cost at most follows from its places and payments. The CHECK constraint on
# `committed` then refuses whatever would exceed the ceiling, whichever code asks for it.
MONEY = """
CREATE FUNCTION rankme_panel_commitment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    base bigint;
    bonuses bigint;
BEGIN
    SELECT COALESCE(sum(cost) FILTER (WHERE kind <> 'bonus'), 0),
           COALESCE(sum(cost) FILTER (WHERE kind = 'bonus'), 0)
        INTO base, bonuses
        FROM rankme_panelpayment WHERE study_id = NEW.id AND state <> 'refused';
    NEW.committed := greatest(NEW.places_cost, base) + bonuses;
    RETURN NEW;
END $$;
CREATE TRIGGER panelstudy_knows_its_cost BEFORE INSERT OR UPDATE ON rankme_panelstudy
    FOR EACH ROW EXECUTE FUNCTION rankme_panel_commitment();

CREATE FUNCTION rankme_panel_recount() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Waits for other payments of the study, and then counts them too.
    UPDATE rankme_panelstudy SET committed = committed WHERE id = NEW.study_id;
    RETURN NULL;
END $$;
CREATE TRIGGER panelpayment_is_counted AFTER INSERT OR UPDATE ON rankme_panelpayment
    FOR EACH ROW EXECUTE FUNCTION rankme_panel_recount();

CREATE FUNCTION rankme_panel_payment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.study_id <> (SELECT study_id FROM rankme_panelsubmission
                            WHERE id = NEW.submission_id) THEN
            RAISE EXCEPTION 'a payment belongs to the study of its submission'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.state = 'paid' AND NEW.state <> 'paid' THEN
        RAISE EXCEPTION 'what is paid stays paid' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.study_id, OLD.submission_id, OLD.kind, OLD.amount, OLD.currency)
            IS DISTINCT FROM
       (NEW.study_id, NEW.submission_id, NEW.kind, NEW.amount, NEW.currency) THEN
        RAISE EXCEPTION 'who is paid how much never changes'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER panelpayment_is_guarded BEFORE INSERT OR UPDATE ON rankme_panelpayment
    FOR EACH ROW EXECUTE FUNCTION rankme_panel_payment_guard();
CREATE TRIGGER panelpayment_is_kept BEFORE DELETE ON rankme_panelpayment
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER panelpayment_is_never_emptied BEFORE TRUNCATE ON rankme_panelpayment
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();
"""
MONEY_BACK = """
DROP TRIGGER panelpayment_is_never_emptied ON rankme_panelpayment;
DROP TRIGGER panelpayment_is_kept ON rankme_panelpayment;
DROP TRIGGER panelpayment_is_guarded ON rankme_panelpayment;
DROP TRIGGER panelpayment_is_counted ON rankme_panelpayment;
DROP TRIGGER panelstudy_knows_its_cost ON rankme_panelstudy;
DROP FUNCTION rankme_panel_payment_guard();
DROP FUNCTION rankme_panel_recount();
DROP FUNCTION rankme_panel_commitment();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('rankme', '0018_scores_of_metrics'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PanelAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('panel', models.CharField(default='prolific', max_length=20)),
                ('workspace', models.CharField(max_length=64)),
                ('currency', models.CharField(max_length=3)),
                ('code', models.CharField(default=rankme.models.campaigns.new_code, editable=False, max_length=24, unique=True)),
                ('token_sealed', models.TextField()),
                ('hook_secret_sealed', models.TextField(blank=True)),
                ('hooked_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='panel_accounts', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [
                    models.UniqueConstraint(fields=('owner', 'name'), name='one_panel_account_per_name'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event_id', models.CharField(max_length=64)),
                ('event_type', models.CharField(max_length=60)),
                ('resource', models.CharField(max_length=64)),
                ('received_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='rankme.panelaccount')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('account', 'event_id'), name='an_event_is_received_once'),
                ],
                'indexes': [
                    models.Index(condition=models.Q(('done_at', None)), fields=['received_at'], name='events_to_be_looked_at'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelStudy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=rankme.models.campaigns.new_code, editable=False, max_length=24, unique=True)),
                ('external_id', models.CharField(blank=True, max_length=64)),
                ('state', models.CharField(choices=[('NEW', 'Being created'), ('UNPUBLISHED', 'Draft'), ('SCHEDULED', 'Scheduled'), ('PUBLISHING', 'Being published'), ('PROCESSING', 'Being processed'), ('ACTIVE', 'Active'), ('PAUSED', 'Paused'), ('AWAITING REVIEW', 'Waiting for review'), ('COMPLETED', 'Finished')], default='NEW', max_length=20)),
                ('name', models.CharField(max_length=120)),
                ('description', models.TextField()),
                ('places', models.PositiveIntegerField()),
                ('reward', models.PositiveIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('minutes', models.PositiveIntegerField()),
                ('longest_minutes', models.PositiveIntegerField()),
                ('devices', models.JSONField(default=list)),
                ('filters', models.JSONField(default=list)),
                ('codes', models.JSONField(default=dict)),
                ('is_secure', models.BooleanField(default=True)),
                ('approval', models.CharField(choices=[('after_checks', 'Everyone who finished and passed the checks'), ('manual', 'Nobody automatically'), ('all', 'Everyone who waits for review')], default='after_checks', max_length=12)),
                ('tops_up', models.BooleanField(default=False)),
                ('group', models.CharField(blank=True, max_length=64)),
                ('ceiling', models.PositiveIntegerField()),
                ('places_cost', models.PositiveIntegerField(default=0)),
                ('committed', models.PositiveIntegerField(default=0, editable=False)),
                ('pauses', models.BooleanField(default=False)),
                ('problem', models.TextField(blank=True)),
                ('synced_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='rankme.panelaccount')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='panel_studies', to='rankme.campaign')),
            ],
            options={
                'verbose_name_plural': 'panel studies',
                'ordering': ['-created_at', '-id'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state', 'COMPLETED'), _negated=True), fields=('campaign',), name='one_study_at_a_time'),
                    models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('external_id',), name='one_row_per_panel_study'),
                    models.CheckConstraint(condition=models.Q(('committed__lte', models.F('ceiling'))), name='nothing_exceeds_the_ceiling'),
                    models.CheckConstraint(condition=models.Q(('places__gt', 0), ('reward__gt', 0)), name='a_study_has_places_and_a_reward'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelSubmission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(max_length=64, unique=True)),
                ('person', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('RESERVED', 'Place reserved'), ('ACTIVE', 'At work'), ('TIMED-OUT', 'Timed out'), ('AWAITING REVIEW', 'Waiting for review'), ('APPROVED', 'Approved'), ('PARTIALLY APPROVED', 'Partly paid'), ('RETURNED', 'Returned'), ('REJECTED', 'Rejected'), ('SCREENED OUT', 'Screened out')], max_length=20)),
                ('entered_code', models.CharField(blank=True, max_length=64)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('completed_at', models.DateTimeField(blank=True, null=True)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('return_requested_at', models.DateTimeField(blank=True, null=True)),
                ('released_at', models.DateTimeField(blank=True, null=True)),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('participant', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='panel_submissions', to='rankme.participant')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='rankme.panelstudy')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [
                    models.Index(fields=['study', 'state'], name='submissions_by_state'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelPayment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('approval', 'Reward'), ('share', 'Part of the reward'), ('bonus', 'Bonus')], max_length=8)),
                ('amount', models.PositiveIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('cost', models.PositiveIntegerField()),
                ('percent', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('state', models.CharField(choices=[('drafted', 'To be paid'), ('asked', 'Asked for'), ('paid', 'Paid'), ('refused', 'Refused'), ('lost', 'No answer: please check')], default='drafted', max_length=7)),
                ('external_id', models.CharField(blank=True, max_length=64)),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='rankme.panelstudy')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='rankme.panelsubmission')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [
                    models.UniqueConstraint(fields=('submission', 'kind'), name='each_payment_once'),
                    models.UniqueConstraint(condition=models.Q(('kind__in', ['approval', 'share']), models.Q(('state', 'refused'), _negated=True)), fields=('submission',), name='one_reward_per_submission'),
                    models.CheckConstraint(condition=models.Q(('amount__gt', 0), ('cost__gte', models.F('amount'))), name='a_payment_has_an_amount'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['drafted', 'asked', 'paid', 'refused', 'lost'])), name='payment_state_is_known'),
                ],
                'indexes': [
                    models.Index(fields=['study', 'state'], name='payments_by_state'),
                ],
            },
        ),
        migrations.RunSQL(MONEY, MONEY_BACK),
    ]
