"""A published study always has its places set aside, also those added at the panel."""

from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Cast

COMMITMENT = """
CREATE OR REPLACE FUNCTION rankme_panel_commitment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    base bigint;
    bonuses bigint;
BEGIN
    SELECT COALESCE(sum(cost) FILTER (WHERE kind <> 'bonus'), 0),
           COALESCE(sum(cost) FILTER (WHERE kind = 'bonus'), 0)
        INTO base, bonuses
        FROM rankme_panelpayment WHERE study_id = NEW.id AND state <> 'refused';
    NEW.committed := greatest(NEW.places_cost, base) + bonuses;
    {excess}
    RETURN NEW;
END $$;
"""
CUT = "NEW.excess := least(NEW.excess, greatest(0, NEW.committed - NEW.ceiling));"
# Until now a study could be published with nothing set aside. The next visit to the panel counts
# the fees too. `excess` lets the trigger accept these places even beyond the ceiling.
UNCOUNTED = """
UPDATE rankme_panelstudy SET places_cost = places * reward, excess = 2147483647
    WHERE state NOT IN ('NEW', 'UNPUBLISHED') AND places_cost < places::bigint * reward
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0033_uploads_are_imported")]

    operations = [
        migrations.RemoveConstraint(model_name="panelstudy", name="nothing_exceeds_the_ceiling"),
        migrations.AddField(
            model_name="panelstudy",
            name="excess",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.RunSQL(COMMITMENT.format(excess=CUT), COMMITMENT.format(excess="")),
        migrations.RunSQL(UNCOUNTED, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name="panelstudy",
            constraint=models.CheckConstraint(
                name="nothing_exceeds_the_ceiling",
                condition=Q(committed__lte=F("ceiling") + F("excess")),
            ),
        ),
        migrations.AddConstraint(
            model_name="panelstudy",
            constraint=models.CheckConstraint(
                name="published_places_are_set_aside",
                condition=Q(state__in=["NEW", "UNPUBLISHED"])
                | Q(places_cost__gte=Cast(F("places"), models.BigIntegerField()) * F("reward")),
            ),
        ),
    ]
