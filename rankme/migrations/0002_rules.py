"""The rules of the record that no constraint of a table can say, as triggers."""

from django.db import migrations

INSERT_ONLY = (
    *("submission", "judgement", "quarantinedpayload", "campaignversion", "auditevent"),
    *("plan", "batch", "trial", "trialoutput"),
    *("checktrial", "quizattempt", "ruledecision"),
)
NEVER_DELETED = ("complaint", "panelpayment")
NEVER_EMPTIED = (*INSERT_ONLY, *NEVER_DELETED, "slot", "assignment", "raterexclusion")
# Names that were given before there was a pattern.
NAMES = {
    "quarantinedpayload_is_insert_only": "quarantine_is_insert_only",
    "panelpayment_is_never_deleted": "panelpayment_is_kept",
}

FORBID_CHANGE = """
CREATE FUNCTION rankme_forbid_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: the record is never changed', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
"""

# A launched campaign keeps its material. INSERT stays free: the plan names the outputs that are
# shown, so a row that came later is never shown.
MATERIAL_IS_FROZEN = """
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
CREATE TRIGGER item_is_frozen BEFORE DELETE OR UPDATE ON rankme_item
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_launched();
CREATE TRIGGER mediafile_is_frozen BEFORE DELETE OR UPDATE ON rankme_mediafile
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_launched();
CREATE TRIGGER output_is_frozen BEFORE DELETE OR UPDATE ON rankme_output
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_launched();
CREATE TRIGGER system_is_frozen BEFORE DELETE OR UPDATE ON rankme_system
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_launched();
"""

# Raters, sittings and submissions know which version of their campaign they saw.
VERSIONS = """
ALTER TABLE rankme_participant ADD CONSTRAINT a_rater_saw_a_version
    FOREIGN KEY (campaign_id, version) REFERENCES rankme_campaignversion (campaign_id, number);
ALTER TABLE rankme_assignment ADD CONSTRAINT a_sitting_is_of_a_version
    FOREIGN KEY (campaign_id, version) REFERENCES rankme_campaignversion (campaign_id, number);
ALTER TABLE rankme_submission ADD CONSTRAINT a_submission_is_of_its_sittings_version
    FOREIGN KEY (assignment_id, version) REFERENCES rankme_assignment (id, version);

CREATE FUNCTION rankme_forbid_version_gap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.number > 1 AND NOT EXISTS (
        SELECT 1 FROM rankme_campaignversion
        WHERE campaign_id = NEW.campaign_id AND number = NEW.number - 1
    ) THEN
        RAISE EXCEPTION 'version % is refused: there is no version before it', NEW.number
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER versions_have_no_gap BEFORE INSERT ON rankme_campaignversion
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_version_gap();

CREATE FUNCTION rankme_forbid_new_definition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.launched_at IS NOT NULL AND (
        NEW.launched_at IS DISTINCT FROM OLD.launched_at OR NEW.seed <> OLD.seed
    ) THEN
        RAISE EXCEPTION 'a launched campaign keeps its seed and launch time'
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.launched_at IS NOT NULL AND (
        OLD.launched_at IS NULL OR NEW.version <> OLD.version
        OR NEW.definition IS DISTINCT FROM OLD.definition
    ) AND NOT EXISTS (
        SELECT 1 FROM rankme_campaignversion version
        WHERE version.campaign_id = NEW.id AND version.number = NEW.version
            AND version.definition = NEW.definition AND NOT EXISTS (
                SELECT 1 FROM rankme_campaignversion newer
                WHERE newer.campaign_id = NEW.id AND newer.number > NEW.version)
    ) THEN
        RAISE EXCEPTION 'a launched campaign has the definition of its newest version'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER launched_definition_is_frozen BEFORE UPDATE ON rankme_campaign
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_new_definition();
"""

# `manage.py verify` computes the same hashes from the same facts (rankme/verification/audit.py).
AUDIT = """
CREATE FUNCTION rankme_audit_facts(event rankme_auditevent) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_array(
        event.number, event.campaign_id, event.actor_id, event.verb, event.detail,
        (extract(epoch FROM event.happened_at) * 1000000)::bigint)::text
$$;

CREATE FUNCTION rankme_audit_hash(before text, event rankme_auditevent) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(before || rankme_audit_facts(event), 'UTF8')), 'hex')
$$;

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
CREATE TRIGGER auditevent_is_chained BEFORE INSERT ON rankme_auditevent
    FOR EACH ROW EXECUTE FUNCTION rankme_chain_audit_event();
"""

# A new password ends the keys of its account.
KEYS = """
CREATE FUNCTION rankme_end_keys_of_changed_password() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM authtoken_token WHERE user_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER keys_end_with_their_password AFTER UPDATE OF password ON auth_user
    FOR EACH ROW WHEN (OLD.password IS DISTINCT FROM NEW.password)
    EXECUTE FUNCTION rankme_end_keys_of_changed_password();
"""

# What a study can cost at most follows from its places and payments. The CHECK constraint on
# `committed` then refuses whatever would exceed the ceiling, whichever code asks for it.
MONEY = """
CREATE FUNCTION rankme_panel_commitment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    base bigint;
    bonuses bigint;
BEGIN
    SELECT COALESCE(sum(cost) FILTER (WHERE kind <> 'bonus'), 0),
           COALESCE(sum(cost) FILTER (WHERE kind = 'bonus'), 0)
        INTO base, bonuses
        FROM rankme_panelpayment WHERE study_id = NEW.id AND state <> 'refused';
    NEW.committed := greatest(NEW.places_cost, base) + bonuses;
    NEW.excess := least(NEW.excess, greatest(0, NEW.committed - NEW.ceiling));
    RETURN NEW;
END $$;
CREATE TRIGGER panelstudy_knows_its_cost BEFORE INSERT OR UPDATE ON rankme_panelstudy
    FOR EACH ROW EXECUTE FUNCTION rankme_panel_commitment();

CREATE FUNCTION rankme_panel_recount() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Waits for other payments of the study, and then counts them too.
    UPDATE rankme_panelstudy SET committed = committed WHERE id = NEW.study_id;
    RETURN NULL;
END $$;
CREATE TRIGGER panelpayment_is_counted AFTER INSERT OR UPDATE ON rankme_panelpayment
    FOR EACH ROW EXECUTE FUNCTION rankme_panel_recount();

CREATE FUNCTION rankme_panel_payment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.study_id <> (SELECT study_id FROM rankme_panelsubmission
                            WHERE id = NEW.submission_id) THEN
            RAISE EXCEPTION 'a payment belongs to the study of its submission'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.state = 'paid' AND NEW.state <> 'paid' THEN
        RAISE EXCEPTION 'what is paid stays paid' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.study_id, OLD.submission_id, OLD.kind, OLD.amount, OLD.currency)
            IS DISTINCT FROM
       (NEW.study_id, NEW.submission_id, NEW.kind, NEW.amount, NEW.currency) THEN
        RAISE EXCEPTION 'who is paid how much never changes'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER panelpayment_is_guarded BEFORE INSERT OR UPDATE ON rankme_panelpayment
    FOR EACH ROW EXECUTE FUNCTION rankme_panel_payment_guard();
"""

# A mark has the text that is in the output at its place.
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

# Checks are trials whose answers can never become judgements.
CHECKS = """
CREATE FUNCTION rankme_forbid_judged_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM inserted
        JOIN rankme_submission submission ON submission.id = inserted.submission_id
        JOIN rankme_checktrial checked ON checked.trial_id = submission.trial_id
    ) THEN
        RAISE EXCEPTION 'a judgement is refused: its trial is a check'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER checks_are_not_judged AFTER INSERT ON rankme_judgement
    REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
    EXECUTE FUNCTION rankme_forbid_judged_check();

CREATE FUNCTION rankme_forbid_check_with_outputs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM inserted JOIN rankme_checktrial checked ON checked.trial_id = inserted.trial_id
    ) THEN
        RAISE EXCEPTION 'an output of the plan is refused: its trial is a check'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER checks_have_no_outputs AFTER INSERT ON rankme_trialoutput
    REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
    EXECUTE FUNCTION rankme_forbid_check_with_outputs();

CREATE FUNCTION rankme_forbid_check_of_a_used_trial() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM rankme_trialoutput WHERE trial_id = NEW.trial_id)
        OR EXISTS (SELECT FROM rankme_submission WHERE trial_id = NEW.trial_id)
    THEN
        RAISE EXCEPTION 'trial % has outputs or answers: it cannot become a check', NEW.trial_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER checks_are_trials_of_their_own BEFORE INSERT ON rankme_checktrial
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_check_of_a_used_trial();
"""

# The site's role may change `state` and `counts`. Without this rule one UPDATE chooses whose
# answers make the ranking.
SITTINGS = """
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


def refused(rule: str, tables: tuple[str, ...], events: str, each: str = "ROW") -> str:
    """Triggers that refuse these changes of the tables."""
    names = [(table, f"{table}_is_{rule}") for table in tables]
    return "".join(
        f"CREATE TRIGGER {NAMES.get(name, name)} BEFORE {events} ON rankme_{table}"
        f" FOR EACH {each} EXECUTE FUNCTION rankme_forbid_change();\n"
        for table, name in names
    )


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0001_tables"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("authtoken", "0004_alter_tokenproxy_options"),
    ]

    operations = [
        migrations.RunSQL(FORBID_CHANGE),
        migrations.RunSQL(refused("insert_only", INSERT_ONLY, "UPDATE OR DELETE")),
        migrations.RunSQL(refused("never_deleted", NEVER_DELETED, "DELETE")),
        migrations.RunSQL(refused("never_emptied", NEVER_EMPTIED, "TRUNCATE", "STATEMENT")),
        migrations.RunSQL(MATERIAL_IS_FROZEN),
        migrations.RunSQL(VERSIONS),
        migrations.RunSQL(AUDIT),
        migrations.RunSQL(KEYS),
        migrations.RunSQL(MONEY),
        migrations.RunSQL(MARKS),
        migrations.RunSQL(CHECKS),
        migrations.RunSQL(SITTINGS),
    ]
