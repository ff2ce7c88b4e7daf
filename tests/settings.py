"""The site's own settings, with what makes tests quick and tells them from production."""

import atexit
import os
import shutil
import sys
import tempfile

# Tests start hundreds of processes. Where Python is told to keep no bytecode, as in many
# containers, each of them would compile the whole site again, and every worker all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Several test workers share the cores: the threads of each one's linear algebra would wait for a
# core of their own in a busy loop, which took most of the time of a mixed model.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

os.environ["ENVIRONMENT"] = "local"
os.environ["DATA_FOLDER"] = tempfile.mkdtemp(prefix=f"rankme-test-{os.getpid()}-")
os.environ.pop("DATABASE_URL", None)
os.environ.pop("REDIS_URL", None)
atexit.register(shutil.rmtree, os.environ["DATA_FOLDER"], ignore_errors=True)

from django.contrib.auth.hashers import PBKDF2PasswordHasher  # noqa: E402

from evalsite.embedded import DATABASE, OWNER_ROLE  # noqa: E402
from evalsite.settings import *  # noqa: E402, F403


class QuickHasher(PBKDF2PasswordHasher):
    """Makes passwords that the site's own hasher can read, in no time."""

    iterations = 1


# Tests build and break their database as its owner. The live site has the site's own role.
# The database of tests begins as a copy of the migrated one that a cluster comes with.
DATABASES["default"] |= {  # noqa: F405
    "ENGINE": "tests.database",
    "USER": OWNER_ROLE,
    "TEST": {"TEMPLATE": DATABASE},
}
PASSWORD_HASHERS = ["tests.settings.QuickHasher"]
# Files straight from static/: a test sees what is there now, without collectstatic.
STORAGES = STORAGES | {  # noqa: F405
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
