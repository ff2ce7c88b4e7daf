"""Campaigns and their material for commands: the same actions as the pages, waited for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from rankme.actions.imports.import_jobs import execute_import
from rankme.actions.material.materials import start_import, take_import
from rankme.models import Campaign, MaterialImport
from rankme.models.jobs import Job

WORKER = "manage.py"


def campaign_of(code: str) -> Campaign:
    campaign = Campaign.objects.filter(code=code).first()
    if campaign is None:
        raise CommandError(f"There is no campaign {code}.")
    return campaign


def take_material(campaign: Campaign, paths: Sequence[Path], *, by: User) -> MaterialImport:
    """Check the files and take them in; every problem becomes the command's error."""
    row = start_import(campaign, paths, by=by)
    work_off(row)
    take_import(row, by=by)
    work_off(row)
    return row


def work_off(row: MaterialImport) -> None:
    """Check or import an upload; every problem becomes the command's error."""
    wait_for(row, execute_import)
    if row.state != MaterialImport.State.DONE:
        raise CommandError("\n".join([row.error, *map(_problem_line, row.problems)]))


def wait_for(row: Job, execute: Callable[[int, str], bool]) -> None:
    """Do the work here, or wait for the worker that was quicker."""
    row.refresh_from_db()
    while not row.is_over:
        if not execute(row.pk, WORKER):
            time.sleep(0.2)
        row.refresh_from_db()


def _problem_line(problem: dict[str, Any]) -> str:
    place = [problem["file"]]
    if problem["line"] is not None:
        place.append(f"line {problem['line']}")
    if problem["column"]:
        place.append(str(problem["column"]))
    return f"{', '.join(filter(None, place))}: {problem['message']}"
