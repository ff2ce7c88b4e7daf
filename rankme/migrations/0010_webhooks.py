"""Webhooks of campaigns: whom they tell, what happened, and each message about it."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

KEY = (
    "id",
    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
)
NOW = django.db.models.functions.datetime.Now()


def of(model: str, name: str) -> models.ForeignKey:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE, related_name=name, to=f"rankme.{model}"
    )


class Migration(migrations.Migration):
    dependencies = [("rankme", "0009_site_processes")]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                KEY,
                ("url", models.CharField(max_length=500)),
                ("kinds", models.JSONField(default=list)),
                ("sealed_secret", models.TextField()),
                ("is_active", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField(db_default=NOW)),
                ("campaign", of("campaign", "webhooks")),
            ],
            options={"ordering": ["id"]},
        ),
        migrations.CreateModel(
            name="WebhookEvent",
            fields=[
                KEY,
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("launched", "Launched"),
                            ("half_done", "Half of the batches are done"),
                            ("done", "All batches are done"),
                            ("report_ready", "A report is ready"),
                            ("money_trouble", "A payment or study needs a person"),
                            ("record_trouble", "The record is damaged"),
                        ],
                        max_length=20,
                    ),
                ),
                ("key", models.CharField(max_length=80)),
                ("detail", models.JSONField(default=dict)),
                ("happened_at", models.DateTimeField(db_default=NOW)),
                ("campaign", of("campaign", "webhook_events")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "key"), name="webhook_event_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                KEY,
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("sent", "Sent"),
                            ("failed", "Given up"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField(db_default=NOW)),
                ("tried_at", models.DateTimeField(null=True)),
                ("status", models.PositiveSmallIntegerField(default=0)),
                ("problem", models.CharField(blank=True, max_length=300)),
                ("event", of("webhookevent", "deliveries")),
                ("webhook", of("webhook", "deliveries")),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["due_at"],
                        name="webhook_messages_waiting",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("webhook", "event"), name="one_message_per_event"
                    )
                ],
            },
        ),
    ]
