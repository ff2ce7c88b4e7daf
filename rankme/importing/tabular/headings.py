"""Read systems, criteria or items from the headings of columns with outputs or values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

Says = tuple[str, ...]

PAIRS: tuple[Says, ...] = (
    ("system", "criterion"), ("rater", "criterion"), ("rater", "system"), ("system", "metric"),
)  # fmt: skip
# What outputs are called, the likeliest first.
OUTPUT_WORDS = (
    "output", "system_output", "model_output", "response", "model_response", "completion",
    "generation", "generated", "generated_text", "output_text", "hypothesis", "hyp",
    "prediction", "predicted", "pred", "candidate", "answer", "model_answer", "reply", "mt",
    "translation", "summary", "simplification", "paraphrase", "text", "content", "result",
)  # fmt: skip
# These are also found in names such as `output_gpt`.
AFFIXES = (
    *OUTPUT_WORDS[:20], "outputs", "system_outputs", "model_outputs", "responses",
    "model_responses", "completions", "generations", "hypotheses", "predictions", "candidates",
    "answers", "replies", "translations", "summaries", "texts", "models", "systems",
)  # fmt: skip
# By Mechanical Turk and Toloka, by Potato for each point of a scale (until 2025), and by PsychoPy.
ADDED_BY_TOOLS = re.compile(r"^(Answer\.|OUTPUT:)|\.(scale_\d+|response)$")
# Where a tool says which columns have answers, no other number is one.
IS_ANSWER = re.compile(r"^(Answer\.|OUTPUT:)|\.response$")
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
METRIC_WORDS = re.compile(
    r"^(bleu|chrf|ter|nist|meteor|rouge|cider|comet|bert|bart|bleurt|xcomet|metricx|ser|wer|cer)",
    re.IGNORECASE,
)
RATER_WORDS = re.compile(
    r"^(annotator|rater|worker|judge|evaluator|expert|coder|participant|user|person)s?"
    r"([_\-. ]?\w{1,3})?$|^[ar][_\-. ]?\d{1,3}$",
    re.IGNORECASE,
)


class InvalidColumns(ValueError):
    """The description of the columns cannot be used; the message says why."""


def says_rater(name: str) -> bool:
    return bool(RATER_WORDS.match(name.strip()))


def says_criterion(name: str) -> bool:
    said = name_said(name)
    return said.casefold() in CRITERION_WORDS or said != name.strip()


def read_headings(headings: Sequence[str], says: Says) -> dict[str, dict[str, str]]:
    """Split each heading into names, such as `{"gpt_fluency": {"system": "gpt", …}}`.

    Raises
    ------
    InvalidColumns : a heading cannot be divided into two names
    """
    if len(says) < 2:
        return {heading: dict.fromkeys(says, name_said(heading)) for heading in headings}
    halves = grid_of(headings) or {heading: _halves_at_last(heading) for heading in headings}
    return {
        heading: dict(zip(says, halves.get(heading) or _halves_at_last(heading), strict=True))
        for heading in headings
    }


def name_said(heading: str) -> str:
    """The name in a heading, without what tools add.

    As in `Answer.fluency`, `fluency.scale_4`, and `fluency.fluency` of Potato's sliders.
    """
    said = ADDED_BY_TOOLS.sub("", heading.strip()) or heading.strip()
    name, _, again = said.rpartition(".")
    return name if name == again and name else said


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
    """The roles that the headings name, from left to right."""
    heading, said = next(iter(values.items()), ("", {}))
    return tuple(sorted(said, key=lambda role: (heading.find(said[role]), role != "criterion")))


def likely_says(headed: Sequence[str], roles: Mapping[str, str], values: Sequence[str]) -> Says:
    """Guess the roles that headings name, given the `roles` that have columns."""
    missing = [role for role in headed if role not in roles]
    if "rater" in missing and values and all(map(says_rater, values)):
        return ("rater",)
    if len(missing) > 1 and len(values) > 1:
        halves = grid_of(values)
        if len(halves) == len(values):
            return _likely_pair(missing, list(halves.values()))
    if "metric" in headed:
        return tuple(role for role in ("metric", "system") if role in missing)[:1]
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
    return (
        (role == "rater" and says_rater(name))
        or (role == "criterion" and says_criterion(name))
        or (role == "metric" and bool(METRIC_WORDS.match(name)))
    )


def system_names(columns: Sequence[str]) -> dict[str, str]:
    """The systems of a wide table: what remains of the columns' names without common affixes."""
    stripped = [column.strip() for column in columns]
    prefix, suffix = _affix(stripped, 1), _affix(stripped, -1)
    short = [name.removeprefix(prefix).removesuffix(suffix) for name in stripped]
    names = short if all(short) and len(set(short)) == len(short) else stripped
    return dict(zip(columns, names, strict=True))


def _affix(names: Sequence[str], step: int) -> str:
    """The word with its joint that all names begin (or, with step -1, end) with, as `output_`."""
    if len(names) < 2:
        return ""
    for word in AFFIXES:
        for joint in "_-. :/":
            affix = word + joint if step == 1 else joint + word
            lower = [name.casefold() for name in names]
            if all(name.startswith(affix) if step == 1 else name.endswith(affix) for name in lower):
                return names[0][: len(affix)] if step == 1 else names[0][-len(affix) :]
    return ""


# --- patterns: "Text {item} - System {system} [{criterion}]" -----------------------------------

NAMED_BY_PATTERNS = ("item", "system", "criterion", "rater", "metric", "anything")
SLOT = re.compile(r"\{([^{}]*)\}")
SEPARATORS = re.compile(r"(\s+[-–—|]\s+|\s*[\[\]():;,/|>]+\s*|_+)")
# The word before a name tells its kind.
STEMS = {
    "item": re.compile(
        r"\b(text|item|example|sample|sentence|document|dialog(ue)?|conversation|prompt|passage|"
        r"story|stimulus|scenario|task|picture|image|clip|q|t|no|nr|#)\W*$",
        re.IGNORECASE,
    ),
    "system": re.compile(
        r"\b(system|model|output|response|answer|version|candidate|variant|s|m)\W*$", re.IGNORECASE
    ),
    "rater": re.compile(r"\b(rater|annotator|judge|evaluator)\W*$", re.IGNORECASE),
}


@dataclass(frozen=True)
class Pattern:
    """A pattern in parts: `literals[0] {roles[0]} literals[1] {roles[1]} … literals[-1]`."""

    literals: tuple[str, ...]
    roles: tuple[str, ...]

    def match(self, heading: str) -> dict[str, str] | None:
        """The names in a heading; each reaches to the next literal, so that time is linear."""
        rest = _plain(heading)
        first, *others = self.literals
        if not rest.casefold().startswith(first.casefold()):
            return None
        rest = rest[len(first) :]
        found: dict[str, str] = {}
        for place, (role, literal) in enumerate(zip(self.roles, others, strict=True), start=1):
            end = _end_of_name(rest, literal, is_last=place == len(others))
            name = rest[:end].strip() if end > 0 else ""
            if not name:
                return None
            found[role], rest = name, rest[end + len(literal) :]
        found.pop("anything", None)
        return None if rest else found


def _end_of_name(rest: str, literal: str, *, is_last: bool) -> int:
    """Find the end of the name at the start of `rest`; -1 if the literal does not follow."""
    if is_last:
        fits = rest.casefold().endswith(literal.casefold())
        return len(rest) - len(literal) if fits else -1
    return rest.casefold().find(literal.casefold(), 1)


def parsed_pattern(pattern: str) -> Pattern:
    """The parts of a pattern.

    Raises
    ------
    InvalidColumns : it names nothing, something unknown, or two names without a sign between them
    """
    pieces = SLOT.split(_plain(pattern))
    literals, roles = tuple(pieces[::2]), tuple(role.strip() for role in pieces[1::2])
    known = ", ".join(f"{{{role}}}" for role in NAMED_BY_PATTERNS)
    if not set(roles) - {"anything"}:
        raise InvalidColumns(f"The pattern names nothing. Use {known}.")
    if unknown := set(roles) - set(NAMED_BY_PATTERNS):
        raise InvalidColumns(f'The pattern has an unknown name "{min(unknown)[:40]}". Use {known}.')
    named = [role for role in roles if role != "anything"]
    if len(set(named)) < len(named):
        raise InvalidColumns("Each name can be in the pattern only once.")
    if not all(literals[1:-1]):
        raise InvalidColumns("Two names in the pattern need a sign between them.")
    return Pattern(literals, roles)


def match_pattern(pattern: str, headings: Sequence[str]) -> dict[str, dict[str, str]]:
    """Read the headings that fit the pattern."""
    parsed = parsed_pattern(pattern)
    found = ((heading, parsed.match(heading)) for heading in headings)
    return {heading: said for heading, said in found if said is not None}


def likely_pattern(headings: Sequence[str]) -> str:
    """A pattern that most of these headings fit and that names the items; "" if there is none."""
    cut = [SEPARATORS.split(_plain(heading)) for heading in headings]
    forms = Counter(tuple(pieces[1::2]) for pieces in cut)
    if not forms:
        return ""
    separators, count = forms.most_common(1)[0]
    alike = [pieces[::2] for pieces in cut if tuple(pieces[1::2]) == separators]
    if count < 2 or 2 * count < len(headings):
        return ""
    parts = [_part([pieces[place] for pieces in alike]) for place in range(len(separators) + 1)]
    roles = _roles_of_parts(parts)
    if "item" not in roles.values():
        return ""
    written = [
        part.before + (f"{{{roles[place]}}}" + part.after if place in roles else "")
        for place, part in enumerate(parts)
    ]
    joints = (*separators, "")
    return "".join(text + joint for text, joint in zip(written, joints, strict=True)).strip()


class _Part(NamedTuple):
    """What all headings have at this place, and the names between it; none if all are equal."""

    before: str
    names: tuple[str, ...]
    after: str


def _part(texts: Sequence[str]) -> _Part:
    if len(set(texts)) == 1:
        return _Part(texts[0], (), "")
    words = [text.split(" ") for text in texts]
    shortest = min(map(len, words))
    n_before = _n_common(words, shortest - 1)
    n_after = _n_common([each[::-1] for each in words], shortest - 1 - n_before)
    before = "".join(f"{word} " for word in words[0][:n_before])
    after = "".join(f" {word}" for word in words[0][len(words[0]) - n_after :])
    names = [" ".join(each[n_before : len(each) - n_after]) for each in words]
    letters = re.match(r"\D*", names[0]).group()  # type: ignore[union-attr]
    if letters and all(re.fullmatch(re.escape(letters) + r"\d+", name) for name in names):
        before, names = before + letters, [name[len(letters) :] for name in names]
    return _Part(before, tuple(names), after)


def _n_common(words: Sequence[Sequence[str]], most: int) -> int:
    """Count the words with which all begin."""
    places = range(max(most, 0))
    return next((at for at in places if len({each[at] for each in words}) > 1), len(places))


def _roles_of_parts(parts: Sequence[_Part]) -> dict[int, str]:
    """What the names at each place are: by the word before them, by what they are, by order."""
    free = [place for place, part in enumerate(parts) if part.names]
    roles: dict[int, str] = {}

    def give(role: str, fits: Sequence[int]) -> None:
        if fits and role not in roles.values():
            roles[fits[0]] = role
            free.remove(fits[0])

    for role, stem in STEMS.items():
        give(role, [place for place in free if stem.search(parts[place].before)])
    give("criterion", [place for place in free if any(map(says_criterion, parts[place].names))])
    numbers = [place for place in free if all(name.isdecimal() for name in parts[place].names)]
    give("item", numbers)
    for role in ("criterion", "system", "item"):
        if not _tell_apart(parts, roles):
            give(role, free[::-1])
    return roles | dict.fromkeys(free, "anything") if _tell_apart(parts, roles) else {}


def _tell_apart(parts: Sequence[_Part], roles: Mapping[int, str]) -> bool:
    """Tell whether the names at these places differ between all headings."""
    names = [parts[place].names for place in roles]
    pairs = [*zip(*names, strict=True)]
    return bool(pairs) and len(set(pairs)) == len(pairs)


def _plain(text: str) -> str:
    return " ".join(text.split())
