"""The site as a Django application: the checks of its settings, and its database's limits."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

# Whatever has set up Django has Celery's app, too, by which it sends jobs to workers.
from evalsite.celery import app as celery_app

__all__ = ["EvalsiteConfig", "celery_app"]


class EvalsiteConfig(AppConfig):
    name = "evalsite"

    def ready(self) -> None:
        from evalsite import checks  # noqa: F401  (importing registers them)

        connection_created.connect(limit)


def limit(connection: BaseDatabaseWrapper, **_told: Any) -> None:
    """Set the limits of a new connection; PgBouncer refuses those that come with its start."""
    limits = settings.DATABASE_LIMITS
    with connection.cursor() as cursor:
        cursor.execute("; ".join(f"SET {name} = %s" for name in limits), list(limits.values()))
