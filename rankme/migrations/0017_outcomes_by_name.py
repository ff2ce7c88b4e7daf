"""Every outcome of a visit has a name, and drafts have their codes by outcome."""

from django.db import migrations, models

from rankme.panel_links.outcomes import with_settings_by_outcome

RENAMED = {"complete": "completed", "partial": "returned"}


def rename(new: str, old: str) -> migrations.RunSQL:
    change = "UPDATE rankme_participant SET outcome = '{}' WHERE outcome = '{}'"
    return migrations.RunSQL(change.format(new, old), change.format(old, new))


def write_drafts_anew(apps, schema_editor):
    """Launched campaigns are frozen, and are read as they were written."""
    drafts = apps.get_model("rankme", "Campaign").objects.filter(launched_at=None)
    for campaign in drafts.exclude(definition__crowd=None).iterator():
        campaign.definition["crowd"] = with_settings_by_outcome(campaign.definition["crowd"])
        campaign.save(update_fields=["definition"])


class Migration(migrations.Migration):
    dependencies = [("rankme", "0016_uploads_wait_for_their_columns")]

    operations = [
        migrations.RemoveConstraint(model_name="participant", name="a_code_belongs_to_an_outcome"),
        migrations.AlterField(
            model_name="participant",
            name="outcome",
            field=models.CharField(
                blank=True,
                choices=[
                    ("completed", "Completed"),
                    ("late", "Finished late"),
                    ("returned", "Gave the rest back"),
                    ("no_consent", "No consent"),
                    ("screened_out", "Screened out"),
                    ("failed_checks", "Failed the checks"),
                    ("quota_full", "No work left"),
                    ("incompatible_device", "Unsuitable device"),
                    ("timed_out", "Time ran out"),
                    ("too_fast", "Too fast"),
                ],
                db_default="",
                default="",
                max_length=20,
            ),
        ),
        *(rename(new, old) for old, new in RENAMED.items()),
        migrations.AddConstraint(
            model_name="participant",
            constraint=models.CheckConstraint(
                name="a_code_belongs_to_an_outcome",
                condition=models.Q(
                    models.Q(
                        ("completed_at__isnull", False),
                        ("state", "completed"),
                        ("outcome__in", ["completed", "late"]),
                        models.Q(("completion_code", ""), _negated=True),
                    ),
                    models.Q(
                        ("completed_at", None), ("outcome", "returned"), ("state", "returned")
                    ),
                    models.Q(
                        ("completed_at", None),
                        ("outcome__in", ["failed_checks", "screened_out", "too_fast"]),
                        ("state", "screened_out"),
                    ),
                    models.Q(
                        models.Q(("state", "completed"), _negated=True),
                        ("completed_at", None),
                        ("completion_code", ""),
                        ("outcome", ""),
                    ),
                    _connector="OR",
                ),
            ),
        ),
        migrations.RunPython(write_drafts_anew, migrations.RunPython.noop),
    ]
