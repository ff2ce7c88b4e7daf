"""Traces that the browsers of simulated raters send, where a campaign keeps them."""

from __future__ import annotations

import random

Trace = dict[str, float]


def trace_of(hands: str, dice: random.Random, spent_ms: float) -> Trace:
    """The sums of one screen: of a person's hands, or of an attacker's.

    They are those of `tests/redteam`, whose attackers work on the pages in a browser.
    """
    presses, letters = dice.randint(3, 6), dice.randint(20, 60)
    keys: Trace = {"keys": letters, "key_mean_ms": dice.uniform(120, 260), "key_sd_ms": 90.0}
    found: Trace = {
        "events": 4 * presses + 2 * letters,
        "presses": presses,
        "path_px": dice.uniform(600, 4_000),
        "stops": dice.randint(3, 12),
        "typed": letters,
        "last_ms": dice.uniform(300, 2_000),
        **keys,
    }
    if hands == "script":
        events = dice.randint(8, 16)
        found = {"events": events, "untrusted": events, "inserted": letters, "last_ms": 0.4}
    elif hands == "clicker":
        found |= {"centred": presses, "instant": presses, "jumps": presses}
    elif hands == "paster":
        away = {"leaves": 1, "away_ms": 0.4 * spent_ms, "after_return": 4 * letters}
        found |= {"typed": 0, "keys": 2, "pasted": 4 * letters, **away}
    return {name: round(float(value), 1) for name, value in found.items()}
