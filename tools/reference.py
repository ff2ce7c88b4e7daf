"""Write docs/reference/: a page for each folder of the analysis, from its docstrings.

`make reference` writes the pages; a test says when one is out of date.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import analysis

FOLDER = Path(__file__).parent.parent / "docs/reference"
# The command has its own help; the parts of a report are called by `make_report` alone.
PARTS = re.compile(
    r"analysis\.(__main__|cli\b.*|report\.(layout\b.*|pictures\b.*|sentences)|.*_section)"
)
HEAD = """<!-- Written by `make reference` from the docstrings of `analysis`; change those. -->

# {title}

"""


def library_modules() -> Iterator[ModuleType]:
    """Every module that a notebook would import."""
    for found in pkgutil.walk_packages(analysis.__path__, "analysis."):
        if not PARTS.fullmatch(found.name):
            yield importlib.import_module(found.name)


def public(module: ModuleType) -> dict[str, Any]:
    """The functions and classes that a module defines, in the order of its lines."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
        and (inspect.isclass(value) or inspect.isfunction(inspect.unwrap(value)))
    }


def pages() -> dict[str, str]:
    """The text of each page, by the name of its file."""
    texts: dict[str, str] = {}
    for module in library_modules():
        if hasattr(module, "__path__"):
            continue
        parent = module.__name__.rpartition(".")[0]
        name = "files.md" if parent == "analysis" else f"{parent.removeprefix('analysis.')}.md"
        if name not in texts:
            title = "Tables, files and errors" if parent == "analysis" else f"`{parent}`"
            texts[name] = HEAD.format(title=title)
        if entries := public(module):
            texts[name] += f"## `{module.__name__}`\n\n{inspect.getdoc(module)}\n\n"
            texts[name] += "".join(_entry(each, value) for each, value in entries.items())
    return texts


def _entry(name: str, value: Any) -> str:
    is_error = inspect.isclass(value) and issubclass(value, Exception)
    called = "message" if is_error else ", ".join(inspect.signature(value).parameters)
    return f"### {name}({called})\n\n```text\n{inspect.getdoc(value) or ''}\n```\n\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
