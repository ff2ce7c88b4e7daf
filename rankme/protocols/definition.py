"""The campaign file: everything that an organiser decides, as one validated document."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from rankme.crowd import PANELS
from rankme.designs.plan import DesignError
from rankme.designs.registry import DESIGNS, checked_options

from .instruments import INSTRUMENTS, Instrument
from .instruments.base import Kind


class Part(BaseModel):
    """A part of the file: unknown names are errors, values do not change afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# Words for raters. A block scalar and a text field both leave line ends behind the last word,
# which would stand on the page as a line of their own.
Prose = Annotated[str, StringConstraints(strip_whitespace=True)]


def mapping_of(value: Any) -> Any:
    """Names with their texts, which may come as pairs: the database forgets a mapping's order."""
    if not isinstance(value, list) or not value or not all(_is_pair(part) for part in value):
        return value
    names = [name for name, _ in value]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{', '.join(map(repr, twice))} stands twice")
    return dict(value)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


class CriterionSpec(Part):
    """One question with its instrument; `about` says whether each output or the item gets it."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,59}$")
    question: str = Field(min_length=1, max_length=2_000)
    instrument: str
    low: str = ""
    high: str = ""
    about: Literal["output", "item"] = "output"
    required: bool = True
    # Checked even when it is left out: some instruments cannot do without an option.
    options: dict[str, Any] = Field(default_factory=dict, validate_default=True)

    @field_validator("instrument")
    @classmethod
    def instrument_is_known(cls, name: str) -> str:
        if name not in INSTRUMENTS:
            raise ValueError(f"no instrument {name!r}; there are: {', '.join(INSTRUMENTS)}")
        return name

    @field_validator("options", mode="before")
    @classmethod
    def pairs_are_mappings(cls, options: Any) -> Any:
        if not isinstance(options, dict):
            return options
        return {name: mapping_of(value) for name, value in options.items()}

    @field_validator("options")
    @classmethod
    def options_fit_the_instrument(
        cls, options: dict[str, Any], info: ValidationInfo
    ) -> dict[str, Any]:
        instrument = INSTRUMENTS.get(info.data.get("instrument", ""))
        if instrument is not None:
            instrument.Options(**options)
        return options

    @property
    def tool(self) -> Instrument:
        return INSTRUMENTS[self.instrument]

    @cached_property
    def settings(self) -> Any:
        """The instrument's options, checked and with their defaults."""
        return self.tool.Options(**self.options)


BLOCKS = {
    "input": "the item's input: a meaning representation, a text or tables",
    "context": "the item's context with the output highlighted in its place",
    "reference_context": "the item's context with the reference highlighted in its place",
    "reference": "the item's reference text",
    "standard": "the standard with its score",
    "outputs": "the outputs, each beside its own instruments",
    "text": "a fixed text of the organiser's",
    "images": "the item's pictures in their places",
}


class BlockSpec(Part):
    block: str
    title: str = ""
    text: Prose = Field("", description="For the block `text`: what it says")
    shuffle: bool = Field(
        False, description="For the block `input`: attributes in an order random per rater"
    )
    pictorial: bool = Field(
        False, description="For the block `input`: a meaning representation as icons on a map"
    )

    @field_validator("block")
    @classmethod
    def block_is_known(cls, name: str) -> str:
        if name not in BLOCKS:
            raise ValueError(f"no block {name!r}; there are: {', '.join(BLOCKS)}")
        return name


class TimedPhase(Part):
    """A screen whose time is the measurement: bell and fixation first, then the stimulus."""

    fixation_ms: int = Field(0, ge=0, le=10_000)
    bell: bool = False
    timeout_ms: int = Field(15_000, ge=100, le=600_000)


class ScreenSpec(Part):
    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,59}$")
    title: str = ""
    show: list[BlockSpec] = Field(min_length=1)
    ask: list[str] = Field(min_length=1)
    timed: TimedPhase | None = None
    comment: bool = False

    @field_validator("show", mode="before")
    @classmethod
    def a_bare_name_is_a_block(cls, blocks: Any) -> Any:
        if not isinstance(blocks, list):
            return blocks
        return [{"block": block} if isinstance(block, str) else block for block in blocks]

    def shows(self, *names: str) -> bool:
        return any(block.block in names for block in self.show)


class Standard(Part):
    """RankME's standard: another item with its output, which carries a fixed score."""

    input: str = ""
    output: str = Field(min_length=1)
    score: float = Field(100, gt=0)


class DesignSpec(Part):
    kind: str
    options: dict[str, Any] = Field(default_factory=dict)
    stratify_by: str = Field("", description="A factor of the items to spread evenly")
    shuffle_trials: bool = True

    @field_validator("kind")
    @classmethod
    def design_is_known(cls, kind: str) -> str:
        if kind not in DESIGNS:
            raise ValueError(f"no design {kind!r}; there are: {', '.join(DESIGNS)}")
        return kind

    @model_validator(mode="after")
    def options_fit_the_design(self) -> DesignSpec:
        try:
            checked_options(self.kind, self.options)
        except DesignError as error:
            raise ValueError(str(error)) from error
        return self


class EntryQuestion(Part):
    """Asked before the work; an answer outside `accept` ends the visit as screened out."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,59}$")
    question: str = Field(min_length=1)
    kind: Literal["choice", "text", "yes-no"] = "choice"
    choices: dict[str, str] = Field(default_factory=dict)
    accept: list[str] = Field(default_factory=list, description="none: every answer is accepted")
    required: bool = True

    @field_validator("choices", mode="before")
    @classmethod
    def pairs_are_mappings(cls, choices: Any) -> Any:
        return mapping_of(choices)

    @model_validator(mode="after")
    def a_choice_has_choices(self) -> EntryQuestion:
        if self.kind == "choice" and len(self.choices) < 2:
            raise ValueError("a question of kind choice needs at least two choices")
        known = {"choice": set(self.choices), "yes-no": {"yes", "no"}, "text": set(self.accept)}
        unknown = set(self.accept) - known[self.kind]
        if unknown:
            raise ValueError(f"accept names answers that are no choices: {sorted(unknown)}")
        return self


class PracticeTrial(Part):
    """A trial of the organiser's own; it is shown like any other and never counted."""

    input: str = ""
    reference: str = ""
    context: str = ""
    outputs: list[str] = Field(default_factory=list)
    feedback: Prose = ""


class Texts(Part):
    """What raters read around the work. Plain text; blank lines part paragraphs."""

    consent: Prose = Field(min_length=1)
    instructions: Prose = Field(min_length=1)
    thanks: Prose = "Thank you for taking part."


class Breaks(Part):
    """Breaks are suggested after so many trials or minutes; `enforced` ones last `minutes`."""

    after_trials: int | None = Field(None, ge=1)
    after_minutes: float | None = Field(None, gt=0)
    minutes: float = Field(1, gt=0, le=60)
    enforced: bool = False


class Crowd(Part):
    """Who takes part, on what terms, and where they go afterwards."""

    panel: str = "generic"
    id_parameter: str = Field("", pattern=r"^[A-Za-z0-9_]{0,60}$")
    session_parameter: str = Field("", pattern=r"^[A-Za-z0-9_]{0,60}$")
    open_link: bool = True
    return_url: str = Field("", description="https address; {code} stands for the completion code")
    completion_code: str = Field("", max_length=64, description="empty: one of its own per rater")
    lease_minutes: int = Field(90, ge=5, le=20_160)
    batches_per_rater: int = Field(1, ge=1, le=1_000)
    least_seconds_per_screen: float = Field(
        0, ge=0, le=600, description="Faster screens are flagged, never refused"
    )
    wait_least_seconds: bool = Field(
        False, description="The page offers to go on only after least_seconds_per_screen"
    )
    expected_seconds_per_screen: float = Field(40, gt=0)
    pay_per_batch: float = Field(0, ge=0)
    currency: str = Field("GBP", pattern=r"^[A-Z]{3}$")

    @field_validator("panel")
    @classmethod
    def panel_is_known(cls, name: str) -> str:
        if name not in PANELS:
            raise ValueError(f"no panel {name!r}; there are: {', '.join(PANELS)}")
        return name

    @model_validator(mode="after")
    def return_url_is_safe(self) -> Crowd:
        if self.return_url:
            PANELS[self.panel].check_return_url(self.return_url)
        return self


OPTIONS_BY_CRITERION = (
    "kinds",
    "outliers",
    "lower_is_better",
    "log_scale",
    "standardise",
    "categories",
)


class AnalysisSpec(Part):
    """Options with which the campaign's analyses begin (see `analysis.report.ReportOptions`)."""

    options: dict[str, Any] = Field(default_factory=dict)

    @field_validator("options")
    @classmethod
    def options_are_those_of_a_report(cls, options: dict[str, Any]) -> dict[str, Any]:
        # Imported here, because a page for raters needs no statistics.
        from analysis.errors import OptionsError
        from analysis.report_options import ReportOptions

        try:
            ReportOptions.from_dict(options)
        except OptionsError as error:
            raise ValueError(" ".join(error.errors)) from error
        return options

    def criteria(self) -> set[str]:
        """The criteria that the options name."""
        by_name = (self.options.get(name, ()) for name in OPTIONS_BY_CRITERION)
        return {criterion for names in by_name for criterion in names}


class Definition(Part):
    """A whole campaign file."""

    format: Literal[1] = 1
    title: str = Field(min_length=1, max_length=200)
    description: str = ""
    language: str = Field("en", pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    input_kind: Literal["text", "mr", "tables", "images", "none"] = "text"
    criteria: list[CriterionSpec] = Field(min_length=1)
    screens: list[ScreenSpec] = Field(min_length=1)
    standard: Standard | None = None
    design: DesignSpec
    raters_per_trial: int = Field(3, ge=1, le=1_000)
    seed: int | None = Field(None, ge=0, lt=2**63)
    texts: Texts
    entry_questions: list[EntryQuestion] = Field(default_factory=list)
    practice: list[PracticeTrial] = Field(default_factory=list)
    practice_feedback: bool = True
    breaks: Breaks = Breaks()
    crowd: Crowd = Crowd()
    analysis: AnalysisSpec = AnalysisSpec()

    @model_validator(mode="after")
    def names_fit_together(self) -> Definition:
        problems = [*self._name_problems(), *self._screen_problems()]
        problems += [
            f"analysis.options names {name!r}, which is no criterion"
            for name in sorted(self.analysis.criteria() - set(self.kinds))
        ]
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _name_problems(self) -> list[str]:
        problems = []
        for kind, names in (
            ("criterion", self._criterion_names()),
            ("screen", [screen.name for screen in self.screens]),
            ("entry question", [question.name for question in self.entry_questions]),
        ):
            twice = sorted({name for name in names if names.count(name) > 1})
            problems += [f"{kind} {name!r} stands twice" for name in twice]
        asked = [name for screen in self.screens for name in screen.ask]
        known = {criterion.name for criterion in self.criteria}
        problems += [
            f"a screen asks {name!r}, which is no criterion" for name in asked if name not in known
        ]
        problems += [
            f"criterion {name!r} is asked on {asked.count(name)} screens, not on one"
            for name in sorted(known)
            if asked.count(name) != 1
        ]
        return problems

    def _criterion_names(self) -> list[str]:
        derived = [
            f"{criterion.name}_{suffix}"
            for criterion in self.criteria
            for suffix in criterion.tool.derives
        ]
        return [criterion.name for criterion in self.criteria] + derived

    def _screen_problems(self) -> list[str]:
        problems = []
        for screen in self.screens:
            if screen.shows("standard") and self.standard is None:
                problems.append(f"screen {screen.name!r} shows a standard, but there is none")
            if screen.shows("images") and self.input_kind != "images":
                problems.append(f"screen {screen.name!r} shows images: set input_kind: images")
        return problems

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """The kind of every criterion in order, with those that follow from another's answer."""
        kinds: dict[str, Kind] = {}
        for criterion in self.criteria:
            kinds[criterion.name] = criterion.tool.kind
            for suffix, kind in criterion.tool.derives.items():
                kinds[f"{criterion.name}_{suffix}"] = kind
        return kinds

    @cached_property
    def labels(self) -> dict[str, dict[float, str]]:
        """What the numbers of a criterion are called, where they have names."""
        return {
            criterion.name: labels
            for criterion in self.criteria
            if (labels := criterion.tool.labels(criterion.settings))
        }

    def criterion(self, name: str) -> CriterionSpec:
        return next(criterion for criterion in self.criteria if criterion.name == name)

    def questions(self, screen: int) -> list[CriterionSpec]:
        """The criteria that the screen with this index asks, in its order."""
        return [self.criterion(name) for name in self.screens[screen].ask]
