"""Rates of false alarms among careful raters, and of alarms about others, for `docs/quality.md`.

Run: python -m benchmarks.alarms [raters in each situation] [quality.csv of the E2E challenge]

The table between the marks in `docs/quality.md` is written again. With the ratings of the E2E
challenge, the alarms about its raters are printed as well.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from django.conf import settings

if not settings.configured:  # words are marked for translation, nothing else needs the site
    settings.configure()

from analysis.checks.alarms import Commonness, ScreenFacts, alarms_of, commonness_among
from analysis.checks.rater_models import CAREFUL, MODELS, QUALITY, QUALITY_SD, RaterModel, Scale
from analysis.typing import Values
from rankme.actions.sitting.speed_flags import Sitting, speed_flags
from rankme.protocols.exchange.sent_screen import SentTimes

PAGE = Path(__file__).resolve().parents[1] / "docs" / "quality.md"
BEGIN, END = "<!-- alarms -->", "<!-- end of alarms -->"
SCREENS = (10, 30, 100, 200)
EXPECTED = 20.0  # seconds, and half of it for reading
# Of the logarithms of times: between raters, and between a rater's screens.
RATERS_SD, SCREENS_SD = 0.5, 0.5
LENIENCY_SD = 8.0
OTHERS = 20
GIVES_UP = RaterModel("reads half, then gives up", awake=0.5, habit=75.0)
KINDS = (*MODELS, GIVES_UP)


@dataclass(frozen=True)
class Situation:
    """What raters do, and what could make careful ones look careless."""

    name: str
    alarm: str
    points: int = 5
    answers: int = 1  # on a screen
    quality: float = QUALITY  # the mean of the texts
    leniency: float = LENIENCY_SD
    drift: float = 0.0  # SD of each step of a rater's leniency, from screen to screen
    is_known: bool = True  # whether others have rated
    slowness: float = 1.0  # the expected time, in times of the usual one
    read_share: float = 1.0  # of the words
    windows: int = 1  # in which the rater reads at the same time
    is_hard: bool = False  # so that the rate next to the alarm does not hold


# Nineteen of twenty answers to such a question are the same.
RARE_ERRORS = 50 + 1.645 * float(np.hypot(QUALITY_SD, CAREFUL.noise))
SITUATIONS = (
    *(
        Situation(f"{points} points, {answers} on a screen", alarm, points, answers)
        for alarm in ("same", "run")
        for points in (2, 5, 101)
        for answers in (1, 3)
    ),
    Situation("2 points, nobody else has rated", "same", 2, is_known=False),
    Situation("yes or no, 95 % yes", "same", 2, quality=RARE_ERRORS),
    Situation("yes or no, 95 % yes", "run", 2, quality=RARE_ERRORS),
    Situation(
        "2 points, leniency varies twice as much", "same", 2, leniency=2 * LENIENCY_SD, is_hard=True
    ),
    Situation(
        "5 points, leniency varies twice as much", "same", 5, leniency=2 * LENIENCY_SD, is_hard=True
    ),
    Situation("2 points, leniency drifts", "run", 2, drift=1.0, is_hard=True),
    Situation("5 points, leniency drifts", "run", drift=1.0, is_hard=True),
    Situation("the expected time is the usual one", "hasty"),
    Situation("it is twice the usual one", "hasty", slowness=2),
    Situation("it is four times the usual one", "hasty", slowness=4, is_hard=True),
    Situation("one window, clocks differ by up to 0.1 %", "times"),
    Situation("two windows side by side", "times", windows=2, is_hard=True),
    Situation("all words are read", "unread"),
    Situation("half of them are read", "unread", read_share=1 / 2),
    Situation("a third of them is read", "unread", read_share=1 / 3, is_hard=True),
)


def found_share(
    situation: Situation, screens: int, *, raters: int, model: RaterModel = CAREFUL, seed: int = 1
) -> float:
    """The share of raters of a kind about whom there is the situation's alarm."""
    rng = np.random.default_rng([seed, screens])
    common: Commonness = {}
    if situation.is_known:
        common = commonness_among(_rater(situation, screens, CAREFUL, rng) for _ in range(OTHERS))
    found = 0
    for _ in range(raters):
        alarms = alarms_of(
            _rater(situation, screens, model, rng),
            expected_seconds=EXPECTED * situation.slowness,
            commonness=common,
        )
        found += any(alarm.name == situation.alarm for alarm in alarms)
    return found / raters


def _rater(
    situation: Situation, screens: int, model: RaterModel, rng: np.random.Generator
) -> list[ScreenFacts]:
    """One rater's screens: values with noise and leniency, and times that vary."""
    speed = np.exp(rng.normal(0, RATERS_SD))
    seconds = model.seconds * speed * np.exp(rng.normal(0, SCREENS_SD, screens))
    if situation.alarm == "unread" and model is CAREFUL:
        # No longer than reading takes: the hardest case for this alarm.
        seconds *= situation.read_share / 2
    answers = [""] * screens
    if situation.alarm in ("same", "run"):
        values = _values(situation, screens, model, rng)
        answers = [" ".join(map(str, row)) for row in values]
    flagged = [False] * screens
    if situation.alarm == "times":
        flagged = _flagged(situation, seconds, rng)
    return [
        ScreenFacts(answer, 0, float(taken), EXPECTED / 2, is_impossible)
        for answer, taken, is_impossible in zip(answers, seconds, flagged, strict=True)
    ]


def _flagged(situation: Situation, seconds: Values, rng: np.random.Generator) -> list[bool]:
    """Whether the server, on its own clock, finds the times of a sitting's screens impossible."""
    clock = 1 + rng.uniform(-1e-3, 1e-3)
    delays = rng.exponential(0.3, len(seconds)).tolist()
    flagged: list[bool] = []
    age, claimed = rng.exponential(2.0), 0.0
    for taken, delay in zip((seconds * clock).tolist(), delays, strict=True):
        age += taken / clock / situation.windows
        sitting = Sitting(age + delay, len(flagged), claimed, None, 0)
        last = taken * rng.uniform(0.5, 1)
        sent = SentTimes(spent_seconds=taken)
        flags = speed_flags(sent, sitting, least_seconds=0, last_answer=last)
        flagged.append("impossible time" in flags)
        claimed += taken
    return flagged


def _values(
    situation: Situation, screens: int, model: RaterModel, rng: np.random.Generator
) -> Values:
    size = (screens, situation.answers)
    steps = np.cumsum(rng.normal(0, situation.drift, (screens, 1)), axis=0)
    quality = situation.quality + rng.normal(0, QUALITY_SD, size)
    read = quality + rng.normal(0, situation.leniency) + steps + rng.normal(0, model.noise, size)
    unread: Values = rng.uniform(0, 100, size)
    if model.habit is not None:
        unread = np.full(size, model.habit)
    is_awake = rng.random((screens, 1)) < model.awake
    if model is GIVES_UP:
        is_awake = np.arange(screens)[:, None] < model.awake * screens
    return Scale(points=situation.points).at(np.where(is_awake, read, unread))


def interval(share: float, raters: int) -> tuple[float, float]:
    """Wilson's interval of 95 %."""
    z = 1.96
    middle = (share + z * z / (2 * raters)) / (1 + z * z / raters)
    half = (
        z / (1 + z * z / raters) * np.sqrt(share * (1 - share) / raters + z * z / (4 * raters**2))
    )
    return max(middle - half, 0.0), middle + half


def written(raters: int) -> str:
    """The tables of `docs/quality.md`: false alarms, then what is found of other raters."""
    heads = " | ".join(f"{screens} screens" for screens in SCREENS)
    lines = [f"| alarm | careful raters | {heads} |", "| --- | --- |" + " ---: |" * len(SCREENS)]
    for each in SITUATIONS:
        cells = []
        for screens in SCREENS:
            share = found_share(each, screens, raters=raters)
            cells.append(f"{100 * share:.2f} % (≤ {100 * interval(share, raters)[1]:.2f})")
        name = f"{each.name} (*)" if each.is_hard else each.name
        lines.append(f"| `{each.alarm}` | {name} | {' | '.join(cells)} |")
    lines += ["", f"| alarm | {' | '.join(model.name for model in KINDS)} |"]
    lines += ["| --- |" + " ---: |" * len(KINDS)]
    for alarm in ("same", "run", "hasty", "unread"):
        first = next(each for each in SITUATIONS if each.alarm == alarm and each.points == 5)
        shares = [
            found_share(first, 30, raters=raters // 4, model=model, seed=2) for model in KINDS
        ]
        lines.append(f"| `{alarm}` | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |")
    return "\n".join(lines) + "\n"


def e2e_alarms(path: Path) -> dict[str, tuple[int, tuple[str, ...]]]:
    """By rater of the E2E challenge: how many screens, and the names of the alarms."""
    rows: dict[str, list[tuple[datetime, ScreenFacts]]] = defaultdict(list)
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            begun, ended = (
                datetime.strptime(row[name], "%m/%d/%Y %H:%M:%S")
                for name in ("_started_at", "_created_at")
            )
            words = len(" ".join([row["mr"], *(row[f"ref{n}"] for n in range(1, 6))]).split())
            answer = " ".join(row[f"quality{n}"] for n in range(1, 6))
            seconds = (ended - begun).total_seconds()
            facts = ScreenFacts(answer, 0, seconds, 60 * words / 238)
            rows[row["_worker_id"]].append((ended, facts))
    raters = {
        rater: [facts for _, facts in sorted(given, key=lambda each: each[0])]
        for rater, given in rows.items()
    }
    common = commonness_among(raters.values())
    return {
        rater: (
            len(screens),
            tuple(each.name for each in alarms_of(screens, expected_seconds=60, commonness=common)),
        )
        for rater, screens in raters.items()
    }


def main(arguments: Sequence[str]) -> None:
    if len(arguments) > 1:
        found = e2e_alarms(Path(arguments[1]))
        long_enough = [names for screens, names in found.values() if screens >= 10]
        print(f"{len(found)} raters, {len(long_enough)} with 10 screens or more")
        print(Counter(name for names in long_enough for name in names))
        print({rater: each for rater, each in found.items() if each[1]})
    table = written(int(arguments[0]) if arguments else 4_000)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    if rest:
        PAGE.write_text(f"{before}{BEGIN}\n{table}{END}{after}", encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
