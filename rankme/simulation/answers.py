"""What a simulated rater answers: the text's latent quality, the rater's own taste, and noise."""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

WORDS = ("a pub by the river", "that serves cheap food", "and is good", "for a family")
NOISE = 0.6


@dataclass(frozen=True)
class Taste:
    """One rater: how well they think of everything, and how sure their hand is."""

    rng: random.Random
    truth: Mapping[str, float]
    leniency: float

    def impression(self, text: str) -> float:
        """About standard normal over texts; the same text impresses about the same each time."""
        return quality_of(text, self.truth) + self.leniency + self.rng.gauss(0, NOISE)


def quality_of(text: str, truth: Mapping[str, float]) -> float:
    """The quality as given; otherwise one that follows from the text alone, as a blind client's."""
    if text in truth:
        return truth[text]
    digest = blake2b(text.encode(), digest_size=8).digest()
    return math.sqrt(12) * (int.from_bytes(digest) / 2**64 - 0.5)


def read_truth(path: Path) -> dict[str, float]:
    """A CSV or TSV with the columns `text` and `score` (about standard normal)."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        return {
            row["text"]: float(row["score"]) for row in csv.DictReader(file, delimiter=delimiter)
        }


def answers_to(
    screen: Mapping[str, Any], trial: Mapping[str, Any], taste: Taste
) -> list[dict[str, Any]]:
    """Answer every question of a screen, as the page's script would send it."""
    answers: list[dict[str, Any]] = []
    for question in screen["ask"]:
        places = range(trial["places"]) if question["about"] == "output" else [None]
        impressions = [taste.impression(_text_at(trial, place)) for place in places]
        values = _values(question, trial, impressions, taste.rng)
        answers += [
            {
                "criterion": question["criterion"],
                "place": place,
                "value": value,
                "time_ms": round(taste.rng.lognormvariate(8, 0.5), 1),
            }
            for place, value in zip(places, values, strict=True)
        ]
    return answers


def _text_at(trial: Mapping[str, Any], place: int | None) -> str:
    outputs = trial.get("outputs") or [trial.get("reference", "")]
    return str(outputs[place or 0] if (place or 0) < len(outputs) else outputs[-1])


def _values(
    question: Mapping[str, Any],
    trial: Mapping[str, Any],
    impressions: list[float],
    rng: random.Random,
) -> list[Any]:
    instrument, options = question["instrument"], question["options"]
    if instrument in TOGETHER:
        return TOGETHER[instrument](impressions, options)
    return [EACH[instrument](impression, options, trial, rng) for impression in impressions]


def _on_the_scale(impression: float) -> float:
    return 1 / (1 + math.exp(-1.2 * impression))


Answering = Callable[[float, Mapping[str, Any], Mapping[str, Any], random.Random], Any]


def _rankme(impression: float, options: Any, trial: Any, rng: random.Random) -> float:
    score = round(options["standard"] * math.exp(0.4 * impression))
    within: float = min(max(score, 1), options["largest"])
    return within


def _slider(impression: float, options: Any, trial: Any, rng: random.Random) -> float:
    low, high = options["minimum"], options["maximum"]
    value: float = round(low + (high - low) * _on_the_scale(impression), 2)
    return value


def _likert(impression: float, options: Any, trial: Any, rng: random.Random) -> int:
    points: int = options["points"]
    return 1 + min(int(_on_the_scale(impression) * points), points - 1)


def _choice(impression: float, options: Any, trial: Any, rng: random.Random) -> str:
    names: list[str] = [name for name, _ in options["choices"]]
    return names[min(int(_on_the_scale(impression) * len(names)), len(names) - 1)]


def _checklist(impression: float, options: Any, trial: Any, rng: random.Random) -> list[str]:
    """The worse the text, the more is ticked."""
    likely = 0.3 + _on_the_scale(impression)
    return [name for name, _ in options["choices"] if rng.random() > likely]


def _count(impression: float, options: Any, trial: Any, rng: random.Random) -> int:
    most: int = options["most"]
    return min(int(4 * (1 - _on_the_scale(impression))), most)


def _text(impression: float, options: Any, trial: Any, rng: random.Random) -> str:
    wanted = round(options["least_of_input"] * trial.get("input_length", 0))
    text = f"Number {rng.randrange(10**9)} is "  # nobody may write the same text twice
    while len(text.strip()) < max(options["least"], wanted, 1):
        text += rng.choice(WORDS) + " "
    return text.strip()[: options["most"]]


def _response_time(impression: float, options: Any, trial: Any, rng: random.Random) -> float:
    timeout: float = options["timeout_ms"]
    return round(min(1500 * math.exp(-0.3 * impression), timeout), 1)


def _click_target(impression: float, options: Any, trial: Any, rng: random.Random) -> Any:
    """Whichever picture: the client cannot know which is meant."""
    return {"shown": rng.randrange(len(trial["input"]["images"]))}


def _mr_coverage(impression: float, options: Any, trial: Any, rng: random.Random) -> Any:
    chance = 0.1 + 0.3 * (1 - _on_the_scale(impression))
    found = [
        rng.choice(["missing", "wrong"]) if rng.random() < chance else "mentioned"
        for _ in trial["input"]["pairs"]
    ]
    return {"attributes": found, "added": int(rng.random() < chance)}


EACH: dict[str, Answering] = {
    "rankme": _rankme,
    "slider": _slider,
    "likert": _likert,
    "choice": _choice,
    "checklist": _checklist,
    "count": _count,
    "text": _text,
    "response_time": _response_time,
    "click_target": _click_target,
    "mr_coverage": _mr_coverage,
}


def _preference(impressions: list[float], options: Mapping[str, Any]) -> list[float]:
    first, second = impressions
    if options["ties"] and abs(first - second) < 0.3:
        return [0.5, 0.5]
    return [1.0, 0.0] if first > second else [0.0, 1.0]


def _best_worst(impressions: list[float], options: Mapping[str, Any]) -> list[int]:
    best, worst = impressions.index(max(impressions)), impressions.index(min(impressions))
    return [1 if n == best else -1 if n == worst else 0 for n in range(len(impressions))]


# These instruments ask about the outputs of a screen together.
TOGETHER: dict[str, Callable[[list[float], Mapping[str, Any]], list[Any]]] = {
    "preference": _preference,
    "best_worst": _best_worst,
}
