"""The graph of imports between the modules of the product, and what follows from it.

Every import counts: at the top of a file, inside a function, and under TYPE_CHECKING. `from a
import b` is an import of the module `a.b` if there is one, and of `a` otherwise. That Python also
runs the `__init__` of each package on the way is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PRODUCT = ("analysis", "rankme", "evalsite")

Graph = Mapping[str, set[str]]  # a name and the names that it imports


class House:
    """The Python modules of some folders, by their dotted names."""

    def __init__(self, project: Path = PROJECT, folders: Iterable[str] = PRODUCT) -> None:
        self.project = project
        self.trees = {
            dotted(path.relative_to(project)): ast.parse(path.read_text(encoding="utf-8"))
            for folder in folders
            for path in sorted((project / folder).rglob("*.py"))
            if "migrations" not in path.parts
        }
        self.packages = {name for name in self.trees if (project / name.replace(".", "/")).is_dir()}

    @cached_property
    def modules(self) -> dict[str, set[str]]:
        return {
            name: set(self.imported(name, ast.walk(tree))) - {name}
            for name, tree in self.trees.items()
        }

    @cached_property
    def rooms(self) -> dict[str, set[str]]:
        """The same graph between folders."""
        found: dict[str, set[str]] = {}
        for name, imported in self.modules.items():
            found.setdefault(self.room(name), set()).update(map(self.room, imported))
        return {room: imported - {room} for room, imported in sorted(found.items())}

    def room(self, module: str) -> str:
        """The folder of a module; those directly in `analysis`, `rankme` … are rooms themselves."""
        package = self.package(module)
        return (package if "." in package else module).replace(".", "/")

    def package(self, module: str) -> str:
        return module if module in self.packages else module.rpartition(".")[0]

    def imported(self, module: str, nodes: Iterable[ast.AST]) -> Iterator[str]:
        for base, name in imports(nodes, self.package(module)):
            found = f"{base}.{name}" if f"{base}.{name}" in self.trees else base
            if found in self.trees:
                yield found


def dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def imports(nodes: Iterable[ast.AST], package: str) -> Iterator[tuple[str, str]]:
    """Each imported module with the name that is taken from it, or with none."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            above = parents[: len(parents) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((base, alias.name) for alias in node.names)


def circles(graph: Graph) -> list[list[str]]:
    """The groups of names that import each other, directly or through others (Tarjan 1972)."""
    found: list[list[str]] = []
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []

    def visit(name: str) -> None:
        index[name] = lowest[name] = len(index)
        waiting.append(name)
        for imported in sorted(graph[name]):
            if imported not in index:
                visit(imported)
                lowest[name] = min(lowest[name], lowest[imported])
            elif imported in waiting:
                lowest[name] = min(lowest[name], index[imported])
        if lowest[name] == index[name]:
            start = waiting.index(name)
            found.append(sorted(waiting[start:]))
            del waiting[start:]

    for name in graph:
        if name not in index:
            visit(name)
    return sorted(group for group in found if len(group) > 1)


def floors(graph: Graph) -> dict[str, int]:
    """One more than the highest floor of what a name imports; a circle shares its floor."""
    circle = {name: set(group) for group in circles(graph) for name in group}
    known: dict[str, int] = {}

    def floor(name: str) -> int:
        if name not in known:
            group = circle.get(name, {name})
            below = set().union(*(graph[each] for each in group)) - group
            height = 1 + max(map(floor, below), default=-1)
            known.update(dict.fromkeys(group, height))
        return known[name]

    for name in graph:
        floor(name)
    return known
