"""Simulates careful and other raters, and writes what checks and rules catch into the docs.

Run: python benchmarks/quality_simulation.py [raters of each kind]

The table between the marks in `docs/quality.md` is written again; it takes seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from analysis.checks.rater_models import MODELS  # noqa: E402
from analysis.checks.simulation import RULES, caught_shares, mixture  # noqa: E402

PAGE = ROOT / "docs" / "quality.md"
BEGIN, END = "<!-- simulated -->", "<!-- end of simulated -->"

# The single checks of the printed table, and when a rater fails them.
SINGLE_CHECKS: Sequence[tuple[str, str]] = (
    ("instructed", "instructed.failed >= 2"),
    ("known_answer", "known_answer.failed >= 2"),
    ("better_than", "better_than.failed_share > .3"),
    ("corruption", "corruption.paired_p > .05"),
    ("corruption", "corruption.unpaired_p > .05"),
    ("repeat", "repeat.icc < .3"),
)


@dataclass(frozen=True)
class SimulatedRow:
    """One rule on some pages of checks, and the share of each kind of rater that it catches."""

    pages: dict[str, int]
    rule: str
    shares: dict[str, float]


def simulated_table(*, raters: int, seed: int = 1) -> list[SimulatedRow]:
    """The table of `docs/quality.md`: single checks first, then rules, at 10 and 20 checks."""
    rows = []
    for n_checks in (10, 20):
        single = [({kind: n_checks}, (rule,)) for kind, rule in SINGLE_CHECKS]
        for pages, rules in [*single, (mixture(n_checks), RULES)]:
            shares = caught_shares(rules, pages, raters=raters, seed=seed)
            rows += [
                SimulatedRow(pages, rule, share) for rule, share in zip(rules, shares, strict=True)
            ]
    return rows


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
