"""Environments that have the client's wheel and what it requires, and nothing of the site."""

import subprocess
import sys
from pathlib import Path

import pytest

from evalsite.embedded import PROJECT


def installed(folder: Path, extra: str = "") -> Path:
    """Build the wheel and install it into an empty environment; the Python of that."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=PROJECT / "client", check=True, capture_output=True)
    [wheel] = folder.glob("rankme_client-*.whl")
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, folder / "venv"], check=True)
    python = folder / "venv/bin/python"
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    install = [*uv, "pip", "install", "--python", str(python), wanted]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode and "connect" in done.stderr:
        pytest.skip("No package index can be reached.")
    assert done.returncode == 0, done.stderr
    return python
