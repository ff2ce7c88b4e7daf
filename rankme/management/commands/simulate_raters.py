"""Let simulated raters do a campaign, over HTTP and as blind as people are."""

from __future__ import annotations

import socket
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from rankme.simulation.answers import read_truth
from rankme.simulation.raters import Cohort, Latencies, Outcome, run_raters


class Command(BaseCommand):
    help = "Let simulated raters follow a campaign's link and do the work, over HTTP."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="its code, or the rater's whole link ({n}: a number)")
        parser.add_argument("--raters", type=int, default=10)
        parser.add_argument("--concurrency", type=int, default=10, help="raters at the same time")
        parser.add_argument(
            "--speed",
            type=float,
            default=0.0,
            help="how many times faster than 40 seconds per screen; 0: without any pause",
        )
        parser.add_argument(
            "--abandon", type=float, default=0.0, help="share of raters who leave half-way"
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--truth",
            type=Path,
            help="CSV or TSV with the columns text, score: about standard normal (mean 0, SD 1)",
        )
        parser.add_argument("--history", type=Path, help="write what the site acknowledged here")

    def handle(self, *, campaign: str, **options: Any) -> None:
        link = campaign if "://" in campaign else link_of(campaign)
        refuse_dead_address(link)
        try:
            truth = read_truth(options["truth"]) if options["truth"] else {}
        except ValueError as error:
            raise CommandError(str(error)) from error
        cohort = Cohort(
            link,
            raters=options["raters"],
            concurrency=options["concurrency"],
            seconds_per_screen=40 / options["speed"] if options["speed"] else 0.0,
            abandon=options["abandon"],
            seed=options["seed"],
            truth=truth,
        )
        outcome = run_raters(cohort, self.tell)
        if options["history"]:
            outcome.write_history(options["history"])
        self.stdout.write(report(outcome))
        if outcome.problems:
            raise CommandError("\n".join(outcome.problems[:10]))

    def tell(self, done: int) -> None:
        if done % 10 == 0:
            self.stderr.write(f"{done} raters are done")


def link_of(code: str) -> str:
    return settings.SITE_URL + reverse("rankme:enter", args=[code])


def refuse_dead_address(link: str) -> None:
    """Raters are patient with a site that restarts; here nothing has ever answered."""
    address = urlsplit(link)
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        socket.create_connection((address.hostname or "", port), timeout=5).close()
    except OSError as error:
        raise CommandError(
            f"No site answers at {address.scheme}://{address.netloc}/ ({error}). "
            "Is it running? Set PORT or SITE_URL as for the site, or give the rater's whole link."
        ) from error


def report(outcome: Outcome) -> str:
    endings = ", ".join(f"{count} {ending}" for ending, count in outcome.endings.most_common())
    return (
        f"Raters: {endings}; {len(outcome.acknowledged)} screens acknowledged"
        f" in {outcome.seconds:.1f} s, {outcome.retries} requests sent again\n"
        + latency_table(outcome.latencies)
    )


def latency_table(latencies: Latencies) -> str:
    lines = [f"{'request':<20}{'number':>8}{'p50 ms':>10}{'p99 ms':>10}{'max ms':>10}"]
    for name, requests, *milliseconds in latencies.table():
        lines.append(f"{name:<20}{requests:>8}" + "".join(f"{ms:>10.1f}" for ms in milliseconds))
    return "\n".join(lines)
