"""Read the results of an unsealed task: the frozen reports, with what they say nothing about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from analysis.report.model import Report
from analysis.report.stored import read_report
from rankme.errors import RefusedAction
from rankme.exporting.bundle import run_compared
from rankme.models import AnalysisRun, SharedTask, SystemUpload, TaskEvent, Team, Track
from rankme.queries.shared_task.system_names import (
    NamedSystem,
    blind_runs,
    is_for_teams_first,
    is_named_in_public,
    names_of,
)

METRIC = "chrf"
Role = SystemUpload.Role


@dataclass(frozen=True)
class Entry:
    """A system in the results of a track, under the name that the task publishes.

    `code` is empty where nobody judged it, and `remark` then says why. A withdrawn system was
    judged, and is listed without a rank.
    """

    code: str
    system: str
    team: str = ""
    is_constrained: bool | None = None
    is_withdrawn: bool = False
    is_reference: bool = False
    chrf: float | None = None
    remark: str = ""


@dataclass(frozen=True)
class TrackResults:
    """A track with its frozen report, if there is one, and its entries by code."""

    track: Track
    run: AnalysisRun | None
    is_blind: bool
    entries: tuple[Entry, ...]

    @cached_property
    def report(self) -> Report | None:
        return None if self.run is None else read_report(self.run.finished_result["report"])

    @cached_property
    def metrics(self) -> dict[str, dict[str, float]]:
        """Scores by metric and code: those that the report compared with people, as they were."""
        found = None if self.run is None else run_compared(self.run)
        if self.run is None or found is None or found.scores is None:
            return {}
        scores, named = found.scores, dict[str, dict[str, float]]()
        rows = dict(zip(scores.metrics, scores.system_scores.tolist(), strict=True))
        for name in self.run.options.get("metrics", ()):
            # chrF of the uploads has a column of its own.
            if name in rows and name != METRIC:
                sign = -1.0 if name in scores.turned else 1.0
                known = zip(scores.systems, rows[name], strict=True)
                named[name] = {code: sign * each for code, each in known if not math.isnan(each)}
        return named

    @property
    def by_code(self) -> dict[str, Entry]:
        return {each.code: each for each in self.entries if each.code}


@dataclass(frozen=True)
class TaskResults:
    """Everything that is published of a task; without `is_named`, codes are in place of names."""

    task: SharedTask
    is_named: bool
    tracks: tuple[TrackResults, ...]

    @property
    def judged(self) -> QuerySet[SystemUpload]:
        """The uploads that people judged and no team withdrew."""
        return SystemUpload.objects.filter(
            track__task=self.task, code__isnull=False, withdrawn_at=None
        )

    @property
    def teams(self) -> list[Team]:
        """The teams with a system that was judged and not withdrawn; none without names."""
        if not self.is_named:
            return []
        found = self.task.teams.filter(kind=Team.Kind.TEAM, pk__in=self.judged.values("team"))
        return list(found.prefetch_related("systems"))


def results_of(task: SharedTask, *, for_hosts: bool = False) -> TaskResults:
    """Read the results as the task publishes them, or with all names for its hosts.

    Raises
    ------
    RefusedAction : the task is not unsealed
    """
    return _results(task, for_hosts or is_named_in_public(task))


def public_results(task: SharedTask) -> TaskResults:
    """Read the results as everybody does: without names while teams may object."""
    return _results(task, is_named_in_public(task) and not is_for_teams_first(task))


def _results(task: SharedTask, is_named: bool) -> TaskResults:
    if task.unsealed_at is None:
        raise RefusedAction(_("The task is not unsealed: there are no results yet."))
    tracks = task.tracks.filter(is_development=False).select_related("campaign", "task")
    return TaskResults(task, is_named, tuple(_of_track(each, is_named) for each in tracks))


def track_results(track: Track) -> TrackResults:
    """The results of one track as its task publishes them."""
    return _of_track(track, is_named_in_public(track.task))


def _of_track(track: Track, is_named: bool) -> TrackResults:
    blind = blind_runs(track.campaign)
    run = blind[0] if blind else _later_run(track)
    judged = tuple(_judged(track, is_named))
    return TrackResults(track, run, bool(blind), (*judged, *_not_judged(track, is_named)))


def _later_run(track: Track) -> AnalysisRun | None:
    """The newest report where none was made blind, as after an unseal with a reason."""
    done = track.campaign.analysis_runs.filter(state=AnalysisRun.State.DONE)
    return done.defer("table_csv_gz").first()


def _judged(track: Track, is_named: bool) -> Iterator[Entry]:
    uploads = {each.code.code: each for each in _uploads(track).exclude(code=None)}
    for named in names_of(track.campaign):
        upload = uploads.get(named.code)
        yield Entry(
            named.code,
            named.name if is_named else named.code,
            named.publication_name if is_named and not named.is_baseline else "",
            None if upload is None else named.is_constrained,
            named.is_withdrawn,
            upload is None,
            None if upload is None else _score(upload),
            _remark(named, upload),
        )


def _uploads(track: Track) -> QuerySet[SystemUpload]:
    rows = SystemUpload.objects.filter(track=track).exclude(team__kind=Team.Kind.REHEARSAL)
    return rows.select_related("team", "system", "code", "check_job").order_by("team", "number")


def _score(upload: SystemUpload) -> float | None:
    check = getattr(upload, "check_job", None)
    return None if check is None else check.scores.get(METRIC)


def _remark(named: NamedSystem, upload: SystemUpload | None) -> str:
    if upload is None:
        return "reference"
    if named.is_withdrawn:
        return _withdrawal(upload)
    return "baseline of the hosts" if named.is_baseline else ""


def _withdrawal(upload: SystemUpload) -> str:
    when = upload.withdrawn_at or upload.team.decided_at
    day = f" on {when:%Y-%m-%d}" if when else ""
    of_team = upload.team.state == Team.State.WITHDRAWN
    by_hosts = of_team and TaskEvent.objects.filter(
        task=upload.track.task_id, verb="team withdrawn", actor__isnull=False,
        detail__name=upload.team.name,
    ).exists()  # fmt: skip
    return f"withdrawn by the {'hosts' if by_hosts else 'team'}{day}: judged, not ranked"


def _not_judged(track: Track, is_named: bool) -> Iterator[Entry]:
    """Each team that takes part and has uploaded, but has no system among the judged ones."""
    by_team: dict[Team, list[SystemUpload]] = {}
    for upload in _uploads(track):
        by_team.setdefault(upload.team, []).append(upload)
    for team, uploads in by_team.items():
        is_in = team.kind == Team.Kind.TEAM and team.state == Team.State.APPROVED
        if is_in and not any(hasattr(each, "code") for each in uploads):
            remark = f"not judged: {_reason(uploads)}"
            name = team.name if is_named else ""
            yield Entry("", name, team.publication_name if is_named else "", remark=remark)


def _reason(uploads: Sequence[SystemUpload]) -> str:
    primary = [each for each in uploads if each.role == Role.PRIMARY]
    counting = [each for each in primary if each.withdrawn_at is None]
    if not primary:
        return "the team chose no primary upload"
    if not counting:
        return "the team withdrew its primary upload before the seal"
    upload = counting[0]
    if not upload.check_job.is_valid:
        return "the file of the primary upload has problems"
    if upload.is_late:
        return "the primary upload came late, and the hosts left it out"
    return "more systems had a primary upload than people judge"
