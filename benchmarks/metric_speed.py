"""How fast metrics are compared with people.

Run: python benchmarks/metric_speed.py

Made-up scores: 20 metrics of 25 systems on 2,000 items (10^6 scores of single outputs) against
judgements of 3 raters, the whole report from the file on; and soft pairwise accuracy alone for 20
systems, 2,000 items, 20 metrics and 1,000 permutations, next to the definition written out pair by
pair, with the ratio of the two.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

METRICS, SYSTEMS, ITEMS, RATERS = 20, 25, 2_000, 3


def main() -> None:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} (times suffer from other work)")
    print("\n| work | seconds | processor seconds |\n|---|---|---|")
    soft_pairwise()
    whole_report()


def soft_pairwise() -> None:
    from analysis.meta_evaluation.soft_pairwise import soft_pairwise_distances

    people, metrics = made_scores(METRICS, 20, ITEMS)
    begun = time.process_time()
    found = measured(
        "soft pairwise accuracy, 20 systems × 2,000 items × 20 metrics",
        lambda: soft_pairwise_distances(people, metrics, seed=1),
    )
    ours = (time.process_time() - begun) / METRICS
    begun = time.process_time()
    plain = measured("the same of one metric, pair by pair", lambda: by_pairs(people, metrics[0]))
    ratio = (time.process_time() - begun) / ours
    print(f"| ratio, a metric each (values {found[0]:.6f} and {plain:.6f}) | {ratio:.0f} | |")


def by_pairs(people, metric) -> float:
    """The definition (Thompson et al. 2024), with the same draws as the module."""
    from analysis.meta_evaluation.soft_pairwise import random_signs

    signs = random_signs(people.shape[1], permutations=1000, seed=1)
    differences = []
    for a in range(len(people)):
        for b in range(a + 1, len(people)):
            p_values = []
            for scores in (people, metric):
                each = (scores[a] - scores[b]).astype(np.float32)
                p_values.append((signs @ each >= each.sum()).mean())
            differences.append(abs(p_values[0] - p_values[1]))
    return 1 - float(np.mean(differences))


def whole_report() -> None:
    from analysis import read_table
    from analysis.meta_evaluation.against_people import metrics_against_people
    from analysis.meta_evaluation.people import People
    from analysis.text_metrics.score_files import read_scores

    with tempfile.TemporaryDirectory() as folder:
        judgements, scores = Path(folder, "judgements.csv"), Path(folder, "scores.csv")
        write_files(judgements, scores)
        people = People.from_table(read_table(judgements))
        read = measured("reading 10^6 scores", lambda: read_scores(scores))
        measured("the report on them", lambda: metrics_against_people(people, read))


def made_scores(metrics: int, systems: int, items: int):
    """People's scores (systems, items), and metrics that see them through noise."""
    rng = np.random.default_rng(1)
    truth = np.linspace(0, 1, systems)[:, None] + rng.normal(0, 1, (systems, items))
    noise = rng.normal(0, 1, (metrics, systems, items))
    return np.round(truth * 3), truth + np.linspace(0.5, 4, metrics)[:, None, None] * noise


def write_files(judgements: Path, scores: Path) -> None:
    people, metrics = made_scores(METRICS, SYSTEMS, ITEMS)
    rng = np.random.default_rng(2)
    places = [(system, item) for system in range(SYSTEMS) for item in range(ITEMS)]
    with judgements.open("w") as file:
        file.write("rater,item,system,criterion,value,screen\n")
        for rater in range(RATERS):
            noise = rng.integers(-1, 2, people.shape)
            for system, item in places:
                value = int(people[system, item] + noise[system, item])
                file.write(f"r{rater},i{item},s{system},quality,{value},{rater}-{item}\n")
    with scores.open("w") as file:
        file.write("system,item,metric,score\n")
        for metric in range(METRICS):
            for system, item in places:
                file.write(f"s{system},i{item},m{metric},{metrics[metric, system, item]:.6f}\n")


def measured(name: str, work):
    begun, worked = time.perf_counter(), time.process_time()
    result = work()
    seconds, processor = time.perf_counter() - begun, time.process_time() - worked
    print(f"| {name} | {seconds:.2f} | {processor:.2f} |", flush=True)
    return result


if __name__ == "__main__":
    main()
