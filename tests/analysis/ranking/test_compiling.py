"""Where compiled functions are kept when neither the code nor a home can be written."""

import tempfile

import pytest

from analysis.ranking.compiling import own_temporary_folder


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_folder_is_private_and_used_again(temporary):
    folder = own_temporary_folder()
    assert folder.parent == temporary
    assert folder.stat().st_mode & 0o777 == 0o700
    assert own_temporary_folder() == folder


def test_a_folder_that_others_can_write_is_not_used(temporary):
    folder = own_temporary_folder()
    folder.chmod(0o777)
    assert own_temporary_folder() != folder


def test_a_link_in_its_place_is_not_followed(temporary):
    folder = own_temporary_folder()
    folder.rmdir()
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)
    assert own_temporary_folder().name not in {folder.name, elsewhere.name}
