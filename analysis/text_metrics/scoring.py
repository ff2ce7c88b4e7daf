"""Compute automatic metrics of systems and of single outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial

from analysis.errors import OptionsError, Undefined
from analysis.plugins import with_plugins
from analysis.typing import Progress

from . import surface
from .cider import Cider
from .domains import is_minimal, is_unique, least_attributes, parse_domain
from .nist import Nist, nist
from .overlap import Sacrebleu
from .referring import Attributes, dice, edit_distance, is_equal, masi, mean_over, parse_attributes
from .rouge import Rouge
from .slots import SlotErrors, parse_meaning, slot_error_rate, slot_errors
from .surface import copied
from .text_files import Material
from .tokens import Tokens, mteval_tokens


@dataclass(frozen=True)
class Scored:
    """One metric: `systems` by name; `segments` by system and item, empty where there are none.

    `method` says what exactly was computed. `outputs` is how many texts each system's score is
    about.
    """

    metric: str
    higher_is_better: bool | None
    method: str
    systems: Mapping[str, float | None]
    segments: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    outputs: Mapping[str, int] = field(default_factory=dict)


Segment = Callable[[str, str], float | None]  # item and output to score
NEEDS_REFERENCES = "{name}: item {item!r} has no reference."


def score(
    material: Material,
    metrics: Sequence[str],
    *,
    lowercase: bool = False,
    segments: bool = True,
    progress: Progress = lambda share: None,
) -> tuple[Scored, ...]:
    """Compute metrics; a name such as `distinct` gives several results.

    Parameters
    ----------
    material : the texts
    metrics : names from METRICS
    lowercase : BLEU and chrF in lower case (TER always is), as the E2E challenge reports BLEU
    segments : also score each output
    progress : told the share that is done

    Returns
    -------
    One result for each metric, in the order of the names.

    Raises
    ------
    OptionsError : a metric is unknown
    Undefined : a metric needs references (or meaning representations) that are not there

    Source
    ------
    Each metric names its own in its module; BLEU, chrF and TER are those of sacrebleu (Post 2018)
    """
    if unknown := [name for name in metrics if name not in METRICS]:
        known = ", ".join(METRICS)
        raise OptionsError(
            [f"There is no metric {name!r}; there are: {known}." for name in unknown]
        )
    found: list[Scored] = []
    steps = len(metrics) * max(len(material.outputs), 1)
    for number, name in enumerate(metrics):
        done = number * len(material.outputs)

        def scored(systems: int, done: int = done) -> None:
            progress((done + systems) / steps)

        settings = Settings(material, lowercase, segments, scored)
        found += METRICS[name](name, settings)
    progress(1.0)
    return tuple(found)


@dataclass(frozen=True)
class Settings:
    """Inputs of every metric; `scored` is called with the number of systems done."""

    material: Material
    lowercase: bool
    segments: bool
    scored: Callable[[int], None] = lambda systems: None

    def by_system(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield the outputs of each system, with progress."""
        for number, (system, outputs) in enumerate(self.material.outputs.items()):
            self.scored(number)
            yield system, outputs

    def references(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the references of all items; an item with outputs but without any is refused."""
        references = self.material.references
        wanted = {item for texts in self.material.outputs.values() for item in texts}
        for item in self.material.inputs:
            if item in wanted and not references.get(item):
                raise Undefined(NEEDS_REFERENCES.format(name=name, item=item))
        return {item: texts for item, texts in references.items() if texts}

    def each(self, name: str, method: str, segment: Segment, better: bool | None = True) -> Scored:
        """Return a metric whose system score is the mean over its outputs."""
        found = {
            system: {item: segment(item, text) for item, text in outputs.items()}
            for system, outputs in self.by_system()
        }
        means = {system: _mean(each.values()) for system, each in found.items()}
        return self.result(name, method, means, found if self.segments else {}, better)

    def together(
        self, name: str, method: str, system: Callable[[list[Tokens]], float | None]
    ) -> Scored:
        """Return a metric of the tokens of a whole system's outputs."""
        found = {name: system(texts) for name, texts in self.tokens.items()}
        return self.result(name, method, found, {}, None)

    @cached_property
    def tokens(self) -> Mapping[str, list[Tokens]]:
        """By system, the tokens of each output, in the order of the items' names."""
        return {
            system: [mteval_tokens(outputs[item]) for item in sorted(outputs)]
            for system, outputs in self.material.outputs.items()
        }

    def result(
        self,
        name: str,
        method: str,
        systems: Mapping[str, float | None],
        segments: Mapping[str, Mapping[str, float | None]],
        better: bool | None = True,
    ) -> Scored:
        """Return the result with the numbers of outputs."""
        sizes = {system: len(texts) for system, texts in self.material.outputs.items()}
        return Scored(name, better, method, systems, segments, sizes)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return math.fsum(known) / len(known) if known else None


# --- against references ------------------------------------------------------------------------


def _sacrebleu(name: str, settings: Settings) -> Iterator[Scored]:
    metric = Sacrebleu(name, settings.references(name), lowercase=settings.lowercase)
    systems: dict[str, float | None] = {}
    segments: dict[str, Mapping[str, float | None]] = {}
    for system, texts in settings.by_system():
        if settings.segments:
            systems[system], segments[system] = metric.system_and_segments(texts)
        else:
            systems[system] = metric.system(texts)
    method = f"sacrebleu: {metric.signature}"
    yield settings.result(name, method, systems, segments, name != "ter")


def _nist(name: str, settings: Settings) -> Iterator[Scored]:
    metric = Nist(settings.references(name))
    systems: dict[str, float | None] = {}
    segments: dict[str, dict[str, float | None]] = {}
    for system, outputs in settings.by_system():
        matches = {item: metric.matches(item, text) for item, text in outputs.items()}
        systems[system] = nist(list(matches.values()))
        if settings.segments:
            segments[system] = {item: nist([each]) for item, each in matches.items()}
    method = "NIST, 5-grams, mteval-v13a tokens, lower case"
    yield settings.result(name, method, systems, segments)


def _rouge(name: str, settings: Settings) -> Iterator[Scored]:
    metric = Rouge(settings.references(name))
    method = "ROUGE-L, β = 1.2, best precision and recall, Treebank tokens, lower case"
    yield settings.each(name, method, metric.score)


def _cider(name: str, settings: Settings) -> Iterator[Scored]:
    metric = Cider(settings.references(name))
    method = "CIDEr-D without stemming, σ = 6, Treebank tokens, lower case"
    yield settings.each(name, method, metric.score)


def _against_references(name: str, settings: Settings) -> Iterator[Scored]:
    references = settings.references(name)
    compare, method, better = {
        "accuracy": (is_equal, "share of references with exactly these words", True),
        "edit-distance": (
            edit_distance,
            "words inserted or deleted (1) or substituted (2), mean over references, lower case",
            False,
        ),
    }[name]
    yield settings.each(
        name, method, lambda item, text: mean_over(references[item], compare, text), better
    )


def _attribute_sets(name: str, settings: Settings) -> Iterator[Scored]:
    references = settings.references(name)
    compare = {"dice": dice, "masi": masi}[name]

    def parsed(text: str, item: str) -> Attributes:
        found = parse_attributes(text)
        if found is None:
            raise Undefined(f"{name}: a text of item {item!r} is not an attribute set.")
        return found

    wanted = {item: [parsed(each, item) for each in texts] for item, texts in references.items()}

    def segment(item: str, text: str) -> float:
        chosen = parsed(text, item) if text.strip() else frozenset()
        return sum(compare(chosen, each) for each in wanted[item]) / len(wanted[item])

    method = {"dice": "Dice", "masi": "MASI"}[name]
    yield settings.each(name, f"{method} of attribute sets, mean over references", segment)


# --- against the input -------------------------------------------------------------------------


def _slots(name: str, settings: Settings) -> Iterator[Scored]:
    meanings = {item: parse_meaning(text) for item, text in settings.material.inputs.items()}
    if strange := [item for item, meaning in meanings.items() if meaning is None]:
        raise Undefined(
            f"{name}: the input of item {strange[0]!r} is not a meaning representation of the "
            "E2E domain."
        )
    found: dict[str, dict[str, SlotErrors]] = {
        system: {item: slot_errors(meanings[item] or {}, text) for item, text in outputs.items()}
        for system, outputs in settings.by_system()
    }
    systems = {system: slot_error_rate(list(each.values())) for system, each in found.items()}
    segments = {
        system: {
            item: slot_error_rate([errors_of_output]) for item, errors_of_output in each.items()
        }
        for system, each in found.items()
    }
    method = "missing + added + wrong + repeated slots / slots, by patterns of the E2E domain"
    yield settings.result(name, method, systems, segments if settings.segments else {}, False)


def _copied(name: str, settings: Settings) -> Iterator[Scored]:
    inputs = settings.material.inputs
    method = "share of tokens in runs of the input (coverage of extractive fragments)"
    yield settings.each(name, method, lambda item, text: copied(text, inputs[item]), None)


def _domains(name: str, settings: Settings) -> Iterator[Scored]:
    domains = {item: parse_domain(text) for item, text in settings.material.inputs.items()}

    @cache
    def least(item: str) -> int | None:
        domain = domains[item]
        return least_attributes(domain) if domain else None

    def segment(item: str, text: str) -> float:
        domain, chosen = domains[item], parse_attributes(text)
        if domain is None:
            raise Undefined(f"{name}: the input of item {item!r} is not a domain of entities.")
        if chosen is None and text.strip():
            raise Undefined(f"{name}: a text of item {item!r} is not an attribute set.")
        description = chosen or frozenset()
        if name == "uniqueness":
            return float(is_unique(description, domain))
        return float(is_minimal(description, domain, least(item)))

    method, better = {
        "uniqueness": ("share of attribute sets that are true of the target alone", True),
        "minimality": (
            "share of attribute sets that are unique and that no smaller unique set undercuts",
            None,
        ),
    }[name]
    yield settings.each(name, method, segment, better)


# --- of the texts alone ------------------------------------------------------------------------


def _lengths(name: str, settings: Settings) -> Iterator[Scored]:
    method = "tokens of mteval-v13a"
    yield settings.each("tokens", method, lambda item, text: len(mteval_tokens(text)), None)
    yield settings.each("characters", "characters", lambda item, text: len(text), None)


def _distinct(name: str, settings: Settings) -> Iterator[Scored]:
    for length in (1, 2, 3):
        yield settings.together(
            f"distinct-{length}",
            f"different {length}-grams / all, lower case",
            partial(surface.distinct, length=length),
        )
    for length in (1, 3):
        count = partial(surface.distinct_count, length=length)
        yield settings.together(f"types-{length}", f"different {length}-grams", count)
    yield settings.together(
        "unique-3",
        "different trigrams that occur once / different trigrams",
        partial(surface.unique_share, length=3),
    )
    yield settings.together(
        "entropy-1", "entropy of tokens, bits", partial(surface.entropy, length=1)
    )
    yield settings.together(
        "entropy-next",
        "entropy of a token given the one before it, bits",
        surface.next_word_entropy,
    )


def _msttr(name: str, settings: Settings) -> Iterator[Scored]:
    method = f"MSTTR-{surface.SEGMENT}: outputs sorted by item, lower case, tokens of mteval-v13a"
    yield settings.together(name, method, surface.mean_segmental_ratio)


Metric = Callable[[str, Settings], Iterator[Scored]]
OWN: dict[str, Metric] = {
    "bleu": _sacrebleu,
    "chrf": _sacrebleu,
    "chrf++": _sacrebleu,
    "ter": _sacrebleu,
    "nist": _nist,
    "rouge-l": _rouge,
    "cider": _cider,
    "accuracy": _against_references,
    "edit-distance": _against_references,
    "dice": _attribute_sets,
    "masi": _attribute_sets,
    "uniqueness": _domains,
    "minimality": _domains,
    "ser": _slots,
    "copied": _copied,
    "lengths": _lengths,
    "distinct": _distinct,
    "msttr": _msttr,
}
METRICS: dict[str, Metric] = with_plugins("rankme.metrics", OWN, callable, "a function")
