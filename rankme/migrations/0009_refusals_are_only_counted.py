"""People who declined are only counted; they have no row."""

from django.db import migrations

COUNT_AND_FORGET = """
WITH refused AS (
    DELETE FROM rankme_participant person
    WHERE person.state = 'declined' AND person.consented_at IS NULL
        AND NOT EXISTS (SELECT FROM rankme_assignment WHERE participant_id = person.id)
        AND NOT EXISTS (SELECT FROM rankme_quarantinedpayload WHERE participant_id = person.id)
        AND NOT EXISTS (SELECT FROM rankme_raterexclusion WHERE participant_id = person.id)
    RETURNING person.campaign_id
)
UPDATE rankme_campaign SET refusals = refusals + counted.people
FROM (SELECT campaign_id, count(*) AS people FROM refused GROUP BY campaign_id) counted
WHERE rankme_campaign.id = counted.campaign_id;
UPDATE rankme_participant SET state = 'arrived' WHERE state = 'declined';
"""


class Migration(migrations.Migration):
    dependencies = [("rankme", "0008_outcomes_and_browsers")]

    operations = [migrations.RunSQL(COUNT_AND_FORGET, migrations.RunSQL.noop)]
