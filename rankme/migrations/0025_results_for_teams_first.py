"""Teams read their results before the public does, and may object to them for some days."""

from django.db import migrations, models

DISPUTES = """
-- The database's clock says whether there is still time, and what was said stays.
CREATE FUNCTION rankme_judge_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    task rankme_sharedtask;
BEGIN
    SELECT shared.* INTO task FROM rankme_sharedtask shared
        JOIN rankme_track track ON track.task_id = shared.id WHERE track.id = NEW.track_id;
    NEW.made_at := clock_timestamp();
    NEW.answer := '';
    NEW.answered_by_id := NULL;
    NEW.answered_at := NULL;
    IF NOT EXISTS (
        SELECT FROM rankme_team team JOIN rankme_teammember member ON member.team_id = team.id
        WHERE team.id = NEW.team_id AND team.task_id = task.id AND member.id = NEW.member_id
    ) THEN
        RAISE EXCEPTION 'team, member and track belong to different tasks'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'dispute_is_of_one_task';
    END IF;
    IF task.unsealed_at IS NULL OR task.teams_first_days IS NULL
        OR NEW.made_at > task.unsealed_at + make_interval(days => task.teams_first_days)
    THEN
        RAISE EXCEPTION 'there is no time to object'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'dispute_within_the_days';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER dispute_is_judged BEFORE INSERT ON rankme_dispute
    FOR EACH ROW EXECUTE FUNCTION rankme_judge_dispute();

CREATE FUNCTION rankme_guard_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.answered_at IS NOT NULL
        OR to_jsonb(NEW) - 'answer' - 'answered_by_id' - 'answered_at'
        <> to_jsonb(OLD) - 'answer' - 'answered_by_id' - 'answered_at'
    THEN
        RAISE EXCEPTION '% on % is refused: what was said stays', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'what_was_said_stays';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER dispute_is_guarded BEFORE UPDATE OR DELETE ON rankme_dispute
    FOR EACH ROW EXECUTE FUNCTION rankme_guard_dispute();
CREATE TRIGGER dispute_is_never_emptied BEFORE TRUNCATE ON rankme_dispute
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();

-- Teams rely on the time that they were given.
CREATE FUNCTION rankme_keep_first_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the days of teams do not become fewer'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'days_of_teams_stay';
END $$;
CREATE TRIGGER days_of_teams_stay BEFORE UPDATE OF teams_first_days ON rankme_sharedtask
    FOR EACH ROW WHEN (
        OLD.unsealed_at IS NOT NULL
        AND coalesce(NEW.teams_first_days, 0) < coalesce(OLD.teams_first_days, 0)
    )
    EXECUTE FUNCTION rankme_keep_first_days();
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0024_analysis_after_names")]

    operations = [
        migrations.AddField(
            model_name="sharedtask",
            name="teams_first_days",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.RunSQL(DISPUTES),
    ]
