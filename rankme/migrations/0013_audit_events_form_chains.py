"""Audit events are numbered and form a hash chain for each campaign; nobody changes them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# `manage.py verify` computes the same hashes from the same facts (rankme/verification/audit.py).
CHAIN = """
CREATE FUNCTION rankme_audit_facts(event rankme_auditevent) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_array(
        event.number, event.campaign_id, event.actor_id, event.verb, event.detail,
        (extract(epoch FROM event.happened_at) * 1000000)::bigint)::text
$$;

CREATE FUNCTION rankme_audit_hash(before text, event rankme_auditevent) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(before || rankme_audit_facts(event), 'UTF8')), 'hex')
$$;

-- The events that are there.
DO $$
DECLARE
    event rankme_auditevent;
    chain bigint;
    count integer;
    before text;
BEGIN
    FOR event IN SELECT * FROM rankme_auditevent ORDER BY campaign_id NULLS FIRST, id LOOP
        IF count IS NULL OR chain IS DISTINCT FROM event.campaign_id THEN
            chain := event.campaign_id;
            count := 0;
            before := '';
        END IF;
        count := count + 1;
        event.number := count;
        before := rankme_audit_hash(before, event);
        UPDATE rankme_auditevent SET number = count, chain_sha256 = before WHERE id = event.id;
    END LOOP;
END $$;

CREATE FUNCTION rankme_chain_audit_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest record;
BEGIN
    -- One event at a time for each chain, until the transaction ends.
    PERFORM pg_advisory_xact_lock(
        hashtext('rankme_audit_chain'), hashint8(COALESCE(NEW.campaign_id, 0)));
    IF NEW.campaign_id IS NULL THEN
        SELECT number, chain_sha256 INTO newest FROM rankme_auditevent
        WHERE campaign_id IS NULL ORDER BY number DESC LIMIT 1;
    ELSE
        SELECT number, chain_sha256 INTO newest FROM rankme_auditevent
        WHERE campaign_id = NEW.campaign_id ORDER BY number DESC LIMIT 1;
    END IF;
    NEW.number := COALESCE(newest.number, 0) + 1;
    NEW.chain_sha256 := rankme_audit_hash(COALESCE(newest.chain_sha256, ''), NEW);
    RETURN NEW;
END $$;
"""
CHAIN_BACK = """
DROP FUNCTION rankme_chain_audit_event();
DROP FUNCTION rankme_audit_hash(text, rankme_auditevent);
DROP FUNCTION rankme_audit_facts(rankme_auditevent);
"""

GUARD = """
CREATE TRIGGER auditevent_is_chained BEFORE INSERT ON rankme_auditevent
    FOR EACH ROW EXECUTE FUNCTION rankme_chain_audit_event();
CREATE TRIGGER auditevent_is_insert_only BEFORE UPDATE OR DELETE ON rankme_auditevent
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER auditevent_is_never_emptied BEFORE TRUNCATE ON rankme_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();
"""
GUARD_BACK = """
DROP TRIGGER auditevent_is_chained ON rankme_auditevent;
DROP TRIGGER auditevent_is_insert_only ON rankme_auditevent;
DROP TRIGGER auditevent_is_never_emptied ON rankme_auditevent;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0012_the_record_is_written_once"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='auditevent',
            name='actor',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='campaign',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='audit_events', to='rankme.campaign'),
        ),
        migrations.AddField(
            model_name='auditevent',
            name='chain_sha256',
            field=models.CharField(default='', editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name='auditevent',
            name='number',
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.RunSQL(CHAIN, CHAIN_BACK),
        migrations.AddConstraint(
            model_name='auditevent',
            constraint=models.UniqueConstraint(fields=('campaign', 'number'), name='audit_events_are_numbered', nulls_distinct=False),
        ),
        migrations.RunSQL(GUARD, GUARD_BACK),
    ]
