"""The campaign file: everything that an organiser decides, as one validated document."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal

from django.conf import settings
from pydantic import Field, ValidationInfo, field_validator, model_validator

from analysis.errors import OptionsError
from analysis.report.options import ReportOptions
from analysis.translatable import gettext_noop as _
from rankme.designs.plan import DesignError
from rankme.designs.registry import DESIGNS, checked_options

from .checks import CheckSpec, Rules
from .criteria import CriterionSpec
from .crowd import Breaks, Crowd
from .instruments.base import Kind
from .looking import Looks
from .parts import Labels, LanguageCode, OtherLanguageCode, Part, known_name, unknown_name
from .problem_words import Finding, JointProblems
from .questions import EndQuestion, EntryQuestion
from .rater_texts import problem_with_word
from .screens import ScreenSpec, Standard
from .texts import PracticeTrial, Texts

MOST_UNASSISTED = 0.5


class DesignSpec(Part):
    kind: Annotated[str, known_name("design", DESIGNS)] = Field(title=_("Design"))
    options: dict[str, Any] = Field(default_factory=dict)
    stratify_by: str = Field(
        "",
        title=_("Balance by this factor"),
        description=_("A factor of the items to balance across raters"),
    )
    shuffle_trials: bool = Field(True, title=_("Show trials in random order"))
    unassisted_share: float = Field(
        0.0,
        ge=0,
        le=MOST_UNASSISTED,
        title=_("Share of pages without suggested marks"),
        description=_(
            "Such as 0.1. Drawn for each rater among pages whose outputs come with suggested "
            "marks, so that reports can say what suggestions do to answers. 0: all pages have them."
        ),
    )

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

    options: dict[str, Any] = Field(
        default_factory=dict,
        title=_("Options of the report"),
        description=_(
            "Leave this empty for the standard report. Otherwise one option per line, as name: "
            "value, such as metric_resamples: 500."
        ),
    )
    paper: str = Field(
        "",
        max_length=200,
        title=_("Paper whose table the report follows"),
        description=_("Its name and table, above the report's standard table."),
    )

    @field_validator("options")
    @classmethod
    def options_are_those_of_a_report(cls, options: dict[str, Any]) -> dict[str, Any]:
        if fixed := [name for name in (*FIXED_OPTIONS, "looking") if name in options]:
            raise ValueError(f"“{fixed[0]}” is a setting of the campaign, not an option here")
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
    """The roles of an uploaded table's columns; see `rankme.importing.tabular.columns`."""

    layout: Literal["long", "wide", "items"] = "long"
    columns: dict[str, str] = Field(default_factory=dict, max_length=20)
    system_columns: dict[str, str] = Field(default_factory=dict, max_length=1_000)
    # Of judgements: what the heading of each column with values says.
    value_columns: dict[str, dict[str, str]] = Field(default_factory=dict, max_length=1_000)
    factors: list[str] = Field(default_factory=list, max_length=1_000)
    # Finds the columns with values by their headings, as "Text {item} [{criterion}]".
    pattern: str = Field("", max_length=500)


class MaterialSpec(Part):
    """The reading of uploaded tables; the site writes it when it imports an upload."""

    tables: list[TableSpec] = Field(min_length=1, max_length=20)


InputKind = Annotated[
    Literal["text", "mr", "tables", "images", "none"],
    Labels(
        text=_("Text"),
        mr=_("Attributes with values, such as name[Alimentum], area[city centre]"),
        tables=_("Tables"),
        images=_("Pictures of a scene"),
        none=_("No input is shown"),
    ),
]

# What claims are about (see `analysis.inference`).
GENERALITY = Labels(
    both=_("New raters and new items"),
    raters=_("New raters of these items"),
    items=_("New items and these raters"),
)
Generality = Annotated[Literal["both", "raters", "items"], GENERALITY]
# Options of reports that are settings of their own, because a launch fixes them.
FIXED_OPTIONS = ("generality", "primary", "equivalence")


class Definition(Part):
    """A whole campaign file."""

    format: Literal[1] = 1
    title: str = Field(min_length=1, max_length=200, title=_("Title"))
    description: str = Field("", title=_("Description"))
    language: LanguageCode = Field("en", title=_("Language of your texts (such as en or de)"))
    input_language: OtherLanguageCode = Field(
        "",
        title=_("Language of the inputs"),
        description=_("A code such as en. Leave it empty if it is that of your texts."),
    )
    input_kind: InputKind = Field("text", title=_("Kind of input"))
    criteria: list[CriterionSpec] = Field(min_length=1, max_length=100, title=_("Criteria"))
    screens: list[ScreenSpec] = Field(min_length=1, max_length=100, title=_("Screens"))
    standard: Standard | None = Field(None, title=_("A standard with a fixed score"))
    design: DesignSpec = Field(title=_("Assignment"))
    raters_per_trial: int = Field(
        3,
        ge=1,
        le=1_000,
        title=_("Raters per trial"),
        description=_("How many different raters judge each trial."),
    )
    seed: int | None = Field(
        None,
        ge=0,
        lt=2**63,
        title=_("Seed"),
        description=_(
            "A whole number that determines all random orders. Leave it empty to have one chosen."
        ),
    )
    texts: Texts = Field(title=_("Texts"))
    entry_questions: list[EntryQuestion] = Field(
        default_factory=list, max_length=100, title=_("Entry questions")
    )
    end_questions: list[EndQuestion] = Field(
        default_factory=list, max_length=100, title=_("Questions at the end")
    )
    practice: list[PracticeTrial] = Field(
        default_factory=list, max_length=200, title=_("Practice trials")
    )
    practice_feedback: bool = Field(True, title=_("Show feedback after each practice trial"))
    practice_tries: int = Field(
        1,
        ge=1,
        le=20,
        title=_("Tries per practice trial"),
        description=_("For each example that says which answers it expects"),
    )
    practice_gate: bool = Field(
        False,
        title=_("Only raters who pass the practice can work"),
        description=_("Raters whose last try is not as expected are screened out"),
    )
    problem_button: bool = Field(
        False,
        title=_("Raters can report a problem with an item"),
        description=_("A button on every screen; what they write is on the monitor page at once"),
    )
    checks: list[CheckSpec] = Field(default_factory=list, max_length=50, title=_("Checks"))
    rules: Rules = Field(Rules(), title=_("Rules"))
    breaks: Breaks = Field(Breaks(), title=_("Breaks"))
    crowd: Crowd = Field(Crowd(), title=_("Raters"))
    generality: Generality = Field(
        "both",
        title=_("Claims are about"),
        description=_(
            "Reports test for this, and say it with each claim. It is fixed at the launch. A claim "
            "needs at least three raters, items, or both."
        ),
    )
    primary: str = Field(
        "",
        max_length=60,
        title=_("Primary criterion"),
        description=_(
            "The short name of the criterion that your study is about. Its claims have the whole "
            "significance level, and the other criteria share another one. Empty: reports say that "
            "nothing is adjusted. It is fixed at the launch."
        ),
    )
    equivalence: dict[str, float] = Field(
        default_factory=dict,
        max_length=100,
        title=_("Margins of equivalence"),
        description=_(
            "One per line, as criterion: the largest difference that does not matter, such as "
            "fluency: 5, in points of its scale. For judgements relative to each other, it is how "
            "far the probability of being preferred may be from one half, such as 0.1. Without a "
            "margin no report says that a system is as good as another. Fixed at the launch."
        ),
    )
    looks: Looks = Field(Looks(), title=_("Looks while raters work"))
    hypotheses: str = Field(
        "",
        max_length=10_000,
        title=_("Hypotheses"),
        description=_(
            "What you expect, and what would speak against it. It is the first part of the "
            "preregistration, and fixed at the launch. It is not shown to raters."
        ),
    )
    analysis: AnalysisSpec = Field(AnalysisSpec(), title=_("Analysis"))
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

    def shows_files(self, block: str = "") -> bool:
        """Whether pictures, sounds or films are shown: of the input, of the outputs, or any."""
        return any(
            shown.files and block in ("", shown.block)
            for screen in self.screens
            for shown in screen.show
        )

    @property
    def main_criterion(self) -> str:
        """The name of the primary criterion, which may follow from another; else of the first."""
        return self.primary or self.criteria[0].name

    @property
    def language_of_inputs(self) -> str:
        return self.input_language or self.language

    @property
    def has_documents(self) -> bool:
        """Whether items are segments of documents, which raters see whole and in order."""
        return any(
            screen.scope == "document" or screen.shows("document") for screen in self.screens
        )

    def screens_in_all(self, trials: int, documents: int) -> int:
        """Return the number of screens in these trials and documents."""
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

    @property
    def asks_for_texts(self) -> bool:
        """Whether raters write texts as answers."""
        return "text" in self.kinds.values()

    @cached_property
    def personal_texts(self) -> frozenset[str]:
        """The criteria whose answers are erased with their raters' identities."""
        if self.crowd.texts_are == "result":
            return frozenset()
        return frozenset(name for name, kind in self.kinds.items() if kind == "text")

    @cached_property
    def lower_is_better(self) -> set[str]:
        """The criteria of whose numbers the smallest is the best."""
        named = {name for name, kind in self.kinds.items() if kind in ("time", "error")}
        return named | {each.name for each in self.criteria if each.tool.lower_is_better}

    @cached_property
    def weights(self) -> dict[str, str]:
        """The weights of marked errors by criterion, where the campaign sets them."""
        return {
            each.name: weights
            for each in self.criteria
            if (weights := each.tool.weights(each.settings))
        }

    @cached_property
    def labels(self) -> dict[str, dict[float, str]]:
        """The names of a criterion's numbers, where they have any."""
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
