"""Commands of the documentation, run with curl as somebody would who copies them."""

import re
import subprocess
from pathlib import Path

from evalsite.embedded import PROJECT
from tests.live import PATIENCE


def commands(page: str, heading: str) -> list[str]:
    """The commands below a heading of a page of docs/, up to the next one."""
    written = (PROJECT / "docs" / page).read_text()
    (section,) = re.findall(rf"^#+ {heading}\n(.*?)^#", written, re.M | re.S)
    return re.findall(r"^curl .+$", section, re.M)


def run(command: str, folder: Path, values: dict[str, str]) -> str:
    """Run it as it is written, but let an error of HTTP fail."""
    ended = subprocess.run(
        ["bash", "-c", command.replace("curl ", "curl -sS --fail-with-body ", 1)],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **values},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, (command, ended.stdout, ended.stderr)
    return ended.stdout
