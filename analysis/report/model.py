"""The parts of a report, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analysis.plain import left_empty, plain
from analysis.reliability.coefficients import Coefficient
from analysis.reliability.rater_profiles import RaterProfile
from analysis.scales.correlations import Correlation
from analysis.scales.outliers import OutlierCount
from analysis.sequential.section import SequentialSection

from .category_section import CategorySection
from .distribution import Distribution
from .effect_section import EffectSection
from .metric_section import MetricSection
from .ranking_section import RankingSection
from .robustness_section import RobustnessSection
from .scale_section import ScaleSection
from .span_section import SpanSection


@dataclass(frozen=True)
class SystemRow:
    """Describes one system's values; `by_level` has the means by level of the first factor.

    `mean_z` is the mean of the values standardised within raters, where that was asked for.
    """

    system: str
    judgements: int
    mean: float
    sd: float | None
    median: float
    by_level: dict[str, float] = field(default_factory=dict)
    mean_z: float | None = None


@dataclass(frozen=True)
class RankChange:
    """A system's place before and after raters were excluded."""

    system: str
    rank_before: int | None
    rank_after: int | None
    mean_before: float | None
    mean_after: float | None


@dataclass(frozen=True)
class CriterionReport:
    """Everything about one criterion; sections that do not apply to its kind are None.

    `alpha` is the level of its claims (None: in reports before 1.7, which have one for all). If the
    campaign was looked at while it ran, `sequential` has the only claims.
    """

    criterion: str
    kind: str
    higher_is_better: bool
    judgements: int
    raters: int
    items: int
    screens: int
    systems: tuple[SystemRow, ...]
    ranking: RankingSection | None
    scale: ScaleSection | None
    categories: CategorySection | None
    outliers: OutlierCount | None
    agreement: tuple[Coefficient, ...]
    exclusion: tuple[RankChange, ...]
    sentences: tuple[str, ...]
    spans: SpanSection | None = None
    effects: EffectSection | None = None
    alpha: float | None = None
    distribution: Distribution | None = None
    sequential: SequentialSection | None = None
    robustness: RobustnessSection | None = None


@dataclass(frozen=True)
class DataSummary:
    """A summary of the data; `excluded` and `late` count judgements."""

    judgements: int
    raters: int
    items: int
    systems: int
    screens: int
    excluded: int
    late: int
    sha256: str


@dataclass(frozen=True)
class Report:
    """An immutable result: the same table and options give it again, number by number."""

    title: str
    signature: str
    version: str
    options: dict[str, Any]
    data: DataSummary
    criteria: tuple[CriterionReport, ...]
    correlations: tuple[Correlation, ...]
    raters: tuple[RaterProfile, ...]
    sentences: tuple[str, ...]
    metrics: tuple[MetricSection, ...] = ()

    def criterion(self, name: str) -> CriterionReport:
        return next(each for each in self.criteria if each.criterion == name)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON: what is not finite becomes null, and a sentence says so."""
        document: dict[str, Any] = plain(self)
        document["sentences"] += left_empty(self)
        return document
