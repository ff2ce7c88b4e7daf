"""A bundle: the judgements, the options, the report, its tables and plots in one zip file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from analysis.errors import TableError
from analysis.meta_evaluation.compared import SCORES, VERDICTS, Compared, read_compared
from analysis.ranking.clusters import PASSES
from analysis.report.declined import ANSWERS, COUNTS, DeclinedAnswer, read_answers
from analysis.report.model import Report
from analysis.report.options import ReportOptions
from analysis.signature import citation
from analysis.table import JudgementTable
from analysis.table_files import read_table, write_table

JUDGEMENTS = "judgements.csv"
# What each file is, by the beginning of its name; README.txt lists those that are there.
CONTENTS = {
    JUDGEMENTS: "every judgement: one row is one value that a rater gave one output;\n"
    f"{'':<18} no number uses rows with excluded = 1, of raters who were left out",
    "scores.csv": "the scores of metrics that are compared with people",
    "verdicts.csv": "the pairwise verdicts of judges that are compared with people",
    "cannot_judge.csv": "the answers of raters who could not judge an output",
    "cannot_judge.json": "the numbers of such answers",
    "options.json": "the options that, with the judgements, decide every number",
    "report.json": "the report",
    "campaign": "the campaign file, as it was and, with a number, in its earlier versions",
    "versions.json": "when and why the campaign changed",
    "anchor.json": "hashes with which the record can be checked",
    "checks.csv": "the answers to checks",
    "tables/": "every table as LaTeX (booktabs) and CSV; report.tex has them all",
    "plots/": "SVG and PDF, 16 cm wide with text of 8 pt; in column/ 7.7 cm wide",
}
README = """{title}

{contents}

To recompute:      python -m analysis report {name}
                   in a copy of the program that made this report (its folder analysis needs no
                   database and no site)
Signature:         {signature}
{citation}
"""

# Zip files have a date for each entry; a fixed one makes equal bundles equal bytes.
FIXED_DATE = (1980, 1, 1, 0, 0, 0)
MANY = 2_000_000  # rows, beyond which the text of all may pass the two gigabytes of plain zip files


@dataclass(frozen=True, eq=False)
class Bundle:
    """The contents of a bundle; `report` is the stored JSON, not recomputed."""

    table: JudgementTable
    options: ReportOptions
    report: dict[str, Any]
    files: Mapping[str, bytes]


def report_json(report: Report) -> str:
    """Write the report's JSON: stable keys, numbers in full, no NaN.

    Parameters
    ----------
    report : from `make_report`
    """
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=1, allow_nan=False)


def stored_options(file: str | Path) -> dict[str, Any]:
    """Read the options of a bundle; none of any other file.

    Parameters
    ----------
    file : a path, or "-"
    """
    options: dict[str, Any] = json.loads(_files(file, "options.json").get("options.json", b"{}"))
    return options


def stored_comparison(file: str | Path, options: Mapping[str, Any]) -> Compared | None:
    """Read the scores and verdicts of a bundle; None for any other file, and where there are none.

    Parameters
    ----------
    file : a path, or "-"
    options : of the report, as plain data
    """
    lower = options.get("metrics_lower_is_better", ())
    return read_compared(_files(file, SCORES, VERDICTS), lower_is_better=lower)


def stored_declined(
    file: str | Path, table: JudgementTable, options: Mapping[str, Any]
) -> list[DeclinedAnswer] | None:
    """Read the answers of a bundle's raters who could not judge; None where there are none.

    Raises TableError if the bundle's counts are not those of its answers and judgements.

    Parameters
    ----------
    file : a path, or "-"
    table : its judgements
    options : of the report, as plain data

    Raises
    ------
    TableError : its counts are not those of its answers and judgements
    """
    excluded = options.get("exclude_raters", ())
    return read_answers(_files(file, ANSWERS, COUNTS), table, exclude_raters=excluded)


def _files(file: str | Path, *names: str) -> dict[str, bytes]:
    """Read those of the named files that a bundle has; none of any other file."""
    if str(file) == "-" or not zipfile.is_zipfile(file):
        return {}
    with zipfile.ZipFile(file) as bundle:
        return {name: bundle.read(name) for name in names if name in bundle.namelist()}


def write_bundle(
    file: str | Path | IO[bytes],
    table: JudgementTable,
    report: Report,
    options: ReportOptions,
    extra: Mapping[str, bytes] | None = None,
    *,
    compared: Compared | None = None,
) -> None:
    """Write a report's bundle: all that is needed to compute its numbers again.

    Parameters
    ----------
    file : path or open binary file for the zip
    table, options : what the report was made from
    report : what `make_report` returned
    extra : further files by name (`tables/….tex`, `plots/….svg`)
    compared : the scores and verdicts that the report compares with people
    """
    name = Path(file).name if isinstance(file, str | Path) else "bundle.zip"
    title = report.title or "Report of a human evaluation"
    entries = {
        "options.json": json.dumps(options.as_dict(), ensure_ascii=False, indent=1).encode(),
        "report.json": report_json(report).encode(),
        **(compared.files() if compared else {}),
        **(extra or {}),
    }
    readme = README.format(
        title=title,
        name=name,
        signature=report.signature,
        citation=citation(report.signature),
        contents=_contents([JUDGEMENTS, *entries]),
    )
    # A single pass is about the order in which the rows were given.
    rows = table if options.method in PASSES else table.in_order()
    with zipfile.ZipFile(file, "w") as bundle:
        bundle.writestr(_entry("README.txt"), readme)
        # Not as one text: that of ten million judgements has a gigabyte.
        with bundle.open(_entry(JUDGEMENTS), "w", force_zip64=len(rows) > MANY) as judgements:
            write_table(rows, judgements)
        for entry, content in entries.items():
            bundle.writestr(_entry(entry), content)


def _entry(name: str) -> zipfile.ZipInfo:
    """A file of the bundle; without the time of day, equal reports make equal bundles."""
    information = zipfile.ZipInfo(name, FIXED_DATE)
    information.compress_type = zipfile.ZIP_DEFLATED
    return information


def _contents(entries: Collection[str]) -> str:
    """List the bundle's contents, line by line."""
    return "\n".join(
        f"{begin + '…' if begin == 'campaign' else begin:<18} {said}"
        for begin, said in CONTENTS.items()
        if any(entry.startswith(begin) for entry in entries)
    )


def read_bundle(file: str | Path | IO[bytes]) -> Bundle:
    """Read a bundle that `write_bundle` wrote.

    Parameters
    ----------
    file : path or open binary file of the zip

    Returns
    -------
    Bundle : the judgements, the options, the report as plain data, and further files by name

    Raises
    ------
    TableError : the zip, one of its files, or a judgement is missing or malformed
    OptionsError : the options are malformed
    """
    try:
        with zipfile.ZipFile(file) as bundle:
            entries = {entry: bundle.read(entry) for entry in bundle.namelist()}
        options = json.loads(entries["options.json"])
        report = json.loads(entries["report.json"])
        table = read_table(io.BytesIO(entries[JUDGEMENTS]), "csv", as_given=True)
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError, OSError) as error:
        raise TableError([f"This is not a bundle of a report: {error}."]) from error
    own = {"README.txt", JUDGEMENTS, "options.json", "report.json"}
    files = {entry: content for entry, content in entries.items() if entry not in own}
    return Bundle(table, ReportOptions.from_dict(options), report, files)
