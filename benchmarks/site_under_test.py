"""A complete site for benchmarks: real servers in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# An earlier state has its code in another folder (`in_turns`).
ROOT = Path(os.environ.get("MEASURED_TREE") or Path(__file__).resolve().parent.parent)
sys.path.insert(0, str(ROOT))
# Give every place of a launched campaign a rater who has finished; answers are not among it.
FINISHED_SITTINGS = """
INSERT INTO rankme_participant (campaign_id, panel, external_id, session_id, label, state,
        language, consented_at, entry_answers, version, completion_code, comment)
    SELECT campaign_id, 'generic', 'w' || id, '', 'r' || id, 'working', 'en', now(), '{}', 1, '', ''
    FROM rankme_slot WHERE campaign_id = %(campaign)s;
INSERT INTO rankme_assignment (campaign_id, batch_id, slot_id, participant_id, version, state,
        counts, presentation, leased_until, ended_at)
    SELECT slot.campaign_id, slot.batch_id, slot.id, participant.id, 1, 'completed', true,
        (SELECT jsonb_agg(jsonb_build_array(trial.id, '[0]'::jsonb) ORDER BY trial.position)
         FROM rankme_trial trial WHERE trial.batch_id = slot.batch_id), now(), now()
    FROM rankme_slot slot JOIN rankme_participant participant
        ON participant.campaign_id = slot.campaign_id
        AND participant.external_id = 'w' || slot.id
    WHERE slot.campaign_id = %(campaign)s;
UPDATE rankme_slot SET state = 'done' WHERE campaign_id = %(campaign)s;
"""
WORDS = ("the eagle", "is", "a cheap pub", "near the river", "with", "fish and chips", "friendly")


@contextlib.contextmanager
def own_site() -> Iterator[Any]:
    """PostgreSQL as in production (every commit reaches the disk), Valkey, and a migrated site."""
    with tempfile.TemporaryDirectory(prefix="rankme-benchmark-") as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
            "ENVIRONMENT": "local",
            "DATA_FOLDER": folder,
            "LOG_LEVEL": "WARNING",
        }
        from evalsite.embedded import DATABASE, Servers

        Path(folder).chmod(0o711)
        servers = Servers(Path(folder))
        with contextlib.suppress(ImportError):  # of a state in which it had another place
            from tests.database.migrated import put_migrated_cluster

            put_migrated_cluster(servers.postgresql)
        servers.start()
        try:
            import django
            from django.core.management import call_command
            from django.db import connections

            django.setup()
            call_command("migrate", verbosity=0, interactive=False)
            call_command("collectstatic", verbosity=0, interactive=False)
            from tests.live import LiveSite

            site = LiveSite(servers, DATABASE, Path(folder))
            try:
                yield site
            finally:
                site.end()
                connections.close_all()
        finally:
            servers.stop()


def owner() -> Any:
    from django.contrib.auth import get_user_model

    return get_user_model().objects.get_or_create(username="benchmark")[0]


def write_outputs(path: Path, n_items: int, n_systems: int) -> Path:
    """A long file of outputs of about 25 words each."""
    with path.open("w") as file:
        file.write("system\titem\toutput\n")
        for system in range(n_systems):
            for item in range(n_items):
                words = " ".join(WORDS[(item * 7 + system * 3 + n) % len(WORDS)] for n in range(14))
                file.write(f"system{system}\titem{item}\t{words} {item}.\n")
    return path


def load() -> str:
    """How busy the machine was with other things: without it no latency can be read."""
    return f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def in_turns(script: str, before: str, rest: list[str], times: int = 2) -> None:
    """Run a benchmark for an earlier commit and for this state in turns, each as a process."""
    root = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "before"
        subprocess.run(["git", "worktree", "add", "--detach", tree, before], cwd=root, check=True)
        try:
            for _ in range(times):
                for state, measured in (("before", tree), ("now", root)):
                    environment = os.environ | {"MEASURED_TREE": str(measured)}
                    command = [sys.executable, script, "--state", state, *rest]
                    subprocess.run(command, env=environment, cwd=measured, check=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=root, check=True)
