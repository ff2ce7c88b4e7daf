"""Uploads of a shared task in the last minute before its close, through a real web server.

Run: python benchmarks/last_minute.py [--uploads 60] [--seconds 60]

Each team asks for a ticket and sends one file by the API, at an even pace until a second before the
close; then one more comes after the close. Once with a right clock, and once for each wrong one of
the web server alone. Printed are what was lost, whether rows are in the order of their arrival, and
the seconds that an upload took.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from site_under_test import WORDS, load, own_site

CLOCKS = (0, 3_600, -3_600)
LINES = 1_000
BEFORE_THE_END = 1.0  # seconds for which nobody begins an upload
PATIENCE = 120


@dataclass(frozen=True)
class Sender:
    """A member's script."""

    team: int
    secret: str
    site: str
    track: int
    system: int


@dataclass(frozen=True)
class Sent:
    """One upload as its team saw it, by this process's clock."""

    team: int
    began: float
    ended: float
    status: int
    answer: dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uploads", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with own_site() as site:
        clock = Path(site.servers.folder) / "clock"
        for wrong in CLOCKS:
            clock.write_text(f"{wrong:+d}\n")
            clock.chmod(0o644)
            site.start_web("tests.faults.misled_site", CLOCK_FILE=str(clock))
            warm_up(site)
            print(f"\nThe web server's clock is wrong by {wrong:+d} s; {load()}")
            report(*last_minute(site, options.uploads, options.seconds))


def warm_up(site: Any) -> None:
    """Let every process of the web server load the site."""
    for _ in range(20):
        with urllib.request.urlopen(f"{site.url}/login/", timeout=PATIENCE) as answer:
            answer.read()


def last_minute(site: Any, uploads: int, seconds: float) -> tuple[list[Sent], Sent]:
    from django.db.models.functions import Now

    from rankme.actions.shared_task.teams import add_member
    from rankme.models import SharedTask
    from tests.shared_tasks.tasks import make_task, make_team

    task = make_task(grace_seconds=300)
    teams = [make_team(task, f"Team{number}") for number in range(uploads)]
    track = task.tracks.get().pk
    senders = [
        Sender(
            team.pk,
            add_member(team, name="Script", by=team.members.get())[1],
            f"{site.url}/api/v1/team/",
            track,
            team.systems.get().pk,
        )
        for team in teams
    ]
    SharedTask.objects.filter(pk=task.pk).update(closes_at=Now() + timedelta(seconds=seconds))
    begin, found = time.monotonic(), []
    pace = (seconds - BEFORE_THE_END) / uploads

    def work(number: int) -> None:
        time.sleep(max(0.0, begin + number * pace - time.monotonic()))
        found.append(upload(senders[number], with_ticket=True))

    threads = [threading.Thread(target=work, args=[number]) for number in range(uploads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(max(0.0, begin + seconds + 1 - time.monotonic()))
    return found, upload(senders[0], with_ticket=False)


def upload(sender: Sender, *, with_ticket: bool) -> Sent:
    began, query = time.monotonic(), ""
    if with_ticket:
        body = json.dumps({"track": sender.track}).encode()
        _status, answer = call("POST", f"{sender.site}tickets/", body, sender.secret)
        query = f"?ticket={answer['ticket']}"
    line = " ".join(WORDS * 3)
    body = "".join(f"{sender.team} {number} {line}\n" for number in range(LINES)).encode()
    address = f"{sender.site}files/{sender.track}/{sender.system}/o.txt{query}"
    status, answer = call("PUT", address, body, sender.secret)
    return Sent(sender.team, began, time.monotonic(), status, answer)


def call(method: str, address: str, body: bytes, secret: str) -> tuple[int, dict[str, Any]]:
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    request = urllib.request.Request(address, body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def report(found: list[Sent], too_late: Sent) -> None:
    import hashlib

    from django.core.files.storage import default_storage

    from rankme.models import SystemUpload

    rows = {row.team_id: row for row in SystemUpload.objects.filter(team__in=teams_of(found))}
    whole = 0
    for row in rows.values():
        with default_storage.open(row.stored) as stored:
            whole += hashlib.sha256(stored.read()).hexdigest() == row.sha256
    taken = [sent for sent in found if sent.status == 201]
    pairs = [(a, b) for a in taken for b in taken if a.ended < b.began]
    swapped = sum(rows[a.team].received_at >= rows[b.team].received_at for a, b in pairs)
    spans = sorted(sent.ended - sent.began for sent in taken)
    print(f"sent {len(found)}, taken {len(taken)}, rows {len(rows)}, files with their hash {whole}")
    print(f"of {len(pairs)} pairs one after the other, {swapped} have rows in another order")
    print(f"in grace {sum(row.in_grace for row in rows.values())}, ", end="")
    print(f"late {sum(row.is_late for row in rows.values())}")
    message = too_late.answer.get("error", {}).get("message", "")
    print(f"a second after the close: {too_late.status} {message}")
    if spans:
        p99 = spans[min(len(spans) - 1, int(0.99 * len(spans)))]
        print(f"seconds: median {spans[len(spans) // 2]:.2f}, p99 {p99:.2f}, most {spans[-1]:.2f}")


def teams_of(found: list[Sent]) -> list[int]:
    return [sent.team for sent in found]


if __name__ == "__main__":
    main()
