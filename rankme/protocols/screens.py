"""Screens in the campaign file: what they show, what they ask, and their timing."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from analysis.translatable import gettext_noop as _

from .parts import Labels, Part, Prose, ShortName, known_name

# What shows an item's or a system's own text, which may be in Markdown.
IN_MARKDOWN = ("input", "context", "reference_context", "reference", "outputs")
BLOCKS = {
    "input": _("The item's input"),
    "context": _("The item's context with the output highlighted in its place"),
    "reference_context": _("The item's context with the reference highlighted in its place"),
    "reference": _("The item's reference text"),
    "standard": _("The standard with its score"),
    "outputs": _("The outputs, each with its own questions"),
    "document": _("The whole document, with the outputs and their questions in their place"),
    "text": _("A fixed text"),
    "images": _("The item's pictures in their places"),
}


DIALOGUE_BLOCKS = ("input", "outputs")
FILE_BLOCKS = ("input", "outputs")

Format = Annotated[
    Literal["plain", "markdown", "dialogue"],
    Labels(plain=_("Plain text"), markdown=_("Markdown"), dialogue=_("Dialogue: turns with roles")),
]
JudgedTurn = Annotated[Literal["", "last"], Labels({"": _("None"), "last": _("The last one")})]
BlockLayout = Annotated[
    Literal["rows", "side_by_side"],
    Labels(rows=_("Below each other"), side_by_side=_("Side by side")),
]
Scope = Annotated[
    Literal["item", "document"],
    Labels(item=_("Each item"), document=_("Each document, after its last segment")),
]
ScreenLayout = Annotated[
    Literal["list", "matrix"],
    Labels(list=_("Below each other"), matrix=_("As a table: criteria in rows, points in columns")),
]


class BlockSpec(Part):
    model_config = ConfigDict(title=_("Block"))

    block: Annotated[str, known_name("block", BLOCKS)] = Field(title=_("What is shown"))
    title: str = Field("", title=_("Heading"))
    text: Prose = Field("", title=_("Text"))
    format: Format = Field(
        "plain",
        title=_("Format"),
        description=_(
            "For texts of items and systems: as they are, as Markdown, or (input and outputs) as "
            'turns with roles, written as [{"role": "user", "content": "…"}, …]'
        ),
    )
    judged_turn: JudgedTurn = Field(
        "",
        title=_("Turn to judge"),
        description=_("For dialogues: which turn is marked as the one to judge"),
    )
    markdown_turns: bool = Field(
        False,
        title=_("Turns are in Markdown"),
        description=_("For dialogues: what is said in the turns is in Markdown"),
    )
    layout: BlockLayout = Field(
        "rows",
        title=_("Arrangement of the outputs"),
        description=_("Side by side, each output has its own scroll bar"),
    )
    difference: bool = Field(
        False,
        title=_("Raters can highlight differences"),
        description=_(
            "Raters may highlight the words in which two texts differ; it is stored when they do"
        ),
    )
    shuffle: bool = Field(
        False,
        title=_("Show attributes in random order"),
        description=_("The attributes are in random order, which differs by rater"),
    )
    pictorial: bool = Field(
        False,
        title=_("Show as icons on a map"),
        description=_("Attributes with values are shown as icons on a map"),
    )
    files: bool = Field(
        False,
        title=_("Show pictures, sounds or films"),
        description=_(
            "The pictures, sounds or films that were uploaded, with the text if there is one"
        ),
    )
    play_to_end: bool = Field(
        False,
        title=_("Sounds and films must be played to the end"),
        description=_("With files: raters can go on only when they have played all of a sound"),
    )
    pictorial_share: float = Field(
        1,
        gt=0,
        le=1,
        title=_("Share of the items shown as icons"),
        description=_("With icons: the share of the items that has them; others are in words"),
    )

    @model_validator(mode="after")
    def format_fits_the_block(self) -> BlockSpec:
        if self.format == "dialogue" and self.block not in DIALOGUE_BLOCKS:
            names = ", ".join(DIALOGUE_BLOCKS)
            raise ValueError(f"format: dialogue is for the blocks {names}")
        if self.judged_turn and self.format != "dialogue":
            raise ValueError("judged_turn is for blocks with format: dialogue")
        if self.markdown_turns and self.format != "dialogue":
            raise ValueError("markdown_turns is for blocks with format: dialogue")
        if self.format == "markdown" and self.block not in IN_MARKDOWN:
            raise ValueError(f"format: markdown is for the blocks {', '.join(IN_MARKDOWN)}")
        if self.block != "outputs" and (self.layout != "rows" or self.difference):
            raise ValueError("layout and difference are for the block outputs")
        return self


class TimedPhase(Part):
    """A screen whose time is the measurement: bell and fixation first, then the stimulus."""

    initiated: bool = Field(
        False,
        title=_("Raters begin each trial themselves"),
        description=_("Otherwise trials follow each other until something else comes between"),
    )
    fixation_ms: int = Field(0, ge=0, le=10_000, title=_("Fixation cross (milliseconds)"))
    bell: bool = Field(False, title=_("Play a bell first"))
    timeout_ms: int = Field(15_000, ge=100, le=600_000, title=_("Time limit (milliseconds)"))


class ScreenSpec(Part):
    model_config = ConfigDict(title=_("Screen"))

    name: ShortName = Field(
        description=_("Lower-case letters, digits, - and _. Leave it empty to have one made.")
    )
    title: str = Field("", title=_("Title"))
    show: list[BlockSpec] = Field(
        min_length=1, max_length=50, title=_("Blocks, from top to bottom")
    )
    ask: list[str] = Field(
        min_length=1,
        max_length=100,
        title=_("Questions on this screen"),
        description=_(
            "The short names of their criteria, one per line. A criterion that you add above is "
            "added here."
        ),
    )
    scope: Scope = Field(
        "item",
        title=_("Asked about each item or each document"),
        description=_("Questions about a document are asked once, after its last segment"),
    )
    layout: ScreenLayout = Field(
        "list",
        title=_("Arrangement of the questions"),
        description=_(
            "A table needs criteria with the same Likert scale, whose points are its columns"
        ),
    )
    timed: TimedPhase | None = Field(None, title=_("Timed screen (measures the response time)"))
    comment: bool = Field(False, title=_("Raters can leave a comment"))

    @field_validator("show", mode="before")
    @classmethod
    def a_bare_name_is_a_block(cls, blocks: Any) -> Any:
        if not isinstance(blocks, list):
            return blocks
        return [{"block": block} if isinstance(block, str) else block for block in blocks]

    def shows(self, *names: str) -> bool:
        return any(block.block in names for block in self.show)

    def shows_dialogue(self, name: str) -> bool:
        """Whether this block is on the screen, as turns with roles."""
        return any(block.block == name and block.format == "dialogue" for block in self.show)

    def formats(self, *names: str) -> bool:
        """Whether one of these blocks shows its texts as Markdown."""
        return any(block.block in names and block.format == "markdown" for block in self.show)

    def formats_turns(self, name: str) -> bool:
        """Whether this block shows dialogues whose turns are in Markdown."""
        return any(block.block == name and block.markdown_turns for block in self.show)


class Standard(Part):
    """RankME's standard: another item with its output, which carries a fixed score."""

    input: str = Field("", title=_("Input of the standard"))
    output: str = Field(min_length=1, title=_("Output of the standard"))
    score: float = Field(100, gt=0, title=_("Score of the standard"))
