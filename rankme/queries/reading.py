"""Count the words that raters read in the campaign's own texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankme.models import Item, Output, Trial, TrialOutput
from rankme.protocols.definition import Definition
from rankme.protocols.documents import is_first_segment
from rankme.protocols.screens import ScreenSpec

# Adults read 238 words a minute of English non-fiction in silence (Brysbaert 2019, a meta-analysis
# of 190 studies), and few languages differ much.
WORDS_PER_MINUTE = 238
# Chinese and Japanese are written without spaces; a word has about 1.5 of their characters.
IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
IDEOGRAPHS_PER_WORD = 1.5
# Tables and pictures are looked at and not read word by word.
READ_KINDS = ("text", "mr")


PlannedTrial = tuple[int, Sequence[int]]


@dataclass(frozen=True)
class Reading:
    """The mean over trials of the plan."""

    words_per_trial: float
    seconds_per_trial: float
    screens_per_trial: float

    @property
    def words_per_screen(self) -> float:
        return self.words_per_trial / self.screens_per_trial

    @property
    def words_per_minute(self) -> float:
        """Compute the speed of a rater who spends the whole expected time reading."""
        return 60 * self.words_per_trial / self.seconds_per_trial

    @property
    def is_too_fast(self) -> bool:
        return self.words_per_minute > WORDS_PER_MINUTE

    @property
    def seconds_needed(self) -> int:
        """Seconds per screen for reading alone."""
        return round(60 * self.words_per_screen / WORDS_PER_MINUTE)


def reading_of(trials: Sequence[PlannedTrial], definition: Definition) -> Reading:
    """Count the words that the screens show in these trials: items with their outputs, by id."""
    items = Item.objects.in_bulk([item for item, _outputs in trials])
    texts = Output.objects.in_bulk([output for _item, outputs in trials for output in outputs])
    words = [
        sum(words_by_screen(items[item], [texts[output].text for output in outputs], definition))
        for item, outputs in trials
    ]
    documents = sum(is_first_segment(items[item].factors) for item, _outputs in trials)
    screens = definition.screens_in_all(len(trials), documents) / len(trials)
    seconds = screens * definition.crowd.expected_seconds_per_screen
    return Reading(sum(words) / len(words), seconds, screens)


def words_by_screen(item: Item, outputs: list[str], definition: Definition) -> list[float]:
    """Count the words that each screen of a trial shows and no earlier screen of it has shown."""
    counts: Mapping[str, float] = {
        "input": count_words(item.input) if definition.input_kind in READ_KINDS else 0,
        "context": count_words(item.context),
        "reference": count_words(item.reference),
        "outputs": sum(count_words(text) for text in outputs),
    }
    words, seen = [], set[str]()
    for screen in definition.screens:
        words.append(sum(counts[part] for part in _read(screen) - seen))
        seen |= _read(screen)
    return words


def seconds_by_trial(trials: Iterable[int], definition: Definition) -> dict[int, list[float]]:
    """Compute for each screen of these trials the seconds that an average adult reads."""
    texts: dict[int, list[str]] = defaultdict(list)
    shown = TrialOutput.objects.filter(trial__in=trials).order_by("trial", "position")
    for trial, text in shown.values_list("trial", "output__text"):
        texts[trial].append(text)
    found = Trial.objects.filter(pk__in=trials).select_related("item")
    return {
        trial.pk: [
            60 * words / WORDS_PER_MINUTE
            for words in words_by_screen(trial.item, texts[trial.pk], definition)
        ]
        for trial in found
    }


def _read(screen: ScreenSpec) -> set[str]:
    parts = {name for name in ("input", "reference", "outputs") if screen.shows(name)}
    if screen.shows("document"):
        parts |= {"input", "outputs"}
    if screen.shows("context"):
        parts |= {"context", "outputs"}
    if screen.shows("reference_context"):
        parts |= {"context", "reference"}
    return parts


def count_words(text: str) -> float:
    ideographs = len(IDEOGRAPHS.findall(text))
    return len(IDEOGRAPHS.sub(" ", text).split()) + ideographs / IDEOGRAPHS_PER_WORD
