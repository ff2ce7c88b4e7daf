"""The site's processes, started in an environment of their own."""

import os
import secrets
import subprocess
import sys

from evalsite.embedded import PROJECT, Servers
from tests.live import PATIENCE

SAFE = {
    "ENVIRONMENT": "production",
    "SECRET_KEY": secrets.token_urlsafe(48),
    "ALLOWED_HOSTS": "evaluation.example.org",
}


def run(arguments: list[str], servers: Servers, **settings: str) -> subprocess.CompletedProcess:
    """Start one of the site's processes in an environment of its own."""
    environment = {"PATH": os.environ["PATH"], "DATA_FOLDER": str(servers.folder)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=PROJECT,
        env=environment | servers.addresses() | SAFE | settings,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


PROCESSES = {
    "web": ["-m", "gunicorn", "--config", "python:evalsite.gunicorn", "evalsite.wsgi"],
    "worker": ["-m", "celery", "-A", "evalsite", "worker"],
    "beat": ["-m", "celery", "-A", "evalsite", "beat", "--pidfile="],
}
