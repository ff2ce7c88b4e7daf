"""This year's results next to last year's: the systems of both, and whether the scales agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from analysis.errors import AnalysisError, Undefined
from analysis.report.anchors import LIMITS, Judging, SharedScale, sentence_about, shared_scale
from analysis.report.answer import answers_of
from analysis.report.layout.table_model import SYSTEM, Column, Format, P, Table, rows_of
from analysis.report.model import CriterionReport
from analysis.report.options import ReportOptions
from analysis.table import JudgementTable
from analysis.translatable import gettext_noop as _
from rankme.exporting.bundle import report_options, run_table
from rankme.models import AnalysisRun, SharedTask, SystemCode, Track

from .results import TaskResults, TrackResults, track_results

# Both studies' judgements are fitted while the page waits.
MOST_JUDGEMENTS = 200_000
DEFAULT = ReportOptions()
COLUMNS = (
    SYSTEM,
    Column(_("Year before"), Format.NUMBER, 3),
    Column(_("Now"), Format.NUMBER, 3),
    Column(_("Move"), Format.NUMBER, 3),
    Column(_("Interval"), Format.INTERVAL, 3),
    P,
)
TOO_MANY = "Both studies have more than {most:,} judgements together, too many for this page."
OTHER_KIND = "The criterion was judged in another way the year before."


@dataclass(frozen=True)
class Comparison:
    """A criterion of two years: what is said, and the anchors' numbers, if there are any."""

    title: str
    sentence: str
    table: Table | None = None


def has_anchors(task: SharedTask) -> bool:
    """Whether people judged systems of the year before again."""
    again = SystemCode.objects.filter(track__task=task, upload__system__judged_before__isnull=False)
    return again.exists()


def comparisons(results: TaskResults) -> list[Comparison]:
    """Compare each track with those of the year before whose systems it judged again."""
    found: list[Comparison] = []
    for track in results.tracks:
        for earlier, anchors in _anchors_of(track).items():
            found += _of_tracks(track, track_results(earlier), anchors)
    return found


def _anchors_of(now: TrackResults) -> dict[Track, dict[str, str]]:
    """The codes of systems that were judged again and their codes before, by earlier track."""
    again = SystemCode.objects.filter(
        track=now.track,
        upload__withdrawn_at=None,
        upload__system__judged_before__track__task__unsealed_at__isnull=False,
    ).select_related("upload__system__judged_before__track__campaign")
    found: dict[Track, dict[str, str]] = {}
    for code in again:
        earlier = code.upload.system.judged_before if code.upload else None
        if earlier is not None:
            found.setdefault(earlier.track, {})[code.code] = earlier.code
    return found


def _of_tracks(
    now: TrackResults, before: TrackResults, anchors: Mapping[str, str]
) -> Iterator[Comparison]:
    if now.run is None or now.report is None or before.run is None or before.report is None:
        text = "One of the two years has no finished report."
        yield Comparison(now.track.name, text)
        return
    counts = [run.judgements or 0 for run in (now.run, before.run)]
    both = {each.criterion for each in before.report.criteria}
    for criterion in now.report.criteria:
        if criterion.criterion not in both:
            continue
        title = f"{now.track.name}: {criterion.criterion.replace('_', ' ')}"
        if sum(counts) > MOST_JUDGEMENTS:
            yield Comparison(title, TOO_MANY.format(most=MOST_JUDGEMENTS))
            continue
        yield _of_criterion(title, criterion, (now, before), anchors)


def _of_criterion(
    title: str,
    criterion: CriterionReport,
    years: tuple[TrackResults, TrackResults],
    anchors: Mapping[str, str],
) -> Comparison:
    try:
        found = _scales(criterion, years, anchors)
    except AnalysisError as reason:
        return Comparison(title, str(reason))
    names = {code: years[0].by_code[code].system for code in found.drift.common}
    table = _table(title, found, names, (criterion.criterion, years), anchors)
    return Comparison(title, sentence_about(found, names), table)


def _scales(
    criterion: CriterionReport, years: tuple[TrackResults, TrackResults], anchors: Mapping[str, str]
) -> SharedScale:
    """Read the judgements that both reports read, and compare them."""
    name, (now, before) = criterion.criterion, years
    assert now.run is not None and before.run is not None and before.report is not None
    earlier = before.report.criterion(name)
    facts = [(each.kind, each.higher_is_better) for each in (criterion, earlier)]
    if facts[0] != facts[1]:
        raise Undefined(OTHER_KIND)
    if criterion.kind == "category":
        raise Undefined("Categories have no scale on which two years could be compared.")
    options = replace(report_options(now.run), alpha=criterion.alpha or DEFAULT.alpha)
    judging = Judging(criterion.kind == "relative", criterion.higher_is_better, options)
    last, this = (_judgements(run).for_criterion(name) for run in (before.run, now.run))
    return shared_scale(last, this, anchors, judging)


def _judgements(run: AnalysisRun) -> JudgementTable:
    """The judgements that a report analysed."""
    return run_table(run).counted().without_raters(report_options(run).exclude_raters)


def _table(
    title: str,
    found: SharedScale,
    names: Mapping[str, str],
    where: tuple[str, tuple[TrackResults, TrackResults]],
    anchors: Mapping[str, str],
) -> Table:
    """The anchors' values in both reports, and how far each moved against their mean."""
    criterion, years = where
    now, before = (_values(each, criterion) for each in years)
    rows = [
        (names[each.system], before.get(anchors[each.system]), now.get(each.system), each.shift,
         (each.low, each.high), each.p)
        for each in found.drift.shifts
    ]  # fmt: skip
    return Table("scales", title, COLUMNS, rows_of(rows), notes=(LIMITS,))


def _values(track: TrackResults, criterion: str) -> dict[str, float]:
    assert track.report is not None
    answers = {each.criterion: each for each in answers_of(track.report)}
    return {each.system: each.value for each in answers[criterion].standings}
