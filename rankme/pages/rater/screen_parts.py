"""The blocks and questions of a campaign's screens as the templates lay them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition
from rankme.protocols.instruments import Instrument
from rankme.protocols.matrix import MATRIX, columns_of
from rankme.protocols.screens import BlockSpec, ScreenSpec

from .shortcuts import Keys, keys_on_screen

# What raters compare the outputs with.
STAYING_BLOCKS = ("input", "images", "reference", "standard")


@dataclass(frozen=True)
class BlockPart:
    spec: BlockSpec

    @property
    def template(self) -> str:
        return f"participant/blocks/{self.spec.block}.html"


@dataclass(frozen=True)
class QuestionPart:
    criterion: CriterionSpec

    @property
    def template(self) -> str:
        return f"participant/instruments/{self.criterion.instrument}.html"


@dataclass(frozen=True)
class BlockGroup:
    """Blocks that follow each other; those that outputs are compared with stay in view."""

    stays: bool
    blocks: list[BlockPart]


@dataclass(frozen=True)
class ScreenParts:
    screen: ScreenSpec
    heading: str
    block_groups: list[BlockGroup]
    beside_outputs: list[QuestionPart]
    below: list[QuestionPart]
    columns: list[tuple[str, str]]  # the heads of a matrix
    in_columns: bool  # outputs on the left, their questions on the right
    keys: Keys


def screen_parts(definition: Definition) -> list[ScreenParts]:
    return [_parts(definition, index) for index in range(len(definition.screens))]


def _parts(definition: Definition, index: int) -> ScreenParts:
    screen = definition.screens[index]
    criteria = definition.questions(index)
    has_rows = screen.shows("outputs", "document")
    beside = [each for each in criteria if has_rows and each.about == "output"]
    instruments = [criterion.tool for criterion in beside]
    return ScreenParts(
        screen=screen,
        # Read out where none is shown: names of screens are not for raters.
        heading=screen.title or criteria[0].question,
        block_groups=_block_groups(screen, instruments),
        beside_outputs=[QuestionPart(criterion) for criterion in beside],
        below=[QuestionPart(each) for each in criteria if each not in beside],
        columns=columns_of(criteria[0]) if screen.layout == MATRIX else [],
        in_columns=_has_room_beside(screen) and _fit_beside(instruments),
        keys=[] if screen.timed else keys_on_screen(criteria),
    )


def _has_room_beside(screen: ScreenSpec) -> bool:
    """Whether outputs leave room for their questions at their side."""
    is_wide = screen.shows("document") or screen.shows_dialogue("outputs")
    return not is_wide and not any(block.layout == "side_by_side" for block in screen.show)


def _fit_beside(instruments: Sequence[Instrument[Any]]) -> bool:
    """One instrument always does; a second one, if it is narrow."""
    rest = instruments[1:]
    return len(rest) < 2 and all(instrument.fits_a_narrow_column for instrument in rest)


def _block_groups(screen: ScreenSpec, instruments: Sequence[Instrument[Any]]) -> list[BlockGroup]:
    """Only the blocks right before the outputs can stay: they are stuck to the window's top."""
    names = [block.block for block in screen.show]
    end = names.index("outputs") if "outputs" in names else 0
    start = end
    if not screen.timed and not any(instrument.repeats_the_input for instrument in instruments):
        while start > 0 and names[start - 1] in STAYING_BLOCKS:
            start -= 1
    groups = [
        BlockGroup(stays=stays, blocks=[BlockPart(block) for block in screen.show[first:last]])
        for stays, first, last in ((False, 0, start), (True, start, end), (False, end, len(names)))
    ]
    return [group for group in groups if group.blocks]
