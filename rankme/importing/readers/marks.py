"""Marked errors in the files of MQM, MTME, Pearmut and factgenie, and in ours.

As judgements they become an archive. As material they bring outputs with suggested marks, which
raters then confirm, change or remove.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath

from analysis.errors import AnalysisError
from analysis.spans.files import form_of, read_text
from analysis.spans.jsontext import plain_json
from analysis.spans.judged import write_cell
from analysis.spans.model import MarkedOutput, SpanTable
from analysis.spans.mtme import NOBODY
from analysis.spans.weights import Penalties, check_weights, parse_weights
from analysis.translatable import gettext_noop as _
from rankme.importing.files import Place, SourceFile
from rankme.importing.problems import StopFile
from rankme.importing.sources import Sources, whole_text
from rankme.importing.spooling.judgement_spool import Given, JudgementSpool
from rankme.importing.spooling.spool import NewItem, Spool

from .reader import Reader

CRITERION, SCORE, SCORE_ALONE = "errors", "errors_score", "score"
FACTORS = ("document", "languages")
ONLY_SCREEN = "1"
SUGGESTED = ("side", "start", "end", "text", "severity", "category", "note", "missing")


def is_marks(file: SourceFile) -> bool:
    """Tell whether the file is in one of the forms of marks."""
    try:
        return bool(form_of(file.first_line()))
    except AnalysisError:
        return False


def are_marks(files: list[SourceFile]) -> bool:
    return is_marks(files[0])


def read_marks(sources: Sources, spool: JudgementSpool) -> None:
    """One judgement for each rater and output: what the marks weigh, with the marks themselves."""
    for file in sources.files:
        with suppress(StopFile):
            _read_file(sources, spool, file)


def _read_file(sources: Sources, spool: JudgementSpool, file: SourceFile) -> None:
    try:
        table = read_text(whole_text(sources, file))
        check_weights(table, parse_weights())
    except AnalysisError as error:
        for problem in str(error).splitlines():
            sources.problems.add(problem, file=file.label)
        return
    spool.notes += table.notes
    file.rows = len(table)
    nameless = "" if len(sources.files) == 1 else PurePath(file.label).name.partition(".")[0]
    _add(table, spool, file, nameless)


def _add(table: SpanTable, spool: JudgementSpool, file: SourceFile, nameless: str) -> None:
    """`nameless` is what raters without a name are called, where each has a file of their own."""
    penalties = Penalties(parse_weights())
    names = [name for name in FACTORS if any(_factor(each, name) for each in table.outputs)]
    spool.expect_factors(names)
    # Appraise says the same of campaigns that ask for no marks.
    marked = table.form != "appraise" or table.marks > 0
    for number, found in enumerate(table.outputs, start=1):
        is_nameless = found.rater == NOBODY and nameless
        each = replace(found, rater=nameless) if is_nameless else found
        factors = {name: _factor(each, name) for name in names}
        if marked:
            given = _given(each, CRITERION, penalties.total(each.marks), write_cell(each))
            spool.add_judgement(given, factors, (file, number))
        if each.score is not None:
            given = _given(each, SCORE if marked else SCORE_ALONE, each.score)
            spool.add_judgement(given, factors, (file, number))


def _factor(each: MarkedOutput, name: str) -> str:
    return each.document if name == "document" else str(each.extra.get(name, ""))


def _given(each: MarkedOutput, criterion: str, value: float, marks: str = "") -> Given:
    return Given(
        rater=each.rater,
        item=each.item,
        system=each.system,
        criterion=criterion,
        screen=ONLY_SCREEN,
        value=repr(value),
        input=each.source or "",
        output=each.output or "",
        marks=marks,
        severities=tuple(mark.severity for mark in each.marks if mark.severity),
    )


# --- Suggestions -------------------------------------------------------------------------------


def has_suggestions(files: list[SourceFile]) -> bool:
    """Tell whether an upload of outputs is in one of the forms of marks."""
    return any(map(is_marks, files))


def read_suggestions(sources: Sources, spool: Spool) -> None:
    """Outputs with their inputs and marks; the file's rater is the source of the marks."""
    for file in sources.files:
        try:
            table = read_text(whole_text(sources, file))
        except AnalysisError as error:
            for problem in str(error).splitlines():
                sources.problems.add(problem, file=file.label)
            continue
        file.rows = len(table)
        for number, each in enumerate(table.outputs, start=1):
            _add_suggestion(spool, each, (file, number))


def _add_suggestion(spool: Spool, each: MarkedOutput, place: Place) -> None:
    if each.output is None:
        spool.problem(place, "output", "The file has no texts, so that nothing can be shown.")
        return
    system = spool.system_number(each.system, place)
    item = spool.item_or_new(NewItem(each.item, each.source or ""), place)
    if system is None or item is None:
        return
    marks = [
        {
            **{name: getattr(mark, name) for name in SUGGESTED},
            **{"id": number, "prefilled": each.rater, "confirmed": False},
        }
        for number, mark in enumerate(each.marks, start=1)
    ]
    spool.add_output(system, item, each.output, place, marks=plain_json(marks) if marks else "")


MATERIAL_READER = Reader(
    title=_("Outputs with suggested marks"),
    help=_(
        "Google's MQM table, the JSON of Pearmut or factgenie, or our own JSON lines or CSV. "
        "Raters confirm, change or remove the marks. The file's rater is shown as their source."
    ),
    recognises=has_suggestions,
    read=read_suggestions,
)
READER = Reader(
    title=_("Marked errors (MQM, ESA, facts)"),
    help=_(
        "Google's MQM table, MTME's ratings, the JSON of Pearmut or factgenie, Appraise's scores "
        "with marks, or our own JSON lines or CSV; several files, such as one for each rater, are "
        "read together. Marks are weighted as in MQM."
    ),
    recognises=are_marks,
    read=read_marks,
)
