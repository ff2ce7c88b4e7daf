"""The site's Celery application without the repair of silent connections: its workers stay deaf."""

from django.conf import settings

settings.CELERY_BROKER_TRANSPORT_OPTIONS["health_check_interval"] = 3600

from tests.faults.plain_site import app  # noqa: E402, F401
