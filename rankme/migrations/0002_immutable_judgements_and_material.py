"""Rules that no constraint can say: judgements never change, launched material neither."""

from django.db import migrations

FORBID_CHANGE = """
CREATE FUNCTION rankme_forbid_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: what was submitted is never changed', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER submission_is_insert_only BEFORE UPDATE OR DELETE ON rankme_submission
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER judgement_is_insert_only BEFORE UPDATE OR DELETE ON rankme_judgement
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER quarantine_is_insert_only BEFORE UPDATE OR DELETE ON rankme_quarantinedpayload
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_change();
"""

FORBID_CHANGE_BACK = """
DROP TRIGGER submission_is_insert_only ON rankme_submission;
DROP TRIGGER judgement_is_insert_only ON rankme_judgement;
DROP TRIGGER quarantine_is_insert_only ON rankme_quarantinedpayload;
DROP FUNCTION rankme_forbid_change();
"""

# One trigger per table, because each finds its campaign in its own way. INSERT stays free: the
# plan names the outputs that are shown, so a row that came later is never shown.
FREEZE_MATERIAL = """
CREATE FUNCTION rankme_forbid_launched() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    campaign bigint;
BEGIN
    IF TG_TABLE_NAME = 'rankme_output' THEN
        SELECT campaign_id INTO campaign FROM rankme_item WHERE id = OLD.item_id;
    ELSE
        campaign := OLD.campaign_id;
    END IF;
    IF EXISTS (SELECT 1 FROM rankme_campaign WHERE id = campaign AND launched_at IS NOT NULL) THEN
        RAISE EXCEPTION '% on % is refused: the campaign was launched', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER output_is_frozen BEFORE UPDATE OR DELETE ON rankme_output
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_launched();
CREATE TRIGGER item_is_frozen BEFORE UPDATE OR DELETE ON rankme_item
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_launched();
CREATE TRIGGER system_is_frozen BEFORE UPDATE OR DELETE ON rankme_system
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_launched();

CREATE FUNCTION rankme_forbid_new_definition() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER launched_definition_is_frozen BEFORE UPDATE ON rankme_campaign
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_new_definition();
"""

FREEZE_MATERIAL_BACK = """
DROP TRIGGER output_is_frozen ON rankme_output;
DROP TRIGGER item_is_frozen ON rankme_item;
DROP TRIGGER system_is_frozen ON rankme_system;
DROP FUNCTION rankme_forbid_launched();
DROP TRIGGER launched_definition_is_frozen ON rankme_campaign;
DROP FUNCTION rankme_forbid_new_definition();
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0001_the_record")]

    operations = [
        migrations.RunSQL(FORBID_CHANGE, FORBID_CHANGE_BACK),
        migrations.RunSQL(FREEZE_MATERIAL, FREEZE_MATERIAL_BACK),
    ]
