"""Checks in the campaign file: pages whose correct answer is known, and rules about raters.

A new kind of check is a class and a line in `OWN_KINDS`, or an entry point of another package in
the group `rankme.checks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from numpy.random import Generator
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from analysis.checks.measure_names import measures_of_kind
from analysis.checks.rules import Rule, RuleError, parse_rule
from analysis.plugins import with_plugins
from analysis.translatable import gettext_noop as _
from rankme.corruptions import ALWAYS_POSSIBLE, CORRUPTIONS

from .parts import Part, Prose, ShortName, known_name, unknown_name


class Options(BaseModel):
    """Options of one kind of check; unknown names are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CheckKind:
    """One way to check a rater.

    `is_trial` says whether it is a page among the others of a batch. `measures` are what rules can
    ask about it. `has_pairs` says whether its pages are compared with another trial of the batch.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    Options: ClassVar[type[Options]]
    is_trial: ClassVar[bool] = True
    needs_criterion: ClassVar[bool] = True
    # Whether its pages show a damaged copy of an output.
    damages: ClassVar[bool] = False

    @property
    def measures(self) -> tuple[str, ...]:
        return measures_of_kind(self.name)

    def draw(
        self, settings: Any, texts: Sequence[str], rng: Generator
    ) -> tuple[list[str], dict[str, Any]] | None:
        """Draw a page from the texts of a trial: the texts to show, and what is expected.

        The second is a mapping such as `{"output": 0, "at_most": 20}`: the answer to that output.
        None: this trial does not suit the check.
        """
        raise NotImplementedError


class ToldOptions(Options):
    """Options of checks with one right answer."""

    tries: int = Field(
        1,
        ge=1,
        le=10,
        title=_("Tries"),
        description=_(
            "How often a rater may answer; with more than one, raters are told if an answer is "
            "not as expected. Rules count the first answer."
        ),
    )


class InstructedOptions(ToldOptions):
    text: Prose = Field(
        min_length=1,
        max_length=1_000,
        title=_("Text"),
        description=_(
            "What the text on the page asks for, in the language of your raters. {value} is "
            "replaced with the value."
        ),
    )
    value: float = Field(title=_("Value"), description=_("The answer that the text asks for"))
    tolerance: float = Field(
        0, ge=0, title=_("Tolerance"), description=_("How far from it an answer may be")
    )


class Instructed(CheckKind):
    name = "instructed"
    title = _("A text says which answer to give")
    Options = InstructedOptions


class KnownAnswerOptions(ToldOptions):
    input: str = Field("", title=_("Input"))
    reference: str = Field("", title=_("Reference"))
    context: str = Field("", title=_("Context"))
    outputs: list[str] = Field(
        min_length=1, max_length=50, title=_("Outputs"), description=_("One output per line.")
    )
    at_least: float | None = Field(
        None,
        title=_("At least"),
        description=_("The answer about the first output is at least this"),
    )
    at_most: float | None = Field(
        None,
        title=_("At most"),
        description=_("The answer about the first output is at most this"),
    )
    in_order: bool = Field(
        False,
        title=_("In order"),
        description=_("The outputs are listed from the best to the worst"),
    )
    marks: list[str] = Field(
        default_factory=list,
        max_length=20,
        title=_("Marks"),
        description=_(
            "Where errors are marked: passages of the first output that have to be marked, one per "
            "line, with their severity after a |"
        ),
    )

    @model_validator(mode="after")
    def something_is_expected(self) -> KnownAnswerOptions:
        if self.at_least is None and self.at_most is None and not (self.in_order or self.marks):
            raise ValueError("say what is expected: at_least, at_most, in_order or marks")
        if self.in_order and len(self.outputs) < 2:
            raise ValueError("an order needs at least two outputs")
        if None not in (self.at_least, self.at_most) and self.at_least > self.at_most:  # type: ignore[operator]
            raise ValueError("at_least is more than at_most")
        return self

    @model_validator(mode="after")
    def passages_are_in_the_output(self) -> KnownAnswerOptions:
        for passage, _severity in self.passages():
            if not passage or passage not in self.outputs[0]:
                raise ValueError(f"the first output does not contain “{passage[:60]}”")
        return self

    def passages(self) -> list[tuple[str, str]]:
        """Split the expected marks into passages and severities; without one, any will do."""
        split = [line.rpartition("|") for line in self.marks]
        return [
            (passage.strip(), severity.strip()) if bar else (severity.strip(), "")
            for passage, bar, severity in split
        ]


class KnownAnswer(CheckKind):
    name = "known_answer"
    title = _("Texts of your own whose answer you know: a range, an order or marks")
    Options = KnownAnswerOptions


class DamageOptions(Options):
    types: list[str] = Field(
        default_factory=lambda: list(ALWAYS_POSSIBLE),
        min_length=1,
        max_length=20,
        title=_("Types"),
        description=_("Kinds of damage, one per line"),
    )
    lower_is_better: bool = Field(False, title=_("Lower is better"))

    @field_validator("types")
    @classmethod
    def types_are_known(cls, types: list[str]) -> list[str]:
        for name in types:
            if name not in CORRUPTIONS:
                raise ValueError(unknown_name("kind of damage", name, CORRUPTIONS))
        return list(dict.fromkeys(types))


class BetterThan(CheckKind):
    name = "better_than"
    title = _("On one page, an output must get a better answer than a damaged copy of it")
    Options = DamageOptions
    damages = True


class CorruptionOptions(DamageOptions):
    apart: int = Field(
        8,
        ge=1,
        le=1_000,
        title=_("Apart"),
        description=_("Least number of pages between the text and its copy"),
    )


class Corruption(CheckKind):
    """On a page with one output the damaged copy is a page of its own; otherwise it replaces
    another output on the page of the intact text."""

    name = "corruption"
    title = _("Damaged copies of outputs, whose answers are compared with those of the outputs")
    Options = CorruptionOptions
    damages = True


class RepeatOptions(Options):
    apart: int = Field(
        8,
        ge=1,
        le=1_000,
        title=_("Apart"),
        description=_("Least number of pages in between"),
    )


class Repeat(CheckKind):
    name = "repeat"
    title = _("A page of the batch again, some pages later")
    Options = RepeatOptions


class QuestionOptions(Options):
    """A question with one right answer."""

    question: str = Field(min_length=1, max_length=2_000, title=_("Question"))
    choices: list[str] = Field(
        min_length=2, max_length=20, title=_("Choices"), description=_("One per line.")
    )
    answer: str = Field(title=_("Answer"), description=_("The correct choice"))

    @model_validator(mode="after")
    def the_answer_is_a_choice(self) -> QuestionOptions:
        if len(set(self.choices)) < len(self.choices):
            raise ValueError("a choice is there twice")
        if self.answer not in self.choices:
            raise ValueError("the answer is not one of the choices")
        return self


class QuizOptions(QuestionOptions):
    tries: int = Field(2, ge=1, le=10, title=_("Tries"), description=_("How often a rater may try"))


class Quiz(CheckKind):
    name = "quiz"
    title = _("A question about the instructions, before the work")
    Options = QuizOptions
    is_trial = False
    needs_criterion = False


class Figure(CheckKind):
    """Evidence for people alone: rules cannot ask for it.

    The question is for raters who do not see the figure.
    """

    name = "figure"
    title = _("A digit that only its movement shows, before the work, or a question instead")
    Options = QuestionOptions
    is_trial = False
    needs_criterion = False


class TimeOptions(Options):
    least_active_seconds: float = Field(
        gt=0,
        le=600,
        title=_("Least active seconds"),
        description=_(
            "Seconds in which the page is in view and the rater's last key, click or movement is "
            "less than 30 seconds ago"
        ),
    )


class Time(CheckKind):
    name = "time"
    title = _("Each page takes at least some seconds of active time")
    Options = TimeOptions
    is_trial = False
    needs_criterion = False


OWN_KINDS: dict[str, CheckKind] = {
    kind.name: kind
    for kind in (
        Instructed(),
        KnownAnswer(),
        BetterThan(),
        Corruption(),
        Repeat(),
        Quiz(),
        Figure(),
        Time(),
    )
}
CHECK_KINDS = with_plugins(
    "rankme.checks", OWN_KINDS, lambda found: isinstance(found, CheckKind), "a CheckKind"
)


class CheckSpec(Part):
    """One check: how often each batch has it, and the criterion whose answer it looks at."""

    model_config = ConfigDict(title=_("Check"))

    name: ShortName
    kind: Annotated[str, known_name("kind of check", CHECK_KINDS)] = Field(title=_("Kind of check"))
    criterion: str = Field(
        "", title=_("Criterion"), description=_("The criterion whose answer is checked")
    )
    per_batch: int | None = Field(
        None,
        ge=1,
        le=50,
        title=_("Pages per batch"),
        description=_("Pages of this check in each batch; 1 if neither this nor `every` is given"),
    )
    every: int | None = Field(
        None,
        ge=1,
        le=1_000,
        title=_("Trials per page of this check"),
        description=_("Instead: one page for this many trials of a batch, and at least one"),
    )
    options: dict[str, Any] = Field(default_factory=dict, validate_default=True)

    @field_validator("options")
    @classmethod
    def options_fit_the_kind(cls, options: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        kind = CHECK_KINDS.get(info.data.get("kind", ""))
        if kind is not None:
            kind.Options(**options)
        return options

    @property
    def tool(self) -> CheckKind:
        return CHECK_KINDS[self.kind]

    @property
    def is_told(self) -> bool:
        """Whether raters learn that an answer to the check is not as expected."""
        return isinstance(self.settings, ToldOptions) and self.settings.tries > 1

    @cached_property
    def settings(self) -> Any:
        """The kind's options, checked and with their defaults."""
        return self.tool.Options(**self.options)

    @model_validator(mode="after")
    def the_number_of_pages_is_said_once(self) -> CheckSpec:
        if self.per_batch is not None and self.every is not None:
            raise ValueError("per_batch and every both say how many pages there are: give one")
        return self

    def pages_in(self, n_trials: float) -> int:
        """Return how many pages it adds to a batch of `n_trials`."""
        if not self.tool.is_trial:
            return 0
        if self.every is not None:
            return max(1, int(n_trials // self.every))
        return self.per_batch or 1


Action = Literal["exclude", "flag", "gate"]
RULES_AT_WORK: tuple[Action, ...] = ("exclude", "flag")


class Rules(Part):
    """Consequences of checks; see `analysis.checks.rules`. Empty: none."""

    exclude_if: str = Field(
        "",
        title=_("Exclude raters if"),
        description=_(
            "Raters for whom this is true do not count, and others judge in their place. Example: "
            "corruption.paired_p > .05 or instructed.failed >= 2"
        ),
    )
    flag_if: str = Field(
        "",
        title=_("Mark raters if"),
        description=_("Raters for whom this is true are only marked."),
    )
    gate_if: str = Field(
        "",
        title=_("Turn raters away if"),
        description=_(
            "Raters for whom this is true cannot begin the work. Example: quiz.failed >= 1"
        ),
    )

    @field_validator("exclude_if", "flag_if", "gate_if")
    @classmethod
    def rule_can_be_read(cls, text: str) -> str:
        text = " ".join(text.split())
        if text:
            try:
                parse_rule(text)
            except RuleError as error:
                raise ValueError(str(error)) from error
        return text

    def rule(self, action: Action) -> Rule | None:
        text = getattr(self, f"{action}_if")
        return parse_rule(text) if text else None

    def ask_for(self, *measures: str) -> bool:
        """Whether a rule that decides during or after the work asks for one of these measures."""
        rules = (self.rule(action) for action in ("exclude", "flag"))
        return any(
            comparison.measure in measures
            for rule in rules
            if rule
            for comparison in rule.comparisons()
        )

    def decide_early(self, action: Action) -> bool:
        """Whether the rule can catch a rater in the middle of a batch."""
        rule = self.rule(action)
        return rule is not None and any(part.only_grows for part in rule.comparisons())
