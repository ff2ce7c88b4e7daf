"""Write the table of imports in docs/architecture.md from the code: `make imports`."""

from __future__ import annotations

import re

from tools.graph import PROJECT, House

PAGE = PROJECT / "docs/architecture.md"
BEGIN, END = "<!-- written by `make imports` -->\n", "<!-- end -->\n"


def folder(module: str, house: House) -> str:
    """The folder of a module, at most two levels deep, as the page calls it."""
    return "/".join(house.package(module).split(".")[:2])


def import_table(house: House) -> str:
    """A row for each folder; folders of `rankme/` are named without it."""
    found: dict[str, set[str]] = {}
    for module, imported in house.modules.items():
        found.setdefault(folder(module, house), set()).update(
            folder(each, house) for each in imported
        )
    rows = [
        f"| `{name}/` | {', '.join(short(each) for each in sorted(imported - {name})) or '–'} |"
        for name, imported in sorted(found.items())
    ]
    return "\n".join(["| folder | imports |", "| --- | --- |", *rows, ""])


def short(name: str) -> str:
    return name.removeprefix("rankme/")


def with_table(page: str, table: str) -> str:
    """The page with this table between its two marks."""
    return re.sub(f"(?<={BEGIN}\n).*?(?=\n{END})", lambda _: table, page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8"), import_table(House())), "utf-8")
