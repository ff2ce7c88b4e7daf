"""What a notebook sees: every public function of `analysis`, and every method, documents itself."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import pytest

import analysis

# Methods that a notebook imports from their modules, as the page on statistics does.
OF_MODULES = {
    "ranking.power": ("by_clusters", "by_simultaneous_intervals"),
    "reliability.intraclass": ("incomplete_icc",),
    "reliability.krippendorff": ("self_consistency",),
    "scales.correlations": ("correlations",),
    "scales.mixed_model": ("variance_components",),
    "scales.rank_tests": ("holm",),
    "scales.tukey_hsd": ("compact_letters", "homogeneous_subsets"),
}
FUNCTIONS: dict[str, Any] = {
    name: getattr(analysis, name)
    for name in analysis.__all__
    if inspect.isfunction(getattr(analysis, name))
} | {
    name: getattr(importlib.import_module(f"analysis.{module}"), name)
    for module, names in OF_MODULES.items()
    for name in names
}
# They read, write or arrange what others have computed.
WITHOUT_SOURCE = {
    "check_mark",
    "judgement_table",
    "make_report",
    "rater_profiles",
    "read_material",
    "read_scores",
    "read_spans",
    "read_bundle",
    "read_table",
    "with_screens",
    "write_spans",
    "write_bundle",
    "write_table",
}
# Errors of Python itself aside, such as arrays of different lengths.
NEVER_RAISE = {
    "by_clusters",
    "by_simultaneous_intervals",
    "compact_letters",
    "correlations",
    "holm",
    "homogeneous_subsets",
    "rater_profiles",
    "score_systems",
    "wilcoxon_pairs",
    "write_bundle",
    "write_table",
    "z_by_rater",
}


def sections(name: str) -> dict[str, str]:
    """The sections of a function's docstring, each with its text."""
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_has_every_section(name: str) -> None:
    wanted = {"Parameters"}
    signature = inspect.signature(FUNCTIONS[name], eval_str=True)
    if signature.return_annotation is not None:
        wanted.add("Returns")
    if name not in NEVER_RAISE:
        wanted.add("Raises")
    if name not in WITHOUT_SOURCE:
        wanted.add("Source")
    assert wanted - set(sections(name)) == set()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_describes_every_parameter_and_no_other(name: str) -> None:
    described = {
        parameter.strip()
        for heading in re.findall(r"^(\w[\w, ]*) : ", sections(name)["Parameters"], re.M)
        for parameter in heading.split(",")
    }
    assert described == set(inspect.signature(FUNCTIONS[name]).parameters)


def test_the_list_of_functions_is_not_empty() -> None:
    assert len(FUNCTIONS) > 25
