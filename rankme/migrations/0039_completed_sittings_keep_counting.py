"""A completed sitting stays completed, and stops counting only when its rater is excluded.

The site's role may change these two columns. Without this rule one UPDATE chooses whose answers
make the ranking.
"""

from django.db import migrations

KEEP = """
CREATE FUNCTION rankme_keep_completed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> 'completed' THEN
        RAISE EXCEPTION 'sitting % is completed and stays so', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.counts AND NOT NEW.counts AND NOT EXISTS (
        SELECT FROM rankme_raterexclusion
        WHERE participant_id = OLD.participant_id AND withdrawn_at IS NULL
    ) THEN
        RAISE EXCEPTION 'sitting % counts until its rater is excluded', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER assignment_keeps_completed BEFORE UPDATE OF state, counts ON rankme_assignment
    FOR EACH ROW WHEN (OLD.state = 'completed') EXECUTE FUNCTION rankme_keep_completed();
"""
KEEP_BACK = """
DROP TRIGGER assignment_keeps_completed ON rankme_assignment;
DROP FUNCTION rankme_keep_completed();
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0038_metrics_are_computed_in_parts")]

    operations = [migrations.RunSQL(KEEP, KEEP_BACK)]
