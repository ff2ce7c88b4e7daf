"""Whole campaigns of a preset: its material through the real import, its raters, its report."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import pytest
from django.core.management.color import no_style
from django.db import connection
from django.db.models import Model

from analysis.report import rendered
from rankme.actions.campaign.campaigns import create_campaign, launch_campaign
from rankme.actions.imports.import_jobs import execute_import
from rankme.actions.material.materials import start_import, take_import
from rankme.actions.runs import analysis_runs
from rankme.actions.sitting import assignments, participation
from rankme.demonstration.material import MATERIAL
from rankme.models import AnalysisRun, Assignment, Campaign, Participant
from rankme.pages.rater.page_document import page_document
from rankme.pages.rater.shown_trials import trials_of
from rankme.protocols.definition import Definition
from rankme.protocols.exchange import sent_screen
from rankme.protocols.files import preset
from rankme.queries.definitions import definition_of_sitting
from rankme.simulation.answers import Taste, answers_to, is_asked, played
from tests.campaigns import make_owner
from tests.experiments.full_material import full_material
from tests.experiments.sittings_at_once import finished_at_once, store_at_once
from tests.sittings import finish, store

WORKER = "experiments"
QUICK = {"runs": 50, "agreement_resamples": 20}
# Screens of a cohort's first rater that the actions store one by one, where the others are stored
# at once: every screen of a trial is among them.
SCREENS_BY_ACTIONS = 10


def number_from_one(*models: type[Model]) -> None:
    """Give the next rows of these tables the ids from 1 on, from which the orders are drawn."""
    sequences = [{"table": each._meta.db_table, "column": "id"} for each in models]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_by_name_sql(no_style(), sequences):
            cursor.execute(statement)


def launched(name: str, *, full: bool = True, definition: Definition | None = None) -> Campaign:
    """The preset with our material, imported as an organiser would."""
    owner = make_owner()
    campaign = create_campaign(owner, definition or preset(name))
    take_in(campaign, name, full=full)
    campaign.refresh_from_db()
    return launch_campaign(campaign, by=owner)


def take_in(campaign: Campaign, name: str, *, full: bool) -> None:
    """Upload, check and take the preset's material; its format must be found by its content."""
    with TemporaryDirectory() as folder:
        ours = full_material(name, Path(folder)) if full else MATERIAL[name]
        row = start_import(campaign, ours.paths, by=campaign.owner)
    assert execute_import(row.pk, WORKER)
    row.refresh_from_db()
    assert row.state == "done", (row.error, row.problems)
    assert row.preview["format"] == ours.format
    take_import(row, by=campaign.owner)
    assert execute_import(row.pk, WORKER)
    row.refresh_from_db()
    assert row.state == "done", row.error


def abilities(campaign: Campaign) -> dict[str, float]:
    """A quality for every system, from clearly good to clearly bad, in the order of their names."""
    names = list(campaign.systems.order_by("position").values_list("name", flat=True))
    width = max(len(names) - 1, 1)
    return {name: 1.2 - 2.4 * place / width for place, name in enumerate(names)}


def truth_of(campaign: Campaign) -> dict[str, float]:
    """The quality of every output's text: that of its system."""
    quality = abilities(campaign)
    outputs = campaign.items.values_list("outputs__text", "outputs__system__name")
    return {text: quality[system] for text, system in outputs if system}


def rate(
    campaign: Campaign,
    *,
    seed: int = 5,
    most_raters: int = 1_000,
    at_once: bool = False,
    truth: Mapping[str, float] | None = None,
) -> int:
    """Let raters come until nothing is left to do; returns how many did a batch.

    `truth` is the quality of each text; without it, systems are the better the earlier they come.
    `at_once` stores all raters but the first, who comes as always, in a few statements for the
    whole cohort, which takes a tenth of the time (see `sittings_at_once`).
    """
    truth = truth or truth_of(campaign)
    come = 0
    if at_once:
        assert sit(campaign, Person(seed, 0, truth), at_once=True)
        come = 1 + _sit_at_once(campaign, seed, truth)
    for number in range(come, most_raters):
        if not sit(campaign, Person(seed, number, truth)):
            return number
    raise AssertionError("this campaign has no end")


def sit(campaign: Campaign, person: Person, *, at_once: bool = False) -> bool:
    """Let somebody come, do a batch and finish it; False where there is none left.

    `at_once` stores all but the first screens together.
    """
    rater = entered(campaign, person.number)
    found = assignments.claim_batch(rater)
    if not isinstance(found, Assignment):
        assert found.reason == "complete"
        return False
    payloads = sent_by(person, found)
    singly = SCREENS_BY_ACTIONS if at_once else len(payloads)
    for payload in payloads[:singly]:
        store(rater, payload)
    if payloads[singly:]:
        store_at_once({found: payloads[singly:]})
    finish(found)
    return True


def _sit_at_once(campaign: Campaign, seed: int, truth: Mapping[str, float]) -> int:
    """Let somebody come to each place that is free, from the second rater on; returns how many."""
    people = [Person(seed, 1 + number, truth) for number in range(campaign.slots.free().count())]
    sittings = finished_at_once(campaign, [name_of(person.number) for person in people])
    store_at_once(
        {found: sent_by(person, found) for person, found in zip(people, sittings, strict=True)}
    )
    return len(people)


def report_of(
    campaign: Campaign, *, pictures: tuple[str, ...] = rendered.PLOT_FORMATS, **options: Any
) -> AnalysisRun:
    """The campaign's own analysis, as the form offers it, with fewer runs.

    `pictures` are the formats in which they are drawn. They take half of the time, so that tests
    leave them out that look at tables alone.
    """
    run = analysis_runs.request_run(campaign, QUICK | options, by=campaign.owner)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendered, "PLOT_FORMATS", pictures)
        assert analysis_runs.execute(run.pk, WORKER)
    run.refresh_from_db()
    assert run.state == "done", run.error
    return run


class Person:
    """One simulated rater: a taste, an own speed, and a mouse that sometimes misses."""

    def __init__(self, seed: int, number: int, truth: Mapping[str, float]) -> None:
        self.number = number
        self.rng = random.Random(f"{seed}:{number}")
        self.taste = Taste(self.rng, truth, leniency=self.rng.gauss(0, 0.3))
        self.slowness = self.rng.lognormvariate(0, 0.2)

    def answers(self, screen: Mapping[str, Any], trial: Mapping[str, Any], target: int | None):
        """As the simulated client answers; but a person finds the picture, and may be too late."""
        found = answers_to(screen, trial, self.taste)
        for answer, question in zip(found, screen["ask"] * len(found), strict=False):
            if question["instrument"] in TIMED:
                TIMED[question["instrument"]](self, answer, trial["outputs"][0], target)
        return found

    def read(self, answer: dict[str, Any], text: str, target: int | None) -> None:
        answer["value"] = self._milliseconds(1200, text)

    def identify(self, answer: dict[str, Any], text: str, target: int | None) -> None:
        answer["time_ms"] = self._milliseconds(1500, text)
        answer["value"] = self.rng.randrange(7) if self._errs(text) else target
        if answer["time_ms"] is None:
            answer["value"] = None

    def _errs(self, text: str) -> bool:
        return self.rng.random() < 0.1 * math.exp(-0.8 * self.taste.truth[text])

    def _milliseconds(self, usual: float, text: str) -> float | None:
        """Slower for worse texts; None past the limit."""
        spread = self.rng.lognormvariate(0, 0.5) * self.slowness
        time = usual * spread * math.exp(-0.3 * self.taste.truth[text])
        return None if self.rng.random() < LATE else round(min(time, 14_999), 1)


LATE = 0.005
TIMED = {"response_time": Person.read, "click_target": Person.identify}


def name_of(number: int) -> str:
    return f"w{number}"


def entered(campaign: Campaign, number: int) -> Participant:
    rater = participation.enter(campaign, panel="generic", external_id=name_of(number))
    participation.give_consent(rater)
    rater.refresh_from_db()
    return rater


def sent_by(person: Person, assignment: Assignment) -> list[dict[str, Any]]:
    """Answer every screen of the same document from which the rater's page is made."""
    definition = definition_of_sitting(assignment).definition
    shown = trials_of(assignment)
    document = page_document(definition, shown, seed=assignment.pk)
    return [
        {
            "version": sent_screen.VERSION,
            "key": str(UUID(int=person.rng.getrandbits(128), version=4)),
            "assignment": assignment.pk,
            "trial": place,
            "screen": index,
            "answers": person.answers(screen, trial, _target(material_shown.input)),
            "times": {"files": played(trial)},
            "comment": "",
        }
        for place, (trial, material_shown) in enumerate(zip(document["trials"], shown, strict=True))
        for index, screen in enumerate(document["screens"])
        if is_asked(screen, trial)
    ]


def _target(item_input: str) -> int | None:
    """The position of the target picture in the item's list."""
    if not item_input.startswith('{"images"'):
        return None
    domain = json.loads(item_input)
    return [image["name"] for image in domain["images"]].index(domain["target"])
