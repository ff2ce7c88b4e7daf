"""A report's tables in LaTeX (booktabs): each as a file, and all of them as a document."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

from analysis.report.answer import Answer, answers_of
from analysis.report.model import Report
from analysis.report.sentences import probability
from analysis.signature import citation

from .report_tables import all_tables, folders_of
from .table_model import Cell, Column, Format, Table, text

PREAMBLE = r"""\documentclass[a4paper,10pt]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{textcomp}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\else % for names in other scripts, choose a font that has them: \setmainfont{...}
  \usepackage{fontspec}\usepackage[english,bidi=basic]{babel}
\fi
\usepackage[margin=1.8cm]{geometry}
\usepackage{booktabs,graphicx,longtable}
\setlength{\LTleft}{0pt}
"""
# pdfLaTeX has no glyphs of most scripts: it prints the number of such a character.
STAND_INS = r"""\ifPDFTeX
\newcommand{\standin}[2]{\ifcsname u8:\detokenize{#1}\endcsname\else
  \DeclareUnicodeCharacter{#2}{\texttt{U+#2}}\fi}
%s
\fi
"""

ALIGNMENT = {Format.TEXT: "l", Format.RANGE: "c", Format.INTERVAL: "c"}
# A longer table is broken over pages; what has more rows than this is only in its own files.
MOST_LINES, MOST_ROWS = 40, 1000
# Cells with longer texts are broken into lines.
LONGEST_CELL, PARAGRAPH = 40, r"p{.33\linewidth}"
# How many characters fit into a line of a long table, which cannot be scaled, at each size.
SIZES = ((100, r"\small"), (125, r"\footnotesize"), (150, r"\scriptsize"), (10**6, r"\tiny"))

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
    "\0": r"\kern0pt{}",
    "|": r"\textbar\allowbreak{}",
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
    "Φ": r"$\Phi$",
    "²": r"$^2$",
    "−": r"$-$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
}


# Two of these in a row would become one other character.
LIGATURE = re.compile(r"([-'`,])(?=\1)|([!?])(?=`)")


def escaped(text: str) -> str:
    """Escape text so that LaTeX prints it literally; control characters become spaces."""
    parted = LIGATURE.sub(lambda found: f"{found[0]}\0", text.replace("\0", " "))
    return "".join(
        SPECIAL.get(character, character if character.isprintable() else " ")
        for character in parted
    )


def document(report: Report, declined: Mapping[str, Any] | None = None) -> str:
    """Return a whole file that compiles, with every table of the report.

    Parameters
    ----------
    report : from `make_report`
    declined : numbers of answers of raters who could not judge (see `analysis.report.declined`)
    """
    parts = [rf"\section*{{{escaped(report.title or 'Report')}}}"]
    answers, folders = {each.criterion: each for each in answers_of(report)}, folders_of(report)
    for heading, found in all_tables(report, declined):
        parts.append(rf"\subsection*{{{escaped(heading)}}}")
        if heading in answers:
            parts.append(_opening(answers[heading], folders[heading]))
        parts += map(_placed, found)
    cited = escaped(citation(report.signature))
    line = re.sub("([,:])", r"\1\\allowbreak{}", escaped(report.signature))
    signed = rf"{{\raggedright\noindent\texttt{{\small {line}}}\par}}"
    parts.append(rf"\par\bigskip {signed}\noindent {cited}")
    return as_document(parts)


def as_document(parts: Sequence[str], preamble: str = PREAMBLE) -> str:
    """Return a whole file that compiles, with these paragraphs of LaTeX.

    Parameters
    ----------
    parts : of its body
    preamble : the class and the packages
    """
    body = "\n\n".join([r"\begin{document}", *parts, r"\end{document}", ""])
    return preamble + _stand_ins(body) + body


def _opening(answer: Answer, folder: str) -> str:
    """Return what a criterion opens with: the sentence, and the figure of the bundle."""
    figure = f"../plots/{folder}-answer.pdf"
    return (
        rf"\textbf{{{escaped(answer.headline)}}} {escaped(' '.join(answer.details))}"
        rf"\IfFileExists{{{figure}}}{{\par\medskip\noindent\includegraphics{{{figure}}}}}{{}}"
    )


def _stand_ins(body: str) -> str:
    foreign = sorted({character for character in body if not character.isascii()})
    lines = [rf"\standin{{{each}}}{{{ord(each):04X}}}" for each in foreign]
    return STAND_INS % "\n".join(lines) if foreign else ""


def _placed(table: Table) -> str:
    """Return a table with its caption, its notes and its file, no wider than the page."""
    if len(table.rows) > MOST_ROWS:
        shown = rf"\noindent {len(table.rows)} rows, which are only in the file."
    elif _is_long(table):
        size = next(size for most, size in SIZES if _width(table) <= most)
        shown = f"{{{size}\n{tabular(table)}\n}}"
    else:
        shown = (
            r"\sbox0{\small " + tabular(table) + "}"
            r"\noindent\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}"
            r"\else\usebox0\fi"
        )
    # The file's name is at the right: on a line of its own where the caption leaves no room.
    right = r"\unskip\nobreak\hfill\penalty50\hskip1em\null\nobreak\hfill"
    file = rf"\texttt{{\scriptsize {escaped(table.file)}}}"
    caption = rf"\noindent\textbf{{{escaped(table.caption)}}}{right} {file}"
    notes = "".join(
        rf"\par\smallskip\noindent{{\footnotesize {escaped(note)}}}" for note in table.notes
    )
    return (
        rf"\par\bigskip\goodbreak {{\parfillskip=0pt {caption}\nopagebreak\par}}"
        rf"\smallskip{chr(10)}{shown}{notes}"
    )


def _is_long(table: Table) -> bool:
    return len(table.rows) > MOST_LINES


def _width(table: Table) -> int:
    """Estimate a table's width in characters."""
    titles = [[column.title for column in table.columns]]
    rows = titles + [[cell for cell, _, _ in cells] for _, cells in table.lines]
    widths = (max(map(len, cells)) for cells in zip(*rows, strict=True))
    return sum(min(width, LONGEST_CELL) + 2 for width in widths)


def tabulars(tables: Sequence[Table]) -> str:
    """Return tables one after the other, each with its caption and notes as comments."""
    return "\n\n".join(map(commented, tables))


def commented(table: Table) -> str:
    """Return a table as a file, which says above the table what it is and needs."""
    needed = [r"\usepackage{booktabs}"]
    if _is_long(table):
        needed = [r"\usepackage{booktabs,longtable}", r"With two columns: \onecolumn before it."]
    said = (table.caption, *table.notes, *needed)
    lines = (" ".join(each.split()) for each in said)
    return "\n".join([*(f"% {line}" for line in lines), tabular(table)])


def tabular(table: Table) -> str:
    """Return a table; one that may be longer than a page is broken over pages."""
    head, rows = [], []
    if table.groups:
        groups = [
            rf"\multicolumn{{{span}}}{{c}}{{{escaped(group)}}}" for group, span in table.groups
        ]
        head.append(_line(groups))
    head += [_line(map(heading, table.columns)), r"\midrule"]
    for place, row in enumerate(table.rows):
        if place and row.begins:
            rows.append(r"\midrule")
        rows.append(_line(_latex_cell(cell, column) for cell, column in table.printed(row)))
    columns = "".join(map(_alignment, range(len(table.columns)), table.columns, repeat(table)))
    if _is_long(table):
        environment, head = "longtable", [*head, r"\endhead"]
    else:
        environment = "tabular"
    return "\n".join(
        [
            rf"\begin{{{environment}}}{{{columns}}}",
            r"\toprule",
            *head,
            *rows,
            r"\bottomrule",
            rf"\end{{{environment}}}",
        ]
    )


def _line(cells: Iterable[str]) -> str:
    """Return a row; in front of it, a bracket or star would be an option of the row before."""
    line = " & ".join(cells) + r" \\"
    return "{}" + line if line.startswith(("[", "*")) else line


def _alignment(place: int, column: Column, table: Table) -> str:
    longest = max((len(str(row.cells[place])) for row in table.rows), default=0)
    if column.format is Format.TEXT and longest > LONGEST_CELL:
        return PARAGRAPH
    return ALIGNMENT.get(column.format, "r")


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
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return ""
    ends = [_number(end, column.digits) for end in (low, high)]
    if column.format is Format.INTERVAL:
        return f"[{', '.join(ends)}]"
    return ends[0] if low == high else "--".join(ends)


def _number(number: float, digits: int) -> str:
    """Return a number with a real minus sign; what rounds to zero has none."""
    text = f"{number:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return f"$-${text[1:]}" if text.startswith("-") else text
