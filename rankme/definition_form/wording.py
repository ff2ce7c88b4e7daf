"""What the settings of a campaign are called in the form, and in which sections they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class SectionWording:
    anchor: str
    title: Any
    hint: Any
    fields: tuple[str, ...]


SECTIONS = (
    SectionWording(
        "general", _("Campaign"), "", ("title", "description", "language", "input_kind")
    ),
    SectionWording(
        "criteria",
        _("What is asked"),
        _("One criterion for each question, with the instrument on which it is answered."),
        ("criteria",),
    ),
    SectionWording(
        "screens",
        _("What each screen shows"),
        _("A trial has these screens in this order. Each criterion stands on exactly one."),
        ("screens", "standard"),
    ),
    SectionWording(
        "design",
        _("Design"),
        _("Who judges what. The launch page shows the balance before anything is fixed."),
        ("design", "raters_per_trial", "seed"),
    ),
    SectionWording("texts", _("Consent and instructions"), "", ("texts",)),
    SectionWording(
        "entry",
        _("Entry questions"),
        _("Asked before the work. An answer that is not accepted ends the visit."),
        ("entry_questions",),
    ),
    SectionWording(
        "practice",
        _("Practice"),
        _("Trials of your own; they look like any other and are never counted."),
        ("practice", "practice_feedback"),
    ),
    SectionWording("breaks", _("Breaks"), "", ("breaks",)),
    SectionWording(
        "crowd",
        _("Raters, codes and pay"),
        _("How raters arrive, what they are given, and where they go afterwards."),
        ("crowd",),
    ),
    SectionWording(
        "analysis",
        _("Analysis"),
        _("With which options the campaign's analyses begin; each can be changed later."),
        ("analysis",),
    ),
)

# Settings that most campaigns leave alone; they stand under "More settings".
QUIET = {
    "CriterionSpec.about",
    "CriterionSpec.required",
    "BlockSpec.title",
    "BlockSpec.text",
    "BlockSpec.shuffle",
    "BlockSpec.pictorial",
    "ScreenSpec.timed",
    "ScreenSpec.comment",
    "DesignSpec.stratify_by",
    "DesignSpec.shuffle_trials",
    "Crowd.id_parameter",
    "Crowd.session_parameter",
    "Crowd.lease_minutes",
    "Crowd.least_seconds_per_screen",
    "Crowd.wait_least_seconds",
    "PracticeTrial.context",
    "PracticeTrial.reference",
    "EntryQuestion.required",
}

LONG_TEXTS = {
    "question",
    "description",
    "consent",
    "instructions",
    "thanks",
    "feedback",
    "context",
    "input",
    "output",
    "reference",
    "text",
}

LABELS = {
    "Definition.input_kind": _("Kind of input"),
    "Definition.language": _("Language of the texts (en, de, …)"),
    "Definition.criteria": _("Criterion"),
    "Definition.screens": _("Screen"),
    "Definition.entry_questions": _("Question"),
    "Definition.practice": _("Practice trial"),
    "Definition.practice_feedback": _("Show the feedback after each practice trial"),
    "Definition.raters_per_trial": _("Raters per trial"),
    "CriterionSpec.name": _("Short name"),
    "CriterionSpec.low": _("Low end"),
    "CriterionSpec.high": _("High end"),
    "CriterionSpec.about": _("Asked about"),
    "CriterionSpec.required": _("An answer is required"),
    "ScreenSpec.show": _("Block"),
    "ScreenSpec.ask": _("Criteria asked here"),
    "ScreenSpec.name": _("Short name"),
    "ScreenSpec.comment": _("Raters may leave a comment"),
    "BlockSpec.block": _("What is shown"),
    "BlockSpec.title": _("Heading"),
    "Standard.input": _("Input of the standard"),
    "Standard.output": _("Output of the standard"),
    "Standard.score": _("Score of the standard"),
    "SliderOptions.start": _("Where the handle starts"),
    "TextOptions.characters": _("Signs that are allowed"),
    "DesignSpec.kind": _("Design"),
    "DesignSpec.shuffle_trials": _("Trials in an order random per rater"),
    "EntryQuestion.name": _("Short name"),
    "EntryQuestion.accept": _("Answers that are accepted"),
    "EntryQuestion.required": _("An answer is required"),
    "Texts.consent": _("Consent"),
    "Texts.thanks": _("Thanks"),
    "Breaks.enforced": _("Breaks are enforced"),
    "Breaks.minutes": _("Length of an enforced break in minutes"),
    "Crowd.open_link": _("Anybody with the open link may take part"),
    "Crowd.pay_per_batch": _("Pay per batch"),
    "Crowd.expected_seconds_per_screen": _("Expected seconds per screen"),
    "Crowd.least_seconds_per_screen": _("Least seconds per screen"),
    "Crowd.wait_least_seconds": _("Raters have to wait for the least seconds"),
    "Crowd.return_url": _("Return address"),
    "Crowd.lease_minutes": _("Minutes after which an idle batch goes to somebody else"),
}

TITLES = {
    "Definition.criteria": _("Criteria"),
    "Definition.screens": _("Screens"),
    "Definition.standard": _("A standard with a fixed score"),
    "Definition.design": _("Sharing out"),
    "Definition.entry_questions": _("Entry questions"),
    "Definition.practice": _("Practice trials"),
    "Definition.crowd": _("Raters"),
    "Definition.texts": _("Texts"),
    "ScreenSpec.show": _("Shown from top to bottom"),
    "ScreenSpec.timed": _("A timed screen: its time is the measurement"),
}

HINTS = {
    "Definition.seed": _("A whole number from which all orders are drawn; empty: one is chosen."),
    "Definition.raters_per_trial": _("How many different people judge each trial."),
    "CriterionSpec.name": _("Small letters, digits, - and _; it names the column in every export."),
    "CriterionSpec.low": _("What stands at the low end of a scale."),
    "ScreenSpec.name": _("Small letters, digits, - and _."),
    "ScreenSpec.ask": _("Short names of criteria, one per line."),
    "EntryQuestion.choices": _("One per line, for the kind choice: name: what the rater reads"),
    "EntryQuestion.accept": _("Names of choices, one per line; none: every answer is accepted."),
    "PracticeTrial.outputs": _("One output per line."),
    "PracticeTrial.context": _("[[SENTENCE]] marks where the output stands."),
    "Texts.consent": _("Plain text; a blank line begins a new paragraph."),
    "Crowd.return_url": _("An https address; {code} stands for the completion code."),
    "Crowd.completion_code": _("Empty: every rater gets a code of their own."),
    "Crowd.pay_per_batch": _("For the estimate of cost on the launch page."),
    "AnalysisSpec.options": _("As in a campaign file: name: value, one per line."),
    "ChoiceOptions.choices": _("One per line: name: what the rater reads"),
    "ChecklistOptions.choices": _("One per line: name: what the rater reads"),
    "LikertOptions.labels": _("One per line, as many as points; or none."),
}


def label_of(key: str) -> Any:
    return LABELS.get(key) or gettext(key.rpartition(".")[2].replace("_", " ").capitalize())


def title_of(key: str) -> Any:
    return TITLES.get(key) or label_of(key)


def hint_of(key: str, described: str) -> Any:
    return HINTS.get(key) or (described and gettext(described))
