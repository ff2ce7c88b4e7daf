"""What a team reads of its own results: places, outputs and judgements, and nothing of others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from analysis.report.answer import Standing, answers_of
from rankme.exporting.bundle import run_table
from rankme.exporting.files import CSV, ExportedFile, csv_line
from rankme.models import Output, SystemCode, Team, Track

from .results import TrackResults, results_of

COLUMNS = ("system", "item", "input", "output", "criterion", "rater", "value")


@dataclass(frozen=True)
class OwnPlace:
    """A system of the team on one criterion, among `systems`; withdrawn ones have no rank."""

    track: Track
    system: str
    criterion: str
    unit: str
    standing: Standing
    systems: int
    is_withdrawn: bool
    is_claim: bool

    @property
    def is_ranked(self) -> bool:
        return self.is_claim and not self.is_withdrawn

    @property
    def rank_low(self) -> int | None:
        return self.standing.rank_low if self.is_ranked else None

    @property
    def rank_high(self) -> int | None:
        return self.standing.rank_high if self.is_ranked else None


def own_places(team: Team) -> list[OwnPlace]:
    """The team's places in the frozen reports, by track and criterion."""
    found = results_of(team.task, for_hosts=True)
    return [place for track in found.tracks for place in _places(team, track)]


def _places(team: Team, found: TrackResults) -> Iterator[OwnPlace]:
    codes = _codes(team, found.track)
    for answer in answers_of(found.report) if found.report else ():
        for each in answer.standings:
            if row := codes.get(each.system):
                assert row.upload is not None
                yield OwnPlace(
                    found.track,
                    row.upload.system.name,
                    answer.criterion.replace("_", " "),
                    answer.values,
                    each,
                    len(answer.standings),
                    found.by_code[each.system].is_withdrawn,
                    answer.is_claim,
                )


def _codes(team: Team, track: Track) -> dict[str, SystemCode]:
    rows = SystemCode.objects.filter(track=track, upload__team=team)
    return {row.code: row for row in rows.select_related("upload__system")}


def own_judgements(team: Team, track: Track) -> ExportedFile | None:
    """The team's outputs with every judgement that counts; nothing where none was judged."""
    found = next((each for each in results_of(team.task).tracks if each.track == track), None)
    codes = _codes(team, track)
    if found is None or not codes:
        return None
    name = f"{team.task.code}-{team.name}-judgements.csv"
    return ExportedFile(name, CSV, b"".join(_lines(found, codes)))


def _lines(found: TrackResults, codes: dict[str, SystemCode]) -> Iterator[bytes]:
    """A line for each judgement, and one for each output that has none.

    Raters are numbers that hold within the file.
    """
    yield csv_line(COLUMNS)
    values = _values(found, set(codes))
    rows = Output.objects.filter(
        system__campaign=found.track.campaign, system__name__in=codes
    ).select_related("item", "system")
    for output in rows.order_by("system__name", "item__position"):
        item, upload = output.item, codes[output.system.name].upload
        assert upload is not None
        first = (upload.system.name, item.key, item.input, output.text)
        for rest in values.get((output.system.name, item.key), [("", "", "")]):
            yield csv_line([*first, *rest])


def _values(
    found: TrackResults, codes: set[str]
) -> dict[tuple[str, str], list[tuple[str, int, float]]]:
    """Criterion, rater and value of each judgement, by system and item."""
    if found.run is None:
        return {}
    table = run_table(found.run).counted()
    wanted = {number: name for number, name in enumerate(table.system.labels) if name in codes}
    values: dict[tuple[str, str], list[tuple[str, int, float]]] = {}
    for place, code in enumerate(table.system.codes):
        if code in wanted:
            at = (wanted[code], table.item.labels[table.item.codes[place]])
            judged = (
                table.criterion.labels[table.criterion.codes[place]],
                int(table.rater.codes[place]) + 1,
                float(table.value[place]),
            )
            values.setdefault(at, []).append(judged)
    return values
