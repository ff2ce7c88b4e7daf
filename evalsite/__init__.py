"""The wiring of the site: settings, addresses, servers; the domain lives in rankme."""

from evalsite.celery import app as celery_app

__all__ = ["celery_app"]
