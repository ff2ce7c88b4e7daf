"""The command of `python -m analysis` about error spans."""

import argparse
import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from analysis.cli.outcome import Outcome
from analysis.cli.shared import add_rater_options
from analysis.errors import AnalysisError, OptionsError
from analysis.ranking.clusters import METHODS, SCHEMES, RankingOptions, rank_criterion
from analysis.report.layout.ranking_tables import ranking_table
from analysis.report.layout.report_tables import agreement_table
from analysis.report.layout.span_tables import (
    agreement_note,
    all_kinds,
    kinds_table,
    pairs_of_raters,
    systems_table,
)
from analysis.signature import signature
from analysis.spans.agreement import span_agreement
from analysis.spans.files import READERS, WRITERS, read_spans, write_file, write_spans
from analysis.spans.model import SpanTable
from analysis.spans.own import fingerprint
from analysis.spans.scoring import (
    PENALTY,
    KindCount,
    SegmentScore,
    SystemScore,
    count_kinds,
    judgement_table,
    score_segments,
    score_systems,
)
from analysis.spans.weights import parse_weights
from analysis.table import JudgementTable
from analysis.table_files import guarded, write_table

SCORE_NOTE = "Score: mean penalty of a segment, lower is better; its interval draws whole items."


def add_span_options(parser: argparse.ArgumentParser) -> None:
    """Add the options about files and output."""
    parser.add_argument("more", metavar="FILE", nargs="*", help="further files, read as one")
    parser.add_argument(
        "--format", choices=READERS, help="format of FILE (default: detected from its content)"
    )
    add_rater_options(parser)
    parser.add_argument(
        "--weights",
        default="",
        metavar="'KIND:N …'",
        help="severity[/category[/subcategory]]:weight (default: Freitag et al. 2021)",
    )
    parser.add_argument("--segments", metavar="OUT.csv", help="write the score of each segment")
    parser.add_argument(
        "--judgements", metavar="OUT.csv", help="write the penalties as a judgement table"
    )
    parser.add_argument(
        "--write",
        nargs=2,
        action="append",
        default=[],
        metavar=("FORM", "OUT"),
        help=f"write the marks in another form: {', '.join(WRITERS)}",
    )
    parser.add_argument(
        "--agreement", action="store_true", help="compare raters of the same outputs"
    )
    parser.add_argument("--ranking", action="store_true", help="rank the systems in clusters")
    parser.add_argument("--method", choices=METHODS, default="wmt", help="how a run ranks")
    parser.add_argument("--runs", type=int, default=200, help="runs of the ranking (default 200)")
    parser.add_argument(
        "--resample", choices=SCHEMES, default="none", help="what is resampled before each run"
    )
    parser.add_argument(
        "--resamples", type=int, default=1000, help="of the intervals over items (default 1000)"
    )


def _read_files(options: argparse.Namespace) -> "SpanTable":
    """Return the marks of all files, without those of excluded raters."""
    files = [options.file, *options.more]
    if files.count("-") > 1:
        raise OptionsError(["Standard input can be read once only."])
    return read_spans(*files, form=options.format).without_raters(options.exclude_raters)


def run_spans(_: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Score the systems; where asked for, rank them, compare the raters, and write files."""
    if options.resamples < 1:
        raise OptionsError([f"--resamples is {options.resamples}; draw at least once."])
    table = _read_files(options)
    weights = parse_weights(options.weights)
    segments = score_segments(table, weights)
    parts = [_scores(table, segments, options)]
    parts += [_agreement(table, options)] if options.agreement else []
    parts += [_ranking(table, options)] if options.ranking else []
    _write_files(table, segments, options)
    stated = {name: getattr(options, name) for name in ("alpha", "resamples", "seed")}
    stated |= {"weights": weights.stated, "exclude": sorted(options.exclude_raters)}
    line = signature("spans", stated, sha256=fingerprint(table))
    document: dict[str, Any] = {}
    for part in parts:
        document |= part.document if isinstance(part.document, dict) else {}
    notes = [note for part in parts for note in part.notes]
    tables = tuple(each for part in parts for each in part.tables)
    return Outcome(
        document={**document, "notes": notes, "signature": line},
        tables=tables,
        notes=(*notes, line),
    )


def _scores(
    table: "SpanTable", segments: Sequence["SegmentScore"], options: argparse.Namespace
) -> Outcome:
    """Return the systems' scores, and what was marked in their outputs."""
    weights = parse_weights(options.weights)
    systems = score_systems(
        segments,
        table,
        seed=options.seed,
        resamples=options.resamples,
        confidence=1 - options.alpha,
    )
    kinds = count_kinds(table, weights)
    overall = all_kinds(kinds)
    return Outcome(
        {
            "systems": [asdict(system) for system in systems],
            "kinds": overall,
            "kinds_by_system": [asdict(kind) for kind in kinds],
            "raters": len({each.rater for each in table.outputs}),
            "form": table.form,
            "weights": weights.stated,
        },
        (systems_table(systems), kinds_table(overall)),
        (SCORE_NOTE, *table.notes, *_undefined(systems), *_weightless(kinds)),
    )


def _undefined(systems: Sequence["SystemScore"]) -> list[str]:
    """Explain missing numbers; a missing value is reported, never counted as zero."""
    notes = []
    if nameless := [each.system for each in systems if each.words is None]:
        notes.append(f"Per 100 words is undefined without the texts of: {', '.join(nameless)}.")
    if empty := [each.system for each in systems if each.words == 0]:
        notes.append(f"Per 100 words is undefined, as the texts have no words: {', '.join(empty)}.")
    if single := [each.system for each in systems if each.low is None]:
        notes.append(f"One segment has no interval: {', '.join(single)}.")
    return notes


def _weightless(kinds: Sequence["KindCount"]) -> list[str]:
    counts: dict[str, int] = {}
    for kind in kinds:
        if kind.marks and not kind.penalty:
            counts[kind.severity] = counts.get(kind.severity, 0) + kind.marks
    return [f"{count} marks of severity {name} weigh nothing." for name, count in counts.items()]


# --- agreement -------------------------------------------------------------------------------


def _agreement(table: "SpanTable", options: argparse.Namespace) -> Outcome:
    """Report the agreement of raters of the same outputs."""
    found = span_agreement(
        table,
        parse_weights(options.weights),
        seed=options.seed,
        resamples=options.resamples,
        confidence=1 - options.alpha,
    )
    return Outcome(
        {"agreement": asdict(found)},
        (agreement_table(found.coefficients), pairs_of_raters(found.raters)),
        (agreement_note(found), *found.notes),
    )


# --- ranking ---------------------------------------------------------------------------------


def _ranking(table: "SpanTable", options: argparse.Namespace) -> Outcome:
    """Return the systems in clusters by their penalties, or why there is no ranking."""
    ranking_options = RankingOptions(
        seed=options.seed,
        runs=options.runs,
        method=options.method,
        resample=(options.resample,),
        alpha=options.alpha,
        lower_is_better=(PENALTY,),
    )
    judgements = judgement_table(table, parse_weights(options.weights))
    try:
        ranking = rank_criterion(judgements, PENALTY, ranking_options)
    except AnalysisError as error:
        why = f"The ranking is undefined: {error}"
        return Outcome({"ranking": None}, (), (why,))
    met = "Ranking: systems are compared where one rater judged both for the same item."
    return Outcome(
        {"ranking": asdict(ranking)},
        (ranking_table(ranking, options.resample),),
        (met, ranking.signature),
    )


# --- files -----------------------------------------------------------------------------------


def _write_files(
    table: "SpanTable", segments: Sequence["SegmentScore"], options: argparse.Namespace
) -> None:
    if options.segments:
        write_file(Path(options.segments), segments_csv(segments))
    if options.judgements:
        out = io.BytesIO()
        write_table(judgement_table(table, parse_weights(options.weights)), out)
        write_file(Path(options.judgements), out.getvalue().decode())
    for form, name in options.write:
        write_spans(table, form, name)


def segments_csv(segments: Sequence["SegmentScore"]) -> str:
    """Return the score of each segment; an empty cell where there is no value."""
    names = [field.name for field in fields(SegmentScore)]
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for segment in segments:
        cells = [getattr(segment, name) for name in names]
        writer.writerow(guarded(cell) if isinstance(cell, str) else cell for cell in cells)
    return out.getvalue()
