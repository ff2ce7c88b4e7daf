"""The outputs of judged systems as others expect them: WMT's files, and MTME's folders.

Files of WMT are laid out as in its repositories of system outputs; the folders are those of
google-research/mt-metrics-eval. Withdrawn systems are in neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from analysis.meta_evaluation.people import People
from analysis.report.answer import answers_of
from analysis.report.layout.table_model import file_name, file_names
from analysis.report.model import CriterionReport
from rankme.exporting.bundle import report_options, run_table
from rankme.exporting.zipped import Content
from rankme.models import Item, Output

from .results import TaskResults, TrackResults

PAIR = re.compile(r"([a-z]{2,3})-([a-z]{2,3})(?:_[A-Za-z]+)?")
UNKNOWN = "und"
REFERENCE = "refA"
# What XML cannot have.
CONTROLS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Texts:
    """The texts of a track, and the names of its systems in files, by code."""

    found: TrackResults
    pair: str
    items: Sequence[Item]
    names: dict[str, str]

    @property
    def languages(self) -> tuple[str, str]:
        """Of the sources and of the outputs, where the track's name is a pair of languages."""
        pair = PAIR.fullmatch(self.found.track.name)
        return (pair[1], pair[2]) if pair else (UNKNOWN, UNKNOWN)

    @property
    def has_references(self) -> bool:
        return bool(self.items) and all(item.reference for item in self.items)

    def of(self, code: str) -> list[str]:
        """The outputs of a system in the order of the items."""
        rows = Output.objects.filter(system__campaign=self.found.track.campaign, system__name=code)
        return list(rows.order_by("item__position").values_list("text", flat=True))


def texts_of(results: TaskResults) -> list[Texts]:
    """The texts of each track; a track's name that is not a pair of languages becomes one."""
    slugs = file_names(each.track.name for each in results.tracks)
    return [_texts(found, slug) for found, slug in zip(results.tracks, slugs, strict=True)]


def _texts(found: TrackResults, slug: str) -> Texts:
    judged = [each for each in found.entries if each.code and not each.is_withdrawn]
    systems = [each for each in judged if not each.is_reference]
    labels = (re.sub(r"\W+", " ", each.system).strip() for each in systems)
    names = dict(zip((each.code for each in systems), file_names(labels), strict=True))
    names |= {each.code: REFERENCE for each in judged if each.is_reference}
    name = found.track.name
    # Elsewhere a hyphen parts source and target.
    pair = name if PAIR.fullmatch(name) else f"src-{slug.replace('-', '') or 'tgt'}"
    return Texts(found, pair, list(found.track.campaign.items.order_by("position")), names)


def _lines(texts: Sequence[str]) -> str:
    """Each text as one line: a line break in it becomes a blank."""
    return "".join(f"{' '.join(text.splitlines())}\n" for text in texts)


# --- WMT -------------------------------------------------------------------------------------


def wmt_files(results: TaskResults) -> Iterator[tuple[str, Content]]:
    """One XML with everything for each track, and each text in a file of its own."""
    task = file_name(results.task.title)
    for texts in texts_of(results):
        source, target = texts.languages
        begin = f"{task}.{texts.pair}"
        yield f"xml/{begin}.all.xml", _xml(texts, task)
        yield f"txt/sources/{begin}.src.{source}", _lines([each.input for each in texts.items])
        if texts.has_references:
            references = _lines([each.reference for each in texts.items])
            yield f"txt/references/{begin}.ref.A.{target}", references
        for code, name in texts.names.items():
            if name != REFERENCE:
                yield f"txt/system-outputs/{begin}.hyp.{name}.{target}", _lines(texts.of(code))


def _xml(texts: Texts, task: str) -> str:
    """The schema of WMT: a document with its source, its reference and each system's outputs.

    Items are not parts of longer texts here, so all of them are one document.
    """
    source, target = texts.languages
    parts = [
        "<?xml version='1.0' encoding='utf-8'?>",
        f"<dataset id={quoteattr(task)}>",
        f'<doc id={quoteattr(texts.pair)} origlang="{source}">',
        _side(f'src lang="{source}"', [each.input for each in texts.items]),
    ]
    if texts.has_references:
        references = [each.reference for each in texts.items]
        parts.append(_side(f'ref lang="{target}" translator="A"', references))
    parts += [
        _side(f'hyp system={quoteattr(name)} lang="{target}"', texts.of(code))
        for code, name in texts.names.items()
        if name != REFERENCE
    ]
    return "\n".join([*parts, "</doc>", "</dataset>", ""])


def _side(tag: str, texts: Sequence[str]) -> str:
    segments = (
        f'<seg id="{number}">{escape(CONTROLS.sub(" ", text))}</seg>'
        for number, text in enumerate(texts, start=1)
    )
    return "\n".join([f"<{tag}>", "<p>", *segments, "</p>", f"</{tag.split()[0]}>"])


# --- MTME ------------------------------------------------------------------------------------


def mtme_files(results: TaskResults) -> Iterator[tuple[str, Content]]:
    """The folders of one test set, with the scores of people and of chrF."""
    task = file_name(results.task.title)
    for texts in texts_of(results):
        pair, items = texts.pair, texts.items
        yield f"{task}/sources/{pair}.txt", _lines([each.input for each in items])
        yield (
            f"{task}/documents/{pair}.docs",
            "".join(
                f"all {file_name(each.key)}-{number}\n"
                for number, each in enumerate(items, start=1)
            ),
        )
        if texts.has_references:
            references = _lines([each.reference for each in items])
            yield f"{task}/references/{pair}.{REFERENCE}.txt", references
        for code, name in texts.names.items():
            yield f"{task}/system-outputs/{pair}/{name}.txt", _lines(texts.of(code))
        yield from ((f"{task}/{name}", text) for name, text in _human_scores(texts))
        yield from ((f"{task}/{name}", text) for name, text in _metric_scores(texts))


def _human_scores(texts: Texts) -> Iterator[tuple[str, str]]:
    """Higher is better in all of them: values of which lower ones are better change their sign."""
    report = texts.found.report
    if report is None:
        return
    for answer in answers_of(report):
        criterion = report.criterion(answer.criterion)
        sign = -1 if answer.lower_is_better else 1
        values = {each.system: sign * each.value for each in answer.standings}
        begin = f"human-scores/{texts.pair}.{file_name(answer.criterion)}"
        yield (
            f"{begin}.sys.score",
            "".join(f"{name}\t{_score(values.get(code))}\n" for code, name in texts.names.items()),
        )
        if criterion.scale is not None:
            yield f"{begin}.seg.score", _segment_scores(texts, criterion)


def _segment_scores(texts: Texts, criterion: CriterionReport) -> str:
    """The mean of the raters' values for each output, of those that the report has read."""
    run = texts.found.run
    assert run is not None
    options = report_options(run)
    table = run_table(run).counted().without_raters(options.exclude_raters)
    people = People.from_table(
        table.for_criterion(criterion.criterion),
        lower_is_better=not criterion.higher_is_better,
    )
    cells = people.cells
    system = {label: number for number, label in enumerate(people.systems)}
    item = {label: number for number, label in enumerate(people.items)}
    lines = []
    for code, name in texts.names.items():
        for each in texts.items:
            is_known = code in system and each.key in item
            value = cells[system[code], item[each.key]] if is_known else np.nan
            lines.append(f"{name}\t{_score(None if np.isnan(value) else float(value))}\n")
    return "".join(lines)


def _score(value: float | None) -> str:
    return "None" if value is None else repr(value)


def _metric_scores(texts: Texts) -> Iterator[tuple[str, str]]:
    """The scores of chrF with the reference; systems with another reference have none."""
    scores = {each.code: each.chrf for each in texts.found.entries if each.code in texts.names}
    judged = {code: name for code, name in texts.names.items() if name != REFERENCE}
    if texts.has_references and judged and all(scores[code] is not None for code in judged):
        lines = "".join(f"{name}\t{_score(scores[code])}\n" for code, name in judged.items())
        yield f"metric-scores/{texts.pair}/chrF-{REFERENCE}.sys.score", lines
