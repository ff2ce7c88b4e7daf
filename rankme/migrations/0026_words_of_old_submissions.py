"""Words in payloads of before 2.2.0 can be moved out of them, by the owner of the tables."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

# The site's role has no right to change these tables at all. The owner's command can change what
# follows from the words alone, and only while the epoch of their campaign is open.
ONLY_WORDS_ARE_MOVED = """
CREATE FUNCTION rankme_only_move_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    moved text[] := ARRAY['payload', 'payload_sha256', 'chain_sha256'];
BEGIN
    IF TG_OP = 'DELETE' AND rankme_deletes_a_campaign() THEN RETURN OLD; END IF;
    IF TG_TABLE_NAME = 'rankme_judgement' THEN moved := ARRAY['text']; END IF;
    IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - moved = to_jsonb(OLD) - moved
        AND EXISTS (SELECT FROM rankme_wordsepoch
            WHERE finished_at IS NULL AND campaign_id
                = nullif(current_setting('rankme.moved_words_of', true), '')::bigint)
    THEN RETURN NEW;
    END IF;
    RAISE EXCEPTION '% on % is refused: the record is never changed', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER submission_is_insert_only
    BEFORE UPDATE OR DELETE ON rankme_submission
    FOR EACH ROW EXECUTE FUNCTION rankme_only_move_words();
CREATE OR REPLACE TRIGGER judgement_is_insert_only
    BEFORE UPDATE OR DELETE ON rankme_judgement
    FOR EACH ROW EXECUTE FUNCTION rankme_only_move_words();
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0025_results_for_teams_first")]

    operations = [
        migrations.AddField(
            "submissionwords",
            "moved",
            models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name="WordsEpoch",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="words_epoch",
                        serialize=False,
                        to="rankme.campaign",
                    ),
                ),
                ("salt", models.CharField(blank=True, max_length=64)),
                ("old_sha256", models.CharField(max_length=64)),
                ("new_sha256", models.CharField(blank=True, max_length=64)),
                ("last_sitting", models.BigIntegerField(default=0)),
                ("submissions", models.PositiveIntegerField(default=0)),
                (
                    "begun_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.RunSQL(ONLY_WORDS_ARE_MOVED),
    ]
