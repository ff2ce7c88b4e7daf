"""Data sets of the variance tests: published judgements, and textbook sets with their figures."""

import csv
import json
import re
from typing import Any

import numpy as np

from tests.analysis.published import FIGURES, data_file

# Name: file, column of values, column of groups.
ONE_WAY = {
    "PlantGrowth": ("textbook/PlantGrowth.csv", "weight", "group"),
    "InsectSprays": ("textbook/InsectSprays.csv", "count", "spray"),
    "chickwts": ("textbook/chickwts.csv", "weight", "feed"),
    "webnlg2017-fluency": ("webnlg-2017/all_data_final_averaged.csv", "fluency", "team"),
    "webnlg2017-grammar": ("webnlg-2017/all_data_final_averaged.csv", "grammar", "team"),
    "webnlg2017-semantics": ("webnlg-2017/all_data_final_averaged.csv", "semantics", "team"),
}
# The factors of a Latin square, of which the third is the treatment, and the value.
LATIN = {
    "OrchardSprays": ("rowpos", "colpos", "treatment", "decrease"),
    "fisher.latin": ("row", "col", "trt", "yield"),
    "cochran.latin": ("row", "col", "operator", "diff"),
    "goulden.latin": ("row", "col", "trt", "yield"),
}


def figures(name: str) -> dict[str, Any]:
    """Figures that are in the repository with their source."""
    return json.loads((FIGURES / f"{name}.json").read_text())


def rows_of(name: str) -> list[dict[str, str]]:
    with data_file(name).open(newline="") as file:
        return list(csv.DictReader(file))


def coded(cells: list[str]) -> tuple[np.ndarray, list[str]]:
    """Codes and sorted labels."""
    labels = sorted(set(cells))
    return np.array([labels.index(cell) for cell in cells]), labels


def column(rows: list[dict[str, str]], name: str) -> np.ndarray:
    return np.array([float(row[name]) for row in rows])


def factor(rows: list[dict[str, str]], name: str) -> tuple[np.ndarray, list[str]]:
    return coded([row[name] for row in rows])


def nist(name: str) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Values, groups and the certified [SS between, MS, F, SS within, MS] of a NIST StRD file."""
    lines = data_file(f"nist/{name}.dat").read_text().splitlines()
    certified = [
        float(number)
        for line in lines[39:49]
        for number in re.findall(r"[-+]?\d+\.\d+E[-+]\d+", line)
    ]
    cells = [line.split() for line in lines[60:] if line.strip()]
    groups = np.unique([int(cell[0]) for cell in cells], return_inverse=True)[1]
    return np.array([float(cell[1]) for cell in cells]), groups, certified[:5]
