"""The level at which each criterion's claims are made, if one of them is primary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analysis.report.model import CriterionReport
from analysis.report.options import ReportOptions


@dataclass(frozen=True)
class Levels:
    """Shares alpha among the secondary criteria.

    The hypotheses are all pairs of systems on all of them. Within a criterion its level holds for
    all pairs together; over criteria, alpha is divided by the number of those of which some pair
    was not told apart. A criterion whose pairs were all told apart is settled: it cannot make
    another claim, so it leaves its share to the rest. This is Holm's step (1979) with a criterion
    in the place of a hypothesis, and any false claim on any of them has probability alpha at most.
    """

    alpha: float
    primary: str
    secondary: tuple[str, ...]

    @classmethod
    def of(cls, kinds: Mapping[str, str], options: ReportOptions) -> Levels:
        """Count the study's criteria, analysed or not; categories make no claim about pairs."""
        others = (name for name, kind in kinds.items() if kind != "category")
        secondary = tuple(name for name in others if name != options.primary)
        return cls(options.alpha, options.primary, secondary if options.primary else ())

    def share(self, settled: Iterable[str] = ()) -> float:
        """Return the level of the secondary criteria that are not settled."""
        return self.alpha / max(len(set(self.secondary) - set(settled)), 1)

    def reports(
        self, criteria: Sequence[str], compute: Callable[[str, float], CriterionReport]
    ) -> tuple[CriterionReport, ...]:
        """Report each criterion at its level; those that are left get a larger one, step by step.

        Parameters
        ----------
        criteria : those that are analysed
        compute : makes a criterion's report at a level
        """
        made: dict[str, CriterionReport] = {}
        waiting = {
            name: self.share() if name in self.secondary else self.alpha for name in criteria
        }
        while waiting:
            made |= {name: compute(name, level) for name, level in waiting.items()}
            settled = {name for name, report in made.items() if is_settled(report)}
            share = self.share(settled)
            waiting = {
                name: share
                for name in criteria
                if name in self.secondary and name not in settled and made[name].alpha != share
            }
        return tuple(made[name] for name in criteria)

    def sentences(self, reports: Sequence[CriterionReport]) -> Iterator[str]:
        """Say which criterion is claimed at which level."""
        number = len(reports)
        if not self.primary:
            yield (
                f"All claims of difference are made at a level of {self.alpha:g} for all pairs of "
                f"one criterion together; no adjustment is made for reporting {number} "
                f"{'criteria' if number != 1 else 'criterion'}."
            )
            return
        levels = ", ".join(
            f"{report.criterion} {report.alpha:.3g}"
            for report in reports
            if report.criterion in self.secondary
        )
        yield (
            f"The primary criterion is {self.primary}: its claims are made at a level of "
            f"{self.alpha:g} for all its pairs together."
        )
        if levels:
            yield (
                f"The other criteria share another {self.alpha:g}, so that all their claims hold "
                f"together (Holm's adjustment over {len(self.secondary)} criteria: one whose pairs "
                "are all told apart leaves its share to the rest). Levels, also of intervals and "
                f"letters: {levels}."
            )


def is_settled(report: CriterionReport) -> bool:
    """Say whether every method that may be claimed tells all pairs of systems apart.

    Parameters
    ----------
    report : of one criterion
    """
    if report.sequential is not None:  # looks have spent their share of this level
        return False
    tested = list(_tested(report))
    return bool(tested) and all(p < (report.alpha or 0.0) for pairs in tested for p in pairs)


def _tested(report: CriterionReport) -> Iterator[list[float]]:
    """Yield the adjusted p-values of each method that may be claimed."""
    if report.ranking and report.ranking.bradley_terry:
        yield [pair.p for pair in report.ranking.bradley_terry.pairs]
    for section in (report.ranking, report.scale):
        for model in (section.clustered, section.mixed_full) if section else ():
            if model:
                yield [pair.p for pair in model.contrasts]
    if report.effects and report.effects.tests:
        yield [min(each.sign_p, each.permutation_p) for each in report.effects.tests.pairs]
