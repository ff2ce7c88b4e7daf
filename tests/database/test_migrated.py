"""The migrated cluster that test runs copy is not an old one."""

import shutil

import pytest

from evalsite.embedded import PROJECT, postgresql_programs
from tests.database.migrated import KEPT, fingerprint


@pytest.fixture
def project(tmp_path):
    """A copy of the sources, to be changed."""
    for folder in ("rankme/migrations", "evalsite/embedded"):
        shutil.copytree(PROJECT / folder, tmp_path / folder)
    return tmp_path


def test_a_changed_migration_needs_another_cluster(project, tmp_path_factory):
    programs = postgresql_programs(tmp_path_factory.mktemp("programs"))
    before = fingerprint(programs, project)
    assert fingerprint(programs, project) == before
    changed = sorted((project / "rankme/migrations").glob("0*.py"))[1]
    changed.write_text(changed.read_text().replace("migrations.", "migrations .", 1))
    assert fingerprint(programs, project) != before


def test_a_run_keeps_one_cluster_and_begins_with_it(servers):
    kept = [found.name for found in KEPT.iterdir() if found.is_dir()]
    assert kept == [fingerprint(postgresql_programs(servers.folder))]
    assert (KEPT / kept[0] / "PG_VERSION").read_text() == (
        servers.postgresql.home / "PG_VERSION"
    ).read_text()
