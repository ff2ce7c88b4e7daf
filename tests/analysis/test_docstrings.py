"""What a notebook sees: every public function of `analysis` documents itself."""

from __future__ import annotations

import inspect
import re

import pytest

import analysis

FUNCTIONS = [name for name in analysis.__all__ if inspect.isfunction(getattr(analysis, name))]
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
    "rater_profiles",
    "score_systems",
    "wilcoxon_pairs",
    "write_bundle",
    "write_table",
    "z_by_rater",
}


def sections(name: str) -> dict[str, str]:
    """The sections of a function's docstring, each with its text."""
    text = inspect.getdoc(getattr(analysis, name)) or ""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_has_every_section(name: str) -> None:
    wanted = {"Parameters"}
    signature = inspect.signature(getattr(analysis, name), eval_str=True)
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
    assert described == set(inspect.signature(getattr(analysis, name)).parameters)


def test_the_list_of_functions_is_not_empty() -> None:
    assert len(FUNCTIONS) > 25
