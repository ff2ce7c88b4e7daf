"""Find what does not fit together in a campaign file whose parts are valid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.checks.false_alarms import least_bound, measured, worst_group
from analysis.checks.measure_names import BEFORE_THE_WORK, TRACES, known_measures
from analysis.checks.rules import Comparison, negated
from analysis.sequential.plan import ANYTIME

from .checks import CHECK_KINDS, CheckSpec
from .definition import Definition
from .dialogues import dialogue_problems
from .documents import document_problems
from .expectations import problem_with, problem_with_structured
from .matrix import matrix_problems
from .parts import unknown_name
from .problem_words import Finding
from .questions import condition_problems
from .screens import FILE_BLOCKS, ScreenSpec

# Only numbers can be compared with what is expected.
COMPARABLE = ("relative", "scale", "count", "category", "error")
NAMED = ("criteria", "screens", "entry_questions", "end_questions", "checks")
Names = Mapping[str, Sequence[Sequence[str]]]  # of each entry of each list, by the list


def problems_in(definition: Definition) -> Iterator[Finding]:
    """Find everything that does not fit together."""
    names: dict[str, list[list[str]]] = {
        part: [[entry.name] for entry in getattr(definition, part)] for part in NAMED
    }
    yield from repeated_names(names | {"criteria": _criterion_names(definition)})
    yield from _asking_problems(definition)
    yield from _showing_problems(definition)
    for name in sorted(definition.analysis.criteria() - set(definition.kinds)):
        yield ("analysis", "options"), f"there is no criterion “{str(name)[:60]}”"
    yield from _claim_problems(definition)
    yield from _look_problems(definition)
    yield from _assistance_problems(definition)
    yield from _practice_problems(definition)
    yield from condition_problems("entry_questions", definition.entry_questions)
    yield from condition_problems(
        "end_questions", definition.end_questions, definition.entry_questions
    )
    yield from document_problems(definition)
    yield from dialogue_problems(definition)
    yield from matrix_problems(definition)
    yield from _check_problems(definition)
    yield from _rule_problems(definition)


def _claim_problems(definition: Definition) -> Iterator[Finding]:
    """Claims are made of criteria whose values can be compared."""
    kinds, comparable = definition.kinds, _comparable(definition)
    if definition.primary and definition.primary not in comparable:
        yield ("primary",), unknown_name("comparable criterion", definition.primary, comparable)
    for name, margin in definition.equivalence.items():
        if name not in comparable:
            yield ("equivalence",), unknown_name("comparable criterion", name, comparable)
        elif not 0 < margin < (0.5 if kinds[name] == "relative" else 1e100):
            limit = " and below 0.5" if kinds[name] == "relative" else ""
            yield ("equivalence",), f"the margin of “{name}” must be above 0{limit}"


def _comparable(definition: Definition) -> list[str]:
    return [name for name, kind in definition.kinds.items() if kind not in ("text", "category")]


def _look_problems(definition: Definition) -> Iterator[Finding]:
    """Find what does not fit to looks while raters work."""
    if definition.looks.is_fixed:
        return
    if len(_comparable(definition)) > 1 and not definition.primary:
        yield ("primary",), "looks while raters work need a primary criterion"
    if definition.crowd.batches_per_rater != 1:
        yield (
            ("crowd", "batches_per_rater"),
            "with looks while raters work, each rater does one batch",
        )
    if definition.looks.mode == ANYTIME and definition.generality != "raters":
        yield (
            ("generality",),
            "looks at any time can only claim something about new raters of these items",
        )
    elif definition.generality == "items":
        yield (
            ("generality",),
            "looks while raters work are about new raters: choose claims about them, or about both",
        )


def names_in(document: Any) -> Names:
    """The names in a document that need not be valid."""
    lists = {part: document.get(part) for part in NAMED} if isinstance(document, dict) else {}
    return {
        part: [
            [row["name"]] if isinstance(row, dict) and isinstance(row.get("name"), str) else []
            for row in rows
        ]
        for part, rows in lists.items()
        if isinstance(rows, list)
    }


def repeated_names(names: Names) -> Iterator[Finding]:
    """Find names that are used more than once in a list."""
    for part, owners in names.items():
        used = {""}  # a missing name is another problem
        if part == "end_questions":  # their answers are exported together
            used |= {name for each in names.get("entry_questions", ()) for name in each}
        for number, own in enumerate(owners):
            for name in own:
                if name in used - {""}:
                    yield (part, number, "name"), f"the name “{name}” is used more than once"
                used.add(name)


def _criterion_names(definition: Definition) -> list[list[str]]:
    """The names of each criterion: its own, and those of what follows from its answers."""
    return [
        [criterion.name, *(f"{criterion.name}_{suffix}" for suffix in criterion.derived)]
        for criterion in definition.criteria
    ]


def _asking_problems(definition: Definition) -> Iterator[Finding]:
    """Find criteria that are not asked on exactly one screen."""
    known = {criterion.name for criterion in definition.criteria}
    asked: set[str] = set()
    for number, screen in enumerate(definition.screens):
        for name in screen.ask:
            place = ("screens", number, "ask")
            if name not in known:
                yield place, f"there is no criterion “{name[:60]}”"
            elif name in asked:
                yield place, f"“{name}” is asked twice: ask each criterion on one screen only"
            asked.add(name)
    for number, criterion in enumerate(definition.criteria):
        if criterion.name not in asked:
            words = "is not shown on any screen: add it under “Criteria asked here”"
            yield ("criteria", number, "name"), f"“{criterion.name}” {words}"


def _showing_problems(definition: Definition) -> Iterator[Finding]:
    for number, screen in enumerate(definition.screens):
        place = ("screens", number, "show")
        if screen.shows("standard") and definition.standard is None:
            yield place, "this screen shows a standard, but the campaign has none"
        if screen.shows("images") and definition.input_kind != "images":
            yield place, "this screen shows pictures: set input_kind to images"
        yield from _file_problems(number, screen)
        if screen.formats("input") and definition.input_kind != "text":
            yield place, "only inputs that are texts can be in Markdown: set input_kind to text"
        yield from _marking_problems(definition, number, screen)
    blocks = [block for screen in definition.screens for block in screen.show if block.pictorial]
    if len({block.pictorial_share for block in blocks}) > 1:
        yield ("screens",), "pictorial_share must be the same on all screens"


def _file_problems(number: int, screen: ScreenSpec) -> Iterator[Finding]:
    for index, block in enumerate(screen.show):
        place = ("screens", number, "show", index)
        if block.files and block.block not in FILE_BLOCKS:
            yield (*place, "files"), "only the input and the outputs have files"
        if block.files and screen.timed:
            yield (*place, "files"), "a timed screen shows no files: they take time to load"
        if block.play_to_end and not block.files:
            yield (*place, "play_to_end"), "this block shows no files"


def _marking_problems(definition: Definition, number: int, screen: ScreenSpec) -> Iterator[Finding]:
    """Find screens on which raters cannot mark the texts, or would mark them twice."""
    asked = [criterion for criterion in definition.criteria if criterion.name in screen.ask]
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
        if definition.crowd.copying == "inconvenient":
            words = f"“{criterion.name}” is answered by selecting in the texts: allow copying"
            yield ("crowd", "copying"), words
        if screen.formats("outputs", "context") or any(b.difference for b in screen.show):
            words = f"“{criterion.name}” marks places in the texts as they are: show them plain"
            yield ("screens", number, "show"), f"{words}, without differences"


def _assistance_problems(definition: Definition) -> Iterator[Finding]:
    if definition.design.unassisted_share and not any(
        criterion.tool.marks_outputs for criterion in definition.criteria
    ):
        words = "no question marks the texts, so that there are no suggested marks to leave out"
        yield ("design", "unassisted_share"), words


def _practice_problems(definition: Definition) -> Iterator[Finding]:
    """Find expectations without a criterion, and a gate without expectations."""
    names = zip(definition.criteria, _criterion_names(definition), strict=True)
    about = {name: criterion.about for criterion, own in names for name in own}
    by_name = {criterion.name: criterion for criterion in definition.criteria}
    for number, trial in enumerate(definition.practice):
        for name, expected in trial.expect.items():
            problem: str | None = f"there is no criterion “{name[:60]}”"
            if name in about:
                answers = list(definition.labels.get(name, {}).values())
                problem = problem_with(
                    expected, about=about[name], outputs=len(trial.outputs), names=answers
                ) or problem_with_structured(expected, trial, by_name.get(name))
            if problem:
                yield ("practice", number, "expect"), f"{name[:60]}: {problem}"
    if definition.practice_gate and not any(trial.expect for trial in definition.practice):
        yield ("practice_gate",), "no practice trial says which answers it expects"


def _check_problems(definition: Definition) -> Iterator[Finding]:
    """Find checks that the screens cannot show, or whose criterion cannot be compared."""
    kinds = {criterion.name: criterion.tool.kind for criterion in definition.criteria}
    is_timed = any(screen.timed for screen in definition.screens)
    for number, check in enumerate(definition.checks):
        place = ("checks", number)
        if check.name in CHECK_KINDS and check.name != check.kind:
            yield (*place, "name"), f"“{check.name}” is the name of another kind of check"
        if check.is_told and is_timed:
            yield (*place, "options", "tries"), "timed screens cannot be answered again"
        if check.tool.is_trial and definition.shows_files("outputs"):
            # A copy of an output has a text of its own, but no sound of its own.
            words = "this check copies texts, but the outputs of this campaign are files"
            yield (*place, "kind"), words
        if not check.tool.needs_criterion:
            continue
        if check.criterion not in kinds:
            yield (*place, "criterion"), f"there is no criterion “{check.criterion[:60]}”"
        elif kinds[check.criterion] not in COMPARABLE:
            yield (*place, "criterion"), "answers to this criterion are not numbers"
        elif problem := _problem_of_marks(check, definition):
            yield (*place, "options", "marks"), problem
        elif check.tool.damages and definition.criterion(check.criterion).about == "item":
            yield (*place, "criterion"), "this check needs a criterion about each output"


def _problem_of_marks(check: CheckSpec, definition: Definition) -> str:
    """Say why raters cannot make the expected marks."""
    if not getattr(check.settings, "marks", ()):
        return ""
    criterion = definition.criterion(check.criterion)
    if not criterion.tool.marks_outputs:
        return "raters make no marks for this criterion"
    known = getattr(criterion.settings, "severities", {})
    for _passage, severity in check.settings.passages():
        if severity and severity not in known:
            return f"there is no severity “{severity[:60]}”"
    return ""


def _rule_problems(definition: Definition) -> Iterator[Finding]:
    """Find rules about unknown measures, and rules that are true of every rater."""
    checks = [(check.name, check.kind) for check in definition.checks]
    known = known_measures(checks)
    early = known_measures(check for check in checks if check[1] in BEFORE_THE_WORK)
    early -= known_measures(())
    rules = definition.rules
    asked = (
        ("exclude_if", rules.rule("exclude"), known),
        ("flag_if", rules.rule("flag"), known),
        ("gate_if", rules.rule("gate"), early),
    )
    for name, rule, measures in asked:
        below_not = list(negated(rule)) if rule else []
        for comparison in rule.comparisons() if rule else ():
            measure = comparison.measure
            if measure in TRACES:
                if problem := _problem_of_traces(comparison, definition, below_not):
                    yield ("rules", name), problem
            elif measure in known and measure not in measures:
                yield ("rules", name), f"“{measure}” is not known before the work"
            elif comparison.always_holds and measure in measures:
                yield ("rules", name), f"“{comparison.text}” is true of every rater"
            elif measure not in measures:
                choices = ", ".join(sorted(measures)) or "add a check first"
                yield ("rules", name), f"there is no measure “{measure[:60]}”: {choices}"


def _problem_of_traces(
    comparison: Comparison, definition: Definition, below_not: Sequence[Comparison]
) -> str:
    """Say why a rule cannot ask this of traces: too many careful people would be caught."""
    measure = comparison.measure
    if not definition.crowd.traces:
        return f"“{measure}” is measured by traces, which this campaign does not keep: crowd.traces"
    least = least_bound(measure, measured())
    if least is None:
        worst = worst_group(measure, measured())
        reason = (
            f"at most {100 * worst.upper:.1f} % of careful raters ({worst.group}) are above "
            f"{worst.bound:g}, and no more than 1 % may be"
            if worst
            else "nobody has measured how often careful raters are above a bound"
        )
        return f"“{measure}” can be shown, but not be in a rule: {reason}"
    asks_for_more = comparison.sign in (">", ">=") and comparison not in below_not
    if not asks_for_more or comparison.bound < least:
        return f"“{comparison.text}”: a rule can only ask for {measure} > {least:g} or more"
    return ""
