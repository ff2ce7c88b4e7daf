"""What a report is written to: tables of papers, pictures, and a bundle that recomputes."""

import io
import itertools
import json
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import matplotlib
import pytest
from fontTools.ttLib import TTFont

from analysis import TableError
from analysis.report.bundle import read_bundle, report_json, write_bundle
from analysis.report.layout.latex import tabular
from analysis.report.layout.ranking_tables import ranking_table
from analysis.report.layout.scale_tables import anova_table, means_table
from analysis.report.make import ReportOptions, make_report
from analysis.report.model import Report
from analysis.report.pictures.plots import SHADES, drawn, ink_on, luminance
from analysis.report.rendered import pictures_to_make, rendered_files
from analysis.scales.anova import group_moments, one_way
from analysis.scales.tukey_hsd import tukey
from tests.analysis.studies import QUICK, STUDIES, report_of, sliders


def undrawn(name: str, _: type, make: Callable[[], bytes]) -> bytes:
    """In the place of a picture, which takes most of the time, its name."""
    return name.encode()


def files_of(report: Report) -> dict[str, bytes]:
    """What a bundle holds next to the numbers: tables, and the names of pictures."""
    return rendered_files(report, undrawn)


def tex_rows(table: str) -> list[list[str]]:
    """The cells of each line of a LaTeX table."""
    lines = [line for line in table.split("\n") if line.endswith(r"\\")]
    return [[cell.strip() for cell in line.removesuffix(r"\\").split("&")] for line in lines]


# --- shapes of the papers ----------------------------------------------------------------------


def test_e2e_table_eleven_has_cluster_mean_range_and_system():
    ranking = report_of("E2E").criterion("quality").ranking.rankings["none"]
    table = tabular(ranking_table(ranking, "none"))
    rows = tex_rows(table)
    assert rows[0] == ["Cluster", "Score", "Ranks", "System"]
    assert [row[3] for row in rows[1:]] == [system.system for system in ranking.systems]
    clusters = [str(system.cluster) for system in ranking.systems]
    assert [row[0] for row in rows[1:] if row[0]] == list(dict.fromkeys(clusters))
    assert table.count(r"\midrule") == len(set(clusters))


# Belz et al. (2011), Tables 8 and 9 with the F ratios of section 4: means and published letters.
# The residual follows from means and F, with 100 sentences a system (shallow) and 99 (deep).
SURFACE_REALISATION = [
    (49.402, 100, "Corpus 88.55 A, STUMABA-S 74.80 B, DCU 64.26 B, UCM 38.38 C, ATT 38.06 C"),
    (52.839, 100, "Corpus 88.97 A, STUMABA-S 78.93 AB, DCU 77.32 B, ATT 50.72 C, UCM 38.43 D"),
    (82.565, 100, "Corpus 96.68 A, STUMABA-S 83.82 B, DCU 81.14 B, ATT 58.04 C, UCM 30.27 D"),
    (120.020, 99, "Corpus 83.28 A, STUMABA-D 60.30 B, OSU 22.71 C"),
    (162.22, 99, "Corpus 88.06 A, STUMABA-D 64.91 B, OSU 22.83 C"),
    (197.27, 99, "Corpus 99.86 A, STUMABA-D 72.54 B, OSU 32.44 C"),
]


@pytest.mark.parametrize(("ratio", "sentences", "text"), SURFACE_REALISATION)
@pytest.mark.slow
def test_surface_realisation_tables_have_the_published_subsets(ratio, sentences, text):
    rows = [row.split() for row in text.split(", ")]
    means = {system: float(mean) for system, mean, _ in rows}
    centre = sum(means.values()) / len(means)
    between = sum(sentences * (mean - centre) ** 2 for mean in means.values()) / (len(means) - 1)
    df = len(means) * (sentences - 1)
    found = tukey(list(means), list(means.values()), [sentences] * len(means), between / ratio, df)
    made = report_of("SR11").criteria[0]
    systems = tuple(replace(made.systems[0], system=name, mean=means[name]) for name in means)
    part = replace(made, scale=replace(made.scale, tukey=found), systems=systems)
    printed = tex_rows(tabular(means_table(part)))[1:]
    for (system, mean, letters), cells in zip(rows, printed, strict=True):
        assert (cells[0], cells[1], "".join(cells[4:])) == (system, mean, letters)


def test_an_anova_table_has_a_row_for_each_source():
    table = sliders().for_criterion("Clarity")
    anova = one_way(table.value, table.system.codes, 5)
    rows = tex_rows(tabular(anova_table(anova)))
    assert [row[0] for row in rows[1:]] == ["system", "Residual"]
    assert group_moments(table.value, table.system.codes, 5).sizes.sum() == len(table)


# --- pictures ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_equal_reports_give_equal_pictures_without_dates_and_type_3_fonts():
    """One picture of each kind: those of other studies and resamplings are drawn alike.

    Several publishers refuse fonts of type 3; matplotlib writes them unless told otherwise.
    """
    kinds = {
        name.split("-")[1]: (made, name)
        for made in map(report_of, STUDIES)
        for name in pictures_to_make(made)
    }
    assert kinds.keys() == {
        *("answer", "answers", "heatmap", "letters", "raters", "ranks", "wins"),
        *("agreement", "influence", "more", "peers", "scale"),
    }
    for made, name in kinds.values():
        once, again = pictures_to_make(made)[name](), pictures_to_make(made)[name]()
        formats = ("svg", "pdf", "png")
        contents = {format: drawn(once, format) for format in formats}
        # In any order: a killed worker's successor draws only the files that are missing.
        assert contents == {format: drawn(again, format) for format in reversed(formats)}
        for content in contents.values():
            assert b"CreationDate" not in content and b"dc:date" not in content
        assert b"/Subtype /Type3" not in contents["pdf"], name
        assert b"/FontFile2" in contents["pdf"], name
        for font in embedded_fonts(contents["pdf"]):
            assert "glyf" in font


def test_pictures_repeat_colours_as_text():
    figure = pictures_to_make(report_of("E2E"))["quality-heatmap-none"]()
    text = drawn(figure, "svg").decode()
    shares = report_of("E2E").criterion("quality").ranking.rank_shares["none"]
    for name, share in shares.items():
        assert name in text
        assert f">{100 * max(share):.0f}</text>" in text


def embedded_fonts(pdf: bytes) -> list[list[str]]:
    """The tables of each font that a PDF contains."""
    packed = re.findall(rb"/Length1 \d+[^>]*>>\nstream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    assert packed
    return [TTFont(io.BytesIO(zlib.decompress(font))).keys() for font in packed]


def test_colours_differ_in_lightness_too():
    """Seen in grey the shades still run one way."""
    colours = matplotlib.colormaps[SHADES]([k / 20 for k in range(21)])[:, :3]
    grey = colours @ [0.299, 0.587, 0.114]
    assert all(first > second for first, second in itertools.pairwise(grey))


def test_numbers_contrast_with_their_shade():
    """Contrast after WCAG 2; without that the numbers on middle blue could not be read."""
    for shade in (k / 50 for k in range(51)):
        ink = {"white": 1.0, "black": 0.0}[ink_on(shade)]
        dark, light = sorted([luminance(matplotlib.colormaps[SHADES](shade)), ink])
        assert (light + 0.05) / (dark + 0.05) >= 4.5


# --- the bundle --------------------------------------------------------------------------------


@cache
def bundle_of(name: str) -> bytes:
    table, options = STUDIES[name]
    settings = ReportOptions.from_dict({**QUICK, **options})
    file = io.BytesIO()
    write_bundle(file, table(), report_of(name), settings, files_of(report_of(name)))
    return file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(STUDIES))
def test_a_bundle_recomputes_to_the_same_report_and_bundle(name):
    """Equal bundles are equal bytes; pictures are compared above."""
    again = read_bundle(io.BytesIO(bundle_of(name)))
    made = make_report(again.table, again.options)
    assert made == report_of(name)
    assert again.report == json.loads(report_json(made))
    file = io.BytesIO()
    write_bundle(file, again.table, made, again.options, files_of(made))
    assert file.getvalue() == bundle_of(name)


@pytest.mark.slow
def test_a_bundle_holds_tables_plots_and_a_way_to_recompute():
    with zipfile.ZipFile(io.BytesIO(bundle_of("E2E"))) as bundle:
        names = bundle.namelist()
        readme = bundle.read("README.txt").decode()
    assert {"judgements.csv", "options.json", "report.json", "tables/report.tex"} <= set(names)
    assert {"plots/quality-ranks-none.svg", "plots/quality-wins.pdf"} <= set(names)
    assert report_of("E2E").signature in readme
    assert "excluded = 1" in readme and "LaTeX" in readme
    for absent in ("scores.csv", "verdicts.csv", "cannot_judge.csv", "checks.csv"):
        assert absent not in readme, "only what is in the bundle is listed"
    assert re.search(r"python -m analysis report \S+\.zip", readme)


def test_other_files_are_refused_as_bundles():
    with pytest.raises(TableError, match="not a bundle"):
        read_bundle(io.BytesIO(b"PK\x03\x04 but not really"))
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w") as bundle:
        bundle.writestr("judgements.csv", "x")
    with pytest.raises(TableError, match="not a bundle"):
        read_bundle(io.BytesIO(empty.getvalue()))
