"""The published rankings that our engine is held against, read as judgement tables."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from analysis import JudgementTable, read_table

SHARED_DATA = Path(__file__).parents[2] / "../shared/data"


def shared_file(name: str) -> Path:
    """A file of the published judgements; the test is skipped, loudly, where it is absent."""
    path = SHARED_DATA / name
    if not path.exists():
        pytest.skip(f"The published judgements are not here: {path}")
    return path


def published(name: str) -> dict[str, Any]:
    return json.loads(shared_file(f"{name}/published.json").read_text())


def e2e_quality() -> JudgementTable:
    """Dušek et al. (2020), the released quality judgements."""
    return read_table(shared_file("e2e-eval/human_ratings/quality.csv")).for_criterion("quality")


def gec_rankings() -> JudgementTable:
    """Grundkiewicz et al. (2015): ranks of one screen, systems of one text count each."""
    root = ElementTree.parse(shared_file("gec-grundkiewicz-2015/judgments.xml")).getroot()
    rows = [
        (task.get("user"), task.get("src-id"), system, -int(answer.get("rank")), str(number))
        for number, task in enumerate(root.iter("ranking-item"))
        for answer in task.iter("translation")
        for system in answer.get("system").split()
    ]
    return _ranked(rows)


def wmt15_rankings(source: str, target: str) -> JudgementTable:
    """WMT15: what the README says makes the official pairs."""
    content = gzip.decompress(shared_file("wmt15/wmt15.rankings.long.csv.gz").read_bytes())
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
