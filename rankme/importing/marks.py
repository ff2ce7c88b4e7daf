"""Errors that raters marked elsewhere: the files of MQM, MTME, Pearmut and factgenie, and ours."""

from __future__ import annotations

from analysis.errors import AnalysisError
from analysis.spans.files import form_of, read_text
from analysis.spans.judged import write_cell
from analysis.spans.model import MarkedOutput, SpanTable
from analysis.spans.weights import Penalties, check_weights, parse_weights
from analysis.translatable import gettext_noop as _
from rankme.importing.files import SourceFile
from rankme.importing.judgement_reader import JudgementReader
from rankme.importing.judgement_spool import Given, JudgementSpool
from rankme.importing.sources import Sources, whole_text

CRITERION, SCORE = "errors", "errors_score"
ONLY_SCREEN = "1"


def is_marks(file: SourceFile) -> bool:
    """Whether the file is in one of the forms of marks."""
    try:
        return bool(form_of(file.first_line()))
    except AnalysisError:
        return False


def read_marks(sources: Sources, spool: JudgementSpool, file: SourceFile) -> None:
    """One judgement for each rater and output: what the marks weigh, with the marks themselves."""
    try:
        table = read_text(whole_text(sources, file))
        check_weights(table, parse_weights())
    except AnalysisError as error:
        for problem in str(error).splitlines():
            sources.problems.add(file.label, None, "", problem)
        return
    spool.notes += table.notes
    file.rows = len(table)
    _add(table, spool, file)


def _add(table: SpanTable, spool: JudgementSpool, file: SourceFile) -> None:
    penalties = Penalties(parse_weights())
    has_documents = any(each.document for each in table.outputs)
    if has_documents:
        spool.expect_factors(["document"])
    for number, each in enumerate(table.outputs, start=1):
        factors = {"document": each.document} if has_documents else {}
        penalty = penalties.total(each.marks)
        spool.add_judgement(
            _given(each, CRITERION, penalty, write_cell(each)), factors, (file, number)
        )
        if each.score is not None:
            spool.add_judgement(_given(each, SCORE, each.score), factors, (file, number))


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
    )


READER = JudgementReader(
    title=_("Marked errors (MQM, ESA, facts)"),
    help=_(
        "Google's MQM table, MTME's ratings, the JSON of Pearmut or factgenie, or our own JSON "
        "lines or CSV. Marks are weighted as in MQM."
    ),
    recognises=is_marks,
    read=read_marks,
)
