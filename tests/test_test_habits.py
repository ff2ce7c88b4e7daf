"""Rules that tests themselves keep: what they import from each other, and what they patch."""

import ast
import re
from collections.abc import Iterable, Iterator

from tests.sources import CODE, imported_modules, modules


def helpers_from_tests(imported: Iterable[str]) -> list[str]:
    """Name the test modules among those that a module imports."""
    ours = {name for name in imported if name.startswith("tests.")}
    return sorted(name for name in ours if ".test_" in name)


def test_helpers_that_tests_share_are_in_modules_of_their_own():
    bait = "from tests.actions.test_jobs import claim\nfrom .test_anova import digits\n"
    assert len(helpers_from_tests(imported_modules(bait, "tests.analysis"))) == 4
    borrowed = {
        f"{module.place} imports {name}"
        for module in modules("tests")
        for name in helpers_from_tests(module.imports)
    }
    assert borrowed == set()


# Django's own, in spite of their names.
PUBLIC_ALL_THE_SAME = {"_meta", "_default_manager"}


def is_private(name: str) -> bool:
    last = name.rpartition(".")[2]
    return re.match(r"_[a-zA-Z]", last) is not None and last not in PUBLIC_ALL_THE_SAME


def private_names(source: str) -> Iterator[str]:
    """Every private name of our packages that a source imports, reads, sets or patches."""
    tree = ast.parse(source)
    ours = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in CODE:
            ours |= {alias.asname or alias.name for alias in node.names}
            yield from (alias.name for alias in node.names if is_private(alias.name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in ours and is_private(node.attr):
                yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "setattr":
            texts = [each.value for each in node.args[:2] if isinstance(each, ast.Constant)]
            yield from (text for text in texts if is_private(str(text)))


def test_tests_leave_private_names_alone():
    bait = (
        "from analysis.ranking.clusters import _record\n"
        "from rankme.actions import judgements, jobs\n"
        "judgements._insert(1)\n"
        'monkeypatch.setattr(jobs, "_lead", None)\n'
        'monkeypatch.setattr("rankme.actions.jobs._lead", None)\n'
        "Campaign._meta, self._mine, jobs.__name__\n"
    )
    assert len(list(private_names(bait))) == 4
    touched = {
        f"{module.place}: {name}"
        for module in modules("tests")
        for name in private_names(module.source)
    }
    assert touched == set()


# Patterns of whole addresses are also like the login page that leads there (`wait_for_path`).
WHOLE_ADDRESS = re.compile(r"""wait_for_url\(\s*f?["']\*""")


def test_pages_are_waited_for_by_their_path():
    assert WHOLE_ADDRESS.search('page.wait_for_url("**/doctor/")')
    assert WHOLE_ADDRESS.search('page.wait_for_url(f"**/{code}/")')
    assert not WHOLE_ADDRESS.search('page.wait_for_url(f"{site}/doctor/")')
    found = {module.place for module in modules("tests") if WHOLE_ADDRESS.search(module.source)}
    assert found == {"tests/test_test_habits.py"}
