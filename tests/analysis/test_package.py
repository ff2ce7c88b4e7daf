"""What `import analysis` offers in a notebook."""

import pkgutil
import subprocess
import sys

import pytest

import analysis


@pytest.mark.parametrize("name", analysis.__all__)
def test_every_name_is_there_and_is_not_a_module(name):
    """Whatever was imported before: a module of the same name would hide a function."""
    found = getattr(analysis, name)
    assert type(found).__name__ != "module"


def test_no_module_hides_a_function_of_its_name():
    modules = {module.name for module in pkgutil.iter_modules(analysis.__path__)}
    assert modules & set(analysis.__all__) == set()


def test_the_import_loads_no_compiler_and_no_plots():
    """The web server imports the package to read tables: these would double its memory."""
    program = (
        "import sys, analysis; "
        "print([name for name in ('numba', 'scipy.stats', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
