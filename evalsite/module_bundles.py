"""Modules that a page always needs together, as one script.

On a slow line each file costs a round trip, and HTTP/1.1 fetches only six at a time. The sources
stay separate modules. Only the forms of import and export that our scripts use are understood.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function|const|let|class) (\w+)", re.MULTILINE)
LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')
OTHER_FORM = re.compile(r"^(?:import|export)\b(?! *\(| \{\};).*", re.MULTILINE)


class UnknownForm(Exception):
    """An import or export that cannot be bundled."""


class Bundler:
    """Bundles a script, the host, and scripts that it loads later, its guests.

    `read` gives the source of a module by its path. A module that several scripts need is in the
    host alone: two copies would have two states. `scripts` are the guests and what they import.
    """

    def __init__(self, read: Callable[[str], str], host: str, scripts: Iterable[str]) -> None:
        self._read = read
        self._host = host
        scripts = list(scripts)
        imported = {module for script in scripts for module in self._imports(script)}
        self.guests = [script for script in scripts if script not in imported]
        own = self._members(host)
        needed = Counter(
            module for guest in self.guests for module in self._members(guest, own)[:-1]
        )
        shared = [module for module in needed if needed[module] > 1]
        together = [each for module in shared for each in self._members(module, own)]
        self._in_host = [*own[:-1], *dict.fromkeys(together), host]

    def host_script(self) -> str:
        """The host with what several scripts need; exports what the guests take from it."""
        taken = sorted({each for guest in self.guests for each in self._taken(guest)})
        lines = [
            f"const of_{name} = {_scope(module)}.{name};\nexport {{ of_{name} as {name} }};\n"
            for module, name in taken
        ]
        return "".join([self._joined(self._host, self._in_host), *lines])

    def guest_script(self, guest: str) -> str:
        """The guest with the modules that it alone needs; it imports the others' names."""
        modules = sorted({module for module, _ in self._taken(guest)})
        address = _relative(self._host, guest)
        head = [f'import * as host from "{address}";'] if modules else []
        head += [f"const {_scope(module)} = host;" for module in modules]
        lines = "".join(f"{line}\n" for line in head)
        return lines + self._joined(guest, self._members(guest, self._in_host))

    def _taken(self, guest: str) -> Iterator[tuple[str, str]]:
        """What a guest takes from the host: modules and names."""
        for member in self._members(guest, self._in_host):
            for module, names in self._imports(member).items():
                if module in self._in_host:
                    yield from ((module, name) for name in names)

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
        scoped = [self._scoped(name, entry) for name in modules if name != entry]
        return "".join([*scoped, self._linked(entry, entry)])

    def _scoped(self, name: str, entry: str) -> str:
        source = self._linked(name, entry)
        exported = ", ".join(found[2] for found in EXPORT.finditer(source))
        body = EXPORT.sub(r"\1 \2", source)
        return f"const {_scope(name)} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"

    def _linked(self, name: str, entry: str) -> str:
        """The source with each import taken from the scope of its module, or the entry's folder."""
        source = IMPORT.sub(
            lambda found: f"const {{{found[1]}}} = {_scope(_resolved(name, found[2]))};\n",
            LATER.sub(
                lambda found: f'import("./{_relative(_resolved(name, found[1]), entry)}")',
                self._read(name),
            ),
        )
        unknown = OTHER_FORM.search(EXPORT.sub("", source))
        if unknown:
            raise UnknownForm(f"{name}: {unknown[0]}")
        return source


def _resolved(name: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), address))


def _relative(name: str, to: str) -> str:
    return posixpath.relpath(name, posixpath.dirname(to))


def _scope(name: str) -> str:
    return re.sub(r"\W", "_", posixpath.splitext(name)[0])
