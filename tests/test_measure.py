"""Limits that hold are kept; what is still over them is listed here, and the lists only shrink."""

import pytest

from tools import import_table, walk
from tools.graph import House, circles
from tools.measure import (
    FOLDERS,
    PRODUCT,
    SUBMISSION,
    large_folders,
    long_functions,
    python_functions,
    script_functions,
)

pytestmark = pytest.mark.slow

# Each is allowed to have as many lines or files as it has, and leaves the list once it is small.
PYTHON: dict[str, int] = {}
SCRIPTS: dict[str, int] = {}
LARGE_FOLDERS = {
    "static/images/gallery": 26,
}
CIRCLES: list[list[str]] = []
ROOMS, CLIMBS = 13, 12


@pytest.fixture(scope="module")
def house() -> House:
    return House()


def over(found: dict[str, int], allowed: dict[str, int]) -> dict[str, int]:
    """What is larger than allowed, and with a 0 what is allowed without need."""
    grown = {name: size for name, size in found.items() if size > allowed.get(name, 0)}
    return grown | dict.fromkeys(allowed.keys() - found.keys(), 0)


def test_a_list_of_exceptions_can_only_shrink():
    assert over({"a": 61, "b": 70}, {"b": 70, "c": 80}) == {"a": 61, "c": 0}
    assert over({"b": 71}, {"b": 70}) == {"b": 71}


def test_functions_are_short():
    found = long_functions(list(python_functions(*PRODUCT)))
    assert over({each.name: each.lines for each in found}, PYTHON) == {}


def test_functions_of_scripts_are_short():
    functions = script_functions("static/js")
    if functions is None:
        pytest.skip("Node or TypeScript is missing (npm ci).")
    found = long_functions(functions)
    assert over({each.name: each.lines for each in found}, SCRIPTS) == {}


def test_folders_have_few_files():
    assert over(large_folders(*FOLDERS, "tests"), LARGE_FOLDERS) == {}


def test_no_modules_import_each_other_in_a_circle(house):
    assert circles(house.modules) == CIRCLES


def test_a_submission_passes_few_rooms(house):
    steps = walk.Walk(house).steps(*SUBMISSION)
    assert len(walk.rooms(steps)) <= ROOMS
    assert len(walk.climbs(steps)) <= CLIMBS


def test_the_page_on_architecture_has_the_imports_of_the_code(house):
    page = import_table.PAGE.read_text("utf-8")
    written = import_table.with_table(page, import_table.import_table(house))
    assert page == written, "`make imports` writes the table again"
