"""A report's tables in LaTeX (booktabs), in the shapes that the field's papers print."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from analysis.ranking.clusters import Ranking
from analysis.report.answer import Answer, answers_of
from analysis.report.category_section import CategorySection
from analysis.report.model import CriterionReport, Report
from analysis.report.sentences import probability
from analysis.scales.tukey_hsd import Tukey, letter_name, split_letters
from analysis.signature import citation

from .answer_tables import standings_table
from .metric_tables import metric_tables
from .model_tables import pairs_table
from .ranking_tables import ranking_table
from .scale_tables import anova_table
from .table_model import Cell, Column, Format, Table, text

PREAMBLE = r"""\documentclass[a4paper]{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\else\usepackage{fontspec}\fi
\usepackage[margin=1.5cm]{geometry}
\usepackage{booktabs,graphicx}
"""

ALIGNMENT = {Format.TEXT: "l", Format.RANGE: "c", Format.INTERVAL: "c"}

# A longer table does not fit on a page; it is only in its own file.
MOST_LINES = 60
# A page has room for about this many columns of subsets; with more, one criterion per block.
MOST_COLUMNS = 12

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "′": r"$'$",
    "α": r"$\alpha$",
    "η": r"$\eta$",
    "ω": r"$\omega$",
    "…": r"\dots{}",
    "–": "--",
    "κ": r"$\kappa$",
    "χ": r"$\chi$",
    "ε": r"$\varepsilon$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "²": r"$^2$",
    "−": r"$-$",
}


def escaped(text: str) -> str:
    """Escape text so that LaTeX prints it literally; control characters become spaces."""
    return "".join(
        SPECIAL.get(character, character if character.isprintable() else " ") for character in text
    )


def document(report: Report) -> str:
    """Return a whole file that compiles, with every table of the report that fits a page."""
    parts = [rf"\section*{{{escaped(report.title or 'Report')}}}"]
    made = tables(report)
    for answer in answers_of(report):
        parts += _answered(answer, made.pop(f"{file_name(answer.criterion)}-answer"))
    for name, table in made.items():
        if table.count("\n") <= MOST_LINES:
            parts += [rf"\subsection*{{{escaped(name)}}}", _shrunk(table)]
    line = escaped(report.signature).replace(SPECIAL["|"], SPECIAL["|"] + r"\allowbreak ")
    cited = escaped(citation(report.signature))
    parts.append(rf"\par\bigskip\noindent\texttt{{\small {line}}}\par\noindent {cited}")
    body = "\n\n".join([r"\begin{document}", *parts, r"\end{document}", ""])
    return PREAMBLE + _stand_ins(body) + body


def _answered(answer: Answer, table: str) -> Iterator[str]:
    """Yield what a report opens with: the sentence, the figure of the bundle, the table."""
    figure = f"../plots/{file_name(answer.criterion)}-answer.pdf"
    yield rf"\subsection*{{{escaped(answer.criterion)}}}"
    yield rf"\textbf{{{escaped(answer.headline)}}} {escaped(' '.join(answer.details))}"
    yield (
        rf"\IfFileExists{{{figure}}}"
        rf"{{\par\noindent\includegraphics[width=.6\linewidth]{{{figure}}}}}{{}}"
    )
    if table.count("\n") <= MOST_LINES:
        yield _shrunk(table)


def _shrunk(table: str) -> str:
    """Return a table made smaller where it is wider than the page."""
    return (
        r"\sbox0{" + table + "}"
        r"\noindent\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi"
    )


def _stand_ins(body: str) -> str:
    """Let pdfLaTeX print the number of a character that it has no glyph for; others print it."""
    foreign = sorted({ord(character) for character in body if ord(character) > 0x17F})
    if not foreign:
        return ""
    lines = [
        rf"\DeclareUnicodeCharacter{{{each:04X}}}{{\texttt{{U+{each:04X}}}}}" for each in foreign
    ]
    return "\n".join([r"\ifPDFTeX", *lines, r"\fi", ""])


def tables(report: Report) -> dict[str, str]:
    """Return every table that the report's criteria have, by a short name that can be a file's."""
    made: dict[str, str] = {}
    for answer in answers_of(report):
        table = standings_table(answer, report.criterion(answer.criterion))
        made[f"{file_name(answer.criterion)}-answer"] = tabular(table)
    made.update(ranking_tables(report))
    for each in report.criteria:
        if each.categories is not None:
            made[f"{file_name(each.criterion)}-categories"] = percentages_table(each.categories)
    scales = [each for each in report.criteria if each.scale is not None]
    if scales:
        made["means"] = means_table(scales)
    if any(row.by_level for each in scales for row in each.systems):
        made["descriptives"] = descriptives_table(scales)
    blocks = [
        SubsetBlock.of(each, each.scale.tukey)
        for each in scales
        if each.kind != "error" and each.scale is not None and each.scale.tukey is not None
    ]
    if blocks:
        made["homogeneous-subsets"] = subsets_table(blocks)
        if any(each.tukey.letters != subset_letters(each.tukey) for each in blocks):
            made["letters"] = subsets_table(blocks, letters=True)
    for each in scales:
        if each.scale is not None and each.scale.anova is not None:
            made[f"{file_name(each.criterion)}-anova"] = tabular(anova_table(each.scale.anova))
        if each.scale is not None and each.scale.tukey is not None:
            pairs = pairs_table("tukey", "Tukey HSD", each.scale.tukey.pairs)
            made[f"{file_name(each.criterion)}-tukey"] = tabular(pairs)
    for section in report.metrics:
        for table in metric_tables(section):
            made[f"{file_name(section.criterion)}-metrics-{file_name(table.name)}"] = tabular(table)
    return made


def ranking_tables(report: Report) -> Iterator[tuple[str, str]]:
    """Criteria side by side for each way of resampling, as the E2E paper's Table 11."""
    ranked = [each for each in report.criteria if each.ranking is not None]
    schemes = sorted({name for each in ranked if each.ranking for name in each.ranking.rankings})
    for scheme in schemes:
        rankings = {
            each.criterion: each.ranking.rankings[scheme]
            for each in ranked
            if each.ranking is not None and scheme in each.ranking.rankings
        }
        yield f"clusters-{scheme}", clusters_table(rankings)


def file_name(label: str) -> str:
    """Return a label as a part of a file's name: letters, digits and hyphens."""
    return "".join(each if each.isascii() and each.isalnum() else "-" for each in label) or "table"


# --- Table 11 of the E2E challenge -----------------------------------------------------------


def clusters_table(rankings: Mapping[str, Ranking]) -> str:
    """Cluster, score, range of ranks and system, one block for each criterion.

    A rule separates the clusters (Dušek, Novikova & Rieser 2020, Table 11).
    """
    blocks = [ranking_table(ranking, "none") for ranking in rankings.values()]
    titles = [rf"\multicolumn{{4}}{{c}}{{{escaped(name)}}}" for name in rankings]
    heads = [heading(column) for block in blocks for column in block.columns]
    lines = [" & ".join(titles) + r" \\", " & ".join(heads) + r" \\", r"\midrule"]
    for place, rows in enumerate(zip_longest(*(block.rows for block in blocks))):
        if place:
            lines += [
                rf"\cmidrule(lr){{{4 * k + 1}-{4 * k + 4}}}"
                for k, row in enumerate(rows)
                if row and row.begins
            ]
        cells = [
            _latex_cell(cell, column)
            for block, row in zip(blocks, rows, strict=True)
            for cell, column in zip(row.cells if row else ("",) * 4, block.columns, strict=True)
        ]
        lines.append(" & ".join(cells) + r" \\")
    return _tabular("rrcl" * len(blocks), lines)


# --- any table of a report -------------------------------------------------------------------


def tabulars(tables: Sequence[Table]) -> str:
    """Tables one after the other, each with its caption as a comment."""
    return "\n\n".join(f"% {table.caption}\n{tabular(table)}" for table in tables)


def tabular(table: Table) -> str:
    """Return a table of a report as it is."""
    lines = []
    if table.groups:
        groups = [
            rf"\multicolumn{{{span}}}{{c}}{{{escaped(group)}}}" for group, span in table.groups
        ]
        lines.append(" & ".join(groups) + r" \\")
    lines += [" & ".join(map(heading, table.columns)) + r" \\", r"\midrule"]
    for place, row in enumerate(table.rows):
        if place and row.begins:
            lines.append(r"\midrule")
        cells = map(_latex_cell, row.cells, table.columns)
        lines.append(" & ".join(cells) + r" \\")
    return _tabular("".join(ALIGNMENT.get(each.format, "r") for each in table.columns), lines)


def heading(column: Column) -> str:
    """Return a column's title; symbols of statistics are set as such."""
    return f"${column.title}$" if column.title in ("F", "p", "r") else escaped(column.title)


def _latex_cell(cell: Cell, column: Column) -> str:
    """Return a cell as LaTeX prints it; empty where there is no value."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return escaped(cell)
    if isinstance(cell, tuple):
        return _two_numbers(cell, column)
    if not math.isfinite(cell):
        return ""
    if column.format is Format.P:
        return f"${probability(cell)}$"
    if column.format is Format.NUMBER:
        return _number(cell, column.digits)
    return text(cell, column)


def _two_numbers(cell: tuple[float | None, float | None], column: Column) -> str:
    low, high = cell
    if low is None or high is None:
        return ""
    ends = [_number(end, column.digits) for end in (low, high)]
    if column.format is Format.INTERVAL:
        return f"[{', '.join(ends)}]"
    return ends[0] if low == high else "--".join(ends)


# --- Table 12 of the E2E challenge -----------------------------------------------------------


def percentages_table(section: CategorySection) -> str:
    """Percentages by system (Dušek, Novikova & Rieser 2020, Table 12)."""
    lines = [" & ".join(["System", *map(escaped, section.labels)]) + r" \\", r"\midrule"]
    for row in section.rows:
        cells = [rf"{percent:.0f}\%" for percent in row.percent]
        lines.append(" & ".join([escaped(row.system), *cells]) + r" \\")
    return _tabular("l" + "r" * len(section.labels), lines)


# --- Tables 8 and 9 of Surface Realisation 2011, Tables 9 and 12 of TUNA 2008 ---------------------


@dataclass(frozen=True)
class SubsetBlock:
    """One criterion's part of a table of homogeneous subsets; means by system."""

    criterion: str
    means: Mapping[str, float]
    tukey: Tukey

    @classmethod
    def of(cls, report: CriterionReport, tukey: Tukey) -> SubsetBlock:
        return cls(report.criterion, {row.system: row.mean for row in report.systems}, tukey)


def subsets_table(criteria: Sequence[SubsetBlock], *, letters: bool = False) -> str:
    """System, mean and one column for each homogeneous subset; criteria side by side if they fit.

    Belz et al. (2011, Tables 8 and 9) and Gatt, Belz & Kow (2008, Table 12) print the subsets of
    SPSS; `letters` takes the compact letters instead.
    """
    blocks, widths = [], []
    for each in criteria:
        rows, width = _subset_rows(each, letters)
        blocks.append(rows)
        widths.append(width)
    if sum(widths) + 2 * len(widths) > MOST_COLUMNS:
        return _stacked([each.criterion for each in criteria], blocks, widths)
    titles = [
        rf"\multicolumn{{{width + 2}}}{{c}}{{{escaped(each.criterion)}}}"
        for each, width in zip(criteria, widths, strict=True)
    ]
    lines = [
        " & ".join(titles) + r" \\",
        " & ".join(map(_subset_heads, widths)) + r" \\",
        r"\midrule",
    ]
    for row in zip_longest(*blocks):
        filled = [cells or ("",) * (width + 2) for cells, width in zip(row, widths, strict=True)]
        lines.append(" & ".join(" & ".join(cells) for cells in filled) + r" \\")
    return _tabular("".join("lr" + "c" * width for width in widths), lines)


def _stacked(
    names: Sequence[str], blocks: Sequence[Sequence[tuple[str, ...]]], widths: Sequence[int]
) -> str:
    """Return the criteria one below the other."""
    widest = max(widths)
    lines = [_subset_heads(widest) + r" \\"]
    for name, rows in zip(names, blocks, strict=True):
        lines += [r"\midrule", rf"\multicolumn{{{widest + 2}}}{{l}}{{{escaped(name)}}} \\"]
        lines += [" & ".join(cells) + r" \\" for cells in rows]
    return _tabular("lr" + "c" * widest, lines)


def _subset_heads(width: int) -> str:
    return rf"System & Mean & \multicolumn{{{width}}}{{c}}{{Homogeneous subsets}}"


def _subset_rows(block: SubsetBlock, letters: bool) -> tuple[list[tuple[str, ...]], int]:
    held = dict(block.tukey.letters) if letters else subset_letters(block.tukey)
    names = sorted(
        {letter for each in held.values() for letter in split_letters(each)},
        key=lambda letter: (len(letter), letter[0].islower(), letter),
    )
    rows = [
        (
            escaped(system),
            _number(block.means[system], 2),
            *(escaped(name) if name in split_letters(held[system]) else "" for name in names),
        )
        for system in block.tukey.letters
    ]
    return rows, len(names)


def subset_letters(tukey: Tukey) -> dict[str, str]:
    """For each system the letters of SPSS's subsets that hold it, best subset first."""
    held = {system: "" for system in tukey.letters}
    for number, subset in enumerate(tukey.subsets):
        for system in subset:
            held[system] += letter_name(number)
    return held


# --- Table 11 of TUNA 2008 -------------------------------------------------------------------


def descriptives_table(criteria: Sequence[CriterionReport]) -> str:
    """Means by the levels of a factor and over both, with the SD (Gatt, Belz & Kow 2008, T. 11).

    Errors are percentages and have no SD. Systems are in the order of the first criterion, the
    largest mean of its first level on top.
    """
    levels = sorted({level for each in criteria for row in each.systems for level in row.by_level})
    first = {row.system: row for row in criteria[0].systems}
    systems = sorted(first, key=lambda name: -first[name].by_level.get(levels[0], 0.0))
    spans = [len(levels) + (1 if each.kind == "error" else 2) for each in criteria]
    titles = [
        rf"\multicolumn{{{span}}}{{c}}{{{escaped(each.criterion)}}}"
        for each, span in zip(criteria, spans, strict=True)
    ]
    both = "both" if len(levels) == 2 else "all"
    heads = [
        " & ".join([*map(escaped, levels), both, *(["SD"] if each.kind != "error" else [])])
        for each in criteria
    ]
    lines = [" & ".join(["", *titles]) + r" \\", " & ".join(["", *heads]) + r" \\", r"\midrule"]
    for system in systems:
        cells = [_descriptive_cells(each, system, levels) for each in criteria]
        lines.append(" & ".join([escaped(system), *cells]) + r" \\")
    return _tabular("l" + "r" * sum(spans), lines)


def _descriptive_cells(report: CriterionReport, system: str, levels: Sequence[str]) -> str:
    row = next((row for row in report.systems if row.system == system), None)
    factor = 100.0 if report.kind == "error" else 1.0
    width = len(levels) + (1 if report.kind == "error" else 2)
    if row is None:
        return " & ".join([""] * width)
    means = [row.by_level.get(level) for level in levels] + [row.mean]
    cells = ["" if mean is None else _number(factor * mean, 3) for mean in means]
    if report.kind != "error":
        cells.append("" if row.sd is None else _number(row.sd, 3))
    return " & ".join(cells)


# --- Table 3 of data-to-document generation --------------------------------------------------


def means_table(criteria: Sequence[CriterionReport]) -> str:
    """Mean of each criterion by system (Wiseman, Shieber & Rush 2017, Table 3, human part)."""
    systems = list(dict.fromkeys(row.system for each in criteria for row in each.systems))
    means = [{row.system: row.mean for row in each.systems} for each in criteria]
    lines = [
        " & ".join(["", *(escaped(each.criterion) for each in criteria)]) + r" \\",
        r"\midrule",
    ]
    for system in systems:
        cells = [_number(each[system], 2) if system in each else "" for each in means]
        lines.append(" & ".join([escaped(system), *cells]) + r" \\")
    return _tabular("l" + "r" * len(criteria), lines)


def _number(number: float, digits: int) -> str:
    """Return a number with a real minus sign; what rounds to zero has none."""
    text = f"{number:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return f"$-${text[1:]}" if text.startswith("-") else text


def _tabular(columns: str, lines: Sequence[str]) -> str:
    body = "\n".join(lines)
    return f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\n\\bottomrule\n\\end{{tabular}}"
