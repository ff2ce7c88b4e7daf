"""What looks may say, in plain sentences: no more than their tests or bets hold."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.inference import beyond

from .plan import ANYTIME
from .section import LEAST_CHANCE, LookPair, SequentialSection

MOST_NAMED = 6
# Above the tables of a report whose claims allow for looks.
ONLY_A_FIXED_PLAN = (
    "All other tables and figures are those of a fixed plan: their intervals, letters, ranks and "
    "p-values do not allow for looks. They describe these judgements; claim nothing from them."
)


def proposal(section: SequentialSection) -> str:
    """Say whether people may stop, and why; only people end a campaign.

    Parameters
    ----------
    section : from `sequential_section`
    """
    if section.reason:
        return section.reason
    told = f"{_number(section.pairs).replace('The', 'the', 1)} told apart so far"
    if section.reached:
        return f"You may stop: {_what_was_reached(section)}"
    if section.futile:
        return (
            f"You may stop: {told}, and if all goes on like this, the planned end tells each of "
            f"the others apart with a chance below {100 * LEAST_CHANCE:.0f} %. This is advice, and "
            "does not show that they are equal."
        )
    return f"Go on: {told}."


def _what_was_reached(section: SequentialSection) -> str:
    best = section.systems[0]
    rivals = [pair for pair in section.pairs if best in (pair.a, pair.b)]
    if all(pair.apart for pair in rivals):
        if len(rivals) == 1:
            return f"{best} was found to be better than {rivals[0].b}."
        return f"{best} was found to be better than every other system."
    alike = ", ".join(pair.b for pair in rivals if not pair.apart)
    others = (
        ""
        if len(rivals) == 1 or all(pair.within for pair in rivals)
        else ("; it was found to be better than the others")
    )
    return f"{best} and {alike} differ by less than the margin of ± {section.margin:g}{others}."


def look_sentences(section: SequentialSection) -> Iterator[str]:
    """Say how the campaign was looked at, and what all looks together can claim.

    Parameters
    ----------
    section : from `sequential_section`
    """
    if section.reason:
        yield section.reason
    else:
        yield _how(section)
        yield _claim(section)
        yield from _equivalent(section)
    if section.left_out:
        yield (
            f"{section.left_out} judgements are of raters who began after the first whose sitting "
            "had not ended. They are not part of this claim."
        )
    yield ONLY_A_FIXED_PLAN


def _how(section: SequentialSection) -> str:
    last = section.steps[-1]
    if section.mode == ANYTIME:
        return (
            f"This campaign could be looked at any time. Its claims are bets on {last.raters} "
            "raters in the order in which they began, and hold however often anybody looked. They "
            "are about the probability that a rater prefers a system; every rater counts once."
        )
    looks = "once" if len(section.steps) == 1 else f"{len(section.steps)} times"
    raters = ", ".join(f"{step.effective:.0f}" for step in section.steps)
    return (
        f"This campaign was tested {looks}, at {raters} effective raters in the order in which "
        "they began, the last time for this report. The level was divided among these tests "
        "(group-sequential, O'Brien–Fleming's shape, t). Every rater counts once."
    )


def _claim(section: SequentialSection) -> str:
    number = len(section.pairs)
    together = f"all {number} pairs and all looks" if number > 1 else "all looks"
    none = (
        ""
        if any(pair.apart for pair in section.pairs)
        else (" This does not show that they are equal.")
    )
    return (
        f"{_number(section.pairs)} told apart, {beyond(section.generality)}, with "
        f"{100 * (1 - section.alpha):.4g} % confidence for {together} together.{none}"
    )


def _equivalent(section: SequentialSection) -> Iterator[str]:
    if section.margin is None:
        return
    within = [f"{pair.a} and {pair.b}" for pair in section.pairs if pair.within]
    named = "; ".join(within[:MOST_NAMED]) or "no pair"
    more = f" and {len(within) - MOST_NAMED} more" if len(within) > MOST_NAMED else ""
    yield (
        f"The margin of equivalence is ± {section.margin:g} ({section.unit}). Whole intervals lie "
        f"within it for: {named}{more}. Of other pairs, do not say that one is as good as the "
        "other."
    )


def _number(pairs: tuple[LookPair, ...]) -> str:
    apart = sum(pair.apart for pair in pairs)
    if len(pairs) == 1:
        return "The two systems were" if apart else "The two systems were not"
    return f"{apart} of {len(pairs)} pairs {'was' if apart == 1 else 'were'}"
