"""A criterion's answer: what may be claimed about its systems, in one sentence and their ranks.

Everything is read off one model: least squares with clustered errors where outputs have values,
Bradley–Terry with clustered errors where raters compared them. What that model does not hold, no
sentence says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import scipy

from analysis.inference import beyond, critical_t
from analysis.report.model import CriterionReport, Report
from analysis.scales.tukey_hsd import compact_letters
from analysis.sequential.plan import ANYTIME
from analysis.sequential.section import LookPair, SequentialSection
from analysis.sequential.sentences import look_sentences

MOST_NAMED = 6  # systems in a sentence
BETWEEN_RATERS = "least squares with clustered errors, between raters"


class ComparedPair(Protocol):
    """Two systems that the model compares, the better estimate first."""

    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def difference(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def p(self) -> float: ...


Pair = ComparedPair | LookPair


@dataclass(frozen=True)
class Standing:
    """A system's estimate, with an interval and a range of ranks that hold for all together.

    Systems that share a letter were not told apart. Without a claim there is only the value, which
    describes these judgements.
    """

    system: str
    value: float
    low: float | None = None
    high: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    letters: str = ""


@dataclass(frozen=True)
class Answer:
    """What may be claimed on one criterion, best system first.

    `headline` is one sentence, which `details` complete. `unit` names the values of `standings`,
    and `method` the model of `pairs`; the latter is empty where nothing can be claimed.
    `lower_is_better` is about the values, as for penalties and errors.
    """

    criterion: str
    headline: str
    details: tuple[str, ...]
    standings: tuple[Standing, ...]
    unit: str
    method: str = ""
    alpha: float | None = None
    pairs: tuple[Pair, ...] = ()
    sequential: SequentialSection | None = None
    lower_is_better: bool = False

    @property
    def is_claim(self) -> bool:
        """Whether a model holds at all, be it that it tells no pair apart."""
        return bool(self.pairs)

    @property
    def values(self) -> str:
        """What the values are, and which are better, as a figure says it."""
        return f"{self.unit} (lower is better)" if self.lower_is_better else self.unit

    @property
    def sentence(self) -> str:
        """The headline and its details."""
        return " ".join((self.headline, *self.details))


@dataclass(frozen=True)
class Model:
    """The model of a criterion that may be claimed: its estimates, best first, and all pairs."""

    estimates: Sequence[tuple[str, float, float]]  # system, estimate, standard error
    pairs: Sequence[ComparedPair]
    df: float
    unit: str
    name: str
    ends: tuple[float, float] | None = None  # the lowest and the highest value that was given


def answers_of(report: Report) -> tuple[Answer, ...]:
    """Answer every criterion of a report; the primary one comes first.

    Parameters
    ----------
    report : from `make_report`
    """
    primary = report.options.get("primary", "")
    ordered = sorted(report.criteria, key=lambda each: each.criterion != primary)
    generality = report.options.get("generality", "both")
    return tuple(answer_of(each, generality) for each in ordered)


def answer_of(found: CriterionReport, generality: str) -> Answer:
    """Answer one criterion.

    Parameters
    ----------
    found : the criterion's part of a report
    generality : what claims are about: `raters`, `items` or `both`
    """
    if found.sequential is not None:
        return _after_looks(found, found.sequential)
    model = _model(found)
    if model is None or found.alpha is None:
        unit, values = _described(found)
        return Answer(
            found.criterion,
            *_without_claim(found, values),
            tuple(Standing(system, value) for system, value in values),
            unit,
            lower_is_better=_is_lower_better(found),
        )
    alpha, number = found.alpha, len(model.estimates)
    width = critical_t(alpha, number, model.df)
    standings = _ranked(
        [
            Standing(system, value, value - width * error, value + width * error)
            for system, value, error in model.estimates
        ],
        model.pairs,
        alpha,
    )
    any_apart = any(_apart(pair, alpha) for pair in model.pairs)
    return Answer(
        found.criterion,
        _headline(_unbeaten(standings), number, any_apart=any_apart),
        tuple(_details(standings, model, alpha, generality)),
        standings,
        model.unit,
        model.name,
        alpha,
        tuple(model.pairs),
        lower_is_better=_is_lower_better(found),
    )


def _after_looks(found: CriterionReport, section: SequentialSection) -> Answer:
    """Read the answer off the looks: no other method's claims allow for them."""
    unit, values = _described(found)
    if section.reason or len(values) < 2:
        headline, why = _without_claim(found, values)
        if section.reason:
            why = section.reason, "The numbers below describe these judgements only."
        alone = tuple(Standing(system, value) for system, value in values)
        lower = _is_lower_better(found)
        return Answer(found.criterion, headline, why, alone, unit, lower_is_better=lower)
    value_of = dict(values)
    described = [Standing(system, value_of[system]) for system in section.systems]
    standings = _ranked(described, section.pairs, section.alpha)
    # Preferences need not be transitive: only a system that the first was told apart from is worse.
    first = section.systems[0]
    candidates = [first, *_rivals(first, section.pairs, section.alpha)]
    tests = "bets on each rater" if section.mode == ANYTIME else "group-sequential t tests"
    *details, _ = look_sentences(section)
    return Answer(
        found.criterion,
        _headline(candidates, len(standings), any_apart=any(p.apart for p in section.pairs)),
        tuple(details),
        standings,
        unit,
        f"{tests}, with every rater counted once",
        section.alpha,
        section.pairs,
        section,
        _is_lower_better(found),
    )


def _ranked(
    standings: Sequence[Standing], pairs: Sequence[Pair], alpha: float
) -> tuple[Standing, ...]:
    """Add letters, and ranks by the systems that are better and worse."""
    place = {each.system: k for k, each in enumerate(standings)}
    apart = [(place[pair.a], place[pair.b]) for pair in pairs if _apart(pair, alpha)]
    letters = compact_letters(len(place), apart)
    return tuple(
        replace(
            each,
            rank_low=1 + sum(worse == k for _, worse in apart),
            rank_high=len(place) - sum(better == k for better, _ in apart),
            letters=letters[k],
        )
        for k, each in enumerate(standings)
    )


def _is_lower_better(found: CriterionReport) -> bool:
    """Whether the values that an answer shows are better if they are lower; wins never are."""
    is_of_values = found.ranking is None and found.categories is None
    return is_of_values and not found.higher_is_better


def _model(found: CriterionReport) -> Model | None:
    section = found.scale
    if section is not None and section.clustered is not None:
        means = section.clustered.means
        return Model(
            [(each.system, each.mean, each.se) for each in means],
            section.clustered.contrasts,
            section.clustered.df,
            _unit(found),
            BETWEEN_RATERS if section.clustered.between else "least squares with clustered errors",
            _ends(found),
        )
    strengths = found.ranking.bradley_terry if found.ranking else None
    if strengths is not None:
        return Model(
            [(each.system, each.ability, each.standard_error) for each in strengths.systems],
            strengths.pairs,
            math.inf if strengths.df is None else strengths.df,
            "log-odds",
            "Bradley–Terry with clustered errors",
        )
    return None


def _ends(found: CriterionReport) -> tuple[float, float] | None:
    """Return the lowest and the highest value; None where no end limits the differences."""
    if found.kind == "error":
        return 0.0, 1.0
    used = found.robustness.scale_use if found.robustness else None
    return (used.lowest, used.highest) if used and _unit(found) == "mean" else None


def _unit(found: CriterionReport) -> str:
    scale = found.scale.scale if found.scale else ""
    if scale.startswith("logarithm"):
        return "mean logarithm"
    if scale.startswith("standardised"):
        return "mean z"
    if found.kind == "error":
        return "share of errors"
    return "penalty" if found.spans else "mean"


def _described(found: CriterionReport) -> tuple[str, list[tuple[str, float]]]:
    """Name a number that describes the judgements, with its value for each system, best first."""
    if found.categories is not None:
        first = found.categories.labels[0]
        rows = found.categories.rows
        return f"% {first}", [(row.system, row.percent[0]) for row in rows]
    if found.ranking is not None:
        return "share of wins", [(row.system, row.share) for row in found.ranking.win_shares]
    return "mean", [(row.system, row.mean) for row in found.systems]


# --- sentences -------------------------------------------------------------------------------


def _without_claim(
    found: CriterionReport, values: Sequence[tuple[str, float]]
) -> tuple[str, tuple[str, ...]]:
    describes = "The numbers below describe these judgements only."
    if len(values) < 2:
        return "There is only one system, so there is nothing to compare.", ()
    if found.alpha is None:
        return "An earlier version of the program made this report.", (
            "Its rules about claims were less careful. Analyse the judgements again for an answer.",
            describes,
        )
    headline = "No difference between these systems can be claimed."
    if found.categories is not None:
        return headline, (
            "Percentages of categories have no test here that allows for raters and items.",
            describes,
        )
    section = found.scale or found.ranking
    reasons = section.undefined if section else {}
    reason = reasons.get("clustered" if found.scale else "bradley_terry", "")
    return headline, tuple(each for each in (reason, describes) if each)


def _headline(candidates: Sequence[str], number: int, *, any_apart: bool) -> str:
    """Name the systems, of `number`, that may be the best: the best estimate comes first."""
    if not any_apart:
        return "No system was found to be better than another."
    if len(candidates) == number:
        return "No best system can be named."
    if len(candidates) == 1:
        return f"{candidates[0]} is the best system."
    return f"The best system is {_listed(candidates, 'or')}."


def _unbeaten(standings: Sequence[Standing]) -> list[str]:
    """Return the systems that may be the best: no other was found to be better."""
    return [each.system for each in standings if each.rank_low == 1]


def _rivals(first: str, pairs: Sequence[Pair], alpha: float) -> list[str]:
    """Return the systems that were not told apart from the first."""
    return [pair.b for pair in pairs if pair.a == first and not _apart(pair, alpha)]


def _apart(pair: Pair, alpha: float) -> bool:
    return pair.apart if isinstance(pair, LookPair) else pair.p < alpha


def _listed(names: Sequence[str], word: str) -> str:
    if len(names) > MOST_NAMED:
        more = len(names) - MOST_NAMED + 1
        return f"one of {len(names)}: {', '.join(names[: MOST_NAMED - 1])} and {more} more"
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else names[0]


def _details(
    standings: Sequence[Standing], model: Model, alpha: float, generality: str
) -> Iterator[str]:
    first, number = standings[0].system, len(model.pairs)
    apart = sum(pair.p < alpha for pair in model.pairs)
    rivals = _rivals(first, model.pairs, alpha)
    level = confidence_of(alpha)
    if not rivals:
        yield _lead(model, level)
    elif apart:
        yield _about_rivals(standings, rivals)
    together = f" for all {number} pairs together" if number > 1 else ""
    holds = f"{beyond(generality)}, with {level} confidence{together}"
    if apart:
        told = f"In all, {apart} of {number} pairs were told apart. " if number > 1 else ""
        yield f"{told}This holds {holds}."
    else:
        most = max(max(abs(pair.low), abs(pair.high)) for pair in model.pairs)
        none = f"None of the {number} pairs was" if number > 1 else "They were not"
        yield (
            f"{none} told apart {holds}. This does not show that they are equal: "
            f"{_possible(most, model)}."
        )
    if model.name == BETWEEN_RATERS:
        yield (
            "Each rater judged one system, so the strictness of its raters is in each system's "
            "mean, and in the intervals; raters must have come to systems by chance."
        )


def _about_rivals(standings: Sequence[Standing], rivals: Sequence[str]) -> str:
    """Say which systems the first was not told apart from, and what is known of them."""
    first, others = standings[0].system, len(standings) - 1 - len(rivals)
    beaten = len(set(rivals) - set(_unbeaten(standings)))
    known = (
        f", of which {beaten} {'are' if beaten > 1 else 'is'} worse than another" if beaten else ""
    )
    worse = f"the other {f'{others} systems are' if others > 1 else 'system is'} worse than {first}"
    return (
        f"{first} has the best estimate, but was not told apart from {_some(rivals)}{known}"
        f"{f'; {worse}' if others else ''}."
    )


def _some(names: Sequence[str]) -> str:
    return f"{len(names)} others" if len(names) > MOST_NAMED else _listed(names, "and")


def _lead(model: Model, level: str) -> str:
    """Say how far the best system is ahead of the next, which it was told apart from."""
    pair = model.pairs[0]
    together = "simultaneous " if len(model.pairs) > 1 else ""
    if model.unit == "log-odds":
        share, low, high = (
            f"{100 * scipy.special.expit(end):.0f}"
            for end in (pair.difference, pair.low, pair.high)
        )
        return (
            f"Where raters do not call it a tie, {share} % prefer it to {pair.b}, the next "
            f"({level} {together}interval {low} to {high} %)."
        )
    near, far = sorted((abs(pair.low), abs(pair.high)))
    size, unit = _in_words(model.unit)
    digits = _digits(size * (far - near))
    ahead, low, high = (f"{size * each:.{digits}f}" for each in (abs(pair.difference), near, far))
    return (
        f"It is ahead of {pair.b}, the next, by {ahead}{unit} ({level} {together}interval {low} "
        f"to {high})."
    )


def _possible(size: float, model: Model) -> str:
    """Say which differences are not excluded; none is larger than that of the scale's ends."""
    if model.unit == "log-odds":
        wins = round(100 * float(scipy.special.expit(size)))
        amount = f"up to {wins} : {100 - wins} wins" if wins < 99 else "any size"
        return f"differences of {amount} remain possible"
    if model.ends and size >= model.ends[1] - model.ends[0]:
        if model.unit == "share of errors":
            return "these judgements exclude no difference at all"
        return (
            "these judgements do not even exclude a difference as large as that between the lowest "
            f"and the highest value given ({model.ends[0]:g} and {model.ends[1]:g})"
        )
    factor, words = _in_words(model.unit)
    return f"differences of up to {factor * size:.{_digits(factor * size)}f}{words} remain possible"


def _in_words(unit: str) -> tuple[int, str]:
    """Return the factor of a value that is written, and the words after it."""
    return {
        "share of errors": (100, " percentage points"),
        "mean logarithm": (1, " in logarithms"),
        "mean z": (1, " standard deviations of a rater"),
    }.get(unit, (1, ""))


def _digits(size: float) -> int:
    """Return the decimals with which a number has two digits that count, at most three."""
    return min(max(1 - math.floor(math.log10(size)), 0), 3) if size > 0 else 0


def confidence_of(alpha: float) -> str:
    """Write a level of confidence.

    Parameters
    ----------
    alpha : 1 − confidence
    """
    return f"{100 * (1 - alpha):.4g} %"
