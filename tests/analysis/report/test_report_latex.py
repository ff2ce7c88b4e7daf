"""Every table of a report as LaTeX and as CSV, and all of them in a document that compiles."""

import csv
import io
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from analysis import JudgementTable
from analysis.meta_evaluation.compared import Compared
from analysis.meta_evaluation.judges import Verdict
from analysis.report.layout.latex import document, escaped, tabular, tabulars
from analysis.report.layout.report_tables import all_tables
from analysis.report.layout.table_model import Column, Format, Row, Table, as_csv, file_names
from analysis.report.make import ReportOptions, make_report
from analysis.report.model import Report
from analysis.report.rendered import rendered_files
from analysis.text_metrics.score_files import scores_from
from tests.analysis.judged import labels, rebuilt
from tests.analysis.studies import (
    EVERY_KIND,
    QUICK,
    STUDIES,
    every_kind,
    marked_errors,
    sliders,
)
from tests.latex import assert_well_formed, compiled

WICKED = (
    "A&B_50%",
    "x~y^z {q}",
    r"\input{x} $1$ #2",
    "[b] β-Système “ß” Ħĸ",
    "*c -- ''d'' ,,e !`",
    "名前 🙂 سلام",
)
DECLINED = {"systems": [("a_b", 3, 1)], "reasons": [("50 % & more", 1)], "raters": [("r_1", 1)]}


def compared_with_metrics() -> tuple[JudgementTable, Compared]:
    table, dice = sliders(), np.random.default_rng(2)
    systems, items = table.system.labels, table.item.labels
    scores = {
        (metric, system, item): step * place + dice.normal()
        for metric, step in (("b_leu & 50%", 1), ("noise", 0))
        for place, system in enumerate(systems)
        for item in items
    }
    verdicts = tuple(
        Verdict(item, first, second, dice.choice([1, -1]))
        for item in items
        for first, second in pairwise(systems)
    )
    return table, Compared(scores_from(scores, []), {"l_m": verdicts})


@cache
def report_of(kind: str, *, wicked: bool = False) -> Report:
    """A report of a kind; where it is wicked, its systems' names are LaTeX or in other scripts."""
    options, compared = dict(EVERY_KIND), None
    if kind in STUDIES:
        make, options = STUDIES[kind]
        table = make()
    elif kind == "marks":
        table, options = marked_errors(), {"kinds": {"errors": "scale"}}
    elif kind == "metrics":
        table, compared = compared_with_metrics()
        options = {
            "metrics": ["b_leu & 50%", "noise", "l_m"],
            "judges": {"l_m": ["sys0"]},
            "metric_resamples": 20,
        }
    else:
        table = every_kind()
    if wicked:
        names = dict(zip(table.system.labels, [*WICKED[2:], *WICKED], strict=False))
        factors = {
            name: [each.labels[code] for code in each.codes] for name, each in table.factors.items()
        }
        table = rebuilt(table, system=[names[each] for each in labels(table, "system")], **factors)
        options = {**options, "title": "R&D <1>"}
    return make_report(table, ReportOptions.from_dict({**QUICK, **options}), compared=compared)


# No other of STUDIES has a table that none of these has.
KINDS = ("RotoWire", "every", "marks", "metrics")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_every_table_is_in_the_bundle_as_latex_and_as_csv(kind, monkeypatch):
    monkeypatch.setattr("analysis.report.rendered.PLOT_FORMATS", ())
    report = report_of(kind)
    files = rendered_files(report, declined={report.criteria[0].criterion: DECLINED})
    tables = [table for _, found in all_tables(report, {report.criteria[0].criterion: DECLINED})
              for table in found]  # fmt: skip
    names = [f"{table.file}.{form}" for table in tables for form in ("tex", "csv")]
    assert sorted(files) == sorted([*names, "tables/report.tex"]), "a file for each, and no other"
    for table in tables:
        tex, rows = files[f"{table.file}.tex"].decode(), files[f"{table.file}.csv"].decode()
        assert_well_formed(tex)
        assert f"% {table.caption}" in tex
        read = list(csv.reader(io.StringIO(rows)))
        assert len(read) == 1 + len(table.rows) and len({len(row) for row in read}) == 1
        assert tabular(table) in files["tables/report.tex"].decode(), table.name


MEANT = {
    "mixed": {"Mean", "Error", "Interval", "n"},
    "clustered": {"Mean", "Error", "Interval", "n"},
    "mixed-pairs": {"Difference", "Interval", "p"},
    "means": {"SD", "n"},
    "overview": {"SD", "n"},
    "agreement": {"Value", "Interval", "n"},
    "correlations": {"r", "p", "n"},
    "tests": {"Statistic", "df", "p", "n"},
    "preferences": {"Probability", "Interval", "Comparisons"},
}


def test_tables_for_papers_have_spread_intervals_and_numbers_of_judgements():
    tables = [table for _, found in all_tables(report_of("every")) for table in found]
    titles = ((table.name, {column.title for column in table.columns}) for table in tables[::-1])
    found = dict(titles)  # those of the first criterion that has the table
    assert {name: meant & found[name] for name, meant in MEANT.items()} == MEANT


def test_the_ends_of_an_interval_are_two_columns_of_a_csv():
    columns = (Column("System"), Column("Interval", Format.INTERVAL, 1), Column("n", Format.WHOLE))
    rows = (Row(("a", (0.123456, 2.0), 3)), Row(("b", (None, None), None)))
    assert as_csv(Table("t", "T", columns, rows)).splitlines() == [
        "System,Interval low,Interval high,n", "a,0.123456,2.0,3", "b,,,",
    ]  # fmt: skip


def test_a_cluster_is_printed_once_and_is_in_every_row_of_a_csv():
    columns = (Column("Cluster", Format.WHOLE, is_once=True), Column("System"))
    rows = (Row((1, "a"), True), Row((1, "b")), Row((2, "c"), True))
    table = Table("t", "T", columns, rows)
    assert as_csv(table).splitlines()[1:] == ["1,a", "1,b", "2,c"]
    assert [cells[0][0] for _, cells in table.lines] == ["1", "", "2"]
    assert [line for line in tabular(table).split("\n") if line.endswith(r"\\")][1:] == [
        r"1 & a \\", r" & b \\", r"2 & c \\",
    ]  # fmt: skip


def test_labels_never_share_a_file():
    names = file_names(["a b", "a-b", "a-b-2", "A_B", "名前", "成績", ""])
    assert len({name.casefold() for name in names}) == 7
    assert names[0] == "a-b"


def test_every_character_of_a_name_is_printed():
    assert escaped("a_b & 50% {x} #1 ~^\\$") == (
        r"a\_b \& 50\% \{x\} \#1 \textasciitilde{}\textasciicircum{}\textbackslash{}\$"
    )
    assert escaped("a\nb\x00c") == "a b c"
    apart = r"\kern0pt{}"  # without it, two characters would become one other
    assert escaped("a--b ,,c'' d-e") == f"a-{apart}-b ,{apart},c'{apart}' d-e"


@pytest.mark.parametrize("name", ["[b]", "*c"])
def test_names_do_not_become_options_of_the_row_above(name):
    table = Table("t", "T", (Column("System"),), (Row(("a",)), Row((name,))))
    assert rf"{{}}{name} \\" in tabular(table).split("\n")


def test_a_long_table_is_broken_over_pages_and_a_longer_one_is_only_in_its_files():
    columns = (Column("System"), Column("Reason"))
    rows = tuple(Row((f"s{number}", "word " * 20)) for number in range(41))
    assert r"\begin{tabular}" in tabular(Table("t", "T", columns, rows[1:]))
    long = tabular(Table("t", "T", columns, rows))
    assert r"\begin{longtable}{lp{" in long and r"\endhead" in long
    comment = tabulars([Table("t", "T", columns, rows)]).split(r"\begin")[0]
    assert "longtable" in comment and r"\onecolumn" in comment


# --- a TeX, where there is one -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_report_compiles(kind, tmp_path):
    text = document(report_of(kind, wicked=True), {report_of(kind).criteria[0].criterion: DECLINED})
    log = compiled("pdflatex", text, tmp_path)
    assert "Missing character" not in log


def test_every_letter_of_european_languages_is_printed(tmp_path):
    """What pdfLaTeX does not know is printed as its number; an error would stop it."""
    latin = "".join(chr(code) for code in range(0xA0, 0x250) if chr(code).isprintable())
    report = replace(report_of("SR11"), title=f"{latin} ‘’“”„–—… €™ ≤ Φ Ω я")
    compiled("pdflatex", document(report), tmp_path)


# --- without one -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        r"\begin{tabular}{lr}\toprule\na & b & c \\\n\bottomrule\n\end{tabular}",
        r"\begin{tabular}{lr}\toprule\na_b & c \\\n\bottomrule\n\end{tabular}",
        r"\begin{tabular}{lr}\toprule\n{a & c \\\n\bottomrule\n\end{tabular}",
        r"\begin{tabular}{lr}\toprule\na & c \\\n\bottomrule\n",
    ],
)
def test_the_check_finds_malformed_latex(fault):
    with pytest.raises(AssertionError):
        assert_well_formed(fault.replace(r"\n", "\n"))


@pytest.mark.parametrize("kind", ["every", "metrics"])
def test_wicked_names_leave_tables_well_formed(kind):
    for _, tables in all_tables(report_of(kind, wicked=True)):
        for table in tables:
            assert_well_formed(tabular(table))
