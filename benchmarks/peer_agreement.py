"""Raters whose agreement by chance passes for more, and careful ones whose agreement is not shown.

Run: python -m benchmarks.peer_agreement [--campaigns N]

Twelve raters judge the same outputs of four systems; nine are careful. Of the others, one answers
each output at random, one gives all outputs of a screen the same answer, chosen at random, and one
draws from the answers of all (the common prior). Careful raters differ from each other as much as
outputs of a system do: two of them correlate by about .5 on a line. `credited`: the share of
raters who agree by more than chance at .05, by kind. `equal`: the mean share of the others who
give an output the same answer.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

import numpy as np

from analysis.robustness.peer_agreement import PeerAgreement, peer_agreement

RATERS, SYSTEMS, CAMPAIGNS = 12, 4, 100
KINDS = ("at random", "same on a screen", "common prior")
ANSWERS = ("a line", "5 points", "yes or no", "yes or no, 85 % yes")
OUTPUTS = (40, 80, 160)


def study(seed: int, answers: str, outputs: int) -> tuple[np.ndarray, ...]:
    """Simulate a campaign: values, outputs, items and raters, each of shape (judgements,)."""
    rng = np.random.default_rng([seed, outputs])
    items = outputs // SYSTEMS
    rater, item, system = (each.ravel() for each in np.indices((RATERS, items, SYSTEMS)))
    quality = 0.8 * rng.normal(size=(items, SYSTEMS)) + np.arange(SYSTEMS) / 3
    quality += 0.6 * rng.normal(size=items)[:, None]
    value = (
        quality[item, system] + rng.normal(size=len(rater)) + 0.5 * rng.normal(size=RATERS)[rater]
    )
    other = np.stack(
        [
            1.5 * rng.normal(size=len(rater)),
            1.5 * rng.normal(size=(RATERS, items))[rater, item],
            rng.permutation(value),
        ]
    )
    value = np.where(
        rater < len(KINDS), other[np.minimum(rater, len(KINDS) - 1), np.arange(len(rater))], value
    )
    if answers == "5 points":
        value = np.clip(np.round(1.2 * value + 2.4), 1, 5)
    elif answers.startswith("yes"):
        value = (value > np.quantile(value, 0.15 if "85" in answers else 0.5)).astype(float)
    return value, item * SYSTEMS + system, item, rater


def scored(seed: int, answers: str, outputs: int) -> PeerAgreement:
    """Score the raters of one campaign; their names are their numbers."""
    values, output, item, rater = study(seed, answers, outputs)
    return peer_agreement(
        values, (output, item), rater, [str(each) for each in range(RATERS)],
        ranked=lambda _: [], rng=np.random.default_rng([seed, 1]),
    )  # fmt: skip


def kind_of(rater: str) -> str:
    return KINDS[int(rater)] if int(rater) < len(KINDS) else "careful"


def row(answers: str, outputs: int, campaigns: int) -> list[str]:
    """Return one row of the table."""
    credited, equal = defaultdict(list), defaultdict(list)
    for seed in range(campaigns):
        for each in scored(seed, answers, outputs).raters:
            credited[kind_of(each.rater)].append(each.agrees)
            equal[kind_of(each.rater)].append(each.naive)
    shares = [f"{np.mean(credited[kind]):.2f}" for kind in (*KINDS, "careful")]
    naive = [f"{np.mean(equal[kind]):.2f}" for kind in ("common prior", "careful")]
    return [answers, str(outputs), *shares, *naive]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=CAMPAIGNS)
    campaigns = parser.parse_args().campaigns
    head = ["answers", "outputs", *KINDS, "careful", "equal, common prior", "equal, careful"]
    print(f"| {' | '.join(head)} |\n| --- |{' ---: |' * (len(head) - 1)}")
    for answers in ANSWERS:
        for outputs in OUTPUTS:
            print(f"| {' | '.join(row(answers, outputs, campaigns))} |", flush=True)


if __name__ == "__main__":
    main()
