"""Words of raters apart from the record, which can be erased."""

import django.db.models.deletion
from django.db import migrations, models

ONLY_WITH_THEIR_RATER = """
CREATE FUNCTION rankme_only_erase_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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
CREATE TRIGGER words_are_only_erased BEFORE UPDATE OR DELETE ON rankme_submissionwords
    FOR EACH ROW EXECUTE FUNCTION rankme_only_erase_words();
CREATE TRIGGER submissionwords_is_never_emptied BEFORE TRUNCATE ON rankme_submissionwords
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0019_screen_traces")]

    operations = [
        migrations.CreateModel(
            name="SubmissionWords",
            fields=[
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="own_words",
                        serialize=False,
                        to="rankme.submission",
                    ),
                ),
                ("salt", models.CharField(blank=True, max_length=64)),
                ("words", models.JSONField(default=list)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        name="words_and_their_salt_go_together",
                        condition=models.Q(salt="", words=[])
                        | ~models.Q(salt="") & ~models.Q(words=[]),
                    ),
                ],
            },
        ),
        migrations.RunSQL(ONLY_WITH_THEIR_RATER),
    ]
