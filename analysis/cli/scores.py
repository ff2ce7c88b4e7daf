"""Commands of `python -m analysis` that compute or read scores of automatic metrics."""

from __future__ import annotations

import argparse
import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO

import sacrebleu

from analysis.cli.outcome import Outcome
from analysis.cli.shared import ProgressBar, names, written
from analysis.meta_evaluation.mtme_archive import read_archive
from analysis.report.layout.table_model import SYSTEM, Column, Table, number, rows_of, whole
from analysis.signature import signature
from analysis.table import JudgementTable
from analysis.table_files import guarded, write_table
from analysis.text_metrics.extracted_facts import read_facts
from analysis.text_metrics.n_best import weighted_n_best, with_missing
from analysis.text_metrics.score_files import write_scores
from analysis.text_metrics.scoring import Scored, score
from analysis.text_metrics.similarity import Similarity, similarities
from analysis.text_metrics.text_files import read_material

# --- computing metrics -------------------------------------------------------------------------


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """Options of computing metrics."""
    parser.add_argument("items", metavar="ITEMS", help="a CSV with item, input, reference")
    parser.add_argument(
        "--metrics",
        type=names,
        default=("bleu", "chrf", "ter", "rouge-l", "nist"),
        metavar="A,B",
        help="bleu, chrf, chrf++, ter, nist, rouge-l, cider, accuracy, edit-distance, dice, masi "
        "uniqueness, minimality (TUNA), ser (slot error rate, E2E), copied, lengths, distinct, "
        "msttr "
        "(default: bleu,chrf,ter,rouge-l,nist)",
    )
    parser.add_argument(
        "--lowercase", action="store_true", help="BLEU and chrF in lower case (TER always is)"
    )
    parser.add_argument(
        "--segments", action="store_true", help="also score every single output (see --out, --json)"
    )
    parser.add_argument(
        "--missing",
        action="store_true",
        help="count an output that a system lacks as an empty text: 0, TER 100",
    )
    parser.add_argument(
        "--similarity",
        action="store_true",
        help="also score each system against every other system's outputs",
    )
    parser.add_argument(
        "--out", metavar="SCORES.csv", help="write system,item,metric,score, as `metrics` reads it"
    )


def run_score(judgements: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Compute BLEU and other metrics of system outputs."""
    material = read_material(options.file, options.items)
    if options.missing:
        material = with_missing(material)
    with ProgressBar() as progress:
        found = score(
            material,
            options.metrics,
            lowercase=options.lowercase,
            segments=options.segments,
            progress=progress.show,
        )
    n_best = (
        weighted_n_best(material, options.metrics, lowercase=options.lowercase)
        if material.alternatives
        else {}
    )
    alike = (
        similarities(material, options.metrics, lowercase=options.lowercase)
        if options.similarity
        else ()
    )
    stated = {
        "metrics": list(options.metrics),
        "lowercase": options.lowercase,
        "sacrebleu": sacrebleu.__version__,
        **({"missing": True} if options.missing else {}),
    }
    line = signature("score", stated, sha256=material.sha256)
    if options.out:
        with written(options, "out") as file:
            _write_scores(file, found)
    table = _scores_table(found)
    return Outcome(
        document=_document(found, n_best)
        | {"similarity": [asdict(each) for each in alike], "signature": line},
        tables=(table, *_means_table(found, n_best), *map(_similarity_table, alike)),
        notes=(*(f"{scored.metric}: {scored.method}" for scored in found), line),
    )


METRIC_KEYS = ("metric", "higher_is_better", "method")


def _document(
    found: Sequence[Scored], n_best: Mapping[str, Mapping[str, float | None]]
) -> dict[str, object]:
    return {
        "metrics": [
            {name: each for name, each in asdict(scored).items() if name in METRIC_KEYS}
            for scored in found
        ],
        "system_level": [
            {
                "system": system,
                "metric": scored.metric,
                "score": value,
                "outputs": scored.outputs[system],
                "mean_of_outputs": _mean_of_outputs(scored, system),
                "n_best": n_best.get(scored.metric, {}).get(system),
            }
            for scored in found
            for system, value in scored.systems.items()
        ],
        "segment_level": [
            {"system": system, "item": item, "metric": scored.metric, "score": value}
            for scored in found
            for system, segments in scored.segments.items()
            for item, value in segments.items()
        ],
    }


def _scores_table(found: Sequence[Scored]) -> Table:
    metrics = [
        number(scored.metric, _decimals(scored.systems.values()), is_label=True) for scored in found
    ]
    systems = list(found[0].outputs) if found else []
    rows = [
        (name, found[0].outputs[name], *(scored.systems[name] for scored in found))
        for name in systems
    ]
    columns = (SYSTEM, whole("Outputs"), *metrics)
    return Table("scores", "Automatic metrics", columns, rows_of(rows))


def _mean_of_outputs(scored: Scored, system: str) -> float | None:
    known = [value for value in scored.segments.get(system, {}).values() if value is not None]
    return math.fsum(known) / len(known) if known else None


def _means_table(
    found: Sequence[Scored], n_best: Mapping[str, Mapping[str, float | None]]
) -> Iterator[Table]:
    """Yield the scores of systems next to means over outputs, where outputs were scored."""
    scored = [each for each in found if each.segments or each.metric in n_best]
    if not scored:
        return
    columns = (
        Column("Metric"), SYSTEM, number("System together", 4),
        number("Mean of outputs", 4), number("Weighted n-best", 4),
    )  # fmt: skip
    rows = [
        (
            each.metric, system, value, _mean_of_outputs(each, system),
            n_best.get(each.metric, {}).get(system),
        )
        for each in scored
        for system, value in each.systems.items()
    ]  # fmt: skip
    yield Table("means", "Means of outputs", columns, rows_of(rows), heads=2)


def _similarity_table(found: Similarity) -> Table:
    """Return the reference systems in rows and the tested ones in columns, as Figure 5 of E2E."""
    decimals = _decimals(found.means.values())
    columns = [number(name, decimals, is_label=True) for name in found.systems]
    rows = [(name, *row) for name, row in zip(found.systems, found.scores, strict=True)]
    rows.append(("Mean", *(found.means.get(name) for name in found.systems)))
    caption = f"Similarity of systems: {found.metric} with a system's outputs as references"
    return Table(
        f"similarity-{found.metric}", caption, (Column("Reference"), *columns), rows_of(rows)
    )


def _decimals(values: Iterable[float | None]) -> int:
    """Four decimals for shares, as the E2E challenge prints them; two for percentages."""
    largest = max((abs(each) for each in values if each is not None), default=0)
    return 4 if largest < 10 else 2


def _write_scores(file: IO[bytes], found: Sequence[Scored]) -> None:
    """Segments where there are any, and the score of a whole system with an empty item."""
    text = io.TextIOWrapper(file, newline="", encoding="utf-8")
    out = csv.writer(text)
    out.writerow(("system", "item", "metric", "score"))
    for scored in found:
        wholes = ((system, {"": value}) for system, value in scored.systems.items())
        for system, segments in (*wholes, *scored.segments.items()):
            out.writerows(
                (guarded(system), guarded(item), scored.metric, repr(value))
                for item, value in segments.items()
                if value is not None
            )
    text.detach()


# --- facts ---------------------------------------------------------------------------------------


def add_facts_options(parser: argparse.ArgumentParser) -> None:
    """Options of scoring extracted facts."""
    parser.add_argument(
        "--out", metavar="SCORES.csv", help="write system,item,metric,score, as `metrics` reads it"
    )


def run_facts(judgements: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Relation generation, content selection and content ordering of extracted facts."""
    found = read_facts(options.file)
    line = signature("facts", {}, sha256=found.sha256)
    if options.out:
        with written(options, "out") as file:
            write_scores(found, file)
    scores = found.system_scores
    columns = (SYSTEM, *(number(name, is_label=True) for name in found.metrics))
    rows: list[tuple[str | float, ...]] = [
        (system, *(float(value) for value in scores[:, place]))
        for place, system in enumerate(found.systems)
    ]
    return Outcome(
        document={
            "system_level": [
                {"system": row[0], **dict(zip(found.metrics, row[1:], strict=True))} for row in rows
            ],
            "signature": line,
        },
        tables=(Table("facts", "Extracted facts", columns, rows_of(rows)),),
        notes=(line,),
    )


# --- archives of the WMT metrics tasks ---------------------------------------------------------


def add_mtme_options(parser: argparse.ArgumentParser) -> None:
    """Options of reading an archive."""
    parser.add_argument("pair", metavar="PAIR", help="the language pair, such as en-de")
    parser.add_argument("--human", default="mqm", help="the human scores to take (default: mqm)")
    parser.add_argument("--judgements", metavar="FILE.csv", help="write the judgements here")
    parser.add_argument("--scores", metavar="FILE.csv", help="write the scores of metrics here")


def run_mtme(judgements: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Read an archive of mt-metrics-eval and write it as judgements and scores."""
    found = read_archive(Path(options.file), options.pair, options.human)
    if options.judgements:
        with written(options, "judgements") as file:
            write_table(found.judgements, file)
    if options.scores:
        with written(options, "scores") as file:
            write_scores(found.scores, file)
    counts = {
        "systems": len(found.judgements.system.labels),
        "segments": len(found.judgements.item.labels),
        "judgements": len(found.judgements),
        "metrics": len(found.scores.metrics),
    }
    line = signature(
        "mtme",
        {"pair": options.pair, "human": options.human, "scores": found.scores.sha256[:16]},
        sha256=found.judgements.sha256,
    )
    columns = tuple(whole(name.capitalize()) for name in counts)
    return Outcome(
        document={**counts, "metric_names": list(found.scores.metrics), "signature": line},
        tables=(Table("archive", "The archive", columns, rows_of([tuple(counts.values())])),),
        notes=(", ".join(found.scores.metrics), line),
    )
