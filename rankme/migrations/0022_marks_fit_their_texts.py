"""The database itself refuses a mark whose text is not in the output at its place."""

from django.db import migrations

# `substring` counts characters as Python does: code points. Answers of other instruments are not
# looked at: those of no output, and those that are not JSON objects.
MARKS = """
CREATE FUNCTION rankme_marks_fit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    output_text text;
    item_input text;
BEGIN
    IF NOT EXISTS (
        SELECT FROM rankme_criterion c
        JOIN rankme_campaign g ON g.id = c.campaign_id
        CROSS JOIN jsonb_array_elements(g.definition->'criteria') asked
        WHERE c.id = NEW.criterion_id AND asked->>'name' = c.name
            AND asked->>'instrument' = 'spans'
    ) THEN
        RETURN NEW;
    END IF;
    SELECT o.text, i.input INTO output_text, item_input
        FROM rankme_output o JOIN rankme_item i ON i.id = o.item_id WHERE o.id = NEW.output_id;
    IF EXISTS (
        SELECT FROM jsonb_to_recordset(NEW.text::jsonb->'marks')
            AS mark(side text, "start" int, "end" int, text text)
        CROSS JOIN LATERAL (
            SELECT CASE mark.side WHEN 'source' THEN item_input ELSE output_text END
        ) AS marked(whole)
        -- An archive may have been imported without the texts.
        WHERE mark."start" IS NOT NULL AND marked.whole <> '' AND (
            mark."start" < 0 OR mark."end" < mark."start"
            OR mark.text IS DISTINCT FROM substring(marked.whole
                FROM mark."start" + 1 FOR greatest(mark."end" - mark."start", 0)))
    ) THEN
        RAISE EXCEPTION 'a mark has another text than its output at this place'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER judgement_marks_fit BEFORE INSERT ON rankme_judgement
    FOR EACH ROW WHEN (NEW.output_id IS NOT NULL AND NEW.text LIKE '{%')
    EXECUTE FUNCTION rankme_marks_fit();
"""
MARKS_BACK = """
DROP TRIGGER judgement_marks_fit ON rankme_judgement;
DROP FUNCTION rankme_marks_fit();
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0021_versions_of_campaigns")]

    operations = [migrations.RunSQL(MARKS, MARKS_BACK)]
