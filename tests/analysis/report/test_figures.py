"""Figures of a report: two widths, text of 8 pt, colours that differ, and what each shows."""

import itertools
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from matplotlib.text import Text

from analysis.reliability.rater_profiles import RaterProfile
from analysis.report.distribution import CLASSES, distribution
from analysis.report.make import ReportOptions, make_report
from analysis.report.model import Report
from analysis.report.pictures.plots import (
    LONGEST_LABEL,
    ONE_COLUMN,
    TWO_COLUMNS,
    answer_bars,
    answer_strips,
    drawn,
    has_room,
    luminance,
    point_colours,
    rater_agreement,
)
from analysis.report.rendered import pictures_to_make
from tests.analysis.studies import QUICK, STUDIES, from_rows, report_of

LONG = "T5 (ours, with constrained decoding and a reranker), $\\beta$ & β-Ж"


def points(systems: int = 4, raters: int = 12) -> Report:
    """Answers from 1 to 5; one system has a long name, and one rater answers by chance."""
    dice, rows = np.random.default_rng(3), []
    for rater, item, system in itertools.product(range(raters), range(8), range(systems)):
        value = dice.integers(1, 6) if rater == 3 else 4 - 0.5 * system + item % 2 + dice.normal()
        place = (f"r{rater}", f"i{item}", LONG if system == 1 else f"sys{system}", "fluency")
        rows.append((*place, float(np.clip(np.round(value), 1, 5)), f"{rater}-{item}-{system}"))
    options = ReportOptions.from_dict({**QUICK, "kinds": {"fluency": "scale"}})
    return make_report(from_rows(rows), options)


@cache
def report(name: str) -> Report:
    return report_of(name) if name in STUDIES else points()


@pytest.mark.slow
@pytest.mark.parametrize("width", [ONE_COLUMN, TWO_COLUMNS], ids=["one column", "two columns"])
def test_every_figure_has_its_width_and_its_text_at_8_pt_inside(width):
    """One of each kind; where there is a choice, of the study with a long name."""
    kinds = {
        picture.split("-", 1)[1]: make
        for name in (*STUDIES, "points")
        for picture, make in pictures_to_make(report(name), width).items()
    }
    for picture, make in kinds.items():
        figure = make()
        drawn(figure, "svg")
        assert figure.get_size_inches()[0] == pytest.approx(width), picture
        figure.draw_without_rendering()
        whole = figure.bbox.padded(1)
        for text in figure.findobj(Text):
            if text.get_text() and text.get_visible():
                assert text.get_fontsize() == 8, (picture, text)
        box = figure.get_tightbbox().transformed(figure.dpi_scale_trans)
        assert whole.x0 <= box.x0 and box.x1 <= whole.x1, f"{picture} is cut off"
        assert whole.y0 <= box.y0 and box.y1 <= whole.y1, f"{picture} is cut off"


def test_a_heat_map_of_many_systems_exists_at_two_columns_only():
    names = [f"system {number}" for number in range(14)]
    assert has_room(names, TWO_COLUMNS) and not has_room(names, ONE_COLUMN)
    assert any("wins" in name for name in pictures_to_make(report("E2E"), ONE_COLUMN))


# Machado, Oliveira & Fernandes (2009), Table 1: deuteranopia, for linear red, green and blue.
DEUTERANOPIA = np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                         [-0.011820, 0.042940, 0.968881]])  # fmt: skip
# CIE's XYZ of linear sRGB, divided by the white point.
XYZ = np.array([[0.4339, 0.3762, 0.1899], [0.2127, 0.7152, 0.0722], [0.0178, 0.1095, 0.8729]])


def lab(linear: np.ndarray) -> np.ndarray:
    x, y, z = np.cbrt(np.clip(XYZ @ np.clip(linear, 0, 1), 0.008856, 1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("count", range(2, 12))
def test_neighbouring_colours_of_a_scale_differ_in_grey_and_without_green(count):
    """By ten units of CIE's lightness or difference, of which about two can be told apart."""
    colours = point_colours(count)
    assert len({colour[:3] for colour in colours}) == count
    linear = [
        np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]])
        for colour in colours
    ]
    grey = [lab(np.full(3, luminance(colour)))[0] for colour in colours]
    assert min(abs(a - b) for a, b in itertools.pairwise(grey)) > 10
    seen = [lab(DEUTERANOPIA @ each) for each in linear]
    assert min(np.linalg.norm(a - b) for a, b in itertools.pairwise(seen)) > 10


def test_bars_of_answers_add_up_and_have_the_middle_of_the_scale_at_0():
    found = report("points").criterion("fluency").distribution
    assert found.is_points and found.values == (1, 2, 3, 4, 5)
    (axes,) = answer_bars(found, list(found.counts)).axes
    bars = np.array(
        [[(bar.get_x(), bar.get_width()) for bar in group] for group in axes.containers]
    )
    assert bars[:, :, 1].sum(axis=0) == pytest.approx(100)
    middle = bars[2]
    assert middle[:, 0] + middle[:, 1] / 2 == pytest.approx(0)
    for row, name in enumerate(found.counts):
        counts = np.array(found.counts[name])
        assert bars[:, row, 1] == pytest.approx(100 * counts / counts.sum())


@pytest.mark.parametrize(("is_time", "values"), [(False, (0.5, 99.0)), (True, (120.0, 90_000.0))])
def test_classes_hold_every_value(is_time, values):
    dice = np.random.default_rng(1)
    drawn_values = np.append(dice.uniform(*values, 300), values)
    rows = [("r", f"i{k}", f"s{k % 3}", "c", float(value), f"{k}")
            for k, value in enumerate(drawn_values)]  # fmt: skip
    found = distribution(from_rows(rows), is_time=is_time)
    assert not found.is_points and found.is_logarithmic == is_time
    assert len(found.values) == CLASSES + 1
    assert sum(map(sum, found.counts.values())) == len(rows)
    assert (found.values[0], found.values[-1]) == values


def test_a_point_that_nobody_chose_keeps_its_place_and_one_value_has_no_figure():
    rows = [("r", f"i{k}", "s", "c", float(value), f"{k}") for k, value in enumerate([1, 1, 4])]
    assert distribution(from_rows(rows)).counts == {"s": (2, 0, 0, 1)}
    assert distribution(from_rows(rows[:2])) is None


@pytest.mark.slow
def test_strips_have_the_mean_and_the_median_of_each_system():
    clarity = report("SR11").criterion("Clarity")
    (axes,) = answer_strips(clarity.distribution, clarity.systems).axes
    at = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "D"]
    assert at == [row.mean for row in clarity.systems]


# --- raters ------------------------------------------------------------------------------------


def profile(rater: str, agreement: float | None) -> RaterProfile:
    return RaterProfile(
        rater=rater, criterion="q", judgements=9, screens=9, agreement=agreement,
        agreement_outputs=9, agreement_reason="", agreement_systems=None, seconds_per_screen=None,
        ties=None, lowest=0, highest=1, mean=0.5, sd=0.1, distinct=2, most_frequent_share=0.5,
    )  # fmt: skip


def named(*agreements: float | None, name: str = "r{}") -> str:
    """Who is named below the figure as far below the rest."""
    profiles = [profile(name.format(number), value) for number, value in enumerate(agreements)]
    (said,) = [text.get_text() for text in rater_agreement(profiles).texts]
    found = re.search(r"above 0 \((.*)\)", said.replace("\n", " "))
    return found[1] if found else ""


def test_only_raters_far_below_the_rest_are_named():
    crowd = [0.6 + 0.01 * number for number in range(20)]
    assert named(*crowd) == ""
    assert named(*crowd, 0.2, -0.1) == "r21, r20", "the least first"
    assert named(0.4, 0.41, 0.42, None) == ""
    many = named(*[-0.1 - 0.01 * number for number in range(30)])
    assert many == "r29, r28, r27, r26, r25 and 25 more"
    assert len(named(-0.2, 0.4, 0.5, name="n" * 200 + "{}")) == LONGEST_LABEL


def test_a_report_from_before_distributions_has_its_other_figures():
    made = report("points")
    old = replace(made, criteria=tuple(replace(each, distribution=None) for each in made.criteria))
    lacking = pictures_to_make(made).keys() - pictures_to_make(old).keys()
    assert lacking == {"fluency-answers"} and re.match("fluency-", next(iter(lacking)))
