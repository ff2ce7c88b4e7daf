"""The image without an engine: the Dockerfile's own steps, on top of this machine's files.

The layer of the image is an overlay, so that nothing that a step writes reaches the machine. Its
containers have what compose gives them: the image's account without capabilities, a root file
system that nobody can write to, and folders of their own where a volume is.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import pytest
import yaml

from evalsite.embedded import PROJECT

COMPOSE = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
PLACES = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BASE_ENVIRONMENT = {"PATH": f"/venv/bin:{PLACES}", "HOME": "/root"}
# How packages reach this machine is the machine's own affair.
BASE_ENVIRONMENT |= {name: os.environ[name] for name in os.environ if name.startswith("PIP_")}

LAYER = """
set -e
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
for each in dev proc sys; do mount --rbind "/$each" "$1/root/$each"; done
echo ready
exec sleep infinity
"""
CONTAINER = """
set -e
umask 022
root=$1; account=$2; folder=$3; shift 3
while test "$1" != --; do
    mkdir -p "$root$2"
    # A new volume gets the owner and the rights that its folder has in the image.
    if ! test -e "$1"; then
        mkdir "$1"
        chown --reference "$root$2" "$1"
        chmod --reference "$root$2" "$1"
    fi
    mount --bind "$1" "$root$2"
    shift 2
done
shift
test "$account" != root || exec chroot "$root" env --chdir="$folder" "$@"
mount -o remount,bind,ro "$root"
exec chroot "$root" env --chdir="$folder" setpriv --reuid "$account" --regid "$account" \\
    --clear-groups --no-new-privs --bounding-set -all "$@"
"""


def instructions() -> list[tuple[str, str]]:
    """Read the Dockerfile: each instruction and what follows it."""
    text = (PROJECT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest.strip()) for name, _space, rest in (line.partition(" ") for line in lines)]


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


def copied_files(folder: Path, only: str = ".") -> list[str]:
    """Copy these files to a folder, as the image has them; return their names."""
    content = [name for name in image_content() if only in (".", name)]
    for name in content:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, folder / name)
    return content


class Image:
    """A layer over this machine in a mount namespace of its own, which ends with `close`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root = folder, folder / "root"
        self.environment = dict(BASE_ENVIRONMENT)
        self.account, self.place = "root", "/"
        self.commands: dict[str, list[str]] = {}
        for name in ("upper", "work", "root"):
            (folder / name).mkdir()
        refuse_without_mounts(folder)
        self.layer = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", LAYER, "sh", str(folder)], stdout=subprocess.PIPE
        )
        assert self.layer.stdout.readline() == b"ready\n"

    def close(self) -> None:
        with self.layer:
            self.layer.kill()

    def build(self) -> None:
        """Carry out the Dockerfile. The base image's Python is this one, without its packages."""
        python = Path(sys._base_executable).resolve()  # type: ignore[attr-defined]
        self.run([str(python), "-m", "venv", "/venv"])
        for name, rest in instructions():
            match name:
                case "ARG" | "FROM" | "EXPOSE" | "VOLUME":
                    pass
                case "ENV":
                    self.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))
                case "WORKDIR":
                    self.run(["mkdir", "-p", rest])
                    self.place = rest
                case "COPY":
                    source, target = rest.split()
                    assert target == "."
                    assert copied_files(self.folder / "upper" / self.place[1:], only=source)
                case "RUN":
                    self.run(["sh", "-ec", rest])
                case "USER":
                    self.account = rest
                    self.environment["HOME"] = f"/home/{rest}"  # as the engine reads in passwd
                case "HEALTHCHECK" | "CMD":
                    self.commands[name] = yaml.safe_load(rest[rest.index("[") :])
                case _:
                    pytest.fail(f"What does {name} do in the Dockerfile?")

    def run(self, command: Sequence[str]) -> None:
        """Run a step of the build."""
        subprocess.run(self.line(command), env=self.environment, check=True)

    def line(self, command: Sequence[str], volumes: Mapping[Path, str] | None = None) -> list[str]:
        """Write the command that runs another in a container with these volumes."""
        pairs = [str(each) for pair in (volumes or {}).items() for each in pair]
        enter = ["nsenter", f"--target={self.layer.pid}", "--mount", "unshare", "--mount"]
        told = [str(self.root), self.account, self.place, *pairs, "--", *command]
        return [*enter, "sh", "-c", CONTAINER, "sh", *told]

    def service_line(self, name: str, command: Sequence[str], shared: Path) -> list[str]:
        """Write the command that runs another in this service's container.

        Named volumes are shared, others are its own. `shared` is a folder of this machine where
        the sockets of PostgreSQL and the broker are.
        """
        service = COMPOSE["services"][name]
        assert service["read_only"] and not service.get("tmpfs")
        volumes = {}
        for volume in service["volumes"]:
            source, _colon, target = volume.rpartition(":")
            volumes[self.folder / (source or f"{name}{target.replace('/', '-')}")] = target
        # Last, because it is below the machine's /tmp.
        return self.line(command, volumes | {shared: str(shared)})

    def command_of(self, name: str) -> list[str]:
        """The command by which compose starts this service."""
        return COMPOSE["services"][name].get("command") or self.commands["CMD"]

    def health_command(self, name: str) -> list[str]:
        check: dict[str, Any] = COMPOSE["services"][name].get("healthcheck", {})
        kind, *command = check.get("test") or ["CMD", *self.commands["HEALTHCHECK"]]
        return ["sh", "-c", *command] if kind == "CMD-SHELL" else command


def refuse_without_mounts(folder: Path) -> None:
    """Skip the test, with the reason, where this account or machine may not mount anything."""
    if os.geteuid() != 0:
        pytest.skip("The image is not tried: only root can mount its file system.")
    trial = LAYER.replace("exec sleep infinity", "")
    tried = subprocess.run(
        ["unshare", "--mount", "sh", "-c", trial, "sh", str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if tried.returncode:
        reason = re.sub(r"\s+", " ", tried.stderr)
        pytest.skip(f"The image is not tried: this machine mounts no overlay ({reason}).")
