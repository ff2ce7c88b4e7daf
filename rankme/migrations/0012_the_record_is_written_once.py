"""Nobody changes or empties the tables of the record, and no deletion cascades into them."""

import django.db.models.deletion
from django.db import migrations, models

WRITTEN_ONCE = ("plan", "batch", "trial", "trialoutput")
NEVER_EMPTIED = (
    *WRITTEN_ONCE,
    *("submission", "judgement", "quarantinedpayload"),
    *("slot", "assignment", "raterexclusion"),
)

FORBID = """
CREATE OR REPLACE FUNCTION rankme_forbid_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: the record is never changed', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
"""
FORBID_BACK = FORBID.replace("the record is never changed", "what was submitted is never changed")


def trigger(name: str, table: str, events: str, each: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} BEFORE {events} ON rankme_{table}"
        f" FOR EACH {each} EXECUTE FUNCTION rankme_forbid_change()",
        f"DROP TRIGGER {name} ON rankme_{table}",
    )


class Migration(migrations.Migration):
    dependencies = [("rankme", "0011_report_parts_files_and_launches")]

    operations = [
        migrations.RunSQL(FORBID, FORBID_BACK),
        *(
            trigger(f"{table}_is_insert_only", table, "UPDATE OR DELETE", "ROW")
            for table in WRITTEN_ONCE
        ),
        *(
            trigger(f"{table}_is_never_emptied", table, "TRUNCATE", "STATEMENT")
            for table in NEVER_EMPTIED
        ),
        migrations.AlterField(
            model_name='assignment',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='rankme.campaign'),
        ),
        migrations.AlterField(
            model_name='batch',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='rankme.campaign'),
        ),
        migrations.AlterField(
            model_name='plan',
            name='campaign',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='plan', to='rankme.campaign'),
        ),
        migrations.AlterField(
            model_name='raterexclusion',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rater_exclusions', to='rankme.campaign'),
        ),
        migrations.AlterField(
            model_name='raterexclusion',
            name='participant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='rankme.participant'),
        ),
        migrations.AlterField(
            model_name='slot',
            name='batch',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='rankme.batch'),
        ),
        migrations.AlterField(
            model_name='slot',
            name='campaign',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='rankme.campaign'),
        ),
        migrations.AlterField(
            model_name='trial',
            name='batch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='trials', to='rankme.batch'),
        ),
        migrations.AlterField(
            model_name='trialoutput',
            name='trial',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='places', to='rankme.trial'),
        ),
    ]
