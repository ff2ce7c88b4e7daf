"""The material of a sealed shared task is what its codes stand for: it stays as it was sealed."""

from django.db import migrations

SEALED = """
CREATE FUNCTION rankme_forbid_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    campaign bigint;
BEGIN
    IF TG_TABLE_NAME = 'rankme_output' THEN
        SELECT campaign_id INTO campaign FROM rankme_item WHERE id = OLD.item_id;
    ELSE
        campaign := OLD.campaign_id;
    END IF;
    IF EXISTS (
        SELECT FROM rankme_track track JOIN rankme_sharedtask task ON task.id = track.task_id
        WHERE track.campaign_id = campaign AND task.sealed_at IS NOT NULL
    ) AND NOT (TG_OP = 'DELETE' AND rankme_is_being_deleted(campaign))
    THEN
        RAISE EXCEPTION '% on % is refused: the shared task is sealed', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER item_is_sealed BEFORE DELETE OR UPDATE ON rankme_item
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_sealed();
CREATE TRIGGER output_is_sealed BEFORE DELETE OR UPDATE ON rankme_output
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_sealed();
CREATE TRIGGER system_is_sealed BEFORE DELETE OR UPDATE ON rankme_system
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_sealed();
"""
OPEN = """
DROP TRIGGER system_is_sealed ON rankme_system;
DROP TRIGGER output_is_sealed ON rankme_output;
DROP TRIGGER item_is_sealed ON rankme_item;
DROP FUNCTION rankme_forbid_sealed();
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0032_pages_without_suggestions")]

    operations = [migrations.RunSQL(SEALED, OPEN)]
