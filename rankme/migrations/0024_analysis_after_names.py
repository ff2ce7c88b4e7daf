"""Once names of a shared task are known, its analysis stays as it was: as a rule of the database."""

from django.db import migrations

# The options of a run are those of a blind report: asked for after the close, and done before the
# names. Without one, those of the first run after the names, which the action has checked.
AS_IT_WAS = """
CREATE FUNCTION rankme_guard_analysis() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    names_known_at timestamptz;
    is_known boolean;
BEGIN
    SELECT task.unsealed_at INTO names_known_at
        FROM rankme_track track JOIN rankme_sharedtask task ON task.id = track.task_id
        WHERE track.campaign_id = NEW.campaign_id;
    IF names_known_at IS NULL THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        RAISE EXCEPTION 'the names are known: the options of a run stay'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'analysis_is_fixed_by_the_names';
    END IF;
    SELECT bool_or(run.options = NEW.options) INTO is_known
        FROM rankme_analysisrun run JOIN rankme_campaign campaign ON campaign.id = run.campaign_id
        WHERE run.campaign_id = NEW.campaign_id AND run.state = 'done'
            AND run.requested_at >= campaign.closed_at AND run.finished_at <= names_known_at;
    IF is_known IS NULL THEN
        SELECT run.options = NEW.options INTO is_known
            FROM rankme_analysisrun run
            WHERE run.campaign_id = NEW.campaign_id AND run.requested_at > names_known_at
            ORDER BY run.id LIMIT 1;
    END IF;
    IF NOT coalesce(is_known, true) THEN
        RAISE EXCEPTION 'the names are known: the analysis is as it was'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'analysis_is_fixed_by_the_names';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER analysis_is_fixed_by_the_names BEFORE INSERT ON rankme_analysisrun
    FOR EACH ROW EXECUTE FUNCTION rankme_guard_analysis();
CREATE TRIGGER options_are_fixed_by_the_names BEFORE UPDATE OF options, seed ON rankme_analysisrun
    FOR EACH ROW WHEN (NEW.options IS DISTINCT FROM OLD.options OR NEW.seed <> OLD.seed)
    EXECUTE FUNCTION rankme_guard_analysis();
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0023_campaign_deletions")]

    operations = [migrations.RunSQL(AS_IT_WAS)]
