"""Digits that only their movement shows: random dots, which move one way inside the digit and the
other way outside. Pure: a seed goes in, a picture comes out.

Each frame is drawn from two fields of dots, in each of which all cells are independent and dark as
often as light. So one frame is a fair coin for each cell, whatever the digit is. A share of the
dots is drawn again from frame to frame, so that two frames a second apart have little in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from analysis.typing import Flags

CELLS = 72  # on each side of the picture
SCALE = 8  # cells for each dot of the digits below
FRAMES, FRAME_MS = 40, 80
REFRESHED = 0.3  # the share of dots that are drawn again with each frame
# WCAG 2.2 (general flash): no change of a tenth of the greatest luminance or more. Black is 0, and
# this grey .095, so that nothing flashes, however often its dots change.
DARK, LIGHT = 0, 87
WAYS = ((0, 1), (0, -1), (1, 0), (-1, 0))
DIGITS = {
    "2": ("#####", "....#", "....#", "#####", "#....", "#....", "#####"),
    "3": ("#####", "....#", "....#", ".####", "....#", "....#", "#####"),
    "4": ("#...#", "#...#", "#...#", "#####", "....#", "....#", "....#"),
    "5": ("#####", "#....", "#....", "#####", "....#", "....#", "#####"),
    "6": ("#####", "#....", "#....", "#####", "#...#", "#...#", "#####"),
    "7": ("#####", "....#", "....#", "...#.", "..#..", "..#..", "..#.."),
    "8": ("#####", "#...#", "#...#", "#####", "#...#", "#...#", "#####"),
    "9": ("#####", "#...#", "#...#", "#####", "....#", "....#", "#####"),
}
# What is stored of an answer.
RIGHT, WRONG = "right", "wrong"


@dataclass(frozen=True)
class MovingFigure:
    """The digit, and an animated PNG in which it moves."""

    digit: str
    picture: bytes


def in_words(name: str) -> str:
    """The field with the answer to the question that stands for a figure."""
    return f"{name}-words"


def draw_figure(seed: int) -> MovingFigure:
    """Draw the figure that belongs to a seed."""
    digit, frames = draw_frames(np.random.default_rng(seed))
    return MovingFigure(digit, animated_png(frames))


def draw_frames(rng: np.random.Generator) -> tuple[str, Flags]:
    """Draw a digit and its frames, of shape (frames, cells, cells); True is a light cell."""
    digit = str(rng.choice(list(DIGITS)))
    shape = shape_of(digit)
    height, width = shape.shape
    top, left = rng.integers(1, CELLS - height), rng.integers(1, CELLS - width)
    inside = np.zeros((CELLS, CELLS), bool)
    inside[top : top + height, left : left + width] = shape
    way = np.array(WAYS[rng.integers(len(WAYS))])
    fields = [_moving_field(each, rng) for each in (way, -way)]
    return digit, np.where(inside, *fields)


@cache
def shape_of(digit: str) -> Flags:
    """The cells of a digit."""
    rows = np.array([[dot == "#" for dot in row] for row in DIGITS[digit]])
    shape: Flags = rows.repeat(SCALE, axis=0).repeat(SCALE, axis=1)
    return shape


def _moving_field(way: NDArray[np.int64], rng: np.random.Generator) -> Flags:
    """Draw a field that moves by one cell with each frame."""
    fresh = rng.random((FRAMES, CELLS, CELLS)) < 0.5
    is_fresh = rng.random((FRAMES, CELLS, CELLS)) < REFRESHED
    field = fresh.copy()
    for number in range(1, FRAMES):
        moved = np.roll(field[number - 1], way, axis=(0, 1))
        field[number] = np.where(is_fresh[number], fresh[number], moved)
    return field


def animated_png(frames: Flags) -> bytes:
    """Write frames of two greys as an animated PNG that repeats for ever."""
    first, *others = (_picture(frame) for frame in frames)
    written = BytesIO()
    first.save(
        written, "PNG", save_all=True, append_images=others, duration=FRAME_MS, loop=0, bits=1
    )
    return written.getvalue()


def _picture(frame: Flags) -> Image.Image:
    picture = Image.fromarray(frame.astype(np.uint8), "P")
    picture.putpalette([DARK] * 3 + [LIGHT] * 3)
    return picture
