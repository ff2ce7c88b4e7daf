"""The site as a Django application; it registers the checks of the settings."""

from django.apps import AppConfig

# Whatever has set up Django has Celery's app, too, by which it sends jobs to workers.
from evalsite.celery import app as celery_app

__all__ = ["EvalsiteConfig", "celery_app"]


class EvalsiteConfig(AppConfig):
    name = "evalsite"

    def ready(self) -> None:
        from evalsite import checks  # noqa: F401  (importing registers them)
