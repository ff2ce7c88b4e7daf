"""Modules that a page always needs together, as one script.

On a slow line each file costs a round trip, and HTTP/1.1 fetches only six at a time. The sources
stay separate modules. Only the forms of import and export that our scripts use are understood.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function|const|let|class) (\w+)", re.MULTILINE)
OTHER_FORM = re.compile(r"^(?:import|export)\b(?! *\(| \{\};).*", re.MULTILINE)


class UnknownForm(Exception):
    """An import or export that cannot be bundled."""


class Bundler:
    """Bundles scripts; `read` gives the source of a module by its path."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read

    def host(self, entry: str, guests: Iterable[str]) -> str:
        """The script with all modules that it imports; exports what the guests take from them."""
        modules = self._members(entry)
        offered = {
            (module, name)
            for guest in guests
            for member in self._members(guest, modules)
            for module, names in self._imports(member).items()
            if module in modules
            for name in names
        }
        lines = [
            f"const of_{name} = {_scope(module)}.{name};\nexport {{ of_{name} as {name} }};\n"
            for module, name in sorted(offered)
        ]
        return "".join([self._joined(entry, modules), *lines])

    def guest(self, entry: str, host: str) -> str:
        """The script with the modules that its host does not have; it imports the others' names."""
        in_host = self._members(host)
        modules = self._members(entry, in_host)
        taken = {
            (module, name)
            for member in modules
            for module, names in self._imports(member).items()
            if module in in_host
            for name in names
        }
        scopes = [f"const {_scope(module)} = host;" for module in sorted({at for at, _ in taken})]
        address = posixpath.relpath(host, posixpath.dirname(entry))
        head = [f'import * as host from "{address}";', *scopes] if taken else []
        return "".join(f"{line}\n" for line in head) + self._joined(entry, modules)

    def _members(self, entry: str, left_out: Iterable[str] = ()) -> list[str]:
        """The modules that a script imports, directly or not, before those that import them."""
        order: list[str] = []
        left_out = set(left_out)

        def visit(name: str, path: tuple[str, ...]) -> None:
            if name in path:
                raise UnknownForm(f"{' imports '.join([*path, name])}: a circle of imports")
            if name in order or name in left_out:
                return
            for imported in self._imports(name):
                visit(imported, (*path, name))
            order.append(name)

        visit(entry, ())
        return order

    def _imports(self, name: str) -> dict[str, list[str]]:
        """The modules that a module imports, with the names that it takes from each."""
        return {
            _resolved(name, found[2]): [each.strip() for each in found[1].split(",")]
            for found in IMPORT.finditer(self._read(name))
        }

    def _joined(self, entry: str, modules: list[str]) -> str:
        """Each module in a scope of its own, and then the entry, which still exports its names."""
        scoped = [self._scoped(name) for name in modules if name != entry]
        return "".join([*scoped, self._linked(entry)])

    def _scoped(self, name: str) -> str:
        source = self._linked(name)
        exported = ", ".join(found[2] for found in EXPORT.finditer(source))
        body = EXPORT.sub(r"\1 \2", source)
        return f"const {_scope(name)} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"

    def _linked(self, name: str) -> str:
        """The source with each import taken from the scope of its module."""
        source = IMPORT.sub(
            lambda found: f"const {{{found[1]}}} = {_scope(_resolved(name, found[2]))};\n",
            self._read(name),
        )
        unknown = OTHER_FORM.search(EXPORT.sub("", source))
        if unknown:
            raise UnknownForm(f"{name}: {unknown[0]}")
        return source


def _resolved(name: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), address))


def _scope(name: str) -> str:
    return re.sub(r"\W", "_", posixpath.splitext(name)[0])
