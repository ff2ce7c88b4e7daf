"""Simulates careful and other raters, and writes what checks and rules catch into the docs.

Run: python benchmarks/quality_simulation.py [raters of each kind]

The table between the marks in `docs/quality.md` is written again; it takes seconds.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from analysis.checks.simulation import MODELS, SimulatedRow, simulated_table  # noqa: E402

PAGE = ROOT / "docs" / "quality.md"
BEGIN, END = "<!-- simulated -->", "<!-- end of simulated -->"


def main() -> None:
    raters = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    table = written(simulated_table(raters=raters))
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table}{END}{after}", encoding="utf-8")
    print(table)


def written(rows: list[SimulatedRow]) -> str:
    names = [model.name for model in MODELS]
    lines = [
        f"| pages of checks | caught if | {' | '.join(names)} |",
        f"| --- | --- | {' | '.join('---:' for _ in names)} |",
    ]
    for row in rows:
        shares = " | ".join(percent(row.shares[name]) for name in names)
        pages = ", ".join(f"{count} {kind}" for kind, count in row.pages.items())
        lines.append(f"| {pages} | `{row.rule}` | {shares} |")
    return "\n".join(lines) + "\n"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


if __name__ == "__main__":
    main()
