"""What other installed packages add to the registries, by their entry points: docs/extending.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

GROUPS = (
    "rankme.instruments",
    "rankme.designs",
    "rankme.readers",
    "rankme.judgement_readers",
    "rankme.panels",
    "rankme.metrics",
    "rankme.checks",
)
Registered = TypeVar("Registered")


class BrokenPlugin(ImportError):
    """Another package has an entry point that cannot be used; the message names both."""


def with_plugins(
    group: str,
    own: Mapping[str, Registered],
    fits: Callable[[object], bool],
    expected: str,
) -> dict[str, Registered]:
    """Add what other packages register in this group to our own.

    Parameters
    ----------
    group : of entry points, one of `GROUPS`
    own : the product's own, whose names stay theirs
    fits : whether a loaded object can be registered; classes are called first, without arguments
    expected : what the object should be, for the message

    Raises
    ------
    BrokenPlugin : an entry point cannot be loaded, is something else, or has a name that is taken
    """
    found = dict(own)
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        if point.name in found:
            raise BrokenPlugin(f"{_place(point)}: this name is taken.")
        try:
            loaded = point.load()
            added = loaded() if isinstance(loaded, type) else loaded
        except Exception as problem:
            raise BrokenPlugin(
                f"{_place(point)} cannot be loaded: {type(problem).__name__}: {problem}"
            ) from problem
        if not fits(added):
            raise BrokenPlugin(f"{_place(point)} is a {type(added).__name__}, not {expected}.")
        if getattr(added, "name", point.name) != point.name:
            raise BrokenPlugin(f"{_place(point)} calls itself “{added.name}”.")
        found[point.name] = added
    return found


def plugin_folders(name: str) -> list[Path]:
    """Find the folders of this name in the packages that register something.

    Parameters
    ----------
    name : of the folders
    """
    packages = {
        point.module.partition(".")[0] for group in GROUPS for point in entry_points(group=group)
    }
    found = []
    for package in sorted(packages):
        spec = find_spec(package)
        for place in (spec and spec.submodule_search_locations) or ():
            if (folder := Path(place) / name).is_dir():
                found.append(folder)
    return found


def _place(point: EntryPoint) -> str:
    package = point.dist.name if point.dist else "an unknown package"
    return f"The entry point {point.name} = {point.value} ({point.group}) of {package}"
