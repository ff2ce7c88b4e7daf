"""Made-up campaigns in the shapes of the field's experiments, for the tests of reports."""

import contextlib
import json
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from analysis import JudgementTable
from analysis.errors import Undefined
from analysis.report import scale_section
from analysis.report.make import make_report
from analysis.report.model import Report
from analysis.report.options import ReportOptions
from tests.analysis.judged import from_rows


def sliders(seed: int = 0, raters: int = 6, items: int = 20, systems: int = 5) -> JudgementTable:
    """Surface Realisation 2011: each rater every item once, systems rotated; two criteria."""
    rng = np.random.default_rng(seed)
    rows = []
    for rater in range(raters):
        for item in range(items):
            system = (rater + item) % systems
            for criterion, step in (("Clarity", 9), ("Readability", 6)):
                value = np.clip(40 + step * system + 3 * rater + rng.normal(0, 12), 0, 100)
                place = (f"r{rater}", f"i{item}", f"sys{system}", criterion)
                rows.append((*place, round(value, 2), f"{rater}-{item}"))
    return from_rows(rows)


def identification(seed: int = 0) -> JudgementTable:
    """TUNA 2008: reading time, identification time and error by entity type."""
    rng = np.random.default_rng(seed)
    rows = []
    for rater in range(12):
        for item in range(24):
            system, kind = (rater + item) % 6, ("furniture", "people")[item % 2]
            times = rng.lognormal(7 + 0.08 * system, 0.4), rng.lognormal(7.2, 0.3)
            error = float(rng.random() < 0.05 + 0.04 * system)
            for criterion, value in (("RT", times[0]), ("IT", times[1]), ("ER", error)):
                place = (f"r{rater}", f"i{item}", f"sys{system}", criterion)
                rows.append((*place, value, f"{rater}-{item}", kind))
    return from_rows(rows, "entity_type")


IDENTIFICATION = {
    "kinds": {"RT": "time", "IT": "time", "ER": "error"},
    "factors": ["entity_type"],
    "model": "interaction",
}


def facts(seed: int = 0) -> JudgementTable:
    """RotoWire: counts of supported and contradicted facts of a sentence, by rater and model."""
    rng = np.random.default_rng(seed)
    rows = []
    for rater in range(10):
        for item in range(20):
            system = (rater + item) % 5
            for criterion, rate in (("Supp", 1 + 0.4 * system), ("Cont", 2 - 0.3 * system)):
                place = (f"r{rater}", f"i{item}", f"model{system}", criterion)
                rows.append((*place, float(rng.poisson(rate)), f"{rater}-{item}"))
    return from_rows(rows)


def magnitudes(seed: int = 0, *, coverage: bool = True) -> JudgementTable:
    """E2E: three systems of five on a screen, relative magnitudes and the coverage check."""
    rng = np.random.default_rng(seed)
    rows = []
    for rater in range(8):
        for item in range(15):
            for system in rng.choice(5, size=3, replace=False):
                value = float(np.round(np.exp(rng.normal(4.5 - 0.15 * system, 0.3))))
                place = (f"r{rater}", f"i{item}", f"sys{system}")
                rows.append((*place, "quality", value, f"{rater}-{item}"))
                if coverage:
                    check = float(rng.choice(4, p=[0.6, 0.1, 0.25, 0.05]))
                    rows.append((*place, "coverage", check, f"{rater}-{item}"))
    return from_rows(rows)


def marked_errors() -> JudgementTable:
    """Raters' marks of errors, as the site keeps them."""
    dice, rows, cells = np.random.default_rng(4), [], []
    for rater in range(3):
        for item in range(8):
            for system in range(4):
                marks = [
                    {"start": 2 * k, "end": 2 * k + 2, "text": "ab", "severity": severity,
                     "category": "Accuracy/A&B_1"}
                    for k, severity in enumerate(dice.choice(["minor", "major"], system))
                ]  # fmt: skip
                value = float(sum({"minor": 1, "major": 5}[each["severity"]] for each in marks))
                rows.append(
                    (f"r{rater}", f"i{item}", f"s{system}", "errors", value, f"{rater}.{item}")
                )
                cells.append(json.dumps({"marks": marks, "words": 12}))
    return from_rows(rows, marks=cells)


QUICK = {"runs": 20, "agreement_resamples": 20}
STUDIES = {
    "E2E": (magnitudes, {}),
    "SR11": (sliders, {}),
    "TUNA": (identification, IDENTIFICATION),
    "RotoWire": (facts, {"kinds": {"Supp": "count", "Cont": "count"}, "model": "rater"}),
}


@cache
def report_of(name: str) -> Report:
    """The report of a study: its fits, which take longest, are made once for all modules."""
    table, options = STUDIES[name]
    return make_report(table(), ReportOptions.from_dict({**QUICK, **options}))


KINDS = {
    "quality": "relative",
    "coverage": "category",
    "clarity": "scale",
    "facts": "count",
    "reading": "time",
    "errors": "error",
}
EVERY_KIND = {
    "runs": 20,
    "kinds": KINDS,
    "model": "interaction",
    "factors": ["entity_type"],
    "lower_is_better": ["reading", "errors"],
    "exclude_raters": ["r5"],
    "agreement_resamples": 10,
}


def every_kind(seed: int = 8) -> JudgementTable:
    """A criterion of every kind; one system has a name that a spreadsheet would run."""
    dice = np.random.default_rng(seed)
    rows = []
    for criterion, kind in KINDS.items():
        for rater in range(6):
            for item in range(8):
                for place, system in enumerate(("=cmd()", "slug", "tuda", "zhang")):
                    value = {
                        "relative": 50 + 10 * place + dice.normal(0, 8),
                        "category": float(dice.integers(4)),
                        "scale": 40 + 10 * place + dice.normal(0, 8),
                        "count": float(dice.poisson(2 + place)),
                        "time": 900 + 100 * place + dice.normal(0, 90),
                        "error": float(dice.random() < 0.1 + 0.1 * place),
                    }[kind]
                    kept = (f"r{rater}", f"i{item}", system, criterion, value)
                    screen = f"{rater}.{item}.{criterion}"
                    rows.append((*kept, screen, "people" if item % 2 else "furniture"))
    return from_rows(rows, "entity_type")


@cache
def report_of_every_kind() -> Report:
    """The report of a campaign that has a criterion of every kind."""
    return make_report(every_kind(), ReportOptions.from_dict(EVERY_KIND))


def report_without_mixed_models(table: JudgementTable, options: dict) -> Report:
    with without_mixed_models():
        return make_report(table, ReportOptions.from_dict(options))


@contextlib.contextmanager
def without_mixed_models() -> Iterator[None]:
    """Leave out of reports the models that take most of their time."""
    with pytest.MonkeyPatch.context() as patch:
        for method in ("fit_mixed", "fit_ordinal", "generalisability"):
            patch.setattr(scale_section, method, left_out)
        yield


def left_out(*_: object, **__: object) -> None:
    raise Undefined("Left out.")
