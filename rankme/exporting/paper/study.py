"""Read what the record and a finished analysis say about a study, for texts about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from django.conf import settings
from django.db.models import Max, Min
from django.urls import reverse

from analysis.report.model import CriterionReport, Report
from analysis.report.stored import read_report
from analysis.scales.codes import in_use
from rankme.designs.registry import DESIGNS
from rankme.exporting.bundle import newest_version, run_table
from rankme.models import AnalysisRun, AuditEvent, Campaign, PanelStudy, Submission
from rankme.models.campaigns import PROMISED
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition

# The audit events with an organiser's own answers: the newest answer to a question is the one.
CONFIRMED = "answers for the paper confirmed"
# Of fewer raters nothing is said about subgroups, and no subgroup is smaller than the second.
LEAST_RATERS, LEAST_CELL = 20, 5
NOT_ASKED = "no answer"


@dataclass(frozen=True)
class Counts:
    """What a run's judgements are: outputs per system, and raters per output, least and most."""

    outputs: tuple[int, int]
    raters: tuple[int, int]
    judgements: int
    labels: frozenset[str]


@dataclass(frozen=True)
class Study:
    """A campaign and its analysis; without an analysis, numbers about raters are unknown."""

    campaign: Campaign
    definition: Definition
    run: AnalysisRun | None
    confirmed: Mapping[str, str]

    @cached_property
    def report(self) -> Report | None:
        return None if self.run is None else read_report(self.run.finished_result["report"])

    @cached_property
    def counts(self) -> Counts | None:
        return None if self.run is None else _counts(self.run.pk, self.run.data_sha256)

    @cached_property
    def promise(self) -> dict[str, Any] | None:
        """What the planner said of the plan before the launch, where somebody recorded it."""
        events = AuditEvent.objects.filter(campaign=self.campaign, verb=PROMISED)
        newest = events.order_by("-number").first()
        return None if newest is None else dict(newest.detail)

    @cached_property
    def usual(self) -> dict[str, str]:
        """What the owner confirmed about people (1.3) in other campaigns, newest last."""
        events = AuditEvent.objects.filter(campaign__owner=self.campaign.owner, verb=CONFIRMED)
        said: dict[str, str] = {}
        for detail in events.order_by("number").values_list("detail", flat=True):
            said |= {name: text for name, text in detail.items() if name.startswith("1.3.")}
        return said

    @cached_property
    def excluded(self) -> list[dict[str, str]]:
        """The raters who were left out, with the reasons."""
        return [] if self.run is None else list(self.run.finished_result["exclusions"])

    @cached_property
    def dates(self) -> tuple[datetime, datetime] | None:
        """When the first and the last answer came."""
        screens = Submission.objects.filter(assignment__campaign=self.campaign)
        found = screens.aggregate(first=Min("received_at"), last=Max("received_at"))
        return (found["first"], found["last"]) if found["first"] else None

    @cached_property
    def panel_study(self) -> PanelStudy | None:
        return self.campaign.panel_studies.exclude(state="NEW").order_by("-pk").first()

    @cached_property
    def panels(self) -> dict[str, int]:
        """How many people agreed to take part, by the way on which they came."""
        came = self.campaign.participants.exclude(consented_at=None).values_list("panel", flat=True)
        return dict(Counter(came).most_common())

    @property
    def design(self) -> str:
        return str(DESIGNS[self.definition.design.kind].title).rstrip(".")

    @property
    def generality(self) -> str:
        """What claims are about: an old analysis keeps its own."""
        options = {} if self.report is None else self.report.options
        return str(options.get("generality", self.definition.generality))

    @property
    def pay(self) -> str:
        """The pay for a batch, as an amount with its currency; empty for none."""
        study, crowd = self.panel_study, self.definition.crowd
        if study is not None:
            return f"{study.reward / 100:.2f} {study.currency}"
        return f"{crowd.pay_per_batch:.2f} {crowd.currency}" if crowd.pay_per_batch else ""

    @property
    def public_report(self) -> str:
        """The address of the newest published report; empty without one."""
        published = AnalysisRun.objects.filter(
            campaign=self.campaign, report__withdrawn_at=None, report__isnull=False
        )
        found = published.select_related("report").order_by("-report__published_at").first()
        if found is None:
            return ""
        return settings.SITE_URL + reverse("rankme:report-public", args=[found.report.code])

    def analysed(self, name: str) -> CriterionReport | None:
        """What the report says about a criterion."""
        criteria = () if self.report is None else self.report.criteria
        return next((each for each in criteria if each.criterion == name), None)

    @cached_property
    def characteristics(self) -> list[str]:
        """Raters by their answers to entry questions, where no small group can be told."""
        if self.counts is None or len(self.counts.labels) < LEAST_RATERS:
            return []
        raters = self.campaign.participants.filter(label__in=self.counts.labels)
        answers = list(raters.values_list("entry_answers", flat=True))
        said = []
        for question in self.definition.entry_questions:
            if question.known_answers is None:
                continue
            given = Counter(each[question.name] for each in answers if question.name in each)
            if given.total() < LEAST_RATERS:
                continue
            # Those who did not answer are a group, too: its size follows from the number of raters.
            given[NOT_ASKED] = len(self.counts.labels) - given.total()
            if shares := without_small(+given):
                listed = ", ".join(f"{answer}: {number}" for answer, number in shares)
                said.append(f"{question.question} {listed}.")
        return said


def without_small(given: Mapping[str, int]) -> list[tuple[str, int]]:
    """Merge small groups, and a further one where a merged group could be found by subtraction."""
    ordered = sorted(given.items(), key=lambda each: (-each[1], str(each[0])))
    kept = [each for each in ordered if each[1] >= LEAST_CELL]
    rest = sum(given.values()) - sum(number for _, number in kept)
    while rest and rest < LEAST_CELL and kept:
        rest += kept.pop()[1]
    return [*kept, ("other", rest)] if rest and kept else kept


@lru_cache(maxsize=64)
def _counts(run: int, sha256: str) -> Counts:
    """Count once per process: a run's judgements never change, and may be a million."""
    table = run_table(AnalysisRun.objects.only("table_csv_gz", "options").get(pk=run))
    if table.excluded is not None:
        table = table.rows(~table.excluded)
    items = len(table.item.labels)
    outputs = table.system.codes.astype(np.int64) * items + table.item.codes
    first = np.unique(outputs, return_index=True)[1]
    per_system = np.unique(table.system.codes[first], return_counts=True)[1]
    by_rater = in_use(outputs * len(table.rater.labels) + table.rater.codes)
    per_output = np.unique(by_rater // len(table.rater.labels), return_counts=True)[1]
    present = np.unique(table.rater.codes)

    def ends(numbers: Any) -> tuple[int, int]:
        return (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)

    labels = frozenset(table.rater.labels[code] for code in present)
    return Counts(ends(per_system), ends(per_output), len(table), labels)


def study_of(campaign: Campaign, run: AnalysisRun | None = None) -> Study:
    """Read a study from its newest finished analysis, or from the named one."""
    if run is None:
        done = campaign.analysis_runs.filter(state=AnalysisRun.State.DONE).defer("table_csv_gz")
        run = done.order_by("-requested_at", "-id").first()
    version = None if run is None else newest_version(run)
    return Study(
        campaign,
        frozen_definition(campaign, version).definition,
        run,
        confirmed_answers(campaign),
    )


def confirmed_answers(campaign: Campaign) -> dict[str, str]:
    """The organiser's own answers, each as it was written last."""
    answers: dict[str, str] = {}
    events = AuditEvent.objects.filter(campaign=campaign, verb=CONFIRMED).order_by("number")
    for detail in events.values_list("detail", flat=True):
        answers |= detail
    return {name: text for name, text in answers.items() if text}


def from_to(ends: tuple[int, int]) -> str:
    low, high = ends
    return str(low) if low == high else f"{low} to {high}"
