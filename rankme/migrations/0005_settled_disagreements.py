"""What curators settled: rows that are added and never changed."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES = """
CREATE TRIGGER settlement_is_insert_only BEFORE UPDATE OR DELETE ON rankme_settlement
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER settlement_is_never_emptied BEFORE TRUNCATE ON rankme_settlement
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();

CREATE FUNCTION rankme_settlement_fits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM rankme_item item
        JOIN rankme_criterion criterion ON criterion.campaign_id = item.campaign_id
        WHERE item.id = NEW.item_id AND criterion.id = NEW.criterion_id
            AND item.campaign_id = NEW.campaign_id
            AND (NEW.output_id IS NULL OR EXISTS (
                SELECT FROM rankme_output o WHERE o.id = NEW.output_id AND o.item_id = item.id))
    ) THEN
        RAISE EXCEPTION 'item, output and criterion are not of one campaign'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER settlement_fits BEFORE INSERT ON rankme_settlement
    FOR EACH ROW EXECUTE FUNCTION rankme_settlement_fits();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0004_heartbeat"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Settlement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("value", models.FloatField(blank=True, null=True)),
                ("reason", models.CharField(max_length=500)),
                (
                    "decided_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="settlements",
                        to="rankme.campaign",
                    ),
                ),
                (
                    "criterion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="rankme.criterion",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="settlements",
                        to="rankme.item",
                    ),
                ),
                (
                    "output",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="rankme.output",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="a_settlement_has_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("value", None),
                            models.Q(
                                ("value__gte", -1.7976931348623157e308),
                                ("value__lte", 1.7976931348623157e308),
                            ),
                            _connector="OR",
                        ),
                        name="a_settled_value_is_a_finite_number",
                    ),
                ],
            },
        ),
        migrations.RunSQL(RULES),
    ]
