"""Raters, an import and an analysis on three machines, while machines are killed and cut off.

Run: python benchmarks/chaos.py [--acknowledged 100000] [--faults 300] [--minutes 60]

Three web servers (one of the release before), four workers and two beats in folders of their own
reach one PostgreSQL, one broker and one bucket by lines of their own; the clock of one machine is
wrong. Faults follow each other until both numbers are reached or the minutes are over. Then: every
acknowledged screen is in the record once, `verify` finds nothing, no process has crashed, and each
analysis that was made meanwhile has the same report.json, byte for byte, as that of one worker
alone. Exits with status 1 if any of it does not hold. `make cluster-test` is a short run of it.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import random
import signal
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx
from site_under_test import load, own_site

SEED = 5
PASSWORD = "correct horse battery staple"
# How wrong a clock may be: by a quarter of an hour or more, a bucket refuses the signatures.
CLOCKS = (600, -600, 0, 840, -840)
SYSTEMS, ITEMS = 5, 40
OPTIONS = {"runs": 400, "seed": SEED, "agreement_resamples": 100}
RESTS = (0.1, 0.5, 1.0, 2.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--acknowledged", type=int, default=100_000)
    parser.add_argument("--faults", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=60.0, help="begin nothing new after that")
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--screens", type=int, default=40, help="of each rater")
    parser.add_argument("--seconds-per-screen", type=float, default=3.0)
    parser.add_argument("--every", type=float, default=4.0, help="seconds between two faults")
    parser.add_argument("--longest", type=float, default=8.0, help="seconds that a fault lasts")
    parser.add_argument("--judgements", type=int, default=20_000, help="of the import")
    parser.add_argument(
        "--patience", type=float, default=900.0,
        help="seconds without a screen or the end of a job, reached only when something is wrong",
    )  # fmt: skip
    asked = parser.parse_args()
    with own_site() as site:
        from tests.evalsite.bucket import running_bucket

        with running_bucket() as bucket, machines(site, bucket) as cluster:
            begun = time.monotonic()
            chaos = Chaos(asked, cluster, api_client(cluster), begun + 60 * asked.minutes)
            chaos.run()
            chaos.print_table((time.monotonic() - begun) / 60)
            problems = chaos.problems + verdict(chaos, site)
            print("\n".join(problems) or "Nothing lost, nothing doubled, nothing different.")
    sys.exit(bool(problems))


@contextlib.contextmanager
def machines(site: Any, bucket: Any) -> Iterator[Any]:
    """Three machines, the second with a clock of its own, the third with the release before."""
    from evalsite.embedded import PROJECT
    from tests.evalsite.machines.cluster import Cluster, Machine
    from tests.evalsite.machines.releases import put_release_before

    before = site.log_folder / "release before"
    if not put_release_before(before):
        print("The history with the release before is not here: all machines run this one.")
        before = PROJECT
    machine = partial(Machine, servers=site.servers, bucket=bucket)
    first = machine(site.log_folder / "a", parts="web worker")
    second = machine(site.log_folder / "b", parts="web worker beat", misled=True)
    third = machine(site.log_folder / "c", parts="web worker worker2 beat", release=before)
    cluster = Cluster([first, second, third], site.servers, bucket)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.end()


def api_client(cluster: Any) -> httpx.Client:
    """A script of an organiser, who has logged in through the proxy."""
    from django.contrib.auth import get_user_model

    get_user_model().objects.create_user("organiser", password=PASSWORD)
    client = httpx.Client(
        base_url="https://evaluation.example.org/api/v1/", transport=cluster.proxy, timeout=20
    )
    account = {"username": "organiser", "password": PASSWORD}
    key = patiently(lambda: client.post("token/", json=account)).json()["token"]
    client.headers["Authorization"] = f"Token {key}"
    return client


def patiently(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """Ask until there is an answer that does not ask for patience."""
    for rest in itertools.chain(RESTS, itertools.repeat(RESTS[-1], 600)):
        with contextlib.suppress(httpx.TransportError):
            answer = ask()
            if answer.status_code < 500 and answer.status_code != 429:
                answer.raise_for_status()
                return answer
        time.sleep(rest)
    raise AssertionError("no answer for twenty minutes")


@dataclass
class Chaos:
    """What happens at the same time: raters, a script of an organiser, and the faults."""

    asked: argparse.Namespace
    cluster: Any
    client: httpx.Client
    end: float
    done: Counter[str] = field(default_factory=Counter)  # faults, by kind
    acknowledged: list[Any] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    retries: int = 0
    # The hash of each report.json, by the archive: each import draws labels for its raters.
    reports: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    imports: list[int] = field(default_factory=list)  # judgements of each
    codes: list[str] = field(default_factory=list)  # of the archives they are in
    problems: list[str] = field(default_factory=list)

    def run(self) -> None:
        works = [
            threading.Thread(target=self.noted, args=[work]) for work in (self.rate, self.study)
        ]
        for work in works:
            work.start()
        dice = random.Random(SEED)
        for name, fault in itertools.cycle(faults(self.cluster)):
            if not works[0].is_alive():
                break  # what the script has begun, it ends in peace
            with contextlib.suppress(ProcessLookupError):
                fault(dice.uniform(0.2, 1) * self.asked.longest)
                self.done[name] += 1
            self.wait_for_progress(works[0])
            time.sleep(self.asked.every)
        for work in works:
            work.join()

    def noted(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            self.problems.append(f"{work.__name__}: {error!r}")
            raise

    def wait_for_progress(self, raters: threading.Thread) -> None:
        """No fault follows before somebody has stored a screen after the last one."""
        before, until = self.cluster.proxy.stored, time.monotonic() + self.asked.patience
        while raters.is_alive() and self.cluster.proxy.stored == before:
            if time.monotonic() > until:
                self.problems.append(f"no screen any more after {sum(self.done.values())} faults")
                return
            time.sleep(0.1)

    def is_enough(self) -> bool:
        faults_done = sum(self.done.values()) >= self.asked.faults
        reached = faults_done and len(self.acknowledged) >= self.asked.acknowledged
        return reached or time.monotonic() > self.end

    # Raters ---------------------------------------------------------------------------------

    def rate(self) -> None:
        """One campaign after another, each of which all raters finish."""
        from rankme.simulation.raters import Cohort, run_raters
        from tests.invariants import acknowledged

        while not self.is_enough():
            campaign = self.campaign()
            outcome = run_raters(
                Cohort(
                    f"https://evaluation.example.org/r/{campaign.code}/",
                    raters=self.asked.raters,
                    concurrency=self.asked.raters,
                    seconds_per_screen=self.asked.seconds_per_screen,
                    patience_seconds=self.asked.patience,
                    transport=self.cluster.proxy,
                )
            )
            self.acknowledged += map(acknowledged, outcome.acknowledged)
            self.endings += outcome.endings
            self.retries += outcome.retries
            self.problems += outcome.problems
            for kind, seconds in outcome.latencies.seconds.items():
                self.seconds[kind] += seconds
            print(f"{len(self.acknowledged)} screens, {sum(self.done.values())} faults, {load()}",
                  flush=True)  # fmt: skip

    def campaign(self) -> Any:
        from django.db import DatabaseError, InterfaceError, connections

        from tests.faults.raters_at_work import campaign_for

        for _ in self.patience():
            connections.close_all()
            with contextlib.suppress(DatabaseError, InterfaceError):  # a fault came in between
                return campaign_for(self.asked.raters, self.asked.screens)
        raise AssertionError("no campaign could be made")

    # The organiser's script -----------------------------------------------------------------

    def study(self) -> None:
        """Import judgements and analyse them, again and again."""
        while not (self.reports and self.is_enough()):
            code = self.imported()
            for _ in range(3):
                self.reports[code].append(self.analysed(code))
                if self.is_enough():
                    break

    def imported(self) -> str:
        """Take a table of judgements into a new archive; its code."""
        given = {"archive": True, "title": "Elsewhere"}
        code = patiently(lambda: self.client.post("campaigns/", json=given)).json()["code"]
        imports = f"campaigns/{code}/imports/"
        table = ("judgements.csv", judgements(self.asked.judgements))
        number = self.made(imports, files={"outputs": table}, data={"kind": "judgements"})
        self.wait_for_job(f"{imports}{number}/", "previewed")
        with contextlib.suppress(httpx.HTTPStatusError):  # a lost answer: it is under way
            patiently(lambda: self.client.post(f"{imports}{number}/take/"))
        self.wait_for_job(f"{imports}{number}/", "taken")
        taken = patiently(lambda: self.client.get(f"campaigns/{code}/judgements.csv")).text
        self.imports.append(len(taken.splitlines()) - 1)
        self.codes.append(code)
        return str(code)

    def analysed(self, code: str) -> str:
        """Ask for an analysis; the hash of its report.json."""
        runs = f"campaigns/{code}/analysis-runs/"
        number = self.made(runs, json={"options": OPTIONS})
        self.wait_for_job(f"{runs}{number}/")
        report = patiently(lambda: self.client.get(f"{runs}{number}/files/report.json"))
        return hashlib.sha256(report.content).hexdigest()

    def made(self, address: str, **given: Any) -> int:
        """Make a row; the answer may be lost although it is there."""
        before = {
            row["id"] for row in patiently(lambda: self.client.get(address)).json()["results"]
        }
        for _ in self.patience():
            with contextlib.suppress(httpx.TransportError):
                self.client.post(address, **given)
            rows = patiently(lambda: self.client.get(address)).json()["results"]
            new = [row["id"] for row in rows if row["id"] not in before]
            if new:
                return int(new[0])
        raise AssertionError(f"no new row of {address}")

    def wait_for_job(self, address: str, phase: str = "") -> None:
        for _ in self.patience():
            row = patiently(lambda: self.client.get(address)).json()
            if row["state"] == "done" and row.get("phase", "") == phase:
                return
            if row["state"] in ("failed", "cancelled"):
                raise AssertionError(f"{address} {row['state']}: {row['error']}")
        raise AssertionError(f"{address} is {row['state']} and does not end")

    def patience(self) -> Iterator[None]:
        """Give a turn each second, as long as the patience lasts."""
        end = time.monotonic() + self.asked.patience
        while time.monotonic() < end:
            yield
            time.sleep(1)

    # The table ------------------------------------------------------------------------------

    def print_table(self, minutes: float) -> None:
        from rankme.simulation.raters import Latencies

        print(f"\n{minutes:.0f} minutes, {load()}\n\n| fault | times |\n| --- | ---: |")
        for name, times in sorted(self.done.items()):
            print(f"| {name} | {times} |")
        print(f"| **all** | **{sum(self.done.values())}** |\n")
        raters = f"{sum(self.endings.values())} raters {dict(self.endings)}"
        screens = f"{len(self.acknowledged)} screens acknowledged"
        print(f"{raters}, {screens}, {self.retries} requests sent again")
        analyses = sum(len(reports) for reports in self.reports.values())
        different = sum(len(set(reports)) - 1 for reports in self.reports.values())
        print(f"{len(self.imports)} imports, {analyses} analyses, {different} different")
        for kind, number, p50, p99, longest in Latencies(self.seconds).table():
            print(
                f"  {kind:<24}{number:>8}  p50 {p50:.0f}  p99 {p99:.0f}  longest {longest:.0f} ms"
            )


def faults(cluster: Any) -> list[tuple[str, Callable[[float], object]]]:
    """Every kind of fault on every machine that can have it, in an order of their own."""
    clocks = itertools.cycle(CLOCKS)
    found: list[tuple[str, Callable[[float], object]]] = [
        ("PostgreSQL loses its power", lambda _: lose_power(cluster.servers.postgresql)),
        (
            "the broker is killed",
            lambda _: (cluster.servers.valkey.kill(), cluster.servers.start()),
        ),
        (
            "the bucket's server is killed",
            lambda _: (cluster.bucket.kill(), cluster.bucket.start()),
        ),
    ]
    for one in cluster.machines:
        found.append(("a machine is lost, and comes back", partial(lose, one)))
        found.append(("a machine is cut off from all servers", partial(silence, one, *one.lines)))
        for name in one.lines:
            found.append((f"the line to the {name} is cut", partial(cut, one, name)))
            found.append((f"the line to the {name} swallows packets", partial(silence, one, name)))
        for part in one.parts:
            what = {"web": "a web server", "beat": "beat"}.get(part, "a worker")
            found.append((f"{what} is killed", partial(kill, one, part)))
            if part != "beat":
                found.append((f"{what} hangs", partial(hang, one, part)))
                found.append((f"a process of {what} is killed", partial(kill_inside, one, part)))
        if one.clock:
            found += 3 * [("a clock jumps", lambda _, one=one: one.clock.set(next(clocks)))]
    random.Random(SEED).shuffle(found)
    return found


def lose_power(server: Any) -> None:
    server.stop("immediate")
    server.start()


def lose(machine: Any, seconds: float) -> None:
    machine.lose()
    time.sleep(seconds)
    machine.bring_back()


def silence(machine: Any, *lines_and_seconds: Any) -> None:
    """Every second time, what was swallowed is lost with its connection."""
    *names, seconds = lines_and_seconds
    for name in names:
        machine.lines[name].swallow()
    time.sleep(seconds)
    for name in names:
        if int(1000 * seconds) % 2:
            machine.lines[name].cut()
            machine.lines[name].connect()
        else:
            machine.lines[name].carry()


def cut(machine: Any, name: str, seconds: float) -> None:
    machine.lines[name].cut()
    time.sleep(seconds)
    machine.lines[name].connect()


def kill(machine: Any, part: str, seconds: float) -> None:
    machine.kill(part)


def kill_inside(machine: Any, part: str, seconds: float) -> None:
    machine.kill_one_of(part)


def hang(machine: Any, part: str, seconds: float) -> None:
    machine.send(part, signal.SIGSTOP)
    time.sleep(seconds)
    machine.send(part, signal.SIGCONT)


def judgements(number: int) -> str:
    """A table of so many ratings, by raters and about systems that differ."""
    dice = random.Random(SEED)
    lines = ["rater,item,system,quality"]
    for row in range(number):
        rater, place = divmod(row, SYSTEMS * ITEMS)
        item, system = divmod(place, SYSTEMS)
        value = min(max(round(dice.gauss(50 + 4 * system + rater % 7, 15)), 0), 100)
        lines.append(f"r{rater},i{item},s{system},{value}")
    return "\n".join(lines) + "\n"


def verdict(chaos: Chaos, site: Any) -> list[str]:
    """What does not hold; the analysis of one worker alone is made here."""
    from django.db import connections

    connections.close_all()  # the database was restarted under them
    chaos.cluster.leave_the_first_alone()
    problems = []
    for check in (
        same_reports, whole_imports, screens_stored_once, record_verified, nothing_crashed,
    ):  # fmt: skip
        try:
            check(chaos, site)
        except AssertionError as error:
            problems.append(f"{check.__name__}: {error}")
    return problems


def same_reports(chaos: Chaos, site: Any) -> None:
    assert chaos.reports, "no analysis"
    for code, reports in chaos.reports.items():
        reports.append(chaos.analysed(code))
        assert len(set(reports)) == 1, (code, Counter(reports))


def whole_imports(chaos: Chaos, site: Any) -> None:
    assert set(chaos.imports) == {chaos.asked.judgements}, chaos.imports


def screens_stored_once(chaos: Chaos, site: Any) -> None:
    from rankme.models import Submission
    from tests.invariants import check_record

    assert set(chaos.endings) == {"completed"}, chaos.endings
    stored = Submission.objects.exclude(assignment__campaign__code__in=chaos.codes).count()
    assert stored == len(chaos.acknowledged), f"{stored} stored"
    check_record(chaos.acknowledged)


def record_verified(chaos: Chaos, site: Any) -> None:
    from tests.evalsite.bucket import settings_of
    from tests.invariants import check_jobs_ended

    site.environment |= settings_of(chaos.cluster.bucket.address)
    print(site.manage("verify"))
    check_jobs_ended()


def nothing_crashed(chaos: Chaos, site: Any) -> None:
    """What is killed here ends by another signal."""
    logs = [log for machine in chaos.cluster.machines for log in machine.log_folder.glob("*.log")]
    assert not (crashed := [str(log) for log in logs if "SIGSEGV" in log.read_text()]), crashed


if __name__ == "__main__":
    main()
