"""The code of the release before this one, from the history of the repository."""

import subprocess
import zipfile
from io import BytesIO
from pathlib import Path

from evalsite.embedded import PROJECT

WITH_THE_VERSION = "analysis/signature.py"


def put_release_before(into: Path) -> bool:
    """Put its files there; False where the history is not here.

    A release is the commit that changes the number of the version, whatever its subject says.
    """
    git = ["git", "-C", str(PROJECT)]
    newest = [*git, "log", "-1", "--format=%H", "-G^VERSION = ", "HEAD~1", "--", WITH_THE_VERSION]
    found = subprocess.run(newest, capture_output=True, text=True, check=False).stdout.strip()
    if not found:
        return False
    archive = [*git, "archive", "--format=zip", found]
    code = subprocess.run(archive, capture_output=True, check=True).stdout
    zipfile.ZipFile(BytesIO(code)).extractall(into)
    return True
