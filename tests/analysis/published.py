"""The published rankings with which our engine is compared, read as judgement tables."""

import csv
import gzip
import io
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from analysis import JudgementTable, read_table
from analysis.text_metrics.text_files import Material

REPOSITORY = Path(__file__).parents[2]
FIGURES = REPOSITORY / "tests/data"
ORACLE_DATA = Path(os.environ.get("ORACLE_DATA") or REPOSITORY / "../shared/data")


def oracle_data(name: str) -> Path:
    """A file or folder of the published data sets, which are too large for the repository.

    Where it is missing the test is skipped, loudly. `docs/statistics.md` says where to get each.
    """
    path = ORACLE_DATA / name
    if not path.exists():
        pytest.skip(f"PUBLISHED DATA MISSING: {path} (name the folder: ORACLE_DATA=)")
    return path


def data_file(name: str) -> Path:
    """A file of `tests/data` or, if its folder is not there, of the published data sets."""
    kept = FIGURES / name
    return kept if kept.parent.is_dir() else oracle_data(name)


def published(name: str) -> dict[str, Any]:
    """Figures that others have printed, with their source."""
    return json.loads((FIGURES / "published" / f"{name}.json").read_text())


def e2e_quality() -> JudgementTable:
    """Dušek et al. (2020), the released quality judgements."""
    return read_table(oracle_data("e2e-eval/human_ratings/quality.csv")).for_criterion("quality")


def e2e_challenge(systems: Iterable[str]) -> Material:
    """The same challenge's test set, by meaning representation, with the outputs of systems."""
    references: dict[str, list[str]] = {}
    with oracle_data("e2e-dataset/testset_w_refs.csv").open(encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            references.setdefault(row["mr"], []).append(row["ref"])
    outputs = {}
    for system in systems:
        path = oracle_data(f"e2e-eval/system_outputs/primary/{system}.tsv")
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file, delimiter="\t") if row][1:]
        if system.startswith("tnt"):  # wrapped in single quotes
            rows = [[cell[1:-1] for cell in row] for row in rows]
        outputs[system] = dict(rows)
    inputs = {meaning: meaning for meaning in references}
    return Material(outputs, {item: tuple(each) for item, each in references.items()}, inputs)


def e2e_meanings() -> dict[str, str]:
    """The meaning representations of the items of `e2e_quality`."""
    path = oracle_data("e2e-eval/human_ratings/quality.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {row["mr_id"]: row["mr"] for row in csv.DictReader(file)}


def gec_rankings() -> JudgementTable:
    """Grundkiewicz et al. (2015): ranks of one screen, systems of one text count each."""
    root = ElementTree.parse(oracle_data("gec-grundkiewicz-2015/judgments.xml")).getroot()
    rows = [
        (task.get("user"), task.get("src-id"), system, -int(answer.get("rank")), str(number))
        for number, task in enumerate(root.iter("ranking-item"))
        for answer in task.iter("translation")
        for system in answer.get("system").split()
    ]
    return _ranked(rows)


def wmt15_rankings(source: str, target: str) -> JudgementTable:
    """WMT15: the official pairs are those of one screen, without the references."""
    content = gzip.decompress(oracle_data("wmt15/wmt15.rankings.long.csv.gz").read_bytes())
    rows = [
        (row["judgeID"], row["segmentId"], system, -int(row["rank"]), row["rankingID"])
        for row in csv.DictReader(io.StringIO(content.decode()))
        if (row["srclang"], row["trglang"]) == (source, target) and row["rank"] != "-1"
        for system in row["systems"].split(",")
        if not system.startswith("ref")
    ]
    return _ranked(rows)


def _ranked(rows: list[tuple[Any, ...]]) -> JudgementTable:
    names = ("rater", "item", "system", "value", "screen")
    columns: dict[str, Any] = dict(zip(names, zip(*rows, strict=True), strict=True))
    return JudgementTable.from_columns({**columns, "criterion": ["rank"] * len(rows)})
