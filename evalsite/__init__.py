"""The wiring of the site: settings, addresses, servers; the domain lives in rankme."""

import gc

# A start makes half a million objects that stay. By Python's own threshold of 700 it looks for
# garbage among them so often that this takes a fifth of the time until the site answers.
gc.set_threshold(20_000)

from evalsite.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
