"""The source files of the repository, and what they import."""

import ast
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


CODE = ("analysis", "rankme", "evalsite")


def files(pattern: str) -> list[Path]:
    return sorted(path for path in PROJECT.glob(pattern) if path.is_file())


def python_files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in files(f"{folder}/**/*.py")]


def imported_modules(source: str, package: str) -> Iterator[str]:
    """Name every module that a source imports, anywhere in it, relative names made whole."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*parents, node.module or ""]) if node.level else node.module
            base = base.rstrip(".")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def package_of(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT).parent.parts)
