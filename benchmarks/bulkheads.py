"""What raters feel while something that the site needs hangs, and readers go on asking for files.

Run: python benchmarks/bulkheads.py [--seconds 60] [--before COMMIT]

The bucket, the broker, the panel and the database are stopped (SIGSTOP) in turn, while eight raters
send a screen every second and twelve readers ask for a picture of a published report again and
again; in the panel's turn, they ask it how many people pass a filter. Of the database, the figures
are those of the submissions after it answers again.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import signal
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.request import Request

from site_under_test import in_turns, load, own_site, owner

RATERS, READERS = 8, 12
PANEL_PORT = "8090"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--before")
    parser.add_argument("--state", default="now")
    options = parser.parse_args()
    if options.before:
        in_turns(__file__, options.before, ["--seconds", str(options.seconds)], times=1)
        return
    os.environ["PROLIFIC_API"] = f"http://127.0.0.1:{PANEL_PORT}"
    with own_site() as site:
        from tests.evalsite.bucket import files_in, running_bucket, settings_of

        with running_bucket() as bucket, files_in(bucket.address):
            picture = Request(f"{site.url}/{published_picture()}")
            site.start_web(**settings_of(bucket.address))
            hanging = {
                "nothing": (0, picture),
                "the bucket": (bucket.process.pid, picture),
                "the broker": (site.servers.valkey.process.pid, picture),
                "the panel": started_panel(site),
                "the database": (site.servers.postgresql.process.pid, picture),
            }
            for name, (process, asked) in hanging.items():
                measure(site, f"{options.state}, {name}", process, asked, options.seconds)


def started_panel(site: Any) -> tuple[int, Request]:
    """A practice panel, and a request of an organiser's script that makes the site ask it."""
    from rankme.actions.accounts.api_keys import obtain_key
    from rankme.actions.panel.accounts import add_account
    from rankme.errors import RankmeError
    from tests.live import wait_for

    token, user = secrets.token_hex(16), owner()
    site.start("panel", "django", "practice_panel", "--port", PANEL_PORT, "--token", token)

    def added() -> Any:
        with contextlib.suppress(RankmeError, OSError):
            return add_account(owner=user, name="Panel", token=token)

    accounts: list[Any] = []
    wait_for(lambda: accounts.append(added()) or accounts[-1], "the panel")
    user.set_password(token)
    user.save()
    key = obtain_key(user.get_username(), token, address="127.0.0.1")
    address = f"{site.url}/api/v1/panel-accounts/{accounts[-1].pk}/eligible/"
    headers = {"Authorization": f"Token {key}", "Content-Type": "application/json"}
    return site.processes["panel"].pid, Request(address, b'{"filters": []}', headers)


def published_picture() -> str:
    """The path of a picture in a published report, whose files are in the bucket."""
    from rankme.actions.runs.publishing import publish_report
    from tests.runs import asked, executed, rated_campaign

    report = publish_report(executed(asked(rated_campaign())), by=owner())
    return f"reports/{report.code}/files/plots/quality-wins.svg"


def measure(site: Any, name: str, process: int, asked: Request, seconds: float) -> None:
    from rankme.simulation.raters import Cohort, Latencies, run_raters
    from tests.faults.raters_at_work import campaign_for

    campaign = campaign_for(RATERS, screens=round(seconds) + 20)
    cohort = Cohort(
        f"{site.url}/r/{campaign.code}/",
        raters=RATERS,
        concurrency=RATERS,
        seconds_per_screen=1.0,
        patience_seconds=4 * seconds,
    )
    outcomes: list[Any] = []
    work = threading.Thread(target=lambda: outcomes.append(run_raters(cohort)))
    with readers(asked) as answers:
        work.start()
        time.sleep(10)
        with stopped(process):
            time.sleep(seconds)
        work.join()
    outcome = outcomes[0]
    print(f"{name}: {dict(outcome.endings)}, {outcome.retries} sent again, {load()}")
    print(f"  readers: {dict(Counter(answers))}; {outcome.problems[:2] or 'no problems'}")
    if "database" in name:  # without what was on its way when it came back
        after = outcome.latencies.seconds["POST submit"][-RATERS * 10 :]
        outcome.latencies = Latencies({"POST submit after its return": after})
    for kind, number, p50, p99, longest in outcome.latencies.table():
        print(f"  {kind:<30}{number:>6}  p50 {p50:.0f}  p99 {p99:.0f}  longest {longest:.0f} ms")


@contextlib.contextmanager
def stopped(process: int) -> Iterator[None]:
    """Stop this process with all that it has started (0: none); let them go on at the end."""
    import psutil

    parents = [psutil.Process(process)] if process else []
    found = parents + [child for one in parents for child in one.children(recursive=True)]
    for one in found:
        one.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for one in reversed(found):
            one.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def readers(asked: Request) -> Iterator[list[str]]:
    """Ask for this from twelve threads until the end; note what each request got."""
    answers: list[str] = []
    is_over = threading.Event()

    def read() -> None:
        while not is_over.wait(0.2):
            try:
                with urllib.request.urlopen(asked, timeout=60) as answer:
                    answers.append(str(answer.status))
            except OSError as error:
                answers.append(str(getattr(error, "code", type(error).__name__)))

    for _ in range(READERS):
        threading.Thread(target=read, daemon=True).start()
    yield answers
    is_over.set()


if __name__ == "__main__":
    main()
