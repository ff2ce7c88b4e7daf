"""`make audit`: problems of the locked packages that the indexes of Python and npm know."""

import json
import subprocess
import sys
from pathlib import Path

PIP_AUDIT = (
    "uvx pip-audit==2.10.1 --requirement requirements.lock --no-deps --disable-pip "
    "--progress-spinner off --format json"
)
NPM_AUDIT = "npm audit --json"


def python_problems(said: str) -> list[str] | None:
    """Return what pip-audit found; None unless the index knew every package."""
    try:
        packages = json.loads(said)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return None
    if not packages or any("skip_reason" in each for each in packages):
        return None
    return [f"{each['name']} {bad['id']}" for each in packages for bad in each["vulns"]]


def npm_problems(said: str) -> list[str] | None:
    """Return what npm found; None when the registry did not answer."""
    try:
        return [
            f"{name} {bad['severity']}" for name, bad in json.loads(said)["vulnerabilities"].items()
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def main() -> int:
    ended = 0
    for command, read in ((PIP_AUDIT, python_problems), (NPM_AUDIT, npm_problems)):
        words = command.split()
        beside = Path(sys.executable).parent / words[0]
        words[0] = str(beside) if beside.exists() else words[0]
        asked = subprocess.run(words, capture_output=True, text=True, check=False)
        found = read(asked.stdout)
        if found is None:
            print(
                f"NOT CHECKED  {command}: the index cannot be asked.\n{asked.stderr.strip()[-300:]}"
            )
        else:
            print(
                *(f"PROBLEM  {each}" for each in found),
                f"{len(found)} problems: {command}",
                sep="\n",
            )
        ended = max(ended, 2 if found is None else 1 if found else 0)
    return ended


if __name__ == "__main__":
    sys.exit(main())
