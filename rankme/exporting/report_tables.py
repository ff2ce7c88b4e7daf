"""A report's JSON as tables to read: the paper's table, the honest one, and what stands behind."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.report.sentences import HARDWARE_LATENCY
from analysis.table_files import guarded
from analysis.tukey_hsd import letter_name

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """`group` is what several neighbouring columns are about, printed once above them."""

    title: str
    is_number: bool = True
    group: str = ""


@dataclass(frozen=True)
class Row:
    """Cells as text; `begins` marks where a cluster begins, so that a line parts it."""

    cells: tuple[str, ...]
    begins: bool = False


@dataclass(frozen=True)
class Table:
    """`role` (`paper`, `honest`, …) says where it stands, `heads` which column names the row."""

    name: str
    caption: str
    role: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    heads: int = 0
    notes: tuple[str, ...] = ()

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings above groups of columns and how many each spans; none without groups."""
        if not any(column.group for column in self.columns):
            return []
        runs = groupby(column.group for column in self.columns)
        return [(group, len(list(columns))) for group, columns in runs]

    @property
    def lines(self) -> list[tuple[Row, list[tuple[str, Column, bool]]]]:
        """Each row with its cells, their columns, and whether a cell names the row."""
        return [
            (
                row,
                [
                    (cell, column, place == self.heads)
                    for place, (cell, column) in enumerate(
                        zip(row.cells, self.columns, strict=True)
                    )
                ],
            )
            for row in self.rows
        ]


@dataclass(frozen=True)
class CriterionTables:
    name: str
    kind: str
    facts: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    undefined: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...] = field(default=())

    def of(self, role: str) -> list[Table]:
        return [table for table in self.tables if table.role == role]

    @property
    def paper(self) -> list[Table]:
        return self.of("paper")

    @property
    def honest(self) -> list[Table]:
        return self.of("honest")

    @property
    def agreement(self) -> list[Table]:
        return self.of("agreement")

    @property
    def more(self) -> list[Table]:
        return self.of("more")


def tables_of(report: Json, timed_out: Mapping[str, int] | None = None) -> list[CriterionTables]:
    """All criteria of a report (`run.result["report"]`), with how many answers came too late."""
    late = timed_out or {}
    return [
        _criterion(found, report, late.get(found["criterion"], 0)) for found in report["criteria"]
    ]


def table_csv(table: Table) -> bytes:
    """One table as CSV; cells that a spreadsheet would run as formulas are guarded."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([guarded(column.title) for column in table.columns])
    writer.writerows([guarded(cell) for cell in row.cells] for row in table.rows)
    return text.getvalue().encode()


def _criterion(found: Json, report: Json, timed_out: int) -> CriterionTables:
    sections = [found["ranking"], found["scale"]]
    undefined = {
        method: reason
        for section in sections
        if section
        for method, reason in section["undefined"].items()
    }
    return CriterionTables(
        name=found["criterion"],
        kind=found["kind"],
        facts=tuple(_facts(found, timed_out)),
        tables=tuple(_tables(found, report)),
        undefined=tuple(undefined.items()),
        sentences=tuple(found["sentences"]),
    )


def _facts(found: Json, timed_out: int) -> Iterator[tuple[str, str]]:
    for name, title in (
        ("judgements", _("Judgements")),
        ("raters", _("Raters")),
        ("items", _("Items")),
        ("screens", _("Screens")),
    ):
        yield title, f"{found[name]:,}"
    if timed_out:
        yield _("Timed out and left out"), f"{timed_out:,}"
    if outliers := found["outliers"]:
        treated = outliers["below"] + outliers["above"]
        yield _("Outliers"), f"{treated:,} ({outliers['sentence']})"


def _tables(found: Json, report: Json) -> Iterator[Table]:
    if found["ranking"]:
        yield from _ranking_tables(found["ranking"])
    if found["categories"]:
        yield _category_table(found["categories"])
    if found["scale"]:
        yield from _scale_tables(found, found["scale"])
    if found["exclusion"]:
        yield _exclusion_table(found["exclusion"])
    yield _agreement_table(found["agreement"])
    yield from _rater_tables(found["criterion"], report["raters"])


# --- Rankings ----------------------------------------------------------------------------------

RANKED = {
    "none": ("paper", gettext_noop("As published in this field: no resampling")),
    "raters": ("honest", gettext_noop("With whole raters drawn anew before each run")),
    "raters-items": ("honest", gettext_noop("With raters and items drawn anew before each run")),
    "items": ("more", gettext_noop("With whole items drawn anew before each run")),
    "screens": ("more", gettext_noop("With whole screens drawn anew before each run")),
    "pairs": ("more", gettext_noop("With pairs drawn anew before each run")),
}


def _ranking_tables(ranking: Json) -> Iterator[Table]:
    for scheme, found in ranking["rankings"].items():
        role, caption = RANKED[scheme]
        yield Table(
            f"ranking-{scheme}",
            _(caption),
            role,
            (
                Column(_("Cluster")),
                Column(_("Score")),
                Column(_("Ranks")),
                Column(_("System"), is_number=False),
            ),
            tuple(_clustered(found["systems"], _ranked_cells)),
            heads=3,
            notes=(found["signature"],),
        )
    if ranking["bradley_terry"]:
        yield _strength_table(ranking["bradley_terry"])
    yield Table(
        "wins",
        _("Wins, ties and losses in pairs"),
        "more",
        (
            Column(_("System"), is_number=False),
            *(Column(title) for title in (_("Wins"), _("Ties"), _("Losses"), _("Share"))),
        ),
        tuple(
            Row((won["system"], *_whole(won, "wins", "ties", "losses"), number(won["share"], 3)))
            for won in ranking["win_shares"]
        ),
    )
    yield from _mixed_tables(ranking)


def _clustered(systems: Sequence[Json], cells: Any) -> Iterator[Row]:
    """Rows in which a cluster's number stands once, and a line parts the clusters."""
    before = [None, *(system["cluster"] for system in systems)]
    for system, last in zip(systems, before, strict=False):
        yield Row(cells(system, system["cluster"] != last), begins=system["cluster"] != last)


def _ranked_cells(system: Json, begins: bool) -> tuple[str, ...]:
    cluster = str(system["cluster"]) if begins else ""
    return cluster, number(system["mean"], 3), _range(system), system["system"]


def _strength_table(found: Json) -> Table:
    def cells(system: Json, begins: bool) -> tuple[str, ...]:
        cluster = str(system["cluster"]) if begins else ""
        spread = f"{number(system['ability'], 2)} ± {number(system['standard_error'], 2)}"
        return cluster, spread, _range(system), system["system"]

    return Table(
        "bradley-terry",
        _("Bradley–Terry with simultaneous intervals for all pairs"),
        "honest",
        (
            Column(_("Cluster")),
            Column(_("Log-odds ± SE")),
            Column(_("Ranks")),
            Column(_("System"), is_number=False),
        ),
        tuple(_clustered(found["systems"], cells)),
        heads=3,
    )


def _range(system: Json) -> str:
    low, high = system["rank_low"], system["rank_high"]
    return str(low) if low == high else f"{low}–{high}"


# --- Scales ------------------------------------------------------------------------------------


def _scale_tables(found: Json, scale: Json) -> Iterator[Table]:
    yield _means_table(found)
    is_error = found["kind"] == "error"
    if scale["anova"]:
        yield _anova_table(scale["anova"], "honest" if is_error else "paper")
    tests = [_rank_test(scale[name]) for name in ("kruskal", "friedman") if scale[name]]
    if scale["welch"]:
        tests.append(_welch(scale["welch"]))
    if tests:
        yield Table(
            "tests",
            _("Tests that assume less"),
            # Errors are no measurements: TUNA's paper tests them by ranks.
            "paper" if is_error else "honest",
            (Column(_("Test"), is_number=False), Column(_("Statistic")), Column("p")),
            tuple(tests),
        )
    if scale["tukey"]:
        yield _pairs_table("tukey", _("Tukey HSD, pair by pair"), scale["tukey"]["pairs"])
    yield from _mixed_tables(scale)


def _means_table(found: Json) -> Table:
    """Means with homogeneous subsets as columns, as the TUNA and SR'11 papers print them."""
    subsets = _subsets(found)
    shared = (_("Systems that share a letter do not differ by Tukey's HSD."),) if subsets else ()
    return Table(
        "means",
        _("Means and homogeneous subsets"),
        "paper",
        (
            Column(_("System"), is_number=False),
            *map(Column, _measures(found)),
            *(Column(letter, is_number=False) for letter in subsets),
        ),
        tuple(
            Row(
                (
                    system["system"],
                    *_measured(found, system),
                    *(
                        letter if system["system"] in subset else ""
                        for letter, subset in subsets.items()
                    ),
                )
            )
            for system in found["systems"]
        ),
        notes=shared + _about_times(found),
    )


def _subsets(found: Json) -> dict[str, Sequence[str]]:
    """The homogeneous subsets by their letters."""
    tukey = found["scale"]["tukey"]
    return {
        letter_name(place): subset for place, subset in enumerate(tukey["subsets"] if tukey else [])
    }


def _about_times(*criteria: Json) -> tuple[str, ...]:
    return (HARDWARE_LATENCY,) if any(each["kind"] == "time" for each in criteria) else ()


def _levels(found: Json) -> list[str]:
    return sorted({level for system in found["systems"] for level in system["by_level"]})


def _measures(found: Json) -> list[str]:
    """What is told of each system: by level and over all, as TUNA's Table 11; z as at WMT."""
    levels = _levels(found)
    mean = (_("both") if len(levels) == 2 else _("all")) if levels else _("Mean")
    titles = [*levels, mean]
    if found["kind"] == "error":
        return [f"{title} %" for title in titles]
    is_standardised = any(system.get("mean_z") is not None for system in found["systems"])
    return [*([_("Mean z")] if is_standardised else []), *titles, _("SD")]


def _measured(found: Json, system: Json) -> list[str]:
    means = [system["by_level"].get(level) for level in _levels(found)] + [system["mean"]]
    if found["kind"] == "error":
        return [number(None if mean is None else 100 * mean, 2) for mean in means]
    z = system.get("mean_z")
    return [
        *([number(z, 3)] if z is not None else []),
        *(number(mean, 2) for mean in means),
        number(system["sd"], 2),
    ]


def overview_table(report: Json) -> Table | None:
    """All that was measured beside each other, each with the letters of its subsets.

    TUNA's Table 11, Surface Realisation's Tables 8 and 9, and RotoWire's Table 3 have this shape.
    """
    criteria = [found for found in report["criteria"] if found["scale"]]
    if len(criteria) < 2:
        return None
    systems = [system["system"] for system in criteria[0]["systems"]]
    return Table(
        "overview",
        _("All criteria beside each other"),
        "paper",
        (
            Column(_("System"), is_number=False),
            *(column for found in criteria for column in _overview_columns(found)),
        ),
        tuple(
            Row((system, *(cell for found in criteria for cell in _overview_cells(found, system))))
            for system in systems
        ),
        notes=(_("Letters: homogeneous subsets by Tukey's HSD."), *_about_times(*criteria)),
    )


def _overview_columns(found: Json) -> Iterator[Column]:
    for title in _measures(found):
        yield Column(title, group=found["criterion"])
    if _subsets(found) and found["kind"] != "error":
        yield Column(_("Subsets"), is_number=False, group=found["criterion"])


def _overview_cells(found: Json, system: str) -> Iterator[str]:
    row = next((row for row in found["systems"] if row["system"] == system), None)
    yield from _measured(found, row) if row else [""] * len(_measures(found))
    if (subsets := _subsets(found)) and found["kind"] != "error":
        yield " ".join(letter for letter, subset in subsets.items() if system in subset)


def _anova_table(anova: Json, role: str) -> Table:
    columns = ("df", _("Sum of squares"), _("Mean square"), "F", "p", "η²")
    return Table(
        "anova",
        _("Analysis of variance"),
        role,
        (Column(_("Source"), is_number=False), *(Column(title) for title in columns)),
        tuple(
            Row(
                (
                    row["source"],
                    number(row["df"], 0),
                    number(row["sum_sq"], 2),
                    number(row["mean_sq"], 2),
                    number(row["F"], 2),
                    probability(row["p"]),
                    number(row["eta_sq"], 3),
                )
            )
            for row in anova["rows"]
        ),
        notes=(anova["design"],),
    )


def _rank_test(test: Json) -> Row:
    return Row(
        (test["test"], f"χ²({test['df']}) = {number(test['statistic'], 2)}", probability(test["p"]))
    )


def _welch(test: Json) -> Row:
    between = f"F({number(test['df'], 0)}, {number(test['df_residual'], 1)})"
    return Row(("Welch", f"{between} = {number(test['F'], 2)}", probability(test["p"])))


def _mixed_tables(section: Json) -> Iterator[Table]:
    if section["clustered"]:
        caption = _("Least squares with errors clustered by rater and item")
        yield _estimates_table("clustered", caption, "more", section["clustered"]["means"])
    model = section["mixed_full"] or section["mixed"]
    if not model:
        return
    caption = _("Mixed model: raters and items as random effects")
    notes = (model["formula"], section.get("mixed_scale") or section["scale"])
    yield _estimates_table("mixed", caption, "honest", model["means"], notes)
    yield _pairs_table(
        "mixed-pairs", _("Mixed model, pair by pair, simultaneous"), model["contrasts"]
    )


def _estimates_table(
    name: str, caption: str, role: str, means: Sequence[Json], notes: tuple[str, ...] = ()
) -> Table:
    return Table(
        name,
        caption,
        role,
        (
            Column(_("System"), is_number=False),
            Column(_("Mean")),
            Column(_("Interval")),
        ),
        tuple(Row((mean["system"], number(mean["mean"], 3), interval(mean))) for mean in means),
        notes=notes,
    )


def _pairs_table(name: str, caption: str, pairs: Sequence[Json]) -> Table:
    return Table(
        name,
        caption,
        "more",
        (
            Column("A", is_number=False),
            Column("B", is_number=False),
            Column(_("Difference")),
            Column(_("Interval")),
            Column("p"),
        ),
        tuple(
            Row(
                (
                    pair["a"],
                    pair["b"],
                    number(pair["difference"], 3),
                    interval(pair),
                    probability(pair["p"]),
                )
            )
            for pair in pairs
        ),
    )


# --- The rest ----------------------------------------------------------------------------------


def _category_table(found: Json) -> Table:
    test = found["test"]
    note = (
        f"{test['test']}({test['df']}) = {number(test['statistic'], 2)}, p {probability(test['p'])}"
        if test
        else found["reason"]
    )
    return Table(
        "categories",
        _("Percentages by system"),
        "paper",
        (
            Column(_("System"), is_number=False),
            *(Column(f"{label} %") for label in found["labels"]),
            Column("n"),
        ),
        tuple(
            Row(
                (
                    row["system"],
                    *(number(share, 1) for share in row["percent"]),
                    str(row["judgements"]),
                )
            )
            for row in found["rows"]
        ),
        notes=(note,) if note else (),
    )


def _exclusion_table(changes: Sequence[Json]) -> Table:
    return Table(
        "exclusion",
        _("Ranks before and after raters were excluded"),
        "honest",
        (
            Column(_("System"), is_number=False),
            Column(_("Before")),
            Column(_("After")),
        ),
        tuple(
            Row((row["system"], *(str(row[at] or "–") for at in ("rank_before", "rank_after"))))
            for row in changes
        ),
    )


def _agreement_table(coefficients: Sequence[Json]) -> Table:
    return Table(
        "agreement",
        _("Agreement of raters"),
        "agreement",
        (
            Column(_("Coefficient"), is_number=False),
            Column(_("Value")),
            Column(_("Interval")),
            Column(_("Why not"), is_number=False),
        ),
        tuple(
            Row((found["name"], number(found["value"], 3), interval(found), found["reason"]))
            for found in coefficients
        ),
    )


def _rater_tables(criterion: str, raters: Sequence[Json]) -> Iterator[Table]:
    mine = [rater for rater in raters if rater["criterion"] == criterion]
    if mine:
        titles = (_("Judgements"), _("Agreement"), _("Seconds per screen"), _("Ties"), _("Range"))
        yield Table(
            "raters",
            _("Raters"),
            "more",
            (Column(_("Rater"), is_number=False), *(Column(title) for title in titles)),
            tuple(
                Row(
                    (
                        rater["rater"],
                        str(rater["judgements"]),
                        number(rater["agreement"], 2),
                        number(rater["seconds_per_screen"], 1),
                        number(rater["ties"], 2),
                        f"{number(rater['lowest'], 1)}–{number(rater['highest'], 1)}",
                    )
                )
                for rater in mine
            ),
        )


def correlation_table(report: Json) -> Table | None:
    """Correlations between criteria, where there are several."""
    if not report["correlations"]:
        return None
    return Table(
        "correlations",
        _("Correlations between criteria"),
        "more",
        (
            *(Column(title, is_number=False) for title in ("A", "B", _("Method"), _("Level"))),
            Column("r"),
            Column("p"),
            Column("n"),
        ),
        tuple(
            Row(
                (
                    *(found[name] for name in ("a", "b", "method", "level")),
                    number(found["value"], 3),
                    probability(found["p"]),
                    str(found["n"]),
                )
            )
            for found in report["correlations"]
        ),
    )


def number(value: float | None, digits: int) -> str:
    """A number with so many decimals; without a value a dash."""
    return "–" if value is None else f"{value:.{digits}f}"


def probability(p: float | None) -> str:
    """A p-value as papers write it."""
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)


def interval(found: Json) -> str:
    low, high = found["low"], found["high"]
    return "–" if low is None or high is None else f"{low:.3f} … {high:.3f}"


def _whole(found: Json, *names: str) -> tuple[str, ...]:
    return tuple(f"{found[name]:,}" for name in names)
