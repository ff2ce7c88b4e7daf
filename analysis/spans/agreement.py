"""Agreement of raters who marked errors in the same outputs, with intervals over items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from analysis.errors import Undefined
from analysis.inference import percentile_interval
from analysis.reliability.coefficients import Coefficient, defined
from analysis.reliability.krippendorff import cluster_counts, krippendorff_alpha
from analysis.spans.model import SOURCE, MarkedOutput, SpanTable
from analysis.spans.overlap import Overlap, Reading, comparable, overlap
from analysis.spans.scoring import DRAWN_AT_ONCE, PENALTY, judgement_table
from analysis.spans.weights import Penalties, Weights
from analysis.table import JudgementTable
from analysis.typing import Values

Integers = NDArray[np.int64]
# Sums, shape (…, 8) in the order of `Overlap` → a share for each.
Share = Callable[[Values], Values]

CHARACTERS = "Characters, F1"
SOURCE_CHARACTERS = "Characters of the source, F1"
WEIGHTED = "Characters, F1 weighted by severity"
MARKS = "Marks, F1 with partial credit"
ALPHA = "Penalty, Krippendorff α (interval)"
NO_PAIR = "No output was judged by two raters."
NO_CHARACTER = "Nobody marked a character of an output that two raters judged."
NOT_MARKED = "One of the two marked no character, so there is no precision or recall."


@dataclass(frozen=True)
class RaterPair:
    """Two raters on the outputs that both judged; the second is taken for the reference.

    A share is None where it is undefined: a rater marked nothing. Swapping the raters swaps
    precision and recall.
    """

    first: str
    second: str
    outputs: int
    precision: float | None
    recall: float | None
    f1: Coefficient
    weighted_f1: Coefficient
    marks_precision: float | None
    marks_recall: float | None
    marks_f1: Coefficient


@dataclass(frozen=True)
class SpanAgreement:
    """Agreement of raters about errors.

    Attributes
    ----------
    outputs : how many outputs two or more raters judged
    pairs : how often two raters judged the same output
    both_empty : in how many of these neither marked a character of the output: they agree, but no
        share of marked characters can say so
    one_empty : in how many of these one of the two marked none
    coefficients : over all pairs. Every pair counts in both directions, so that precision, recall
        and F1 are the same number. Marks in the source have a coefficient of their own, where
        there are any
    raters : each two raters
    notes : what takes no part, and why
    """

    outputs: int
    pairs: int
    both_empty: int
    one_empty: int
    coefficients: tuple[Coefficient, ...]
    raters: tuple[RaterPair, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Compared:
    """Every two raters of an output: numbers of raters and items, and sums; one row each.

    `item` numbers documents where these are drawn. `sums` are of the outputs, `source` of their
    sources.
    """

    raters: tuple[str, ...]
    first: Integers
    second: Integers
    item: Integers
    sums: Values
    source: Values
    outputs: int
    left_out: int

    def of(self, first: int, second: int) -> _Compared:
        """Return the rows of two raters."""
        rows = (self.first == first) & (self.second == second)
        return replace(
            self,
            first=self.first[rows],
            second=self.second[rows],
            item=self.item[rows],
            sums=self.sums[rows],
            source=self.source[rows],
            outputs=int(rows.sum()),
        )

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of raters who judged the same outputs."""
        return sorted(set(zip(self.first.tolist(), self.second.tolist(), strict=True)))


def span_agreement(
    table: SpanTable,
    weights: Weights,
    *,
    seed: int = 1,
    resamples: int = 1000,
    confidence: float = 0.95,
    by_document: bool = False,
) -> SpanAgreement:
    """Compare all raters who judged the same outputs.

    Parameters
    ----------
    table : marked outputs
    weights : what an error weighs: which of two severities counts at one character, and the penalty
    seed, resamples : of the bootstrap, which draws whole items
    confidence : of the percentile intervals
    by_document : whether the bootstrap draws whole documents instead of items

    Returns
    -------
    Shares of marked characters and marks, pooled over all outputs (micro average), and α of the
    penalties. What is undefined has no value and a reason.

    Raises
    ------
    TableError : a severity has no weight

    Source
    ------
    See `overlap`; Perrella et al. (2026) find that averages of the outputs' own shares mislead,
    because most outputs have no mark or one. Krippendorff (2011) for α
    """
    compared = _compared(table, weights, by_document)

    def coefficient(name: str, rows: _Compared, share: Share) -> Coefficient:
        return defined(
            name,
            lambda: _share(name, rows, share, seed, resamples=resamples, confidence=confidence),
        )

    alpha = defined(
        ALPHA,
        lambda: _alpha(
            judgement_table(table, weights).for_criterion(PENALTY),
            "document" if by_document else "",
            seed=seed,
            resamples=resamples,
            confidence=confidence,
        ),
    )
    marked = compared.sums[:, :2] > 0
    return SpanAgreement(
        compared.outputs,
        len(compared.item),
        int((~marked).all(axis=1).sum()),
        int((marked.sum(axis=1) == 1).sum()),
        (*_over_all(compared, coefficient), replace(alpha, name=ALPHA)),
        tuple(_pair(compared, *pair, coefficient) for pair in compared.pairs),
        tuple(_notes(table, compared)),
    )


def _over_all(
    compared: _Compared, coefficient: Callable[[str, _Compared, Share], Coefficient]
) -> Iterator[Coefficient]:
    """The agreement of all pairs of raters, also on the sources if any is marked."""
    for name, share in SHARES.items():
        yield coefficient(name, compared, share)
    if compared.source.any():
        yield coefficient(SOURCE_CHARACTERS, replace(compared, sums=compared.source), _f1)


def _compared(table: SpanTable, weights: Weights, by_document: bool) -> _Compared:
    weigh = Penalties(weights).of
    severities: dict[str, int] = {}
    by_output: dict[tuple[str, str], list[MarkedOutput]] = {}
    for each in sorted(table.outputs, key=lambda each: (each.system, each.item)):
        by_output.setdefault((each.system, each.item), []).append(each)
    raters = tuple(sorted({each.rater for each in table.outputs}))
    unit_of = {each.item: each.document if by_document else each.item for each in table.outputs}
    units = {unit: at for at, unit in enumerate(sorted(set(unit_of.values())))}
    rater_number = {rater: at for at, rater in enumerate(raters)}
    rows: list[tuple[int, int, int]] = []
    sums: list[Overlap] = []
    source: list[Overlap] = []
    judged = left_out = 0
    for (_, item), outputs in by_output.items():
        judged += len(outputs) > 1
        readings = [
            Reading(each, weigh, severities) for each in sorted(outputs, key=lambda x: x.rater)
        ]
        for one, other in combinations(readings, 2):
            if not comparable(one.marked, other.marked):
                left_out += 1
                continue
            first, second = rater_number[one.marked.rater], rater_number[other.marked.rater]
            rows.append((first, second, units[unit_of[item]]))
            sums.append(overlap(one, other))
            source.append(overlap(one, other, SOURCE))
    numbers = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return _Compared(
        raters,
        numbers[:, 0],
        numbers[:, 1],
        numbers[:, 2],
        _rows_of_sums(sums),
        _rows_of_sums(source),
        judged,
        left_out,
    )


def _rows_of_sums(sums: Sequence[Overlap]) -> Values:
    return np.array(sums, dtype=np.float64).reshape(-1, len(Overlap._fields))


# --- shares ----------------------------------------------------------------------------------


def _ratio(part: Values, whole: Values) -> Values:
    """part / whole, NaN where there is no whole."""
    empty = np.full(np.shape(whole), np.nan)
    share: Values = np.divide(part, whole, out=empty, where=whole > 0)
    return share


def _f1(sums: Values) -> Values:
    first, second, shared = (sums[..., place] for place in range(3))
    return _ratio(2 * shared, first + second)


def _weighted_f1(sums: Values) -> Values:
    return _ratio(2 * sums[..., 3], sums[..., 0] + sums[..., 1])


def _marks_f1(sums: Values) -> Values:
    """Return both directions pooled: the credit of every mark, over all marks."""
    return _ratio(sums[..., 6] + sums[..., 7], sums[..., 4] + sums[..., 5])


def _harmonic_marks_f1(sums: Values) -> Values:
    """Of two raters: the harmonic mean of precision and recall, which differ."""
    precision = _ratio(sums[..., 6], sums[..., 4])
    recall = _ratio(sums[..., 7], sums[..., 5])
    whole = precision + recall
    mean = _ratio(2 * precision * recall, np.nan_to_num(whole))
    # Nothing in common is 0, and not undefined, where both marked something.
    return np.where(whole == 0, 0.0, mean)


SHARES: dict[str, Share] = {CHARACTERS: _f1, WEIGHTED: _weighted_f1, MARKS: _marks_f1}


def _share(
    name: str,
    rows: _Compared,
    share: Share,
    seed: int,
    *,
    resamples: int,
    confidence: float,
) -> Coefficient:
    """Return a share of all rows, with a percentile interval over items."""
    if not len(rows.item):
        raise Undefined(NO_PAIR)
    items = np.unique(rows.item, return_inverse=True)[1]
    count = int(items.max()) + 1
    by_item = np.zeros((count, rows.sums.shape[1]))
    np.add.at(by_item, items, rows.sums)
    value = float(share(by_item.sum(axis=0)))
    if np.isnan(value):
        raise Undefined(NO_CHARACTER if not rows.sums[:, :2].any() else NOT_MARKED)
    rng = np.random.default_rng(seed)
    low, high = _interval(by_item, share, rng, resamples, confidence)
    return Coefficient(name, value, low, high, rows.outputs)


def _interval(
    by_item: Values, share: Share, rng: np.random.Generator, resamples: int, confidence: float
) -> tuple[float | None, float | None]:
    drawn = [
        share(cluster_counts(rng, len(by_item), min(DRAWN_AT_ONCE, resamples - start)) @ by_item)
        for start in range(0, resamples, DRAWN_AT_ONCE)
    ]
    return percentile_interval(np.concatenate(drawn), confidence, len(by_item))


def _pair(
    compared: _Compared,
    first: int,
    second: int,
    coefficient: Callable[[str, _Compared, Share], Coefficient],
) -> RaterPair:
    rows = compared.of(first, second)
    sums = rows.sums.sum(axis=0)

    def share(part: int, whole: int) -> float | None:
        return float(sums[part] / sums[whole]) if sums[whole] else None

    return RaterPair(
        compared.raters[first],
        compared.raters[second],
        len(rows.item),
        share(2, 0),
        share(2, 1),
        coefficient(CHARACTERS, rows, _f1),
        coefficient(WEIGHTED, rows, _weighted_f1),
        share(6, 4),
        share(7, 5),
        coefficient(MARKS, rows, _harmonic_marks_f1),
    )


# --- alpha and notes -------------------------------------------------------------------------


def _alpha(
    judgements: JudgementTable, groups: str, *, seed: int, resamples: int, confidence: float
) -> Coefficient:
    units = judgements.item.codes.astype(np.int64) * len(judgements.system.labels)
    return krippendorff_alpha(
        judgements.value,
        np.unique(units + judgements.system.codes, return_inverse=True)[1],
        judgements.rater.codes,
        "interval",
        clusters=judgements.groups(groups).codes,
        rng=np.random.default_rng(seed),
        resamples=resamples,
        confidence=confidence,
    )


def _notes(table: SpanTable, compared: _Compared) -> Sequence[str]:
    notes = []
    without = sum(not mark.length for each in table.outputs for mark in each.marks)
    if without and len(compared.item):
        notes.append(
            f"{without} marks without characters (what is missing, or has no place) count in the "
            "penalty only."
        )
    if compared.left_out:
        notes.append(
            f"{compared.left_out} pairs of raters saw different texts of one output and were left "
            "out."
        )
    return notes
