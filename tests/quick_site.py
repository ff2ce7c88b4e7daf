"""The site's Celery application with a beat every second instead of every five, for tests."""

from django.conf import settings

settings.CELERY_BEAT_SCHEDULE["reconcile"]["schedule"] = 1.0

from evalsite.celery import app  # noqa: E402, F401
