"""The source files of the repository, and what rules read in them."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.graph import PRODUCT, PROJECT, imports

CODE = PRODUCT


def files(pattern: str) -> list[Path]:
    return sorted(path for path in PROJECT.glob(pattern) if path.is_file())


def python_files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in files(f"{folder}/**/*.py")]


def package_of(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT).parent.parts)


@dataclass(frozen=True)
class Module:
    """What rules read of a Python file: parsed once, for its tree takes long and much memory."""

    path: Path
    place: str  # within the repository
    source: str
    docstring: str
    imports: tuple[str, ...]
    imports_at_run_time: tuple[str, ...]
    remarks: tuple[tuple[int, str], ...]  # comments and docstrings, with the numbers of their lines
    messages: tuple[tuple[int, str], ...]
    nameless: tuple[str, ...]


def modules(*folders: str) -> list[Module]:
    return [module_at(path) for path in python_files(*folders)]


@functools.cache
def module_at(path: Path) -> Module:
    source = path.read_text(encoding="utf-8")
    tree, package = ast.parse(source), package_of(path)
    nodes = list(ast.walk(tree))  # once: walking takes most of the time of all rules
    imports = tuple(imports_of(nodes, package))
    return Module(
        path,
        place=str(path.relative_to(PROJECT)),
        source=source,
        docstring=ast.get_docstring(tree) or "",
        imports=imports,
        remarks=(*comments(source), *docstrings(nodes)),
        messages=tuple(messages(nodes)),
        nameless=tuple(nameless(nodes)),
        imports_at_run_time=(  # last: it cuts the tree
            tuple(imports_of(ast.walk(running(tree)), package))
            if "TYPE_CHECKING" in source
            else imports
        ),
    )


def imported_modules(source: str, package: str) -> Iterator[str]:
    """Name every module that a source imports, anywhere in it, relative names made whole."""
    yield from imports_of(ast.walk(ast.parse(source)), package)


def imports_of(nodes: Iterable[ast.AST], package: str) -> Iterator[str]:
    for base, name in imports(nodes, package):
        yield base
        if name:
            yield f"{base}.{name}"


def running(tree: ast.Module) -> ast.Module:
    """The tree without what only the type checker reads, which is cut off."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    return tree


# Also strings, so that what looks like a comment in one is found to be none.
STRING_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""'
    r"|'''(?:\\.|[^\\])*?'''"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'"
    r"|(?P<comment>#[^\n]*)",
    re.DOTALL,
)


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Each comment, with the number of its line; Python's tokeniser takes twenty times as long."""
    for found in STRING_OR_COMMENT.finditer(source):
        if found["comment"]:
            yield source.count("\n", 0, found.start()) + 1, found["comment"]


def docstrings(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Each docstring, with the number of its first line."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in nodes:
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            yield node.body[0].lineno, text


def messages(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Each text with four words or more, which a person may read."""
    for node in nodes:
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and len(text.split()) > 3:
            yield node.lineno, text


def nameless(nodes: list[ast.AST]) -> list[str]:
    """The functions with a variable that is called `one`, other than the first of two."""
    if "one" not in variables(nodes):
        return []
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    bound = [(function.name, variables(ast.walk(function))) for function in functions]
    return [name for name, names in bound if "one" in names and not names & {"other", "two"}]


def variables(nodes: Iterable[ast.AST]) -> set[str]:
    """Every name that is bound there, with the parameters."""
    return {
        node.arg if isinstance(node, ast.arg) else node.id
        for node in nodes
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    }
