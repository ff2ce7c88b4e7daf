"""Backup and restore, with the very commands of the page on running the site: F30."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalsite.embedded import PROJECT, PostgreSQL, postgresql_programs
from tests.campaigns import make_campaign, make_rater, rankme_definition
from tests.live import LiveSite, reachable_folder
from tests.sittings import answer, claim, sit

pytestmark = pytest.mark.slow
PAGE = (PROJECT / "docs/deployment.md").read_text()
LOOK = """
import hashlib, django; django.setup()
from django.db import DatabaseError
from rankme.exporting.judgements import judgements_csv, judgements_jsonl
from rankme.models import Campaign, Submission
from tests.invariants import check_record
check_record()
exports = hashlib.sha256()
for campaign in Campaign.objects.order_by("pk"):
    for part in [*judgements_csv(campaign, stored=True), *judgements_jsonl(campaign)]:
        exports.update(part)
try:
    Submission.objects.update(late=True)
except DatabaseError:
    print(Submission.objects.count(), exports.hexdigest())
"""


def commands(name: str) -> str:
    """A block of commands from the page."""
    (block,) = re.findall(rf"^```{name}\n(.*?)^```", PAGE, re.M | re.S)
    return block


@pytest.fixture
def empty_cluster() -> Iterator[PostgreSQL]:
    with reachable_folder("rankme-restored-") as folder:
        cluster = PostgreSQL(folder, durable=False)
        cluster.start()
        yield cluster
        cluster.stop("immediate")


@pytest.fixture
def shell(live_site: LiveSite, empty_cluster: PostgreSQL, tmp_path: Path):
    """Runs commands as the page's reader would, between the site and an empty database."""
    programs = postgresql_programs(live_site.servers.folder)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = live_site.environment | {
        "PATH": path,
        "PYTHONPATH": str(PROJECT),
        "NEW_DATABASE_URL": empty_cluster.url,
    }
    (tmp_path / "manage.py").symlink_to(PROJECT / "manage.py")

    def run(script: str, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-ec", script],
            cwd=tmp_path,
            env=environment | changes,
            capture_output=True,
            text=True,
        )

    return run


def look(shell, **changes: str) -> str:
    looked = shell('python -c "$LOOK"', LOOK=LOOK, **changes)
    assert looked.returncode == 0, looked.stderr
    return looked.stdout


@pytest.fixture
def rated() -> None:
    campaign = make_campaign(rankme_definition(raters_per_trial=2))
    sit(make_rater(campaign, "w1"))
    held = claim(make_rater(campaign, "w2"))
    first = answer(held)
    answer(held, value=70, replaces=str(first.key))


def test_what_was_backed_up_is_restored_to_the_byte(rated, shell, empty_cluster):
    backed_up = shell(commands("backup"))
    assert backed_up.returncode == 0, backed_up.stderr
    restored = shell(commands("restore"))
    assert restored.returncode == 0, restored.stderr
    was, is_now = look(shell), look(shell, DATABASE_URL=empty_cluster.url)
    assert was == is_now
    assert re.fullmatch(r"\d+ \w{64}\n", was), "the triggers did not come along"


@pytest.mark.parametrize("kept", [0.02, 0.5, 0.9, 0.999])
def test_a_truncated_backup_is_noticed_and_not_restored(rated, shell, tmp_path, kept):
    dump, check = commands("backup").splitlines()
    assert shell(dump).returncode == 0
    whole = (tmp_path / "evaluation.dump").read_bytes()
    (tmp_path / "evaluation.dump").write_bytes(whole[: int(len(whole) * kept)])
    checked = shell(check)
    assert checked.returncode != 0
    assert "error" in checked.stderr
    assert shell(commands("restore")).returncode != 0
    assert shell('psql "$NEW_DATABASE_URL" --command "TABLE rankme_submission"').returncode != 0
