"""The campaign file: everything that an organiser decides, as one validated document."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal

from django.conf import settings
from pydantic import Field, ValidationInfo, field_validator, model_validator

from analysis.translatable import gettext_noop as _
from rankme.designs.plan import DesignError
from rankme.designs.registry import DESIGNS, checked_options

from .checks import CheckSpec, Rules, check_problems
from .criteria import CriterionSpec
from .crowd import Breaks, Crowd
from .dialogues import dialogue_problems
from .documents import document_problems
from .expectations import problem_with, problem_with_structured
from .instruments.base import Kind
from .matrix import matrix_problems
from .parts import LanguageCode, Part, unknown_name
from .problem_words import Finding, JointProblems
from .questions import EndQuestion, EntryQuestion, condition_problems
from .rater_texts import problem_with_word
from .screens import FILE_BLOCKS, ScreenSpec, Standard
from .texts import PracticeTrial, Texts


class DesignSpec(Part):
    kind: str
    options: dict[str, Any] = Field(default_factory=dict)
    stratify_by: str = Field("", description=_("A factor of the items to balance across raters"))
    shuffle_trials: bool = True

    @field_validator("kind")
    @classmethod
    def design_is_known(cls, kind: str) -> str:
        if kind not in DESIGNS:
            raise ValueError(unknown_name("design", kind, DESIGNS))
        return kind

    @model_validator(mode="after")
    def options_fit_the_design(self) -> DesignSpec:
        try:
            checked_options(self.kind, self.options)
        except DesignError as error:
            raise ValueError(str(error)) from error
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
    # Of judgements: what the heading of each column with values says.
    value_columns: dict[str, dict[str, str]] = Field(default_factory=dict, max_length=1_000)
    factors: list[str] = Field(default_factory=list, max_length=1_000)
    # Finds the columns with values by their headings, as "Text {item} [{criterion}]".
    pattern: str = Field("", max_length=500)


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
    end_questions: list[EndQuestion] = Field(default_factory=list, max_length=100)
    practice: list[PracticeTrial] = Field(default_factory=list, max_length=200)
    practice_feedback: bool = True
    practice_tries: int = Field(
        1, ge=1, le=20, description=_("For each example that says which answers it expects")
    )
    practice_gate: bool = Field(
        False,
        description=_("Raters whose last try is not as expected are screened out"),
    )
    problem_button: bool = Field(
        False,
        title=_("Raters can report a problem with an item"),
        description=_("A button on every screen; what they write is on the monitor page at once"),
    )
    checks: list[CheckSpec] = Field(default_factory=list, max_length=50)
    rules: Rules = Rules()
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
                    raise ValueError(unknown_name("translation of the site for", language, known))
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
            *self._practice_problems(),
            *condition_problems("entry_questions", self.entry_questions),
            *condition_problems("end_questions", self.end_questions, self.entry_questions),
            *document_problems(self),
            *dialogue_problems(self),
            *matrix_problems(self),
            *check_problems(self),
            *self._check_file_problems(),
        ]
        if problems:
            raise JointProblems(problems)
        return self

    def _repeated_names(self) -> Iterator[Finding]:
        for part, owners in (
            ("criteria", self._criterion_names()),
            ("screens", [[screen.name] for screen in self.screens]),
            ("entry_questions", [[question.name] for question in self.entry_questions]),
            ("end_questions", [[question.name] for question in self.end_questions]),
        ):
            used: set[str] = set()
            if part == "end_questions":  # their answers are exported together
                used |= {question.name for question in self.entry_questions}
            for number, names in enumerate(owners):
                for name in names:
                    if name in used:
                        place = (part, number, "name")
                        yield place, f"the name “{name}” is used more than once"
                    used.add(name)

    def _criterion_names(self) -> list[list[str]]:
        """The names of each criterion: its own, and those of what follows from its answers."""
        return [
            [criterion.name, *(f"{criterion.name}_{suffix}" for suffix in criterion.derived)]
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
            yield from self._file_problems(number, screen)
            if screen.formats("input") and self.input_kind != "text":
                yield place, "only inputs that are texts can be in Markdown: set input_kind to text"
            yield from self._marking_problems(number, screen)
        blocks = [block for screen in self.screens for block in screen.show if block.pictorial]
        if len({block.pictorial_share for block in blocks}) > 1:
            yield ("screens",), "pictorial_share must be the same on all screens"

    def _file_problems(self, number: int, screen: ScreenSpec) -> Iterator[Finding]:
        for index, block in enumerate(screen.show):
            place = ("screens", number, "show", index)
            if block.files and block.block not in FILE_BLOCKS:
                yield (*place, "files"), "only the input and the outputs have files"
            if block.files and screen.timed:
                yield (*place, "files"), "a timed screen shows no files: they take time to load"
            if block.play_to_end and not block.files:
                yield (*place, "play_to_end"), "this block shows no files"

    def _check_file_problems(self) -> Iterator[Finding]:
        """A copy of an output has a text of its own, but no sound of its own."""
        for number, check in enumerate(self.checks):
            if check.tool.is_trial and self.shows_files("outputs"):
                words = "this check copies texts, but the outputs of this campaign are files"
                yield ("checks", number, "kind"), words

    def shows_files(self, block: str = "") -> bool:
        """Whether pictures, sounds or films are shown: of the input, of the outputs, or any."""
        return any(
            shown.files and block in ("", shown.block)
            for screen in self.screens
            for shown in screen.show
        )

    def _marking_problems(self, number: int, screen: ScreenSpec) -> Iterator[Finding]:
        """Where raters work in the text itself, it is there, and no other question is in it."""
        asked = [criterion for criterion in self.criteria if criterion.name in screen.ask]
        marking = [criterion for criterion in asked if criterion.tool.marks_outputs]
        if len(marking) > 1:
            yield ("screens", number, "ask"), "only one of these questions can mark the texts"
        for criterion in asked:
            if screen.timed and criterion.cannot_judge:
                words = f"“{criterion.name}” is timed: it cannot have cannot_judge"
                yield ("screens", number, "ask"), words
        for criterion in marking:
            shows_texts = screen.shows("outputs", "context", "document")
            if criterion.about != "output" or not shows_texts or screen.scope == "document":
                words = f"“{criterion.name}” marks outputs: show them, and ask it about each output"
                yield ("screens", number, "show"), words
            if screen.formats("outputs", "context") or any(b.difference for b in screen.show):
                words = f"“{criterion.name}” marks places in the texts as they are: show them plain"
                yield ("screens", number, "show"), f"{words}, without differences"

    def _analysis_problems(self) -> Iterator[Finding]:
        for name in sorted(self.analysis.criteria() - set(self.kinds)):
            yield ("analysis", "options"), f"there is no criterion “{str(name)[:60]}”"

    def _practice_problems(self) -> Iterator[Finding]:
        """What examples expect belongs to criteria, and a gate needs something to check."""
        about = {
            name: criterion.about
            for criterion, names in zip(self.criteria, self._criterion_names(), strict=True)
            for name in names
        }
        own = {criterion.name: criterion for criterion in self.criteria}
        for number, trial in enumerate(self.practice):
            for name, expected in trial.expect.items():
                if name not in about:
                    problem: str | None = f"there is no criterion “{name[:60]}”"
                else:
                    problem = problem_with(
                        expected,
                        about=about[name],
                        outputs=len(trial.outputs),
                        names=list(self.labels.get(name, {}).values()),
                    )
                    problem = problem or problem_with_structured(expected, trial, own.get(name))
                if problem:
                    yield ("practice", number, "expect"), f"{name[:60]}: {problem}"
        if self.practice_gate and not any(trial.expect for trial in self.practice):
            yield ("practice_gate",), "no practice trial says which answers it expects"

    @property
    def has_documents(self) -> bool:
        """Whether items are segments of documents, which raters see whole and in order."""
        return any(
            screen.scope == "document" or screen.shows("document") for screen in self.screens
        )

    def screens_in_all(self, trials: int, documents: int) -> int:
        """How many screens a rater answers in so many trials of so many documents."""
        closing = sum(screen.scope == "document" for screen in self.screens)
        return trials * (len(self.screens) - closing) + documents * closing

    @property
    def pictorial_share(self) -> float | None:
        """The share of the items whose input is shown as pictures; None: no block does that."""
        blocks = [block for screen in self.screens for block in screen.show if block.pictorial]
        return blocks[0].pictorial_share if blocks else None

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """The kind of every criterion in order, with those that follow from another's answer."""
        kinds: dict[str, Kind] = {}
        for criterion in self.criteria:
            kinds[criterion.name] = criterion.tool.kind
            for suffix, kind in criterion.derived.items():
                kinds[f"{criterion.name}_{suffix}"] = kind
        return kinds

    @cached_property
    def lower_is_better(self) -> set[str]:
        """The criteria of whose numbers the smallest is the best."""
        named = {name for name, kind in self.kinds.items() if kind in ("time", "error")}
        return named | {each.name for each in self.criteria if each.tool.lower_is_better}

    @cached_property
    def weights(self) -> dict[str, str]:
        """What marked errors weigh, by criterion, where the campaign says so."""
        return {
            each.name: weights
            for each in self.criteria
            if (weights := each.tool.weights(each.settings))
        }

    @cached_property
    def labels(self) -> dict[str, dict[float, str]]:
        """What the numbers of a criterion are called, where they have names."""
        named: dict[str, dict[float, str]] = {}
        for criterion in self.criteria:
            if labels := criterion.tool.labels(criterion.settings):
                named[criterion.name] = labels
            for suffix, names in criterion.tool.derived_labels(criterion.settings).items():
                named[f"{criterion.name}_{suffix}"] = names
        return named

    def criterion(self, name: str) -> CriterionSpec:
        return next(criterion for criterion in self.criteria if criterion.name == name)

    def questions(self, screen: int) -> list[CriterionSpec]:
        """The criteria that the screen with this index asks, in its order."""
        return [self.criterion(name) for name in self.screens[screen].ask]
