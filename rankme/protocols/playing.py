"""Read a browser's log of sounds and films: has the rater played all of them?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SLACK_SECONDS, SLACK_SHARE = 0.5, 0.05
MOST_SPANS = 1_000


@dataclass(frozen=True)
class PlayableFile:
    """A sound or film of a screen; `place` is its output's, or None for the input's."""

    place: int | None
    seconds: float | None  # None: the file does not say it


@dataclass(frozen=True)
class PlayLog:
    """The log of one file; one that makes no sense counts as not played."""

    ended: bool = False
    failed: bool = False
    played: tuple[tuple[float, float], ...] = ()

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> PlayLog:
        events = document.get("events")
        found = events if isinstance(events, list) else []
        failed = any(isinstance(event, list) and event[:1] == ["error"] for event in found)
        return cls(document.get("ended") is True, failed, _spans(document.get("played")))

    def has_all_of(self, file: PlayableFile) -> bool:
        if not self.ended or file.seconds is None:
            return self.ended
        missing = file.seconds - _covered(self.played, file.seconds)
        return missing <= max(SLACK_SECONDS, SLACK_SHARE * file.seconds)


def logs_by_place(sent: object) -> dict[int | None, PlayLog]:
    """The logs of a screen's files, as the browser sent them."""
    logs = [log for log in sent if isinstance(log, Mapping)] if isinstance(sent, list) else []
    return {
        log["place"]: PlayLog.read(log)
        for log in logs
        if log.get("place") is None or type(log.get("place")) is int
        if "place" in log
    }


def unplayed(
    files: Iterable[PlayableFile], logs: Mapping[int | None, PlayLog]
) -> list[PlayableFile]:
    """The files that a rater must still play, without those that did not load."""
    nothing = PlayLog()
    found = ((file, logs.get(file.place, nothing)) for file in files)
    return [file for file, log in found if not (log.failed or log.has_all_of(file))]


def _spans(document: object) -> tuple[tuple[float, float], ...]:
    if not isinstance(document, list) or len(document) > MOST_SPANS:
        return ()
    return tuple(
        (float(span[0]), float(span[1]))
        for span in document
        if isinstance(span, list) and len(span) == 2 and all(map(_is_time, span))
    )


def _is_time(number: object) -> bool:
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return is_number and math.isfinite(number)  # type: ignore[arg-type]


def _covered(spans: Sequence[tuple[float, float]], seconds: float) -> float:
    """Return how much of a file the spans cover; they may overlap."""
    covered, at = 0.0, 0.0
    for start, end in sorted(spans):
        start, end = max(start, at), min(end, seconds)
        covered += max(0.0, end - start)
        at = max(at, end)
    return covered
