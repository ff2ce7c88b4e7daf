"""Damage to what a text says: values, numbers, entities, negation."""

from __future__ import annotations

import random
import re
import unicodedata
from itertools import combinations

import regex

from analysis.translatable import gettext_noop as _

from .base import Corruption, Specimen
from .pieces import found_value

# Longer ones are not numbers that anybody compares. By Python's own expressions: `regex` knows
# digits of newer scripts, which `int` does not read.
NUMBER = re.compile(r"(?<!\d)\d{1,15}(?!\d)")
# Capitalised words, but not the first one of a sentence.
NAME = r"\p{Lu}[\p{L}\p{M}'’-]+"
ENTITY = regex.compile(rf"(?<=\w[\s,;]{{1,3}}){NAME}(?:\s+{NAME})*", regex.V1)


class SlotChanged(Corruption):
    name = "slot_changed"
    title = _("One fact has the value of another item.")

    def apply(self, specimen: Specimen, rng: random.Random) -> str | None:
        changes = [
            (match, other)
            for attribute, value in specimen.facts
            if (match := found_value(specimen.text, value))
            for other in specimen.other_values.get(attribute, ())
            if other.strip()
            and other.casefold() != value.casefold()
            and not found_value(specimen.text, other)
        ]
        if not changes:
            return None
        match, other = rng.choice(changes)
        return specimen.text[: match.start()] + other + specimen.text[match.end() :]


class SlotDropped(Corruption):
    name = "slot_dropped"
    title = _("The value of one fact is left out.")

    def apply(self, specimen: Specimen, rng: random.Random) -> str | None:
        found = [
            match
            for _attribute, value in specimen.facts
            if (match := found_value(specimen.text, value))
            and len(match[0]) < len(specimen.text.strip()) - 1
        ]
        if not found:
            return None
        match = rng.choice(found)
        before, after = specimen.text[: match.start()], specimen.text[match.end() :]
        if before.endswith((" ", "")) and after.startswith(" "):
            after = after.lstrip(" ")
        return (before + after) if after[:1].isalnum() else before.rstrip(" ") + after


class NumberChanged(Corruption):
    name = "number_changed"
    title = _("One number is replaced with another of the same length.")

    def apply(self, specimen: Specimen, rng: random.Random) -> str | None:
        numbers = list(NUMBER.finditer(specimen.text))
        if not numbers:
            return None
        match = rng.choice(numbers)
        changed = _other_number(match[0], rng)
        return specimen.text[: match.start()] + changed + specimen.text[match.end() :]


def _other_number(digits: str, rng: random.Random) -> str:
    """Another number with as many digits, in the digits of the same script."""
    value = int(digits)
    low = 10 ** (len(digits) - 1) if len(digits) > 1 and unicodedata.decimal(digits[0]) else 0
    high = 10 ** len(digits) - 1
    # Close enough to be plausible, far enough to matter: at least two away, at most twice as much.
    reach = max(3, value)
    candidates = range(max(low, value - reach), min(high, value + reach) + 1)
    other = value
    while abs(other - value) < min(2, high - low):
        other = candidates[rng.randrange(len(candidates))]
    zero = chr(ord(digits[0]) - unicodedata.decimal(digits[0]))
    return "".join(chr(ord(zero) + int(digit)) for digit in str(other).zfill(len(digits)))


class EntitiesSwapped(Corruption):
    """Values of facts, and names that capital letters show (in scripts that have them)."""

    name = "entities_swapped"
    title = _("Two names or values are swapped.")

    def apply(self, specimen: Specimen, rng: random.Random) -> str | None:
        spans = {
            match.span()
            for _attribute, value in specimen.facts
            if (match := found_value(specimen.text, value))
        }
        spans |= {match.span() for match in ENTITY.finditer(specimen.text)}
        pairs = [
            (one, other)
            for one, other in combinations(sorted(spans), 2)
            if one[1] <= other[0]
            and specimen.text[slice(*one)].casefold() != specimen.text[slice(*other)].casefold()
        ]
        if not pairs:
            return None
        (start, end), (later_start, later_end) = rng.choice(pairs)
        text = specimen.text
        return (
            text[:start]
            + text[later_start:later_end]
            + text[end:later_start]
            + text[start:end]
            + text[later_end:]
        )


# After which verbs a language says its "not"; in front of which it does.
_AFTER = {
    "en": (r"is|are|was|were|will|can|could|should|would|must|has been|have been", "not"),
    "de": (r"ist|sind|war|waren|wird|werden|hat|haben|kann|können", "nicht"),
    "nl": (r"is|zijn|was|waren|wordt|worden|heeft|hebben|kan|kunnen", "niet"),
}
_BEFORE = {
    "fr": (r"est|sont|était|étaient|propose|offre|sert", "ne", "pas"),
    "es": (r"es|son|está|están|era|eran|tiene|tienen|sirve|ofrece", "no", ""),
    "it": (r"è|sono|era|erano|ha|hanno|serve|offre", "non", ""),
    "pt": (r"é|são|está|estão|era|eram|tem|têm|serve|oferece", "não", ""),
}


class Negation(Corruption):
    """Needs the words of the language: English, German, Dutch, French, Spanish, Italian and
    Portuguese. Texts in other languages are left to the other corruptions."""

    name = "negation"
    title = _("One statement is negated, or loses its negation (in seven languages).")

    def apply(self, specimen: Specimen, rng: random.Random) -> str | None:
        language = specimen.language.partition("-")[0].lower()
        if language in _AFTER:
            verbs, no = _AFTER[language]
            return self._after(specimen.text, verbs, no, rng)
        if language in _BEFORE:
            return self._around(specimen.text, *_BEFORE[language], rng)
        return None

    def _after(self, text: str, verbs: str, no: str, rng: random.Random) -> str | None:
        found = list(regex.finditer(rf"\b(?:{verbs})\b( {no}\b)?", text, regex.IGNORECASE))
        if not found:
            return None
        match = rng.choice(found)
        if match[1]:
            return text[: match.start(1)] + text[match.end(1) :]
        return f"{text[: match.end()]} {no}{text[match.end() :]}"

    def _around(
        self, text: str, verbs: str, before: str, after: str, rng: random.Random
    ) -> str | None:
        tail = rf"(?: {after}\b)?" if after else ""
        found = list(regex.finditer(rf"\b({before} )?({verbs})\b{tail}", text, regex.IGNORECASE))
        if not found:
            return None
        match = rng.choice(found)
        if match[1]:
            return f"{text[: match.start()]}{match[2]}{text[match.end() :]}"
        negated = f"{before} {match[2]} {after}".rstrip()
        return text[: match.start()] + negated + text[match.end() :]
