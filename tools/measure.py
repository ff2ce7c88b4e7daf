"""Print how large and how tangled the project is: `make measure`.

Lines are those of the files that git knows. A function's lines go from `def` to its end, and for
scripts from the first word to the closing brace (TypeScript's parser; without Node, scripts are
not measured). Circles of imports are between modules (`tools/graph.py`), and `tools/walk.py`
defines the rooms and climbs of a submission.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools import walk
from tools.graph import PRODUCT, PROJECT, House, circles

COUNTED = (".py", ".js", ".css", ".html")
FOLDERS = (*PRODUCT, "templates", "static")
# These folders hold lists: one more file in them makes nothing harder to find.
LISTS = {"migrations", "locale", "presets", "data", "demonstration"}
LONGEST_FUNCTION, LARGEST_FOLDER = 60, 25
SUBMISSION = ("rankme.pages.rater.working", "submit")


@dataclass(frozen=True, order=True)
class Function:
    lines: int
    path: str
    name: str


def known_files(*folders: str) -> list[Path]:
    """The files that git knows or would add, as far as they exist."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    return sorted({Path(line) for line in listed.stdout.split("\n") if line})


def existing(*folders: str) -> list[Path]:
    return [path for path in known_files(*folders) if (PROJECT / path).is_file()]


def lines_by_folder(*folders: str) -> Counter[str]:
    """The lines of each folder; deeper ones are added to the second level."""
    found: Counter[str] = Counter()
    for path in existing(*folders):
        if path.suffix in COUNTED:
            found["/".join(path.parent.parts[:2])] += (PROJECT / path).read_bytes().count(b"\n")
    return found


def python_functions(*folders: str) -> Iterator[Function]:
    for path in existing(*folders):
        if path.suffix == ".py" and "migrations" not in path.parts:
            for node in ast.walk(ast.parse((PROJECT / path).read_text(encoding="utf-8"))):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield Function(_code_lines(node), str(path), node.name)


def _code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count a function's lines without its docstring, which may say all that its users ask."""
    first = node.body[0]
    is_said = ast.get_docstring(node) is not None
    said = (first.end_lineno or first.lineno) - first.lineno + 1 if is_said else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - said


def script_functions(*folders: str) -> list[Function] | None:
    """The functions of the scripts, or None without Node and TypeScript."""
    if not shutil.which("node") or not (PROJECT / "node_modules/typescript").exists():
        return None
    scripts = [str(path) for path in existing(*folders) if path.suffix == ".js"]
    command = ["node", "tools/functions.mjs", *scripts]
    found = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    return [Function(**each) for each in json.loads(found.stdout)]


def large_folders(*folders: str) -> dict[str, int]:
    """The folders with more files next to each other than one finds at a glance."""
    found = Counter(str(path.parent) for path in existing(*folders))
    return {
        folder: files
        for folder, files in sorted(found.items())
        if files > LARGEST_FOLDER and not LISTS & set(Path(folder).parts)
    }


def long_functions(functions: list[Function]) -> list[Function]:
    return sorted((each for each in functions if each.lines > LONGEST_FUNCTION), reverse=True)


def print_lines(*folders: str) -> None:
    found = lines_by_folder(*folders)
    for folder in folders:
        inside = {name: lines for name, lines in found.items() if name.split("/")[0] == folder}
        print(f"{sum(inside.values()):8,}  {folder}")
        for name, lines in sorted(inside.items()):
            print(f"{lines:16,}  {name}") if name != folder else None
    print(f"{found.total():8,}  {'in all':}")


def print_functions(title: str, functions: list[Function] | None) -> None:
    if functions is None:
        print(f"\n{title}: not measured, because Node or TypeScript is missing (npm ci)")
        return
    long = long_functions(functions)
    print(f"\n{title}: {len(functions):,}; {len(long)} over {LONGEST_FUNCTION} lines. The longest:")
    for each in sorted(functions, reverse=True)[: max(5, len(long))]:
        print(f"{each.lines:8}  {each.path} {each.name}")


def print_submission(house: House) -> None:
    steps = walk.Walk(house).steps(*SUBMISSION)
    climbs, modules = walk.climbs(steps), walk.modules(steps)
    print(f"\nA submission, from {'.'.join(SUBMISSION)}: {len(steps)} functions in {len(modules)}")
    print(f"modules, {len(walk.rooms(steps))} rooms, {len(climbs)} climbs")
    print("   rooms:", ", ".join(walk.rooms(steps)))
    for last, new in climbs:
        print(f"   climb: {last.module}.{last.name} ({last.floor}) → {new.module} ({new.floor})")


def main() -> None:
    print("Lines of the product:")
    print_lines(*FOLDERS)
    print("\nLines of the tests:")
    print_lines("tests")
    print_functions("Functions in Python", list(python_functions(*PRODUCT)))
    print_functions("Functions in scripts", script_functions("static/js"))
    print_functions("Functions of the tests", list(python_functions("tests")))
    print(f"\nFolders with more than {LARGEST_FOLDER} files:")
    for folder, files in large_folders(*FOLDERS, "tests").items():
        print(f"{files:8}  {folder}")
    house = House()
    print("\nCircles of imports:")
    for circle in circles(house.modules) or [["none"]]:
        print("          " + ", ".join(circle))
    print_submission(house)


if __name__ == "__main__":
    main()
