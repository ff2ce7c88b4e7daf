"""Spreads of published studies, computed from their judgements.

Run: python benchmarks/planning/published_spreads.py ../shared/data [--only WebNLG]

They are the table of `analysis/planning/published.py`. Each study's variance is divided by REML
among systems, raters, items and their products. Printed are standard deviations in units of the
residual one, with the numbers of raters, items and systems. Comparisons enter as ranks within their
screens.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import scipy

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from analysis.planning.pilots import spreads_of  # noqa: E402

Rows = list[tuple[str, str, str, float]]  # rater, item, system, value


def _rows(path: Path) -> Iterator[dict[str, str]]:
    packed = path.read_bytes()
    text = gzip.decompress(packed) if path.suffix == ".gz" else packed
    yield from csv.DictReader(io.StringIO(text.decode("utf-8-sig"), newline=""))


def ranked(screens: dict[tuple[str, ...], list[tuple[str, float]]]) -> Rows:
    """Mid-ranks within screens, in units of neighbouring ranks; (rater, item, …) names a screen."""
    rows = []
    for (rater, item, *_), shown in screens.items():
        values = np.array([value for _, value in shown])
        ranks = scipy.stats.rankdata(values)
        names = [name for name, _ in shown]
        rows += [(rater, item, name, float(rank)) for name, rank in zip(names, ranks, strict=True)]
    return rows


def e2e(folder: Path) -> Rows:
    screens: dict[tuple[str, ...], list[tuple[str, float]]] = {}
    for number, row in enumerate(_rows(folder / "e2e-eval/human_ratings/quality.csv")):
        screens[row["_worker_id"], row["mr_id"], str(number)] = [
            (row[f"sys{k}"], float(row[f"quality{k}"])) for k in range(1, 6)
        ]
    return ranked(screens)


def rankme(name: str, column: str) -> Callable[[Path], Rows]:
    def read(folder: Path) -> Rows:
        rows = _rows(folder / "rankme-2018" / name)
        return [(r["_worker_id"], r["mr_id"], r["team"], float(r[column])) for r in rows]

    return read


def webnlg(column: str) -> Callable[[Path], Rows]:
    def read(folder: Path) -> Rows:
        rows = _rows(folder / "webnlg-2017/all_data_final_scores_anonymised.csv")
        return [(r["X_worker_id"], r["mr"], r["team"], float(r[column])) for r in rows]

    return read


def steen(name: str, column: str) -> Callable[[Path], Rows]:
    def read(folder: Path) -> Rows:
        rows = _rows(folder / "summary-lq-steen-2021" / name)
        return [(r["annotator"], r["document"], r["system"], float(r[column])) for r in rows]

    return read


def wmt15(pair: tuple[str, str]) -> Callable[[Path], Rows]:
    def read(folder: Path) -> Rows:
        screens: dict[tuple[str, ...], list[tuple[str, float]]] = {}
        for row in _rows(folder / "wmt15/wmt15.rankings.long.csv.gz"):
            if (row["srclang"], row["trglang"]) == pair:
                key = row["judgeID"], row["segmentId"], row["rankingID"]
                screens.setdefault(key, []).append((row["systems"], -float(row["rank"])))
        return ranked(screens)

    return read


def mqm(folder: Path) -> Rows:
    """The penalty of a segment: major 5, minor 1, minor punctuation .1, non-translation 25."""
    penalties: dict[tuple[str, str, str], float] = {}
    path = folder / "mqm-2023-ende-3raters/mqm_generalMT2023_ende_3raters.tsv"
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            key = row["rater"], row["globalSegId"], row["system"]
            severity, category = row["severity"].lower(), row["category"].lower()
            weight = {"major": 5.0, "minor": 1.0}.get(severity, 0.0)
            if severity == "minor" and category.startswith("fluency/punctuation"):
                weight = 0.1
            if severity != "neutral" and category.startswith("non-translation"):
                weight = 25.0
            penalties[key] = penalties.get(key, 0.0) + weight
    return [(*key, value) for key, value in penalties.items()]


STUDIES: dict[str, Callable[[Path], Rows]] = {
    "E2E NLG 2017, quality (5 ranked)": e2e,
    "WebNLG 2017, fluency (1–3)": webnlg("fluency"),
    "WebNLG 2017, grammar (1–3)": webnlg("grammaticality"),
    "WebNLG 2017, semantics (1–3)": webnlg("semantic_adequacy"),
    "RankME 2018, informativeness (1–6)": rankme("stp2_likert_inf.csv", "informativeness"),
    "RankME 2018, naturalness (1–6)": rankme("stp2_likert_nat.csv", "naturalness"),
    "RankME 2018, quality (1–6)": rankme("stp2_likert_qual.csv", "quality"),
    "Summaries 2021, coherence (1–7)": steen("likert_coherence_cnn_dm.csv", "score"),
    "Summaries 2021, repetition (1–7)": steen("likert_repetition_cnn_dm.csv", "score"),
    "WMT 2023 English–German, MQM penalty": mqm,
    "WMT 2015 German–English (5 ranked)": wmt15(("deu", "eng")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for name, read in STUDIES.items():
        if options.only not in name:
            continue
        begun = time.process_time()
        rows = read(options.data)
        raters, items, systems, values = zip(*rows, strict=True)
        codes = [np.unique(each, return_inverse=True)[1] for each in (systems, raters, items)]
        found = spreads_of(np.array(values, dtype=float), *codes)
        unit = found.residual
        shown = {key: round(value / unit, 3) for key, value in vars(found).items()}
        sizes = " × ".join(str(int(each.max()) + 1) for each in codes)
        seconds = time.process_time() - begun
        print(f"{name}: {shown}; systems × raters × items {sizes}, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
