"""The way of one request through the code: which functions it calls, and in which rooms they are.

The walk starts at a function and follows each call to a function, class or method of the product,
in the order of the source and each once: decorators, then the body, deeper calls before later ones.
Names are resolved by the imports. A method is followed if its class is named (`Class.method()`), or
if no other class of the product has a method of that name. Calls through registries, and those that
Django makes (middleware, templates, the ORM), are not seen.

A *room* is a folder. Its *floor* is one above the highest folder that it imports
(`graph.floors`). A *climb* is a step of the walk into a module where it has not been, in a room on
a higher floor than the last such module: the code went down for something and then had to go up
again for the next.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from tools.graph import House, floors, imports

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Step:
    module: str
    name: str
    room: str
    floor: int


@dataclass
class Scope:
    """The names that a module defines, and where those come from that it imports."""

    functions: dict[str, Function] = field(default_factory=dict)  # also "Class.method"
    classes: set[str] = field(default_factory=set)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)


class Walk:
    def __init__(self, house: House) -> None:
        self.house = house
        self.floors = floors(house.rooms)
        self.scopes = {name: self.scope(name, tree) for name, tree in house.trees.items()}
        self.methods: dict[str, list[tuple[str, str]]] = {}
        for module, scope in self.scopes.items():
            for name in scope.functions:
                if "." in name:
                    self.methods.setdefault(name.rpartition(".")[2], []).append((module, name))

    def scope(self, module: str, tree: ast.Module) -> Scope:
        scope = Scope()
        for node in tree.body:
            if isinstance(node, Function):
                scope.functions[node.name] = node
            elif isinstance(node, ast.ClassDef):
                scope.classes.add(node.name)
                for method in node.body:
                    if isinstance(method, Function):
                        scope.functions[f"{node.name}.{method.name}"] = method
        package = self.house.package(module)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for (base, name), alias in zip(imports([node], package), node.names, strict=True):
                    scope.imported[alias.asname or alias.name] = (base, name)
        return scope

    def steps(self, module: str, name: str) -> list[Step]:
        found: dict[tuple[str, str], Step] = {}

        def go(module: str, name: str) -> None:
            if (module, name) not in found:
                room = self.house.room(module)
                found[module, name] = Step(module, name, room, self.floors[room])
                for called in self.calls(module, self.scopes[module].functions[name]):
                    go(*called)

        go(module, name)
        return list(found.values())

    def calls(self, module: str, function: Function) -> Iterator[tuple[str, str]]:
        """What a function calls, in the order of the source."""
        for decorator in function.decorator_list:
            yield from self.resolved(module, decorator)
        nodes = [node for part in function.body for node in ast.walk(part)]
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
            yield from self.resolved(module, call.func)

    def resolved(self, module: str, called: ast.expr) -> Iterator[tuple[str, str]]:
        match called:
            case ast.Name(name):
                yield from self.look_up(module, name)
            case ast.Attribute(ast.Name(owner), name):
                base, taken = self.scopes[module].imported.get(owner, (module, owner))
                if f"{base}.{taken}" in self.scopes:
                    yield from self.look_up(f"{base}.{taken}", name)
                elif found := list(self.look_up(base, f"{taken}.{name}")):
                    yield from found
                else:
                    yield from self.only_method(module, name)
            case ast.Attribute(_, name):
                yield from self.only_method(module, name)

    def look_up(self, module: str, name: str) -> Iterator[tuple[str, str]]:
        if module not in self.scopes:
            return
        scope = self.scopes[module]
        first, _, rest = name.partition(".")
        if name in scope.functions:
            yield module, name
        elif name in scope.classes and f"{name}.__init__" in scope.functions:
            yield module, f"{name}.__init__"
        elif first in scope.imported:
            base, taken = scope.imported[first]
            if (base, taken) != (module, first):
                yield from self.look_up(base, f"{taken}.{rest}" if rest else taken)

    def only_method(self, module: str, name: str) -> Iterator[tuple[str, str]]:
        known = {module} | self.house.modules[module]
        owners = [owner for owner in self.methods.get(name, []) if owner[0] in known]
        if len(owners) == 1:
            yield owners[0]


def modules(steps: list[Step]) -> list[Step]:
    """The first step into each module."""
    first = {step.module: step for step in reversed(steps)}
    return [step for step in steps if first[step.module] is step]


def rooms(steps: list[Step]) -> list[str]:
    return list(dict.fromkeys(step.room for step in steps))


def climbs(steps: list[Step]) -> list[tuple[Step, Step]]:
    return [(last, new) for last, new in pairwise(modules(steps)) if new.floor > last.floor]
