"""Say parts of a study in words: each phrase is about one thing, and empty where it is unknown."""

from __future__ import annotations

from typing import Any

from analysis.inference import beyond
from analysis.planning.published import STUDIES
from analysis.reliability.coefficients import Coefficient
from analysis.report.answer import answer_of
from analysis.report.model import CriterionReport
from rankme.protocols.definition import Definition

from .study import Study

KEYS = {each.key for each in STUDIES}


def counted(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def recruitment(study: Study) -> str:
    """How raters came, on what terms and when."""
    said = []
    ways = {
        "generic": "a link",
        "open": "the open link",
        "invitation": "personal links",
        "imported": "",
    }
    came = {name: ways.get(name, name.capitalize()) for name in study.panels}
    if named := [f"{study.panels[name]} by {way}" for name, way in came.items() if way]:
        agreed = sum(study.panels.values())
        people = "1 person" if agreed == 1 else f"{agreed:,} people"
        said.append(f"{people} agreed to take part ({listed(named)}).")
    if (offer := study.panel_study) is not None:
        said.append(
            f"The study on {offer.account.panel.capitalize()} offered "
            f"{counted(offer.places, 'place')} at {study.pay} for {offer.minutes} minutes, with "
            f"{counted(len(offer.filters), 'filter')} of participants."
        )
    if study.dates is not None:
        first, last = (f"{day:%Y-%m-%d}" for day in study.dates)
        when = f"on {first}" if first == last else f"from {first} to {last}"
        said.append(f"Answers came {when}.")
    return " ".join(said)


def training(definition: Definition) -> str:
    """What raters went through before the work."""
    words = len(definition.texts.instructions.split())
    said = [f"Raters read written instructions ({counted(words, 'word')})."]
    if definition.practice:
        gate = ", which they had to pass" if definition.practice_gate else ""
        said.append(f"They did {counted(len(definition.practice), 'practice trial')}{gate}.")
    if quizzes := sum(check.kind == "quiz" for check in definition.checks):
        said.append(f"They answered {counted(quizzes, 'question')} about the instructions.")
    if len(said) == 1:
        said.append("There was no practice.")
    return " ".join(said)


def quality(study: Study) -> str:
    """How raters were checked, and who was excluded."""
    definition, said = study.definition, []
    if checks := [check.kind.replace("_", " ") for check in definition.checks]:
        said.append(f"Automatic checks: {listed(sorted(set(checks)))}.")
    if definition.rules.exclude_if:
        said.append(f"Rule of exclusion, fixed at the launch: {definition.rules.exclude_if}.")
    if seconds := definition.crowd.least_seconds_per_screen:
        said.append(f"Screens below {seconds:g} seconds were marked.")
    if study.excluded:
        reasons = sorted({each["reason"].strip().rstrip(".") for each in study.excluded})
        quoted = "; ".join(f"“{reason}”" for reason in reasons)
        are = "was" if len(study.excluded) == 1 else "were"
        said.append(f"{counted(len(study.excluded), 'rater')} {are} excluded ({quoted}).")
    elif study.run is not None:
        said.append("No rater was excluded.")
    return " ".join(said)


def shown(definition: Definition) -> str:
    """What was on the screens, from top to bottom."""
    return "; ".join(
        f"screen {number}: {', '.join(block.block for block in screen.show)}, then the questions "
        f"{', '.join(screen.ask)}"
        for number, screen in enumerate(definition.screens, 1)
    )


def power_method(study: Study) -> str:
    """How the planner looked at the power before the launch, or that nobody did."""
    promise = study.promise
    if promise is None:
        return "None: no power analysis was recorded before the launch."
    sizes = [counted(promise[f"{name}s"], name) for name in ("rater", "item", "system")]
    return (
        f"Planner of RankME before the launch: {listed(sizes)}, "
        f"{counted(promise['repeats'], 'rater')} for each output; judgements scatter as in "
        f"{_scatter(promise['spreads'])}; the test of the report at level .05 for all pairs "
        f"together, {beyond(promise['generality'])}."
    )


def _scatter(spreads: Any) -> str:
    if isinstance(spreads, dict):
        return ", ".join(f"{name.replace('_', ':')} SD {sd:g}" for name, sd in spreads.items())
    titles = {each.key: each.title for each in STUDIES}
    return titles.get(spreads) or f"the pilot {_pilot(spreads)}"


def _pilot(spreads: str) -> str:
    return spreads.removeprefix("pilot-")


def power_value(study: Study) -> str:
    """The smallest difference that the planner promised to find."""
    promise = study.promise
    if promise is None:
        return "N/A"
    if promise["detectable"] is None:
        return "None: with fewer than three raters or items nothing can be claimed."
    widest = promise.get("widest")  # missing in what releases before 2.6.0 recorded
    if widest and promise["detectable"] >= widest:
        return (
            f"None: power .80 is not reached for any difference on this scale (at most {widest:g})."
        )
    unit = (
        " residual SDs"
        if isinstance(promise["spreads"], str) and promise["spreads"] in KEYS
        else ""
    )
    return (
        f"Power .80 for a difference of {promise['detectable']:.2g}{unit} between two systems, "
        f"with intervals of ± {promise['half_width']:.2g} on average."
    )


def power_code(study: Study) -> str:
    """The command that computes it again."""
    promise = study.promise
    if promise is None:
        return "N/A"
    spreads = promise["spreads"]
    command = "python -m analysis plan"
    if isinstance(spreads, dict):
        ending = " --spreads " + ",".join(f"{name}={sd:g}" for name, sd in spreads.items())
    elif spreads in KEYS:
        ending = f" --study {spreads}"
    else:
        command, ending = (
            f"{command} judgements.csv",
            f" (with those of the pilot {_pilot(spreads)})",
        )
    named = ("raters", "items", "repeats", "systems", "shown", "coverage", "generality")
    return f"{command} {' '.join(f'--{name} {promise[name]}' for name in named)}{ending}"


def aggregation(found: CriterionReport, study: Study) -> str:
    """How answers became scores."""
    options = {} if study.report is None else study.report.options
    said = ["Means of all answers to a system's outputs."]
    if found.kind == "relative":
        said = ["Answers of one screen were compared in pairs; Bradley–Terry strengths of systems."]
    elif found.kind == "category":
        said = ["Shares of the categories."]
    if found.outliers is not None:
        said.append(found.outliers.sentence)
    if found.criterion in options.get("standardise", ()):
        said.append("Scores were standardised within each rater.")
    if found.scale is not None and found.scale.scale != "untransformed":
        said.append(f"Analysed: the {found.scale.scale}.")
    return " ".join(said)


def tests(found: CriterionReport, study: Study) -> str:
    """The comparison of systems that may be claimed, and its level."""
    answer = answer_of(found, study.generality)
    if not answer.is_claim or answer.alpha is None:
        return "None: too few raters or items, or answers that are not compared."
    by = {"raters": "rater", "items": "item", "both": "rater and item"}[study.generality]
    method = answer.method[0].upper() + answer.method[1:]
    return (
        f"{method} (by {by}); claims are {beyond(study.generality)}, simultaneous over all pairs "
        f"at level {answer.alpha:.3g}."
    )


def is_compared(found: CriterionReport, study: Study) -> bool:
    """Whether there are enough raters or items for a claim about systems."""
    return answer_of(found, study.generality).is_claim


def claim(found: CriterionReport, study: Study) -> str:
    """What the report claims, in its own words."""
    return answer_of(found, study.generality).sentence


def agreement(found: CriterionReport) -> Coefficient | None:
    """The coefficient that reports quote: ordinal α, or the first α that is defined."""
    alphas = [
        each
        for each in found.agreement
        if each.name.startswith("Krippendorff") and each.value is not None
    ]
    ordinal = (each for each in alphas if each.name.endswith("ordinal"))
    return next(ordinal, alphas[0] if alphas else None)


def consistency(found: CriterionReport) -> Coefficient | None:
    """The agreement of raters with themselves, where outputs were judged twice."""
    of_self = (each for each in found.agreement if each.name.startswith("Self-consistency"))
    return next((each for each in of_self if each.value is not None), None)


def coefficient(found: Coefficient) -> str:
    interval = ""
    if found.low is not None and found.high is not None:
        interval = f", 95 % interval {found.low:.2f} to {found.high:.2f}"
    return f"{found.value:.2f}{interval} ({found.units:,} units)"
