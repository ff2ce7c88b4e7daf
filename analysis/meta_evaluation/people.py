"""Human judgements in the shapes that comparisons with metrics need."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.errors import Undefined
from analysis.scales.codes import cross_sums
from analysis.scales.rank_tests import block_means
from analysis.table import JudgementTable
from analysis.typing import Codes, Values


@dataclass(frozen=True, eq=False)
class People:
    """Judgements on one criterion, oriented: higher is better.

    `cells` is the mean of an output's judgements, shape (systems, items), NaN where there is none.
    The score of a system is the mean of its judgements. `rater`, `system`, `item` and `value` are
    the judgements themselves.
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    raters: tuple[str, ...]
    system: Codes
    item: Codes
    rater: Codes
    value: Values
    turned: bool = False  # low values were good ones, so the sign was changed
    group: Codes | None = None  # of each judgement's item, where items come in groups

    @classmethod
    def from_table(
        cls, table: JudgementTable, *, lower_is_better: bool = False, item_groups: str = ""
    ) -> People:
        """Take the judgements of a table on a single criterion.

        Raises
        ------
        Undefined : there are fewer than two systems
        """
        if len(table.system.labels) < 2:
            raise Undefined(
                "Metrics are compared over systems; the judgements have fewer than two."
            )
        return cls(
            table.system.labels,
            table.item.labels,
            table.rater.labels,
            table.system.codes,
            table.item.codes,
            table.rater.codes,
            -table.value if lower_is_better else table.value,
            lower_is_better,
            table.groups(item_groups).codes if item_groups else None,
        )

    @property
    def cells(self) -> Values:
        """Mean judgements of outputs."""
        shape = len(self.systems), len(self.items)
        return block_means(self.value, self.system, self.item, shape)

    @property
    def system_scores(self) -> Values:
        """Mean judgements of systems, shape (systems,)."""
        sums, counts = self.sums_by("item")
        means: Values = sums.sum(axis=0) / counts.sum(axis=0)
        return means

    def sums_by(self, unit: str) -> tuple[Values, Values]:
        """Sums and numbers of judgements by rater or item and system, shape (units, systems)."""
        codes, names = (self.rater, self.raters) if unit == "rater" else (self.item, self.items)
        shape = (len(names), len(self.systems))
        sums = cross_sums(codes, self.system, shape, self.value)
        return sums, cross_sums(codes, self.system, shape)
