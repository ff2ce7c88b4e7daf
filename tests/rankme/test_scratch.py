"""Folders of uploads outlive their process only until the next upload."""

import subprocess
import sys
import tempfile

from rankme.scratch import new_folder

LEAVE_ONE = "from rankme.scratch import new_folder; print(new_folder(), end='')"


def test_what_a_killed_process_left_is_swept_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    left = subprocess.check_output([sys.executable, "-c", LEAVE_ONE], text=True)
    others = tmp_path / "rankme-scratch-of-somebody"
    others.mkdir()
    mine, next_one = new_folder(), new_folder()
    assert left not in {str(path) for path in tmp_path.iterdir()}
    assert set(tmp_path.iterdir()) == {others, mine, next_one}
