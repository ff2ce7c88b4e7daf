"""What `import analysis` offers in a notebook."""

import ast
import os
import pkgutil
from pathlib import Path

import numpy as np
import pytest
import scipy

import analysis
from analysis.report.layout.latex import document
from analysis.signature import VERSION, citation, signature
from tests.analysis.studies import report_of
from tests.live import run_python


def test_every_name_is_importable_and_none_is_hidden_by_a_module():
    """Once it is imported, a module of the same name would take the place of a function."""
    assert all(hasattr(analysis, name) for name in analysis.__all__)
    modules = {module.name for module in pkgutil.iter_modules(analysis.__path__)}
    assert modules & set(analysis.__all__) == set()


HEAVY = "numba", "scipy.stats", "matplotlib", "pandas", "statsmodels"
PAGES = "import django; django.setup(); import rankme.api.urls, rankme.pages.urls"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("imports", "heavy"),
    [("import analysis", (*HEAVY, "scipy.linalg", "django")), (PAGES, HEAVY)],
    ids=["the package", "a web process"],
)
def test_the_import_loads_no_compiler_and_no_plots(imports, heavy):
    """Web processes only read tables: these would double their memory and the time to start."""
    found = f"print([name for name in {heavy} if name in sys.modules])"
    environment = {"DJANGO_SETTINGS_MODULE": "evalsite.settings", "ENVIRONMENT": "local"}
    done = run_python(["-c", f"import sys; {imports}; {found}"], os.environ | environment)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_signature_escapes_its_separators():
    """And has the options in alphabetical order."""
    line = signature("wmt", {"seed": 3, "exclude": ["a|b"], "resample": "none"}, sha256="f" * 64)
    assert line == (
        'wmt|exclude:["a%7Cb"]|resample:none|seed:3|data:ffffffffffffffff'
        f"|numpy:{np.__version__}|scipy:{scipy.__version__}|version:{VERSION}"
    )


def test_a_report_says_how_to_cite_the_version_that_made_it():
    line = signature("report", {"seed": 1}, sha256="0" * 64).replace(VERSION, "1.4.5")
    assert citation(line) == "Cite as: RankME, version 1.4.5 (CITATION.cff)."
    report = report_of("SR11")
    assert citation(report.signature) in document(report)


def test_only_the_compiler_is_imported_inside_a_function():
    """Comments say what these two save; all other imports are at the top of a file."""
    found = {
        (path.name, getattr(node, "module", ""))
        for path in Path(analysis.__file__).parent.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert found == {
        ("bradley_terry.py", "cluster_sums"),
        ("clusters.py", "drawers"),
        ("peer_agreement.py", "permutations"),
    }
