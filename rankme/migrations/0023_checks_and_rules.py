"""Checks are trials whose answers can never become judgements, and rules decide about raters."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


WRITTEN_ONCE = ("checktrial", "quizattempt", "ruledecision")

# Once for each statement and not for each row: an import copies 10^6 judgements in one.
KEEP_APART = """
CREATE FUNCTION rankme_forbid_judged_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM inserted
        JOIN rankme_submission submission ON submission.id = inserted.submission_id
        JOIN rankme_checktrial checked ON checked.trial_id = submission.trial_id
    ) THEN
        RAISE EXCEPTION 'a judgement is refused: its trial is a check'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER checks_are_not_judged AFTER INSERT ON rankme_judgement
    REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_judged_check();

CREATE FUNCTION rankme_forbid_check_with_outputs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM inserted JOIN rankme_checktrial checked ON checked.trial_id = inserted.trial_id
    ) THEN
        RAISE EXCEPTION 'an output of the plan is refused: its trial is a check'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER checks_have_no_outputs AFTER INSERT ON rankme_trialoutput
    REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_check_with_outputs();

CREATE FUNCTION rankme_forbid_check_of_a_used_trial() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM rankme_trialoutput WHERE trial_id = NEW.trial_id)
        OR EXISTS (SELECT FROM rankme_submission WHERE trial_id = NEW.trial_id)
    THEN
        RAISE EXCEPTION 'trial % has outputs or answers: it cannot become a check', NEW.trial_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER checks_are_trials_of_their_own BEFORE INSERT ON rankme_checktrial
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_check_of_a_used_trial();
"""
KEEP_APART_BACK = """
DROP TRIGGER checks_are_not_judged ON rankme_judgement;
DROP TRIGGER checks_have_no_outputs ON rankme_trialoutput;
DROP TRIGGER checks_are_trials_of_their_own ON rankme_checktrial;
DROP FUNCTION rankme_forbid_judged_check();
DROP FUNCTION rankme_forbid_check_with_outputs();
DROP FUNCTION rankme_forbid_check_of_a_used_trial();
"""


def trigger(name: str, table: str, events: str, each: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} BEFORE {events} ON rankme_{table}"
        f" FOR EACH {each} EXECUTE FUNCTION rankme_forbid_change()",
        f"DROP TRIGGER {name} ON rankme_{table}",
    )


class Migration(migrations.Migration):

    dependencies = [
        ('rankme', '0022_marks_fit_their_texts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='CheckTrial',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('kind', models.CharField(max_length=20)),
                ('criterion', models.CharField(max_length=60)),
                ('shown', models.JSONField()),
                ('expected', models.JSONField()),
            ],
            options={
                'ordering': ['trial'],
            },
        ),
        migrations.CreateModel(
            name='DamagedText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('check_name', models.CharField(max_length=60)),
                ('text', models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name='QuizAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('answers', models.JSONField()),
                ('sent_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='RuleDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('action', models.CharField(choices=[('exclude', 'Excluded'), ('flag', 'Marked'), ('gate', 'Turned away')], max_length=8)),
                ('rule', models.TextField()),
                ('parts', models.JSONField()),
                ('measures', models.JSONField()),
                ('decided_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'ordering': ['decided_at', 'id'],
            },
        ),
        migrations.AddField(
            model_name='raterexclusion',
            name='rule',
            field=models.CharField(blank=True, db_default='', default='', max_length=1000),
        ),
        migrations.AlterField(
            model_name='raterexclusion',
            name='decided_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='raterexclusion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_by', None), models.Q(('rule', ''), _negated=True)), models.Q(('decided_by__isnull', False), ('rule', '')), _connector='OR'), name='a_person_or_a_rule_excludes'),
        ),
        migrations.AddField(
            model_name='checktrial',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='check_trials', to='rankme.campaign'),
        ),
        migrations.AddField(
            model_name='checktrial',
            name='source',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='checks_of', to='rankme.trial'),
        ),
        migrations.AddField(
            model_name='checktrial',
            name='trial',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='as_check', to='rankme.trial'),
        ),
        migrations.AddField(
            model_name='damagedtext',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='damaged_texts', to='rankme.campaign'),
        ),
        migrations.AddField(
            model_name='damagedtext',
            name='output',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='rankme.output'),
        ),
        migrations.AddField(
            model_name='quizattempt',
            name='participant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quiz_attempts', to='rankme.participant'),
        ),
        migrations.AddField(
            model_name='ruledecision',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rule_decisions', to='rankme.campaign'),
        ),
        migrations.AddField(
            model_name='ruledecision',
            name='participant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rule_decisions', to='rankme.participant'),
        ),
        migrations.AddConstraint(
            model_name='checktrial',
            constraint=models.CheckConstraint(condition=models.Q(('source', None), models.Q(('source', models.F('trial')), _negated=True), _connector='OR'), name='a_check_is_not_its_own_source'),
        ),
        migrations.AddConstraint(
            model_name='damagedtext',
            constraint=models.UniqueConstraint(fields=('campaign', 'check_name', 'output'), name='one_damaged_text_per_output'),
        ),
        migrations.AddConstraint(
            model_name='damagedtext',
            constraint=models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_damaged_text_is_not_empty'),
        ),
        migrations.AddConstraint(
            model_name='quizattempt',
            constraint=models.UniqueConstraint(fields=('participant', 'number'), name='quiz_attempt_once'),
        ),
        migrations.AddConstraint(
            model_name='ruledecision',
            constraint=models.UniqueConstraint(fields=('participant', 'action'), name='a_rule_catches_a_rater_once'),
        ),
        *(
            trigger(f"{table}_is_insert_only", table, "UPDATE OR DELETE", "ROW")
            for table in WRITTEN_ONCE
        ),
        *(
            trigger(f"{table}_is_never_emptied", table, "TRUNCATE", "STATEMENT")
            for table in WRITTEN_ONCE
        ),
        migrations.RunSQL(KEEP_APART, KEEP_APART_BACK),
    ]
