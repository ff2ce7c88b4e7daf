"""The pages of checks that a launch adds to the batches of a plan.

Pure: what a campaign file says, the plan, and the material go in, pages come out. What a page
expects is a document, which is stored next to it and never sent to a browser:

    {"output": 0, "at_least": 10, "at_most": 20}   the answer about one output lies in a range
    {"order": [2, 0]}                               these outputs, from the best to the worst
    {"output": 0, "marks": [[3, 9, "major"]]}       these passages are marked; "": any severity
    {"good": 0, "bad": 1}                           an intact output and its copy, on one page
    {"source_output": 1, "output": 0}               the copy of an output of the source
    {"repeats": true}                               all answers are compared with the source's

The last two have `apart` too: the least number of pages from the source to the page.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from rankme.corruptions import Specimen, corrupted
from rankme.designs.check_places import Distance, draw_hosts, interleave, most_apart
from rankme.protocols.checks import CHECK_KINDS, CheckSpec
from rankme.protocols.definition import Definition

from .suggestions import moved

MOST_SET_ASIDE = 20  # pages of a check that share a text with their batch


class CheckError(ValueError):
    """The checks cannot be drawn; `problems` says, for the organiser, each reason why."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(dict.fromkeys(problems))
        super().__init__(" ".join(self.problems))


@dataclass(frozen=True)
class HostTrial:
    """The parts of a check's page; `outputs` are (id, text) in the plan's order.

    `place` is the trial's place in its batch, or None for material that the batch does not show;
    `marks` are the suggestions for each output.
    """

    place: int | None
    item: int
    input: str
    reference: str
    context: str
    outputs: tuple[tuple[int, str], ...]
    marks: tuple[Sequence[Mapping[str, Any]], ...] = ()


@dataclass(frozen=True)
class Damage:
    """A damaged copy of an output."""

    output: int
    original: str
    text: str
    kind: str  # of the damage; empty where the organiser wrote the text


@dataclass(frozen=True)
class DrawnCheck:
    """One page of a check; `source` is the place of the trial with which it is compared."""

    check: CheckSpec
    item: int
    shown: dict[str, Any]
    expected: dict[str, Any]
    source: int | None = None
    damage: Damage | None = None


@dataclass(frozen=True)
class CheckedBatch:
    """The checks of a batch, and the order of all of its pages: trials first in the numbering."""

    checks: tuple[DrawnCheck, ...]
    order: tuple[int, ...]


@dataclass
class Surroundings:
    """Material beyond the batch that checks draw from, and the seed of the plan.

    `elsewhere` are items with all of their outputs, from the whole material.
    """

    seed: int
    specimen: Callable[[HostTrial, int], Specimen]
    elsewhere: Sequence[HostTrial] = ()
    # By check and output: what the organiser wrote instead of the drawn text.
    edited: Mapping[tuple[str, int], str] = field(default_factory=dict)


def draw_batch(
    definition: Definition,
    trials: Sequence[HostTrial],
    surroundings: Surroundings,
    number: int,
) -> CheckedBatch:
    """Draw the checks of the batch with this number; the same arguments draw the same pages.

    Pages that are compared with none of the batch show texts that the batch does not: a page that
    repeats some of another page's texts would be known for a check without being read.

    Raises
    ------
    CheckError : no text of the batch can be damaged, or pages cannot be far enough apart
    """
    pages = [(check, check.pages_in(len(trials))) for check in definition.checks]
    pages = [(check, count) for check, count in pages if count]
    rng = np.random.default_rng([surroundings.seed, number, 7])
    drawn: list[DrawnCheck] = []
    hosts = draw_hosts(len(trials), [count for _check, count in pages], rng)
    strangers = list(_strangers(trials, surroundings, rng))
    met = {text for trial in trials for text in (trial.input, *_texts(trial))}
    for (check, count), candidates in zip(pages, hosts, strict=True):
        suitable = _reachable(candidates, check, len(trials), definition)
        rounds = -(-count // max(len(suitable), 1))
        on = [trials[place] for place in suitable * rounds]
        if _is_compared(check, trials):
            suiting = _pages_of(check, on, surroundings, rng)
        else:
            suiting = _unmet_first(_pages_of(check, [*strangers, *on], surroundings, rng), met)
        made = list(islice(suiting, count))
        used = {page.item for page in made}
        strangers = [stranger for stranger in strangers if stranger.item not in used]
        if len(made) < count:
            raise CheckError([_too_few(check, count)])
        drawn += made
    distances = distances_of(drawn, len(trials))
    _refuse_too_far(distances, len(trials), len(drawn))
    order = interleave(len(trials), len(drawn), distances, rng)
    return CheckedBatch(tuple(drawn), tuple(order))


def _is_compared(check: CheckSpec, trials: Sequence[HostTrial]) -> bool:
    """Whether its pages are compared with trials of the batch."""
    if check.kind == "corruption":
        return any(len(trial.outputs) == 1 for trial in trials)
    return check.kind == "repeat"


def _strangers(
    trials: Sequence[HostTrial], surroundings: Surroundings, rng: np.random.Generator
) -> Iterator[HostTrial]:
    """Yield material as a page of the batch would show it, with no text of the batch.

    First items that the batch does not have, then other outputs of those that it has.
    """
    items = {trial.item for trial in trials}
    texts = {text for trial in trials for _output, text in trial.outputs}
    width = len(trials[0].outputs)
    order = [
        surroundings.elsewhere[place] for place in rng.permutation(len(surroundings.elsewhere))
    ]
    for found in sorted(order, key=lambda found: found.item in items):
        free = [place for place, (_, text) in enumerate(found.outputs) if text not in texts]
        if len(free) < max(width, found.item in items):
            continue
        chosen = sorted(rng.choice(free, width, replace=False).tolist()) if width else []
        yield replace(
            found,
            outputs=tuple(found.outputs[place] for place in chosen),
            marks=tuple(found.marks[place] for place in chosen) if found.marks else (),
        )


def distances_of(checks: Sequence[DrawnCheck], n_trials: int) -> list[Distance]:
    """List what must be apart in a batch: pages that are compared with another trial."""
    return [
        distance_of(check.check.kind, check.expected["apart"], check.source, n_trials + number)
        for number, check in enumerate(checks)
        if check.source is not None
    ]


def distance_of(kind: str, apart: int, source: int, page: int) -> Distance:
    return Distance(source, page, apart, in_order=kind == "repeat")


def _refuse_too_far(distances: Sequence[Distance], n_trials: int, n_checks: int) -> None:
    apart = max((distance.apart for distance in distances), default=0)
    if apart > most_apart(n_trials, n_checks):
        raise CheckError(
            [
                f"A batch has {n_trials} trials and {n_checks} checks, so that pages that belong "
                f"together cannot be {apart} pages apart. Use larger batches or a smaller “apart”."
            ]
        )


def _too_few(check: CheckSpec, count: int) -> str:
    if check.tool.damages:
        return (
            f"The check “{check.name}” needs {count} texts in every batch that its kinds of "
            "damage can change. Add another kind, or ask for fewer pages."
        )
    return f"The check “{check.name}” needs {count} pages in every batch, which has fewer."


def _reachable(
    hosts: Sequence[int], check: CheckSpec, n_trials: int, definition: Definition
) -> list[int]:
    """Where trials are shown in the plan's order, a host needs enough pages after it."""
    if definition.design.shuffle_trials or not hasattr(check.settings, "apart"):
        return list(hosts)
    return [host for host in hosts if host + check.settings.apart <= n_trials]


def _pages_of(
    check: CheckSpec,
    hosts: Sequence[HostTrial],
    surroundings: Surroundings,
    rng: np.random.Generator,
) -> Iterator[DrawnCheck]:
    """A page for each host that suits the check."""
    make = _MAKERS.get(check.kind, _by_its_kind)
    for host in hosts:
        page = make(check, host, surroundings, rng)
        if page is not None:
            yield with_marks(page, host, rng)


def _unmet_first(pages: Iterator[DrawnCheck], met: set[str]) -> Iterator[DrawnCheck]:
    """Pages none of whose texts is in the batch twice, then the others.

    Damage may borrow a text from another item, or turn one output of a page into another one.
    Where all items have the same input, no page is unmet, and the search ends after a few.
    """
    others = []
    for page in pages:
        texts = [text for text in (page.shown["input"], *page.shown["outputs"]) if text]
        if met.isdisjoint(texts) and len(set(texts)) == len(texts):
            met.update(texts)
            yield page
        else:
            others.append(page)
        if len(others) == MOST_SET_ASIDE:
            break
    yield from others
    yield from pages


def with_marks(page: DrawnCheck, host: HostTrial, rng: np.random.Generator) -> DrawnCheck:
    """The page with suggested marks, if its host has any."""
    if not any(host.marks):
        return page
    marks = []
    for place, text in enumerate(page.shown["outputs"]):
        source = min(place, len(host.outputs) - 1)
        if page.damage is not None and text == page.damage.text:
            source = [output for output, _text in host.outputs].index(page.damage.output)
        original = host.outputs[source][1]
        marks.append(moved(host.marks[source], text, original=original, rng=rng))
    return replace(page, shown={**page.shown, "marks": marks})


def _shown(trial: HostTrial, outputs: Sequence[str]) -> dict[str, Any]:
    return {
        "input": trial.input,
        "reference": trial.reference,
        "context": trial.context,
        "outputs": list(outputs),
    }


def _texts(trial: HostTrial) -> list[str]:
    return [text for _output, text in trial.outputs]


def _instructed(
    check: CheckSpec, trial: HostTrial, surroundings: Surroundings, rng: np.random.Generator
) -> DrawnCheck:
    """The instruction takes the end of one output, so that the text is about as long as before."""
    options = check.settings
    texts = _texts(trial) or [""]
    place = int(rng.integers(len(texts)))
    instruction = options.text.replace("{value}", f"{options.value:g}")
    texts[place] = with_instruction(texts[place], instruction)
    low, high = options.value - options.tolerance, options.value + options.tolerance
    expected = {"output": place, "at_least": low, "at_most": high}
    return DrawnCheck(check, trial.item, _shown(trial, texts), expected)


def with_instruction(text: str, instruction: str) -> str:
    """The first words of the text, then the instruction: about as long as the text was."""
    kept: list[str] = []
    room = len(text) - len(instruction)
    for word in text.split(" "):
        if len(" ".join([*kept, word])) + 1 > room:
            break
        kept.append(word)
    return " ".join([*kept, instruction])


def _known_answer(
    check: CheckSpec, trial: HostTrial, surroundings: Surroundings, rng: np.random.Generator
) -> DrawnCheck:
    """The organiser's own texts; where a page has more outputs, the host's fill it up."""
    options = check.settings
    own, hosted = list(options.outputs), _texts(trial)
    if len(own) > max(len(hosted), 1):
        raise CheckError(
            [
                f"The check “{check.name}” has {len(own)} outputs, but a page shows "
                f"{max(len(hosted), 1)}."
            ]
        )
    texts = own + hosted[len(own) :]
    shown = {
        "input": options.input or trial.input,
        "reference": options.reference or trial.reference,
        "context": options.context or trial.context,
        "outputs": texts,
    }
    expected: dict[str, Any] = {"output": 0}
    expected |= {
        name: bound
        for name in ("at_least", "at_most")
        if (bound := getattr(options, name)) is not None
    }
    if options.in_order:
        expected["order"] = list(range(len(own)))
    if options.marks:
        begins = [(own[0].index(passage), passage, how) for passage, how in options.passages()]
        expected["marks"] = [[start, start + len(text), how] for start, text, how in begins]
    return DrawnCheck(check, trial.item, shown, expected)


def _damaged_page(
    check: CheckSpec, trial: HostTrial, surroundings: Surroundings, rng: np.random.Generator
) -> DrawnCheck | None:
    """The copy replaces another output of the page; of a page with one output it is a new page."""
    for place in rng.permutation(len(trial.outputs)).tolist():
        damage = damage_of(check, trial, place, surroundings)
        if damage is None:
            continue
        texts = _texts(trial)
        lower = check.settings.lower_is_better
        if len(texts) == 1:
            expected = {
                "source_output": place,
                "output": 0,
                "lower_is_better": lower,
                "apart": getattr(check.settings, "apart", 1),
            }
            shown = _shown(trial, [damage.text])
            return DrawnCheck(check, trial.item, shown, expected, trial.place, damage)
        other = int(rng.choice([number for number in range(len(texts)) if number != place]))
        texts[other] = damage.text
        expected = {"good": place, "bad": other, "lower_is_better": lower}
        return DrawnCheck(check, trial.item, _shown(trial, texts), expected, damage=damage)
    return None


def damage_of(
    check: CheckSpec, trial: HostTrial, place: int, surroundings: Surroundings
) -> Damage | None:
    """The damaged copy of an output, the same wherever the check shows it."""
    output, text = trial.outputs[place]
    edited = surroundings.edited.get((check.name, output))
    if edited is not None:
        return Damage(output, text, edited, "")
    rng = random.Random(f"{surroundings.seed}/{check.name}/{output}")
    found = corrupted(surroundings.specimen(trial, place), check.settings.types, rng)
    return None if found is None else Damage(output, text, *found)


def _repeat(
    check: CheckSpec, trial: HostTrial, surroundings: Surroundings, rng: np.random.Generator
) -> DrawnCheck:
    expected = {"repeats": True, "apart": check.settings.apart}
    return DrawnCheck(check, trial.item, _shown(trial, _texts(trial)), expected, trial.place)


def _by_its_kind(
    check: CheckSpec, trial: HostTrial, surroundings: Surroundings, rng: np.random.Generator
) -> DrawnCheck | None:
    drawn = CHECK_KINDS[check.kind].draw(check.settings, _texts(trial), rng)
    if drawn is None:
        return None
    texts, expected = drawn
    return DrawnCheck(check, trial.item, _shown(trial, texts), expected)


Maker = Callable[[CheckSpec, HostTrial, Surroundings, np.random.Generator], DrawnCheck | None]
_MAKERS: dict[str, Maker] = {
    "instructed": _instructed,
    "known_answer": _known_answer,
    "better_than": _damaged_page,
    "corruption": _damaged_page,
    "repeat": _repeat,
}


def damages_in(batches: Sequence[CheckedBatch]) -> Iterator[tuple[CheckSpec, Damage]]:
    """Every damaged text once, in the order in which batches show them."""
    seen: set[tuple[str, int]] = set()
    for batch in batches:
        for drawn in batch.checks:
            damage = drawn.damage
            if damage is not None and (drawn.check.name, damage.output) not in seen:
                seen.add((drawn.check.name, damage.output))
                yield drawn.check, damage
