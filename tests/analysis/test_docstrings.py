"""Every function that a notebook may call documents itself, and docs/reference/ says the same."""

import ast
import inspect
import re
import subprocess
import sys
import textwrap
from typing import Any

import analysis
from tools import reference

FUNCTIONS: dict[str, Any] = {
    f"{module.__name__.removeprefix('analysis.')}.{name}": value
    for module in reference.library_modules()
    for name, value in reference.public(module).items()
    if not inspect.isclass(value)
}
EXPORTED = {
    name: value
    for name, value in FUNCTIONS.items()
    if getattr(analysis, value.__name__, None) is value
}
# They read, write or arrange what others have computed.
WITHOUT_SOURCE = re.compile(
    r"(check_mark|judgement_table|make_report|rater_profiles|read_\w+|with_screens|write_\w+)"
)


def sections(function: Any) -> dict[str, str]:
    """The sections of a function's docstring, each with its text."""
    text = inspect.getdoc(function) or ""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def raises(function: Any) -> bool:
    """Whether the function's own lines raise one of this package's errors."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    return any(
        isinstance(node, ast.Raise) and re.search(r"Error\(|Undefined\(", ast.unparse(node))
        for node in ast.walk(tree)
    )


def test_a_docstring_describes_every_parameter_and_every_error() -> None:
    for name, function in FUNCTIONS.items():
        found = sections(function)
        headings = re.findall(r"^(\w[\w, ]*) : ", found.get("Parameters", ""), re.M)
        described = {each.strip() for heading in headings for each in heading.split(",")}
        assert described == set(inspect.signature(function).parameters), name
        assert "Raises" in found or not raises(function), name


def test_a_method_describes_its_result_and_its_source() -> None:
    for name, function in EXPORTED.items():
        found = sections(function)
        is_silent = inspect.signature(function, eval_str=True).return_annotation is None
        assert "Returns" in found or is_silent, name
        assert "Source" in found or WITHOUT_SOURCE.fullmatch(function.__name__), name


def test_the_reference_is_written_from_the_docstrings() -> None:
    written = {path.name: path.read_text("utf-8") for path in reference.FOLDER.glob("*.md")}
    made = {name: text.rstrip() + "\n" for name, text in reference.pages().items()}
    assert made == {name: written.get(name) for name in made}, "`make reference` writes it again"
    assert written.keys() - made.keys() == {"README.md"}
    assert len(FUNCTIONS) > 200


def test_the_example_of_the_reference_runs_without_django() -> None:
    page = (reference.FOLDER / "README.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    program = f"import sys\nsys.modules['django'] = None\n{example}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=reference.FOLDER.parent.parent,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith("1 ")
