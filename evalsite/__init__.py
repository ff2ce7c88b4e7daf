"""The wiring of the site: settings, addresses, servers; the domain lives in rankme."""

import atexit
import gc
import os

# A start makes half a million objects that stay. By Python's own threshold of 700 it looks for
# garbage among them so often that this takes a fifth of the time until the site answers.
gc.set_threshold(20_000)
# When a process ends, Python would look through all of them again, for half a second, though the
# system takes the memory back anyway. It passes over frozen ones.
atexit.register(gc.freeze)

# Celery, too, looks here when its app is made (evalsite/apps.py). Without Django, only the thread
# that made the app would know it, and all others would write to a broker that does not exist.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
