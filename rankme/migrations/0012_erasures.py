"""Identities of raters can be erased: when, and what the record lets go for it."""

from django.db import migrations, models

# Of what a rater wrote, the record loses the words alone, and keeps that there were some.
ONLY_ERASED = """
CREATE FUNCTION rankme_only_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF TG_TABLE_NAME = 'rankme_complaint' THEN
            IF NEW.text IN (OLD.text, '[erased]') THEN RETURN NEW; END IF;
        ELSIF NEW.body = '[erased]' AND NEW.body_sha256 = '' AND
            (NEW.id, NEW.participant_id, NEW.reason, NEW.received_at)
            IS NOT DISTINCT FROM (OLD.id, OLD.participant_id, OLD.reason, OLD.received_at)
        THEN RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION '% on % is refused: the record is never changed, only erased',
        TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER complaint_is_only_erased BEFORE UPDATE OF text ON rankme_complaint
    FOR EACH ROW EXECUTE FUNCTION rankme_only_erase();
DROP TRIGGER quarantine_is_insert_only ON rankme_quarantinedpayload;
CREATE TRIGGER quarantine_is_insert_only BEFORE UPDATE OR DELETE ON rankme_quarantinedpayload
    FOR EACH ROW EXECUTE FUNCTION rankme_only_erase();
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0011_withdrawals")]

    operations = [
        migrations.AddField(
            "participant", "erased_at", models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            "campaign", "identities_until", models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            "campaign", "identities_erased_at", models.DateTimeField(blank=True, null=True)
        ),
        migrations.RunSQL(ONLY_ERASED),
    ]
