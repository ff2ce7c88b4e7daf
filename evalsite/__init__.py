"""The wiring of the site: settings, addresses, servers; the domain lives in rankme."""

import os

# Celery, too, looks here when its app is made (evalsite/apps.py). Without Django, only the thread
# that made the app would know it, and all others would write to a broker that does not exist.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
