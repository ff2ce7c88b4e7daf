"""What the headings of columns with values say: a rater, a system, a criterion, or two of these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from rankme.importing.columns import InvalidColumns

Says = tuple[str, ...]

NAMED_BY_HEADINGS = ("rater", "system", "criterion")
PAIRS: tuple[Says, ...] = (("system", "criterion"), ("rater", "criterion"), ("rater", "system"))
JOINT = re.compile(r"[_\-. :/|]+")
CRITERION_WORDS = {
    "accuracy", "adequacy", "appropriateness", "clarity", "coherence", "completeness",
    "conciseness", "consistency", "correctness", "coverage", "creativity", "diversity",
    "engagingness", "factuality", "faithfulness", "fluency", "grammar", "grammaticality",
    "helpfulness", "honesty", "harmlessness", "informativeness", "interestingness", "meaning",
    "naturalness", "overall", "preference", "quality", "readability", "relevance", "relevancy",
    "safety", "simplicity", "specificity", "style", "toxicity", "truthfulness", "understandability",
    "usefulness", "score", "rating",
}  # fmt: skip
RATER_WORDS = re.compile(
    r"^(annotator|rater|worker|judge|evaluator|expert|coder|participant|user|person)s?"
    r"([_\-. ]?\w{1,3})?$|^[ar][_\-. ]?\d{1,3}$",
    re.IGNORECASE,
)


def says_rater(name: str) -> bool:
    return bool(RATER_WORDS.match(name.strip()))


def says_criterion(name: str) -> bool:
    return name.strip().casefold() in CRITERION_WORDS


def read_headings(headings: Sequence[str], says: Says) -> dict[str, dict[str, str]]:
    """What each heading says, such as `{"gpt_fluency": {"system": "gpt", …}}`.

    Raises
    ------
    InvalidColumns : a heading cannot be divided into two names
    """
    if len(says) < 2:
        return {heading: dict.fromkeys(says, heading.strip()) for heading in headings}
    halves = grid_of(headings) or {heading: _halves_at_last(heading) for heading in headings}
    return {
        heading: dict(zip(says, halves.get(heading) or _halves_at_last(heading), strict=True))
        for heading in headings
    }


def grid_of(headings: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The headings that combine each first part with each second part; {} if none do.

    The largest such combination with at least two parts on both sides counts. Otherwise all
    headings must share their first part or their second, as `gpt_fluency` and `llama_fluency` do.
    """
    plain = {heading.strip(): heading for heading in headings}
    best: dict[str, tuple[str, str]] = {}
    for first, _joint, second in (cut for name in plain for cut in _cuts(name)):
        found = _grid_through(plain, first, second)
        is_square = all(len({half[side] for half in found.values()}) > 1 for side in (0, 1))
        if len(found) > len(best) and (is_square or 1 < len(found) == len(plain)):
            best = found
    return best


def _grid_through(plain: Mapping[str, str], first: str, second: str) -> dict[str, tuple[str, str]]:
    """All headings that begin as this one and end as another, if every combination is there."""
    cuts = {name: [(before, after) for before, _, after in _cuts(name)] for name in plain}
    firsts = {before for pairs in cuts.values() for before, after in pairs if after == second}
    seconds = {after for pairs in cuts.values() for before, after in pairs if before == first}
    found = {
        plain[name]: pair
        for name, pairs in cuts.items()
        for pair in pairs
        if pair[0] in firsts and pair[1] in seconds
    }
    return found if len(found) == len(firsts) * len(seconds) else {}


def _cuts(name: str) -> Iterator[tuple[str, str, str]]:
    for joint in JOINT.finditer(name):
        if joint.start() and joint.end() < len(name):
            yield name[: joint.start()], joint.group(), name[joint.end() :]


def _halves_at_last(heading: str) -> tuple[str, str]:
    cuts = list(_cuts(heading.strip()))
    if not cuts:
        raise InvalidColumns(
            f'The heading "{heading[:60]}" says only one thing. Two need a sign between them, '
            "as in gpt_fluency."
        )
    first, _joint, second = cuts[-1]
    return first, second


def order_of(values: Mapping[str, Mapping[str, str]]) -> Says:
    """What the headings say, from left to right."""
    heading, said = next(iter(values.items()), ("", {}))
    return tuple(sorted(said, key=lambda role: (heading.find(said[role]), role != "criterion")))


def likely_says(roles: Mapping[str, str], values: Sequence[str]) -> Says:
    """What the headings of the columns with values probably say, if `roles` have columns."""
    missing = [role for role in NAMED_BY_HEADINGS if role not in roles]
    if len(missing) > 1 and len(values) > 1:
        halves = grid_of(values)
        if len(halves) == len(values):
            return _likely_pair(missing, list(halves.values()))
    if "rater" in missing and values and all(map(says_rater, values)):
        return ("rater",)
    if "criterion" not in missing:
        named = len(values) > 1 or not any(map(says_criterion, values))
        return ("system",) if "system" in missing and named else ()
    if "system" in missing and len(values) > 1 and not any(map(says_criterion, values)):
        return ("system",)
    return ("criterion",)


def _likely_pair(missing: Sequence[str], halves: Sequence[tuple[str, str]]) -> Says:
    def fit(says: Says) -> tuple[int, bool]:
        named = [_is_named(says[side], half[side]) for half in halves for side in (0, 1)]
        return sum(named), says in PAIRS

    return max(permutations(missing, 2), key=fit)


def _is_named(role: str, name: str) -> bool:
    return (role == "rater" and says_rater(name)) or (role == "criterion" and says_criterion(name))
