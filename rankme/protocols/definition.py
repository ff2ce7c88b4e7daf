"""The campaign file: everything that an organiser decides, as one validated document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Annotated, Any, Literal

from django.conf import settings
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from analysis.translatable import gettext_noop as _
from rankme.crowd import PANELS
from rankme.designs.plan import DesignError
from rankme.designs.registry import DESIGNS, checked_options

from .instruments import INSTRUMENTS, Instrument
from .instruments.base import Kind
from .problem_words import Finding, JointProblems
from .rater_texts import problem_with_word


class Part(BaseModel):
    """A part of the file: unknown names are errors, values do not change afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _matching(pattern: str, words: str) -> Callable[[str], str]:
    """A check whose error says in words what the pattern allows."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(words)
        return text

    return check


ShortName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[a-z][a-z0-9_-]{0,59}",
            "start with a lower-case letter, then use lower-case letters, digits, - and _ (60 "
            "characters at most)",
        )
    ),
]
LanguageCode = Annotated[
    str,
    AfterValidator(
        _matching(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", "use a language code such as en, de or pt-BR")
    ),
]
ParameterName = Annotated[
    str,
    AfterValidator(
        _matching(r"[A-Za-z0-9_]{0,60}", "use letters, digits and _ (60 characters at most)")
    ),
]
CurrencyCode = Annotated[
    str,
    AfterValidator(
        _matching(r"[A-Z]{3}", "use the three capital letters of a currency, such as EUR")
    ),
]

# Texts that raters read. Both a block in YAML and a text field end with a line break, which the
# page would show as an empty line.
Prose = Annotated[str, StringConstraints(strip_whitespace=True)]


def mapping_of(value: Any) -> Any:
    """Names with their texts, which may come as pairs: the database forgets a mapping's order."""
    if not isinstance(value, list) or not value or not all(_is_pair(part) for part in value):
        return value
    if repeated := _repeated(name for name, _value in value):
        names = ", ".join(f"“{name}”" for name in repeated[:10])
        raise ValueError(f"{names} is used more than once")
    return dict(value)


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, times in Counter(names).items() if times > 1)


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    return f"there is no {what} “{name[:60]}”: choose {', '.join(known)}"


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


class CriterionSpec(Part):
    """One question with its instrument; `about` says whether each output or the item gets it."""

    name: ShortName
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
            raise ValueError(_unknown("instrument", name, INSTRUMENTS))
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
    "input": _("the item's input: a meaning representation, a text or tables"),
    "context": _("the item's context with the output highlighted in its place"),
    "reference_context": _("the item's context with the reference highlighted in its place"),
    "reference": _("the item's reference text"),
    "standard": _("the standard with its score"),
    "outputs": _("the outputs, each with its own questions"),
    "text": _("a fixed text"),
    "images": _("the item's pictures in their places"),
}


class BlockSpec(Part):
    block: str
    title: str = ""
    text: Prose = Field("", description=_("For the block `text`: its text"))
    shuffle: bool = Field(
        False,
        description=_("For the block `input`: attributes in random order, which differs by rater"),
    )
    pictorial: bool = Field(
        False, description=_("For the block `input`: a meaning representation as icons on a map")
    )

    @field_validator("block")
    @classmethod
    def block_is_known(cls, name: str) -> str:
        if name not in BLOCKS:
            raise ValueError(_unknown("block", name, BLOCKS))
        return name


class TimedPhase(Part):
    """A screen whose time is the measurement: bell and fixation first, then the stimulus."""

    initiated: bool = Field(
        False,
        description=_("Otherwise trials follow each other until something else comes between"),
    )
    fixation_ms: int = Field(0, ge=0, le=10_000)
    bell: bool = False
    timeout_ms: int = Field(15_000, ge=100, le=600_000)


class ScreenSpec(Part):
    name: ShortName
    title: str = ""
    show: list[BlockSpec] = Field(min_length=1, max_length=50)
    ask: list[str] = Field(min_length=1, max_length=100)
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
    stratify_by: str = Field("", description=_("A factor of the items to balance across raters"))
    shuffle_trials: bool = True

    @field_validator("kind")
    @classmethod
    def design_is_known(cls, kind: str) -> str:
        if kind not in DESIGNS:
            raise ValueError(_unknown("design", kind, DESIGNS))
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

    name: ShortName
    question: str = Field(min_length=1)
    kind: Literal["choice", "text", "yes-no"] = "choice"
    choices: dict[str, str] = Field(default_factory=dict)
    accept: list[str] = Field(default_factory=list, description="empty: every answer is accepted")
    required: bool = True

    @field_validator("choices", mode="before")
    @classmethod
    def pairs_are_mappings(cls, choices: Any) -> Any:
        return mapping_of(choices)

    @model_validator(mode="after")
    def a_choice_has_choices(self) -> EntryQuestion:
        if self.kind == "choice" and len(self.choices) < 2:
            raise ValueError("a question with choices needs at least two of them")
        known = {"choice": set(self.choices), "yes-no": {"yes", "no"}, "text": set(self.accept)}
        unknown = set(self.accept) - known[self.kind]
        if unknown:
            raise ValueError(
                f"these accepted answers are not among the choices: {', '.join(sorted(unknown))}"
            )
        return self


class PracticeTrial(Part):
    """A trial of the organiser's own; it is shown like any other and never counted."""

    input: str = ""
    reference: str = ""
    context: str = ""
    outputs: list[str] = Field(default_factory=list)
    feedback: Prose = ""


THANKS = _("Thank you for taking part.")


class Texts(Part):
    """What raters read around the work. Plain text; blank lines part paragraphs."""

    consent: Prose = Field(min_length=1)
    instructions: Prose = Field(min_length=1)
    thanks: Prose = THANKS

    @property
    def own_thanks(self) -> str:
        """Empty: the site's own, in the language of its buttons."""
        return "" if self.thanks == THANKS else self.thanks


class Breaks(Part):
    """Breaks are suggested after a number of trials or minutes; `enforced` ones last `minutes`."""

    after_trials: int | None = Field(None, ge=1)
    after_minutes: float | None = Field(None, gt=0)
    minutes: float = Field(1, gt=0, le=60)
    enforced: bool = False


class Crowd(Part):
    """Who takes part, on what terms, and where they go afterwards."""

    panel: str = "generic"
    id_parameter: ParameterName = ""
    session_parameter: ParameterName = ""
    open_link: bool = Field(True, description="Off by default with a panel such as Prolific")
    return_url: str = Field(
        "", description="https address; {code} is replaced with the completion code"
    )
    completion_code: str = Field(
        "", max_length=64, description="empty: every rater gets a code of their own"
    )
    late_code: str = Field(
        "",
        max_length=64,
        description=_("For a batch finished after it went to somebody else; empty: the usual code"),
    )
    partial_code: str = Field(
        "",
        max_length=64,
        description=_(
            "For a batch given back after some screens; empty: one per rater, or none "
            "where the panel needs a code of its own"
        ),
    )
    devices: Literal["any", "desktop"] = Field(
        "any",
        description=_("desktop: only with a mouse or a keyboard, for studies that measure times"),
    )
    lease_minutes: int = Field(90, ge=5, le=20_160)
    batches_per_rater: int = Field(1, ge=1, le=1_000)
    least_seconds_per_screen: float = Field(
        0, ge=0, le=600, description=_("Faster screens are flagged; see too_fast")
    )
    wait_least_seconds: bool = Field(
        False, description=_("Raters can continue only after least_seconds_per_screen")
    )
    too_fast: Literal["flag", "end"] = Field(
        "flag",
        description=_(
            "end: a screen faster than least_seconds_per_screen ends the rater's part, and the "
            "batch goes to somebody else"
        ),
    )
    expected_seconds_per_screen: float = Field(40, gt=0)
    pay_per_batch: float = Field(0, ge=0)
    late_pay: float | None = Field(
        None, ge=0, description=_("For a batch finished late; empty: pay_per_batch")
    )
    partial_pay: float = Field(0, ge=0, description=_("For a batch given back after some screens"))
    currency: CurrencyCode = "GBP"

    @field_validator("panel")
    @classmethod
    def panel_is_known(cls, name: str) -> str:
        if name not in PANELS:
            raise ValueError(_unknown("panel", name, PANELS))
        return name

    @model_validator(mode="before")
    @classmethod
    def a_panel_closes_the_open_link(cls, crowd: Any) -> Any:
        if not isinstance(crowd, dict) or "open_link" in crowd:
            return crowd
        panel = crowd.get("panel")
        is_platform = isinstance(panel, str) and panel in PANELS and PANELS[panel].is_platform
        return crowd | {"open_link": False} if is_platform else crowd

    @model_serializer(mode="wrap")
    def state_an_open_link_beside_a_panel(
        self, serialize: SerializerFunctionWrapHandler
    ) -> dict[str, Any]:
        """Without its defaults the document would otherwise be read back with a closed link."""
        document: dict[str, Any] = serialize(self)
        if PANELS[self.panel].is_platform:
            document["open_link"] = self.open_link
        return document

    @model_validator(mode="after")
    def return_url_is_safe(self) -> Crowd:
        if self.return_url:
            PANELS[self.panel].check_return_url(self.return_url)
        return self

    @property
    def takes_panel_ids(self) -> bool:
        """Whether an id in the link lets somebody in.

        Anybody can invent one. With the open link switched off it is believed only where the
        organiser named a platform, or the parameter under which a panel sends its ids.
        """
        return self.open_link or PANELS[self.panel].is_platform or bool(self.id_parameter)


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
        from analysis.report.options import ReportOptions

        try:
            ReportOptions.from_dict(options)
        except OptionsError as error:
            raise ValueError(" ".join(error.problems)) from error
        return options

    def criteria(self) -> set[str]:
        """The criteria that the options name."""
        by_name = (self.options.get(name, ()) for name in OPTIONS_BY_CRITERION)
        return {criterion for names in by_name for criterion in names}


class TableSpec(Part):
    """What the columns of one uploaded table are; see `rankme.importing.columns`."""

    layout: Literal["long", "wide", "items"] = "long"
    columns: dict[str, str] = Field(default_factory=dict, max_length=20)
    system_columns: dict[str, str] = Field(default_factory=dict, max_length=1_000)
    factors: list[str] = Field(default_factory=list, max_length=1_000)


class MaterialSpec(Part):
    """How uploaded tables are read; the site writes it when it imports an upload."""

    tables: list[TableSpec] = Field(min_length=1, max_length=20)


class Definition(Part):
    """A whole campaign file."""

    format: Literal[1] = 1
    title: str = Field(min_length=1, max_length=200)
    description: str = ""
    language: LanguageCode = "en"
    input_kind: Literal["text", "mr", "tables", "images", "none"] = "text"
    criteria: list[CriterionSpec] = Field(min_length=1, max_length=100)
    screens: list[ScreenSpec] = Field(min_length=1, max_length=100)
    standard: Standard | None = None
    design: DesignSpec
    raters_per_trial: int = Field(3, ge=1, le=1_000)
    seed: int | None = Field(None, ge=0, lt=2**63)
    texts: Texts
    entry_questions: list[EntryQuestion] = Field(default_factory=list, max_length=100)
    practice: list[PracticeTrial] = Field(default_factory=list, max_length=200)
    practice_feedback: bool = True
    breaks: Breaks = Breaks()
    crowd: Crowd = Crowd()
    analysis: AnalysisSpec = AnalysisSpec()
    material: MaterialSpec | None = None
    languages: list[str] = Field(
        default_factory=list,
        max_length=20,
        title=_("Languages that raters can choose"),
        description=_(
            "One code per line; of buttons and messages only. Leave it empty to show the language "
            "of the campaign."
        ),
    )
    words: dict[str, str] = Field(
        default_factory=dict,
        title=_("Buttons and messages in your own words"),
        description=_(
            "One per line, as English text: your text. Leave it empty if the site speaks the "
            "language of your campaign."
        ),
    )

    @field_validator("languages")
    @classmethod
    def languages_are_spoken_by_the_site(
        cls, languages: list[str], info: ValidationInfo
    ) -> list[str]:
        known = dict(settings.LANGUAGES)
        if not (info.context or {}).get("is_stored"):
            for language in languages:
                if language not in known and language != info.data.get("language"):
                    raise ValueError(_unknown("translation of the site for", language, known))
        return languages

    @field_validator("words", mode="before")
    @classmethod
    def words_left_empty_are_the_sites(cls, words: Any) -> Any:
        if not isinstance(words, dict):
            return words
        return {key: text for key, text in words.items() if text not in (None, "")}

    @field_validator("words")
    @classmethod
    def words_replace_texts_of_the_site(
        cls, words: dict[str, str], info: ValidationInfo
    ) -> dict[str, str]:
        # A text of the site may change after a campaign was stored with it.
        if (info.context or {}).get("is_stored"):
            return words
        problems: list[Finding] = [
            ((key,), problem)
            for key, text in words.items()
            if (problem := problem_with_word(key, text))
        ]
        if problems:
            raise JointProblems(problems)
        return words

    @model_validator(mode="after")
    def names_fit_together(self) -> Definition:
        problems = [
            *self._repeated_names(),
            *self._asking_problems(),
            *self._showing_problems(),
            *self._analysis_problems(),
        ]
        if problems:
            raise JointProblems(problems)
        return self

    def _repeated_names(self) -> Iterator[Finding]:
        for part, owners in (
            ("criteria", self._criterion_names()),
            ("screens", [[screen.name] for screen in self.screens]),
            ("entry_questions", [[question.name] for question in self.entry_questions]),
        ):
            used: set[str] = set()
            for number, names in enumerate(owners):
                for name in names:
                    if name in used:
                        place = (part, number, "name")
                        yield place, f"the name “{name}” is used more than once"
                    used.add(name)

    def _criterion_names(self) -> list[list[str]]:
        """The names of each criterion: its own, and those of what follows from its answers."""
        return [
            [criterion.name, *(f"{criterion.name}_{suffix}" for suffix in criterion.tool.derives)]
            for criterion in self.criteria
        ]

    def _asking_problems(self) -> Iterator[Finding]:
        """Every criterion is asked on exactly one screen."""
        known = {criterion.name for criterion in self.criteria}
        asked: set[str] = set()
        for number, screen in enumerate(self.screens):
            for name in screen.ask:
                place = ("screens", number, "ask")
                if name not in known:
                    yield place, f"there is no criterion “{name[:60]}”"
                elif name in asked:
                    yield place, f"“{name}” is asked twice: ask each criterion on one screen only"
                asked.add(name)
        for number, criterion in enumerate(self.criteria):
            if criterion.name not in asked:
                words = "is not shown on any screen: add it under “Criteria asked here”"
                yield ("criteria", number, "name"), f"“{criterion.name}” {words}"

    def _showing_problems(self) -> Iterator[Finding]:
        for number, screen in enumerate(self.screens):
            place = ("screens", number, "show")
            if screen.shows("standard") and self.standard is None:
                yield place, "this screen shows a standard, but the campaign has none"
            if screen.shows("images") and self.input_kind != "images":
                yield place, "this screen shows pictures: set input_kind to images"

    def _analysis_problems(self) -> Iterator[Finding]:
        for name in sorted(self.analysis.criteria() - set(self.kinds)):
            yield ("analysis", "options"), f"there is no criterion “{str(name)[:60]}”"

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
