"""Rules about raters, such as `instructed.failed >= 2 or repeat.icc < .3`: parsed and decided.

    rule       = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation   = [ "not" ] ( comparison | "(" rule ")" )
    comparison = name [ "." measure ] operator number
    operator   = "<" | "<=" | ">" | ">=" | "==" | "!="

A rule is data: nothing in it is run. A measure may not be known yet, or have no value; then so may
the rule, after Kleene's logic. Nobody is excluded by what is not known.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from .measure_names import RANGES

LONGEST = 1_000
MOST_COMPARISONS = 30
DEEPEST = 10

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
# They only ever increase while a rater works, so that a bound that is passed stays passed.
GROWING = ("failed", "answered", "impossible_times")
_TOKEN = re.compile(
    r"\s*(?:(?P<name>[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_]*)?)"
    r"|(?P<number>-?(?:\d+(?:\.\d*)?|\.\d+))"
    r"|(?P<operator><=|>=|==|!=|<|>)"
    r"|(?P<bracket>[()]))"
)

Measures = Mapping[str, float | None]


class RuleError(ValueError):
    """The rule cannot be read; the message says where and why."""


@dataclass(frozen=True)
class Comparison:
    """One measure against one bound; `text` is as it was written."""

    measure: str
    sign: str
    bound: float
    text: str

    @property
    def only_grows(self) -> bool:
        return self.measure.rpartition(".")[2] in GROWING

    @property
    def always_holds(self) -> bool:
        """Say whether every rater meets it: its measure is never on the other side."""
        low, high = RANGES.get(self.measure.rpartition(".")[2], (-math.inf, math.inf))
        return {
            ">": self.bound < low,
            ">=": self.bound <= low,
            "<": self.bound > high,
            "<=": self.bound >= high,
            "==": False,
            "!=": not low <= self.bound <= high,
        }[self.sign]

    def truth(self, measures: Measures, *, is_final: bool) -> bool | None:
        value = measures.get(self.measure)
        if value is None:
            return None
        holds = OPERATORS[self.sign](value, self.bound)
        if is_final:
            return holds
        if not self.only_grows:
            return None
        passes = self.sign in (">", ">=")
        fails = self.sign in ("<", "<=")
        return holds if (passes and holds) or (fails and not holds) else None

    def comparisons(self) -> Iterator[Comparison]:
        yield self


@dataclass(frozen=True)
class Not:
    """A part that must not hold."""

    part: Rule
    text: str

    def truth(self, measures: Measures, *, is_final: bool) -> bool | None:
        found = self.part.truth(measures, is_final=is_final)
        return None if found is None else not found

    def comparisons(self) -> Iterator[Comparison]:
        return self.part.comparisons()


@dataclass(frozen=True)
class Joined:
    """Parts of which all (`and`) or one (`or`) must hold."""

    word: str
    parts: tuple[Rule, ...]
    text: str

    def truth(self, measures: Measures, *, is_final: bool) -> bool | None:
        found = [part.truth(measures, is_final=is_final) for part in self.parts]
        decisive = self.word == "or"
        if decisive in found:
            return decisive
        return None if None in found else not decisive

    def comparisons(self) -> Iterator[Comparison]:
        for part in self.parts:
            yield from part.comparisons()


Rule = Comparison | Not | Joined


def alternatives(rule: Rule) -> tuple[Rule, ...]:
    """Split a rule into the parts of which each one alone would catch a rater.

    Parameters
    ----------
    rule : a parsed rule
    """
    return rule.parts if isinstance(rule, Joined) and rule.word == "or" else (rule,)


def negated(rule: Rule) -> Iterator[Comparison]:
    """Go through the comparisons below a `not`.

    Parameters
    ----------
    rule : a parsed rule
    """
    if isinstance(rule, Not):
        yield from rule.part.comparisons()
    elif isinstance(rule, Joined):
        for part in rule.parts:
            yield from negated(part)


def caught_by(rule: Rule, measures: Measures, *, is_final: bool) -> tuple[str, ...]:
    """Return the alternatives that hold, as they were written; empty if the rule does not.

    Parameters
    ----------
    rule : a parsed rule
    measures : the rater's measures by name
    is_final : the rater has finished: measures that need everything may be asked
    """
    return tuple(
        part.text for part in alternatives(rule) if part.truth(measures, is_final=is_final) is True
    )


# What bounds of shares and seconds are multiplied with, to try a rule at other bounds.
FACTORS = (0.5, 0.75, 1.0, 1.5, 2.0)
STEPS = (-2, -1, 0, 1, 2)


def other_bounds(comparison: Comparison) -> tuple[float, ...]:
    """Choose bounds around that of a comparison, with its own among them.

    Parameters
    ----------
    comparison : counts are moved by one and two, other measures by half and double

    Returns
    -------
    At most five, in ascending order, without those that the measure cannot have
    """
    low, high = RANGES.get(comparison.measure.rpartition(".")[2], (-math.inf, math.inf))
    if comparison.only_grows:
        moved = [comparison.bound + step for step in STEPS]
    else:
        moved = [round(comparison.bound * factor, 12) for factor in FACTORS]
    kept = {bound for bound in moved if low <= bound <= high} | {comparison.bound}
    return tuple(sorted(kept))


def with_bound(rule: Rule, comparison: Comparison, bound: float) -> Rule:
    """Return the rule with another bound in a comparison, wherever it asks for the same.

    Parameters
    ----------
    rule : a parsed rule
    comparison : one of its comparisons
    bound : the new bound
    """
    if rule == comparison:
        text = f"{comparison.measure} {comparison.sign} {bound:g}"
        return Comparison(comparison.measure, comparison.sign, bound, text)
    if isinstance(rule, Not):
        return Not(with_bound(rule.part, comparison, bound), rule.text)
    if isinstance(rule, Joined):
        parts = tuple(with_bound(part, comparison, bound) for part in rule.parts)
        return Joined(rule.word, parts, rule.text)
    return rule


def parse_rule(text: str) -> Rule:
    """Read a rule.

    Parameters
    ----------
    text : as in the module's docstring, at most 1,000 characters

    Returns
    -------
    Comparison, Not or Joined

    Raises
    ------
    RuleError : it cannot be read, or is too long or too deep
    """
    if len(text) > LONGEST:
        raise RuleError(f"a rule has at most {LONGEST:,} characters")
    parser = _Parser(text)
    rule = parser.either()
    parser.expect_end()
    if sum(1 for _found in rule.comparisons()) > MOST_COMPARISONS:
        raise RuleError(f"a rule has at most {MOST_COMPARISONS} comparisons")
    return rule


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


class _Parser:
    """Recursive descent over the tokens of one rule."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.at = 0
        self.depth = 0

    def either(self) -> Rule:
        self.depth += 1
        if self.depth > DEEPEST:
            raise RuleError(f"brackets are nested at most {DEEPEST} deep")
        rule = self._joined("or", lambda: self._joined("and", self._negation))
        self.depth -= 1
        return rule

    def expect_end(self) -> None:
        if self._next() is not None:
            raise self._problem("and, or, or the end of the rule")

    def _joined(self, word: str, part: Callable[[], Rule]) -> Rule:
        start = self.at
        parts = [part()]
        while self._takes("name", word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts), self._since(start))

    def _negation(self) -> Rule:
        start = self.at
        if self._takes("name", "not"):
            return Not(self._single(), self._since(start))
        return self._single()

    def _single(self) -> Rule:
        if self._takes("bracket", "("):
            rule = self.either()
            if not self._takes("bracket", ")"):
                raise self._problem("a closing bracket")
            return rule
        start = self.at
        measure = self._token("name", "the name of a measure")
        if measure in ("and", "or", "not"):
            self.at -= 1
            raise self._problem("the name of a measure")
        sign = self._token("operator", "one of < <= > >= == !=")
        bound = float(self._token("number", "a number"))
        return Comparison(measure, sign, bound, self._since(start))

    def _next(self) -> _Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _takes(self, kind: str, text: str) -> bool:
        token = self._next()
        if token is None or (token.kind, token.text) != (kind, text):
            return False
        self.at += 1
        return True

    def _token(self, kind: str, wanted: str) -> str:
        token = self._next()
        if token is None or token.kind != kind:
            raise self._problem(wanted)
        self.at += 1
        return token.text

    def _since(self, first: int) -> str:
        return self.text[self.tokens[first].start : self.tokens[self.at - 1].end]

    def _problem(self, wanted: str) -> RuleError:
        token = self._next()
        if token is None:
            return RuleError(f"the rule ends where there should be {wanted}")
        place = token.start + 1
        return RuleError(f"“{token.text[:40]}” (character {place}): there should be {wanted}")


def _tokens(text: str) -> Iterator[_Token]:
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            raise RuleError(_why_not(text, start))
        kind = match.lastgroup
        yield _Token(kind, match[kind], match.start(kind), match.end(kind))
        at = match.end()


def _why_not(text: str, start: int) -> str:
    """Say what cannot be read, and what was probably meant."""
    word = re.match(r"[A-Za-z][\w.-]*", text[start:])
    if word is None:
        return f"“{text[start]}” (character {start + 1}) cannot be in a rule"
    found = word[0][:40]
    return (
        f"“{found}” (character {start + 1}): rules are written in small letters: “{found.lower()}”"
    )
