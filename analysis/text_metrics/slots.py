"""Slot error rate of the E2E domain: which slots of a meaning representation a text gets wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

SLOT = re.compile(r"\s*([\w ]+?)\s*\[([^\]]*)\]\s*(?:,|$)")
SLOTS = (
    "name",
    "eatType",
    "food",
    "priceRange",
    "customer rating",
    "area",
    "familyFriendly",
    "near",
)
FREE = ("name", "near")

_PRICES = r"(?:prices?|priced|pricing|price[- ]range|cost(?:s|ing)?|meals?|range)"
_RATED = r"(?:rating|ratings|rated|customers?|reviews?|reviewed|star|satisfaction|score)"
_CHILD = r"(?:famil(?:y|ies)|child(?:ren)?|kids?)"
_NOT = r"(?:not|n't|no|non|isn't|isnt|aren't|doesn't|without|never|adults?[- ]only)"
_NUMBER = {"1": "1|one", "3": "3|three", "5": "5|five"}


def _level(word: str, about: str) -> str:
    """A level before or after what it is about, within a few words and the same sentence."""
    gap = r"(?:[^\w.]+(?!out\b)[\w-]+){0,4}?[^\w.]+"
    return rf"\b{word}\b{gap}{about}\b|\b{about}{gap}(?:{word})\b|\b{word}[- ]{about}"


# By slot and value. Other values are matched by their own words.
PATTERNS: Mapping[str, Mapping[str, str]] = {
    "eatType": {
        "restaurant": r"\brestaurants?\b",
        "coffee shop": r"\b(?:coffee|tea)[- ]?(?:shops?|houses?)\b|\bcoffees?\b(?! and)",
        "pub": r"\bpubs?\b",
    },
    "food": {
        "Chinese": r"\bchinese\b",
        "English": r"\b(?:english|british)\b",
        "Fast food": r"\bfast[- ]?food\b",
        "French": r"\bfrench\b",
        "Indian": r"\bindian\b",
        "Italian": r"\bitalian\b|\bpasta\b",
        "Japanese": r"\bjapanese\b|\bsushi\b",
    },
    "priceRange": {
        "less than £20": r"(?:less|lower|under|below|cheaper|not more|no more)\D{0,20}20|"
        r"20 (?:pounds )?(?:or less|and (?:under|below))|up to £? ?20\b",
        "£20-25": r"20\W{0,6}(?:-|–|to|and)\W{0,3}£? ?25",
        "more than £30": r"(?:more|over|above|higher|upwards|excess|exceed\w*|greater)\D{0,20}30|"
        r"30 (?:pounds )?(?:and (?:up|over|above)|plus|or more)|30\+",
        "cheap": rf"\b(?:cheap(?:er|ly)?|inexpensive|budget)\b|{_level('(?:low|lower)', _PRICES)}"
        r"|\blow[- ]cost\b",
        "moderate": rf"\bmoderate(?:ly)?\b|\breasonabl[ey]\b|\bmid[- ](?:range|priced?)\b|"
        rf"{_level('(?:average|medium)', '(?:prices?|priced|price[- ]range)')}",
        "high": rf"\b(?<!in)expensive\b|\bhigh[- ]end\b|\bpric[e]?y\b|"
        rf"{_level('(?:high|higher)', '(?:prices?|priced|price[- ]range|cost)')}",
    },
    "customer rating": {
        **{
            f"{digit} out of 5": rf"\b(?:{word})(?: stars?)?\s?(?:out of|/|of)\s?(?:5|five)|"
            rf"\b(?:{word})[- ]stars?\b"
            for digit, word in _NUMBER.items()
        },
        "low": rf"{_level('(?:low|lower|poor|poorly|bad|badly|lowly)', _RATED)}",
        "average": rf"{_level('(?:average|averagely|decent|mediocre|ok|okay)', _RATED)}",
        "high": rf"{_level('(?:high|highly|excellent|great|good|well|best|top)', _RATED)}",
    },
    "area": {
        "riverside": r"\briver[- ]?(?:side|bank)?\b|\bwaterfront\b",
        "city centre": r"\b(?:city|town)?[- ]?(?:cent(?:re|er)|downtown)\b|\bin the city\b",
    },
    "familyFriendly": {
        "no": rf"{_NOT}\b[^.]{{0,40}}?{_CHILD}|{_CHILD}[^.]{{0,20}}?\b(?:{_NOT}|unfriendly)\b|"
        rf"\b(?:adults?|grown-ups?)\b|{_CHILD}[- ]?(?:un|free)",
        "yes": rf"\b{_CHILD}\b",
    },
}

# A price in words says the same as one in pounds, and a rating in words as one in stars.
SAME = {
    "less than £20": "cheap",
    "£20-25": "moderate",
    "more than £30": "high",
    "1 out of 5": "low",
    "3 out of 5": "average",
    "5 out of 5": "high",
}


@dataclass(frozen=True)
class SlotErrors:
    """The errors of one text by kind, and the number of slots it should express."""

    missing: int
    added: int
    wrong: int
    repeated: int
    slots: int

    @property
    def errors(self) -> int:
        """All errors together; there may be more of them than slots."""
        return self.missing + self.added + self.wrong + self.repeated


def parse_meaning(text: str) -> dict[str, str] | None:
    """Return the slots and values of `name[Blue Spice], food[Italian]`.

    Parameters
    ----------
    text : an item's input

    Returns
    -------
    Values by slot, or None where the text is not a meaning representation of this domain.
    """
    found: dict[str, str] = {}
    end = 0
    for match in SLOT.finditer(text):
        if match.start() != end or match[1] not in SLOTS:
            return None
        found[match[1]] = match[2].strip()
        end = match.end()
    return found if found and end == len(text) else None


def slot_errors(meaning: Mapping[str, str], output: str) -> SlotErrors:
    """Count the slots that a text leaves out, adds, gets wrong or repeats.

    A slot is *missing* when no value of it is found, *wrong* when only other values are, *added*
    when the meaning representation lacks it, and *repeated* when its value appears again in
    another sentence. Names may be repeated. A restaurant may be called one unasked.

    Parameters
    ----------
    meaning : values by slot, from `parse_meaning`
    output : the text of one system

    Returns
    -------
    Counts. Patterns miss some correct phrasings, so this is an estimate, as with every such script.

    Source
    ------
    The kinds of errors of Reed, Oraby & Walker (2018); our own patterns.
    """
    text = _without_names(meaning, output)
    missing = added = wrong = repeated = 0
    for slot in SLOTS:
        if slot in FREE:
            name, said = (
                each.lower().replace("é", "e") for each in (meaning.get(slot, ""), output)
            )
            missing += name not in said
            continue
        found = _values(slot, text)
        value = meaning.get(slot)
        if value is None:
            added += bool(found.keys() - {"restaurant"})
        elif not found:
            missing += 1
        elif SAME.get(value, value) not in found:
            wrong += 1
        else:
            repeated += found[SAME.get(value, value)] > 1
    return SlotErrors(missing, added, wrong, repeated, len(meaning))


def slot_error_rate(errors: Sequence[SlotErrors]) -> float:
    """Divide the errors of texts together by their slots; it can exceed 1.

    Parameters
    ----------
    errors : of each text

    Source
    ------
    Wen et al. (2015).
    """
    return sum(each.errors for each in errors) / max(sum(each.slots for each in errors), 1)


def _without_names(meaning: Mapping[str, str], output: str) -> str:
    """Return the text without names, which contain words such as "Indian" and "Coffee"."""
    text = output.lower()
    for slot in FREE:
        if meaning.get(slot):
            text = text.replace(meaning[slot].lower(), "◻")
    return text


def _values(slot: str, text: str) -> dict[str, int]:
    """Return the values that a text has for a slot and in how many sentences each is."""
    sentences = re.split(r"[.!?]+\s", text)
    found: dict[str, int] = {}
    for value in PATTERNS[slot]:
        if times := sum(bool(_pattern(slot, value).search(each)) for each in sentences):
            meant = SAME.get(value, value)
            found[meant] = max(found.get(meant, 0), times)
    if slot == "familyFriendly" and "no" in found:
        found.pop("yes", None)  # every "no" also names families or children
    return found


@cache
def _pattern(slot: str, value: str) -> re.Pattern[str]:
    return re.compile(PATTERNS[slot][value])
