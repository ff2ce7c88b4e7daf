"""Rehearse a campaign with simulated raters at a practice panel, before money is spent."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from rankme.actions.panel.studies import amount_in_words
from rankme.errors import RankmeError
from rankme.management.commands.simulate_raters import refuse_dead_address
from rankme.management.loading import campaign_of
from rankme.management.rehearsed_raters import detected, read_kinds, with_attackers
from rankme.management.rehearsing import Behaviour, Rehearsal, rehearse
from rankme.simulation.characters import ATTACKERS, CHARACTERS


class Command(BaseCommand):
    help = (
        "Copy a campaign, launch the copy, publish its study at a practice panel, let simulated"
        " raters do and return the work over HTTP, pay them, and analyse their answers. The site"
        " must be running. No money moves."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the campaign's code")
        shares = {
            "--returns": (0.1, "share of raters who return the place"),
            "--time-outs": (0.05, "share of raters who run out of time"),
            "--wrong-codes": (0.05, "share of raters who enter a wrong code"),
        }
        for name, (default, text) in shares.items():
            parser.add_argument(name, type=float, default=default, help=text)
        parser.add_argument(
            "--kinds",
            default="careful=1",
            help=f"shares of kinds of raters, such as careful=.8,copy=.2: {', '.join(CHARACTERS)}",
        )
        parser.add_argument(
            "--attackers",
            type=float,
            default=0.0,
            help=f"share of raters who attack: {', '.join(ATTACKERS)}, in equal parts",
        )
        parser.add_argument("--concurrency", type=int, default=4, help="raters at the same time")
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *, campaign: str, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("A production site rehearses nothing. Use a copy of the site.")
        found = campaign_of(campaign)
        refuse_dead_address(settings.SITE_URL)
        try:
            behaviour = Behaviour(
                returns=options["returns"],
                times_out=options["time_outs"],
                wrong_codes=options["wrong_codes"],
                kinds=with_attackers(read_kinds(options["kinds"]), options["attackers"]),
                seed=options["seed"],
                concurrency=options["concurrency"],
            )
            rehearsal = rehearse(found, behaviour, by=found.owner, told=self.stdout.write)
        except RankmeError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(summary(rehearsal))
        if rehearsal.problems:
            raise CommandError("\n".join(rehearsal.problems[:10]))


def summary(rehearsal: Rehearsal) -> str:
    """Both sides' books, the money, and where the report is."""
    study, books = rehearsal.study, rehearsal.books
    there = Counter(submission.status for submission in rehearsal.panel.books.submissions.values())
    here = Counter(study.submissions.values_list("state", flat=True))
    lines = [f"{'submissions':<20}{'panel':>8}{'site':>8}"]
    lines += [f"{state:<20}{there[state]:>8}{here[state]:>8}" for state in sorted(there | here)]
    paid = sum(submission.reward_paid for submission in rehearsal.panel.books.submissions.values())
    ours = sum(payment.amount for payment in study.payments.filter(state="paid"))
    lines += [
        f"{'rewards paid':<20}{paid:>8}{ours:>8}   minor units",
        "Raters: " + ", ".join(f"{n} {name}" for name, n in sorted(rehearsal.endings.items())),
        f"Both sides: {len(books.both)}, only here: {len(books.only_here)}, only at the panel:"
        f" {len(books.only_there)}, waiting for a decision: {books.open_questions}",
        f"Committed: {amount_in_words(study.committed, study.currency)} of"
        f" {amount_in_words(study.ceiling, study.currency)}",
        *_table_of_kinds(rehearsal),
        "Books:  " + address("campaign-panel-books", rehearsal.campaign.code),
    ]
    if rehearsal.run is not None:
        where = address("analysis-run", rehearsal.campaign.code, rehearsal.run.pk)
        lines.append(f"Report: {where} ({rehearsal.run.state})")
    return "\n".join(lines)


def _table_of_kinds(rehearsal: Rehearsal) -> Iterator[str]:
    """Lines on what the rules did to each kind of rater."""
    yield f"{'raters':<14}{'came':>6}{'turned away':>13}{'excluded':>10}{'marked':>8}{'count':>7}"
    rows = list(detected(rehearsal.campaign, rehearsal.kinds))
    for row in rows:
        yield (
            f"{row.kind:<14}{row.came:>6}{row.turned_away:>13}{row.excluded:>10}{row.marked:>8}"
            f"{row.counted:>7}"
        )
    attackers = [row for row in rows if row.kind in ATTACKERS]
    if attackers:
        by_kind = ", ".join(f"{row.kind} {row.found} of {row.came}" for row in attackers)
        found, came = (sum(getattr(row, name) for row in attackers) for name in ("found", "came"))
        yield f"Attackers found by the campaign's rules: {found} of {came} ({by_kind})"


def address(name: str, *parts: Any) -> str:
    return settings.SITE_URL + reverse(f"rankme:{name}", args=parts)
