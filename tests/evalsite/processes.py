"""The site's processes, started in an environment of their own."""

import os
import secrets
import subprocess
from io import StringIO
from pathlib import Path

import psutil
from django.core.management import CommandError, call_command

from evalsite.embedded import Servers
from evalsite.run import MARK
from tests.live import run_python

SAFE = {
    "ENVIRONMENT": "production",
    "SECRET_KEY": secrets.token_urlsafe(48),
    "ALLOWED_HOSTS": "evaluation.example.org",
    "SITE_URL": "https://evaluation.example.org",
}


def run(
    arguments: list[str], servers: Servers, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run one of the site's processes in an environment of its own."""
    environment = {"PATH": os.environ["PATH"], "DATA_FOLDER": str(servers.folder)}
    return run_python(arguments, environment | servers.addresses() | SAFE | settings)


def said_by_doctor(*options: str) -> str:
    """Return what `doctor` prints; with problems, their number at the end."""
    out = StringIO()
    try:
        call_command("doctor", *options, stdout=out)
    except CommandError as problems:
        out.write(str(problems))
    return out.getvalue()


PROCESSES = {
    "web": ["-m", "gunicorn", "--config", "python:evalsite.gunicorn", "evalsite.wsgi"],
    "worker": ["-m", "celery", "-A", "evalsite", "worker"],
    "beat": ["-m", "celery", "-A", "evalsite", "beat", "--pidfile="],
}


def processes_of(folder: Path) -> list[str]:
    """Name every process that has the mark of this data folder, or lives in it."""
    return [process.name() for process in psutil.process_iter() if is_of(folder, process)]


def is_of(folder: Path, process: psutil.Process) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        in_folder = Path(process.cwd()).is_relative_to(folder)
        return in_folder or process.environ().get(MARK) == str(folder)
    except psutil.Error:
        return False
