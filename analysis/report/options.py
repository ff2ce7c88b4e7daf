"""Options of a report: plain fields, validated all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self, get_type_hints

from analysis.errors import OptionsError
from analysis.ranking.clusters import SCHEME_OF, RankingOptions
from analysis.scales.outliers import TREATMENTS, width_problems
from analysis.sequential.plan import LookPlan
from analysis.spans.weights import parse_weights

MODELS = ("one-way", "factorial", "interaction", "rater", "latin")
SUM_TYPES = ("I", "II", "III")
BY_CRITERION = ("kinds", "outliers", "categories", "weights", "equivalence")


@dataclass(frozen=True)
class ReportOptions(RankingOptions):
    """Everything that decides a report's numbers, besides the judgements.

    The options of rankings, and those of all other sections.

    `kinds` says what each criterion is; a criterion that is not named is guessed from its screens.
    `model` is the analysis of variance of scales, counts and times: `one-way` (system),
    `factorial` (system + factors), `interaction` (system × first factor), `rater` (system + rater)
    or `latin` (system + rater + factors such as the position). `outliers`, `log_scale` and
    `standardise` (z within each rater, as at WMT) go by criterion; outliers of times are replaced
    unless told otherwise, as in TUNA. `weights` are those of marked errors, by criterion (see
    `analysis.spans.weights`).

    `primary` is the one criterion whose claims are made at `alpha`; the others then share another
    `alpha` (see `analysis.report.levels`). `equivalence` is, by criterion, the largest difference
    that does not matter: in units of the values, or for relative judgements of the probability of
    being preferred. `looking` is how the campaign was looked at while it ran, if it was (see
    `analysis.sequential.plan`); claims then allow for that.

    `covariates` are properties of outputs that a second ranking holds constant: factors whose
    levels are numbers, or metrics.

    `metrics` are compared with people, after the ranking by people. `judges` are those of them (or
    of the verdicts) that act as raters, each with the systems that its own model wrote.
    `metric_resamples` is the size of each bootstrap and permutation test of metrics.
    `price_per_judgement` says what a judgement by a person costs. An empty `resample` becomes the
    published ranking, without resampling, and the one from which clusters can be claimed.
    """

    resample: tuple[str, ...] = ()
    model: str = "one-way"
    factors: tuple[str, ...] = ()
    sums_of_squares: str = "II"
    outliers: Mapping[str, str] = field(default_factory=dict)
    outlier_width: float = 2.0
    log_scale: tuple[str, ...] = ()
    standardise: tuple[str, ...] = ()
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    weights: Mapping[str, str] = field(default_factory=dict)
    primary: str = ""
    equivalence: Mapping[str, float] = field(default_factory=dict)
    looking: Mapping[str, Any] = field(default_factory=dict)
    agreement_resamples: int = 1000
    covariates: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    metrics_lower_is_better: tuple[str, ...] = ()
    judges: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    metric_resamples: int = 1000
    price_per_judgement: float = 0.0
    title: str = ""

    def __post_init__(self) -> None:
        if not self.resample:
            claimed = SCHEME_OF.get(self.generality, "none")
            object.__setattr__(self, "resample", ("none", claimed))
        super().__post_init__()

    @property
    def look_plan(self) -> LookPlan:
        """How the campaign was looked at while it ran."""
        return LookPlan.from_dict(self.looking)

    def problems(self) -> Iterator[str]:
        """Yield every problem of these options, in words."""
        yield from super().problems()
        yield from _choice("model", self.model, MODELS)
        yield from _choice("sums_of_squares", self.sums_of_squares, SUM_TYPES)
        for criterion, treatment in self.outliers.items():
            yield from _choice(f"outliers[{criterion!r}]", treatment, tuple(TREATMENTS))
        yield from _limits(self)
        yield from _weight_problems(self.weights)
        yield from _look_problems(self.looking)
        for criterion, margin in self.equivalence.items():
            if not 0 < margin < 1e100:
                yield f"equivalence of {criterion} must be above 0: {margin:g}."
        for criterion in sorted(set(self.standardise) & set(self.log_scale)):
            yield f"{criterion}: standardised values have no logarithm; choose one of the two."
        if self.model in ("factorial", "interaction") and not self.factors:
            yield f"The model {self.model!r} needs a factor."

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Make options of plain data (JSON lists become tuples); problems are reported together.

        What goes by criterion may be a mapping or a list of pairs (see `as_pairs`).
        """
        types = get_type_hints(cls)
        shapes = {each.name: SHAPES[types[each.name]] for each in fields(cls)}
        unknown = [f"There is no option {name!r}." for name in sorted(set(given) - set(shapes))]
        plain = {
            name: _as_tuples(_unpaired(given[name]) if name in BY_CRITERION else given[name])
            for name in given
            if name in shapes
        }
        misfits = [
            f"{name} must be {MEANT.get(name, words)}, not {plain[name]!r}."
            for name, (fits, words) in shapes.items()
            if name in plain and not fits(plain[name])
        ]
        if unknown or misfits:
            raise OptionsError([*unknown, *misfits])
        return cls(**plain)

    def as_dict(self) -> dict[str, Any]:
        """Plain data that `from_dict` reads back."""
        return asdict(self)

    def as_pairs(self) -> dict[str, Any]:
        """Return the same, with (criterion, value) pairs for mappings.

        The order of `kinds` is that of the report's criteria, and a JSON store need not keep the
        order of a mapping: PostgreSQL's jsonb sorts names by their length.
        """
        plain = self.as_dict()
        return plain | {name: list(plain[name].items()) for name in BY_CRITERION}


def _unpaired(value: Any) -> Any:
    """Return the mapping that pairs with distinct names make; the checks judge anything else."""
    if not isinstance(value, list | tuple) or not all(map(_is_pair, value)):
        return value
    mapping = dict(value)
    return mapping if len(mapping) == len(value) else value


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str)


def _as_tuples(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _as_tuples(each) for key, each in value.items()}
    return tuple(value) if isinstance(value, list | tuple) else value


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_is_text, value))


def _by_name(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Check every value of a mapping."""
    return lambda value: isinstance(value, Mapping) and all(map(fits, value.values()))


# By the type that the field is declared with.
SHAPES: dict[object, tuple[Callable[[Any], bool], str]] = {
    int: (_is_integer, "a whole number"),
    float: (_is_number, "a number"),
    str: (_is_text, "a text"),
    tuple[str, ...]: (_is_texts, "a list of texts"),
    Mapping[str, Any]: (lambda value: isinstance(value, Mapping), "a list of parts with values"),
    Mapping[str, str]: (_by_name(_is_text), "a text for each criterion"),
    Mapping[str, float]: (_by_name(_is_number), "a number for each criterion"),
    Mapping[str, tuple[str, ...]]: (_by_name(_is_texts), "a list of texts for each criterion"),
}
# Where a better word than "text" says what is meant.
MEANT = {
    "kinds": "a kind for each criterion",
    "outliers": "a treatment for each criterion",
    "weights": "weights for each criterion",
    "categories": "a list of labels for each criterion",
    "judges": "a list of systems for each judge",
}


def _limits(options: ReportOptions) -> Iterator[str]:
    if options.seed < 0:
        yield f"seed must not be negative: {options.seed}."
    if options.runs > 1_000_000:
        yield f"runs must be at most 1,000,000: {options.runs}."
    yield from width_problems("outlier_width", options.outlier_width)
    if not 1 <= options.metric_resamples <= 100_000:
        yield f"metric_resamples must be from 1 to 100,000: {options.metric_resamples}."
    if not 0 <= options.price_per_judgement < 1e9:
        yield f"price_per_judgement must not be negative: {options.price_per_judgement}."
    if not 0 <= options.agreement_resamples <= 100_000:
        yield f"agreement_resamples must be from 0 to 100,000: {options.agreement_resamples}."


def _weight_problems(weights: Mapping[str, str]) -> Iterator[str]:
    for criterion, stated in weights.items():
        try:
            parse_weights(stated)
        except OptionsError as error:
            yield f"weights of {criterion}: {' '.join(error.problems)}"


def _look_problems(looking: Mapping[str, Any]) -> Iterator[str]:
    try:
        LookPlan.from_dict(looking)
    except OptionsError as error:
        yield from error.problems


def _choice(name: str, value: str, choices: tuple[str, ...]) -> Iterator[str]:
    if value not in choices:
        yield f"{name} must be one of {', '.join(choices)}, not {value!r}."
