"""The account that runs the servers, and running a program as that account."""

import os
import pwd
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Account:
    """The user and group that the servers run as."""

    uid: int
    gid: int

    @classmethod
    def unprivileged(cls) -> "Account | None":
        """Give root an account without rights for the servers; anyone else runs them directly."""
        if os.geteuid() != 0:
            return None
        try:
            nobody = pwd.getpwnam("nobody")
        except KeyError:
            return cls(65534, 65534)
        return cls(nobody.pw_uid, nobody.pw_gid)


def run_as(
    account: Account | None, command: list[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run a program as this account and wait for it; its environment has none of our secrets."""
    kept = {name: os.environ[name] for name in ("PATH", "TZ") if name in os.environ}
    with tempfile.TemporaryFile() as output:
        # A file, not a pipe: a server that a program leaves behind would hold the pipe open.
        ended = subprocess.run(
            command,
            cwd=folder,
            env={**kept, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            check=False,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
        output.seek(0)
        said = output.read().decode(errors="replace")
    return subprocess.CompletedProcess(command, ended.returncode, stdout=said)
