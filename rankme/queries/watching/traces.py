"""Traces of one rater in words: what was counted, and what else than bad faith explains it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.checks.false_alarms import least_bound, measured
from rankme.models import Participant
from rankme.queries.trace_measures import CHARACTERS, FEWEST_PRESSES, Traces, traces_of

WORDS = {
    "pasted": gettext_noop(
        "%(share)s %% of the characters in texts (%(found)s) were pasted or dropped from "
        "elsewhere. It is innocent if the rater writes in another program, or uses a dictionary."
    ),
    "inserted": gettext_noop(
        "%(share)s %% of the characters in texts (%(found)s) came without keys. Dictation, word "
        "suggestions and on-screen keyboards do the same."
    ),
    "after_return": gettext_noop(
        "%(found)s characters were pasted or inserted within ten seconds after a return to the "
        "page. It is innocent if the rater looked something up."
    ),
    "leaves": gettext_noop(
        "Times that the rater left the page: %(found)s, for %(seconds)s seconds in all. Messages, "
        "dictionaries and screen locks do the same."
    ),
    "untrusted": gettext_noop(
        "%(share)s %% of the events (%(found)s) were made by a script in the page. Extensions of "
        "the browser, such as helpers for people with disabilities, do the same."
    ),
    "webdriver": gettext_noop(
        "Screens on which the browser said that a program controls it: %(found)s. Some assistive "
        "and remote programs do the same."
    ),
    "obeyed": gettext_noop(
        "Screens on which a text was followed that only readers of the page's source find: "
        "%(found)s. Raters who read the source out of curiosity can do the same."
    ),
    "repeated": gettext_noop(
        "%(share)s %% of the screens (%(found)s) have exactly the trace of an earlier rater. It "
        "is innocent if so little was done on them that the sums are alike; one session that is "
        "sent by several accounts looks the same."
    ),
    "centred": gettext_noop(
        "%(share)s %% of the presses (%(found)s) hit the exact centre of what was pressed. Screen "
        "readers, voice control and switches do the same."
    ),
    "instant": gettext_noop(
        "%(share)s %% of the presses (%(found)s) ended at once. Screen readers, eye trackers and "
        "switches do the same."
    ),
    "jumps": gettext_noop(
        "%(share)s %% of the presses (%(found)s) were of a mouse that had not been moved there. "
        "Remote desktops, eye trackers and voice control do the same."
    ),
}
# Signs of a program, each with its measure: an alarm from the bound on that rules accept.
SIGNS = {
    "untrusted": "untrusted_share",
    "webdriver": "webdriver_share",
    "repeated": "repeated_share",
}
OF_PRESSES = ("centred", "instant", "jumps")


@dataclass(frozen=True)
class Evidence:
    """What was counted about a rater: a sentence for each kind, and the screens that it is from."""

    screens: int
    sentences: tuple[str, ...]


def evidence_about(rater: Participant) -> Evidence:
    """Add up the traces of a rater's newest screens."""
    traces = traces_of([rater.pk])[rater.pk]
    return Evidence(int(traces.sums.get("screens", 0)), tuple(_sentences(traces)))


def signs_of_programs(raters: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Find raters with what fewer than 1 % of careful people have, in any group measured."""
    bounds = {name: least_bound(measure, measured()) for name, measure in SIGNS.items()}
    found = {}
    for rater, traces in traces_of(raters).items():
        shares = traces.measures
        names = [
            name
            for name, bound in bounds.items()
            if bound is not None and (shares[SIGNS[name]] or 0) > bound
        ]
        if names:
            found[rater] = tuple(_sentences(traces, names))
    return found


def _sentences(traces: Traces, names: Collection[str] = tuple(WORDS)) -> list[str]:
    sums = traces.sums
    counts = {name: sums.get(name, 0) for name in WORDS}
    counts["pasted"] += sums.get("dropped", 0)
    counts["repeated"] = (traces.repeated or 0) * sums.get("screens", 0)
    totals = dict.fromkeys(("pasted", "inserted"), sum(sums.get(name, 0) for name in CHARACTERS))
    totals |= dict.fromkeys(OF_PRESSES, sums.get("presses", 0))
    totals["untrusted"], totals["repeated"] = sums.get("events", 0), sums.get("screens", 0)
    if totals["centred"] < FEWEST_PRESSES:
        counts |= dict.fromkeys(OF_PRESSES, 0)
    said = []
    for name, words in WORDS.items():
        if counts[name] and name in names:
            found = {
                "found": f"{counts[name]:.0f}",
                "share": f"{100 * min(1, counts[name] / (totals.get(name) or counts[name])):.0f}",
                "seconds": f"{sums.get('away_ms', 0) / 1000:.0f}",
            }
            said.append(_(words) % found)
    return said
