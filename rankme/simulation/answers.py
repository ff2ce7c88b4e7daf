"""Answers of simulated raters: latent quality, personal taste, and noise."""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from rankme.protocols.instruments import INSTRUMENTS

NOISE = 0.6
DECLINED = 0.05  # of the questions that raters need not be able to judge
FAR_FROM_NORMAL = 8


@dataclass(frozen=True)
class Taste:
    """One rater: how well they think of everything, and how steadily they answer."""

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
        rows = csv.DictReader(file, delimiter=delimiter)
        truth = {row["text"]: float(row["score"]) for row in rows}
    largest = max(map(abs, truth.values()), default=0)
    if largest > FAR_FROM_NORMAL:
        raise ValueError(
            f"{path}: scores must be about standard normal (mean 0, SD 1), but one is {largest:g}."
        )
    return truth


def is_asked(screen: Mapping[str, Any], trial: Mapping[str, Any]) -> bool:
    """Whether the trial has the screen: those about a document come after its last segment."""
    place = trial.get("document", {})
    return not screen.get("closes_document") or place.get("segment") == place.get("segments")


def answers_to(
    screen: Mapping[str, Any], trial: Mapping[str, Any], taste: Taste
) -> list[dict[str, Any]]:
    """Answer every question of a screen, as the page's script would send it."""
    answers: list[dict[str, Any]] = []
    for question in screen["ask"]:
        places = range(trial["places"]) if question["about"] == "output" else [None]
        more = {}
        if order := trial.get("orders", {}).get(question["criterion"]):
            more["order"] = order
        impressions = [taste.impression(_text_at(trial, place)) for place in places]
        values = _values(question, trial, impressions, taste.rng)
        declines = question.get("cannot_judge") and taste.rng.random() < DECLINED
        reasons = question.get("reasons") or [""]
        said = {"cannot_judge": taste.rng.choice(reasons)} if declines else {}
        answers += [
            {
                "criterion": question["criterion"],
                "place": place,
                **(said or {"value": value}),
                "time_ms": round(taste.rng.lognormvariate(8, 0.5), 1),
                **more,
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
    impressions: Sequence[float],
    rng: random.Random,
) -> list[Any]:
    instrument = INSTRUMENTS[question["instrument"]]
    return instrument.simulate_together(impressions, question["options"], trial, rng)


def played(trial: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The log of a rater who plays every sound and film of a trial once, to its end."""
    places = [(None, trial.get("input_file")), *enumerate(trial.get("output_files", []))]
    return [
        {
            "place": place,
            "kind": file["kind"],
            "events": [["play", 500, 0], ["ended", 500 + 1000 * (file["seconds"] or 1), 0]],
            "played": [[0, file["seconds"] or 1]],
            "ended": True,
        }
        for place, file in places
        if file and file["kind"] != "picture"
    ]
