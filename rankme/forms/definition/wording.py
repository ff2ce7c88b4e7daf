"""What the settings of a campaign are called in the form, and in which sections they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from rankme.panel_links.outcomes import Outcome


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
        _("Questions"),
        _("One criterion per question, with the instrument that raters answer it with."),
        ("criteria",),
    ),
    SectionWording(
        "screens",
        _("Screens"),
        _(
            "Each trial has these screens, in this order. Every "
            "criterion is asked on exactly one screen."
        ),
        ("screens", "standard", "problem_button"),
    ),
    SectionWording(
        "design",
        _("Design"),
        _("Who judges what. The launch page shows the resulting plan before you commit to it."),
        ("design", "raters_per_trial", "seed"),
    ),
    SectionWording("texts", _("Consent and instructions"), "", ("texts", "languages", "words")),
    SectionWording(
        "entry",
        _("Entry questions"),
        _("Asked before the work begins. Raters whose answer is not accepted cannot take part."),
        ("entry_questions",),
    ),
    SectionWording(
        "end",
        _("Questions at the end"),
        _("Asked after the last batch. Raters can leave without answering, and get their code."),
        ("end_questions",),
    ),
    SectionWording(
        "practice",
        _("Practice"),
        _("Trials that you write yourself. They look like any other trial and are never counted."),
        ("practice", "practice_feedback", "practice_tries", "practice_gate"),
    ),
    SectionWording(
        "checks",
        _("Checks and rules"),
        _(
            "Pages whose correct answer is known are mixed into each batch, look like all others, "
            "and never count as judgements. Rules say what follows; without a rule nothing does."
        ),
        ("checks", "rules"),
    ),
    SectionWording("breaks", _("Breaks"), "", ("breaks",)),
    SectionWording(
        "crowd",
        _("Raters, codes and pay"),
        _("How raters get here, what they are paid, and where they go when they finish."),
        ("crowd",),
    ),
    SectionWording(
        "analysis",
        _("Analysis"),
        _("Default options for analyses. You can change them for each analysis."),
        ("analysis",),
    ),
)

# Settings that most campaigns leave alone; they are under "More settings".
QUIET = {
    "CriterionSpec.about",
    "CriterionSpec.required",
    "CriterionSpec.cannot_judge",
    "CriterionSpec.cannot_judge_reasons",
    "BlockSpec.title",
    "BlockSpec.text",
    "BlockSpec.format",
    "BlockSpec.judged_turn",
    "BlockSpec.markdown_turns",
    "BlockSpec.layout",
    "BlockSpec.difference",
    "BlockSpec.shuffle",
    "BlockSpec.files",
    "BlockSpec.play_to_end",
    "BlockSpec.pictorial",
    "BlockSpec.pictorial_share",
    "ScreenSpec.scope",
    "ScreenSpec.timed",
    "ScreenSpec.comment",
    "ScreenSpec.layout",
    "DesignSpec.stratify_by",
    "DesignSpec.shuffle_trials",
    "Crowd.devices",
    "Crowd.id_parameter",
    "Crowd.session_parameter",
    "Crowd.lease_minutes",
    "Crowd.least_seconds_per_screen",
    "Crowd.too_fast",
    "Crowd.wait_least_seconds",
    "Crowd.pay_by_outcome",
    "Crowd.return_urls",
    *(f"CompletionCodes.{outcome}" for outcome in Outcome if outcome != Outcome.COMPLETED),
    "PracticeTrial.context",
    "PracticeTrial.reference",
    "EntryQuestion.required",
    "EntryQuestion.show_if",
    "EndQuestion.required",
    "EndQuestion.show_if",
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

# Choices of the models by their values.
CHOICES = {
    "Definition.input_kind": {
        "text": _("Text"),
        "mr": _("Attributes with values, such as name[Alimentum], area[city centre]"),
        "tables": _("Tables"),
        "images": _("Pictures of a scene"),
        "none": _("No input is shown"),
    },
    "CriterionSpec.about": {"output": _("Each output"), "item": _("The item as a whole")},
    "BlockSpec.format": {
        "plain": _("Plain text"),
        "markdown": _("Markdown"),
        "dialogue": _("Dialogue: turns with roles"),
    },
    "BlockSpec.judged_turn": {"": _("None"), "last": _("The last one")},
    "BlockSpec.layout": {"rows": _("Below each other"), "side_by_side": _("Side by side")},
    "ScreenSpec.scope": {
        "item": _("Each item"),
        "document": _("Each document, after its last segment"),
    },
    "ScreenSpec.layout": {
        "list": _("Below each other"),
        "matrix": _("As a table: criteria in rows, points in columns"),
    },
    "EntryQuestion.kind": {
        "choice": _("Choices"),
        "text": _("Text"),
        "yes-no": _("Yes or no"),
    },
    "EndQuestion.kind": {"choice": _("Choices"), "text": _("Text"), "yes-no": _("Yes or no")},
    "Crowd.devices": {"any": _("Any"), "desktop": _("Only with a mouse or a keyboard")},
    "Crowd.too_fast": {
        "flag": _("Mark them"),
        "end": _("End the rater's part, and give the batch to somebody else"),
    },
}

LABELS = {
    "Definition.checks": _("Check"),
    "CheckSpec.name": _("Short name"),
    "CheckSpec.kind": _("Kind of check"),
    "CheckSpec.criterion": _("Criterion"),
    "CheckSpec.per_batch": _("Pages per batch"),
    "CheckSpec.every": _("Trials per page of this check"),
    "Rules.exclude_if": _("Exclude raters if"),
    "Rules.flag_if": _("Mark raters if"),
    "Rules.gate_if": _("Turn raters away if"),
    "Definition.input_kind": _("Kind of input"),
    "Definition.language": _("Language of your texts (such as en or de)"),
    "Definition.criteria": _("Criterion"),
    "Definition.screens": _("Screen"),
    "Definition.entry_questions": _("Question"),
    "Definition.practice": _("Practice trial"),
    "Definition.practice_tries": _("Tries per practice trial"),
    "Definition.practice_gate": _("Only raters who pass the practice can work"),
    "PracticeTrial.expect": _("Expected answers"),
    "Definition.practice_feedback": _("Show feedback after each practice trial"),
    "Definition.raters_per_trial": _("Raters per trial"),
    "CriterionSpec.name": _("Short name"),
    "CriterionSpec.low": _("Low end"),
    "CriterionSpec.high": _("High end"),
    "CriterionSpec.about": _("Asked about"),
    "CriterionSpec.required": _("Answer required"),
    "CriterionSpec.cannot_judge": _("Raters can say that they cannot judge"),
    "CriterionSpec.cannot_judge_reasons": _("Reasons why a rater cannot judge"),
    "ScreenSpec.show": _("Block"),
    "ScreenSpec.ask": _("Questions on this screen"),
    "ScreenSpec.name": _("Short name"),
    "ScreenSpec.scope": _("Asked about each item or each document"),
    "ScreenSpec.comment": _("Raters can leave a comment"),
    "ScreenSpec.layout": _("Arrangement of the questions"),
    "BlockSpec.block": _("What is shown"),
    "BlockSpec.title": _("Heading"),
    "Standard.input": _("Input of the standard"),
    "Standard.output": _("Output of the standard"),
    "Standard.score": _("Score of the standard"),
    "DesignSpec.kind": _("Design"),
    "DesignSpec.shuffle_trials": _("Show trials in random order"),
    "EntryQuestion.name": _("Short name"),
    "EntryQuestion.accept": _("Accepted answers"),
    "EntryQuestion.required": _("Answer required"),
    "EntryQuestion.show_if": _("Depends on another question"),
    "Definition.end_questions": _("Question"),
    "EndQuestion.name": _("Short name"),
    "EndQuestion.required": _("Answer required"),
    "EndQuestion.show_if": _("Depends on another question"),
    "EndQuestion.choices": _("Choices"),
    "EndQuestion.kind": _("Kind"),
    "EndQuestion.question": _("Question"),
    "ShowIf.question": _("Short name of the earlier question"),
    "ShowIf.answers": _("Answers after which this question is asked"),
    "Texts.consent": _("Consent"),
    "Texts.thanks": _("Thanks"),
    "Texts.contact": _("Contact"),
    "Texts.digest": _("Instructions in short"),
    "Breaks.enforced": _("Enforce breaks"),
    "Breaks.minutes": _("Length of an enforced break (minutes)"),
    "Crowd.open_link": _("Anyone with the open link can take part"),
    "Crowd.pay_per_batch": _("Pay per batch"),
    "Crowd.expected_seconds_per_screen": _("Expected seconds per screen"),
    "Crowd.least_seconds_per_screen": _("Minimum seconds per screen"),
    "Crowd.too_fast": _("Screens below the minimum time"),
    "Crowd.wait_least_seconds": _("Make raters wait for the minimum time"),
    "Crowd.return_url": _("Return address"),
    "Crowd.panel": _("Panel"),
    "Crowd.devices": _("Devices"),
    "Crowd.id_parameter": _("Name of the panel's ID parameter"),
    "Crowd.session_parameter": _("Name of the panel's session parameter"),
    "DesignSpec.stratify_by": _("Balance by this factor"),
    "BlockSpec.format": _("Format"),
    "BlockSpec.judged_turn": _("Turn to judge"),
    "BlockSpec.markdown_turns": _("Turns are in Markdown"),
    "BlockSpec.layout": _("Arrangement of the outputs"),
    "BlockSpec.difference": _("Raters can highlight differences"),
    "BlockSpec.shuffle": _("Show attributes in random order"),
    "BlockSpec.files": _("Show pictures, sounds or films"),
    "BlockSpec.play_to_end": _("Sounds and films must be played to the end"),
    "BlockSpec.pictorial": _("Show as icons on a map"),
    "BlockSpec.pictorial_share": _("Share of the items shown as icons"),
    "TimedPhase.initiated": _("Raters begin each trial themselves"),
    "TimedPhase.fixation_ms": _("Fixation cross (milliseconds)"),
    "TimedPhase.bell": _("Play a bell first"),
    "TimedPhase.timeout_ms": _("Time limit (milliseconds)"),
    "Breaks.after_trials": _("Suggest a break after this many trials"),
    "Breaks.after_minutes": _("Suggest a break after this many minutes"),
    "DesignSpec.options.outputs_per_screen": _("Outputs per screen"),
    "DesignSpec.options.trials_per_batch": _("Trials per batch"),
    "Crowd.lease_minutes": _("Minutes until an idle batch goes to another rater"),
    "AnalysisSpec.options": _("Options of the report"),
    "BlockSpec.text": _("Text"),
    "CriterionSpec.instrument": _("Instrument"),
    "CriterionSpec.question": _("Question"),
    "Crowd.batches_per_rater": _("Batches per rater"),
    "Crowd.completion_codes": _("Completion codes"),
    "Crowd.pay_by_outcome": _("Pay when a visit does not end as planned"),
    "Crowd.return_urls": _("Return addresses by outcome"),
    "Crowd.currency": _("Currency"),
    "Definition.analysis": _("Analysis"),
    "Definition.breaks": _("Breaks"),
    "Definition.description": _("Description"),
    "Definition.design": _("Design"),
    "Definition.seed": _("Seed"),
    "Definition.standard": _("Standard"),
    "Definition.texts": _("Texts"),
    "Definition.title": _("Title"),
    "DesignSpec.options.chunk_size": _("Chunk size"),
    "DesignSpec.options.duplicate_items": _("Duplicate items"),
    "DesignSpec.options.groups": _("Groups"),
    "DesignSpec.options.raters": _("Raters"),
    "DesignSpec.options.screens_per_item": _("Screens per item"),
    "EntryQuestion.choices": _("Choices"),
    "EntryQuestion.kind": _("Kind"),
    "EntryQuestion.question": _("Question"),
    "PracticeTrial.context": _("Context"),
    "PracticeTrial.feedback": _("Feedback"),
    "PracticeTrial.input": _("Input"),
    "PracticeTrial.outputs": _("Outputs"),
    "PracticeTrial.reference": _("Reference"),
    "ScreenSpec.timed": _("Timed"),
    "ScreenSpec.title": _("Title"),
    "Texts.instructions": _("Instructions"),
}

TITLES = {
    "Definition.checks": _("Checks"),
    "Definition.rules": _("Rules"),
    "Definition.criteria": _("Criteria"),
    "Definition.screens": _("Screens"),
    "Definition.standard": _("A standard with a fixed score"),
    "Definition.design": _("Assignment"),
    "Definition.entry_questions": _("Entry questions"),
    "Definition.end_questions": _("Questions at the end"),
    "Definition.practice": _("Practice trials"),
    "Definition.crowd": _("Raters"),
    "Definition.texts": _("Texts"),
    "ScreenSpec.show": _("Blocks, from top to bottom"),
    "ScreenSpec.timed": _("Timed screen (measures the response time)"),
}

HINTS = {
    "Definition.seed": _(
        "A whole number that determines all random orders. Leave it empty to have one chosen."
    ),
    "Definition.raters_per_trial": _("How many different raters judge each trial."),
    "CriterionSpec.name": _(
        "Used as the column name in exports: lower-case letters, digits, - and _. Leave it empty "
        "to have it made from the question."
    ),
    "CriterionSpec.low": _("What raters read at this end of the scale."),
    "ScreenSpec.name": _("Lower-case letters, digits, - and _. Leave it empty to have one made."),
    "ScreenSpec.ask": _(
        "The short names of their criteria, one per line. A criterion that you add above is added "
        "here."
    ),
    "EntryQuestion.choices": _(
        "One per line, as name: text that raters see. Only for questions with choices."
    ),
    "EndQuestion.choices": _(
        "One per line, as name: text that raters see. Only for questions with choices."
    ),
    "ShowIf.answers": _("Names of choices (or yes, no), one per line."),
    "EntryQuestion.accept": _(
        "Names of choices, one per line. Leave it empty to accept every answer."
    ),
    "PracticeTrial.outputs": _("One output per line."),
    "PracticeTrial.context": _("[[SENTENCE]] marks the place of the output."),
    "Texts.consent": _("Plain text. A blank line starts a new paragraph."),
    "Crowd.open_link": _(
        "For colleagues and volunteers. If you recruit through a panel, leave this off, so that "
        "only the panel's raters can take part."
    ),
    "Crowd.return_url": _(
        "An https address where raters go when they finish. "
        "{code} is replaced with the completion code."
    ),
    "CompletionCodes.completed": _(
        "For Prolific, the code of your study; a campaign for Prolific cannot be launched "
        "without it. Elsewhere, leave it empty to give every rater a code of their own."
    ),
    "CompletionCodes.late": _("Empty: the usual code."),
    "CompletionCodes.returned": _(
        "For a batch given back after some screens. Empty: one per rater, or none where the panel "
        "needs a code of its own."
    ),
    "PayByOutcome.late": _("Empty: the usual pay."),
    "Crowd.pay_per_batch": _(
        "Raters read it before they agree. The launch page estimates the cost from it."
    ),
    "AnalysisSpec.options": _(
        "Leave this empty for the standard report. Otherwise one option per line, as name: value, "
        "such as metric_resamples: 500."
    ),
}


def label_of(key: str, title: str = "") -> Any:
    """What the form calls a setting; `title` is what the setting's own field says."""
    return LABELS.get(key) or gettext(title or derived_label(key))


def derived_label(key: str) -> str:
    return key.rpartition(".")[2].replace("_", " ").capitalize()


def title_of(key: str, title: str = "") -> Any:
    return TITLES.get(key) or label_of(key, title)


def hint_of(key: str, described: str) -> Any:
    return HINTS.get(key) or (described and gettext(described))
