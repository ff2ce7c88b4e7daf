"""The image without an engine: the files that it copies, its environment and its steps."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePath

from evalsite.embedded import PROJECT


@dataclass(frozen=True)
class Dockerfile:
    environment: dict[str, str]
    steps: list[str]


def dockerfile() -> Dockerfile:
    """Read the variables and the commands of the Dockerfile, in their order."""
    text = (PROJECT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    environment: dict[str, str] = {}
    for line in re.findall(r"^ENV (.*)", text, re.M):
        environment |= dict(pair.split("=", 1) for pair in shlex.split(line))
    return Dockerfile(environment, re.findall(r"^RUN (.*)", text, re.M))


def image_content() -> list[str]:
    """Name the tracked files that `COPY . .` takes along."""
    ignored = [
        line.removeprefix("**/")
        for line in (PROJECT / ".dockerignore").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    tracked = subprocess.check_output(["git", "ls-files"], cwd=PROJECT, text=True).splitlines()
    return [
        name for name in tracked if not any(PurePath(name).parts[0] == each for each in ignored)
    ]


def copied_files(folder: Path) -> list[str]:
    """Copy these files to a folder, as the image has them; return their names."""
    content = image_content()
    for name in content:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, folder / name)
    return content
