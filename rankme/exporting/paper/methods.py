"""A methods paragraph, limitations, and answers to ACL's checklist, in Markdown and LaTeX.

The items are those that Kunilovskaya et al. (2026, arXiv:2606.02255) look for in papers: their bare
minimum, and the details that they find omitted. Each is said from the record, or named as open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from analysis.inference import beyond
from analysis.report.layout.latex import escaped
from analysis.signature import VERSION

from . import phrases
from .heds_questions import PERSON, Question
from .phrases import counted
from .study import Study, from_to

# What only people know, besides the questions of HEDS.
PROFICIENCY = Question("proficiency", "", "Language proficiency of the raters", PERSON)
ADEQUATE = Question("adequate", "", "Why the pay is adequate where raters live", PERSON)
RISKS = Question("risks", "", "Risks for raters, and what was done about them", PERSON)
ASSISTANTS = Question("assistants", "", "Use of AI assistants in this work", PERSON)
OWN_QUESTIONS = (PROFICIENCY, ADEQUATE, RISKS, ASSISTANTS)


@dataclass(frozen=True)
class Statement:
    """What is said of an item; without a text the item is open."""

    item: str
    text: str


def methods(study: Study) -> list[Statement]:
    """One statement for each item of the taxonomy, after one about what was asked and shown."""
    definition, own = study.definition, study.confirmed
    is_archive = study.campaign.is_archive
    said = {
        "task": _task(study),
        "source of the raters": "" if is_archive else phrases.recruitment(study),
        "number of raters": _raters(study),
        "number of items": _items(study),
        "raters per output": _per_output(study),
        "training": "" if is_archive else phrases.training(definition),
        "guidelines": ""
        if is_archive
        else "The instructions are in the campaign file that comes with the report's bundle.",
        "language proficiency": _sentence(own.get(PROFICIENCY.number, "")),
        "expertise": _expertise(own.get("3.2.2.1", "")),
        "compensation": _compensation(study),
        "socio-demographics": " ".join(study.characteristics),
        "quality control": "" if is_archive else phrases.quality(study),
        "adjudication": _adjudication(study),
        "agreement": " ".join(_agreement(study)),
        "analysis": " ".join(_analysis(study)),
    }
    return [Statement(item, text) for item, text in said.items()]


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def _task(study: Study) -> str:
    asked = [
        f"“{criterion.question.strip()}” ({criterion.tool.title.rstrip('.')})"
        for criterion in study.definition.criteria
    ]
    site = "" if study.campaign.is_archive else f" in RankME {VERSION}"
    return f"Raters answered {counted(len(asked), 'question')}{site}: {'; '.join(asked)}."


def _raters(study: Study) -> str:
    if study.report is None:
        return ""
    left_out = f"; {len(study.excluded)} more were excluded" if study.excluded else ""
    return f"{counted(study.report.data.raters, 'rater')} gave the analysed answers{left_out}."


def _items(study: Study) -> str:
    if study.report is None or study.counts is None:
        return ""
    data = study.report.data
    outputs = from_to(study.counts.outputs)
    noun = "output" if outputs == "1" else "outputs"
    return (
        f"They gave {counted(study.counts.judgements, 'judgement')} of "
        f"{counted(data.systems, 'system')} on {counted(data.items, 'item')} "
        f"({outputs} {noun} per system)."
    )


def _per_output(study: Study) -> str:
    if study.counts is None:
        return ""
    spread = from_to(study.counts.raters)
    noun = "rater" if spread == "1" else "raters"
    drawn = "" if study.campaign.is_archive else f" (assignment: {study.design.lower()})"
    return f"Each output was judged by {spread} {noun}{drawn}."


def _expertise(answer: str) -> str:
    number, _, words = answer.partition(":")
    if number == "3":
        return _sentence(f"Expertise does not apply: {words.strip()}")
    return {"1": "The raters are experts.", "2": "The raters are not experts."}.get(number, "")


def _compensation(study: Study) -> str:
    if study.campaign.is_archive:
        return ""
    adequate = _sentence(study.confirmed.get(ADEQUATE.number, ""))
    if not study.pay:
        return "Raters were not paid."
    unit = "for each batch" if study.panel_study is None else "each"
    return " ".join(filter(None, [f"Raters were paid {study.pay} {unit}.", adequate]))


def _adjudication(study: Study) -> str:
    if study.report is None:
        return ""
    settled = study.campaign.settlements.values("item", "output", "criterion").distinct().count()
    if settled:
        return f"Curators settled {counted(settled, 'disagreement')}; no result uses that."
    return "Disagreements were not adjudicated: results use the answers of single raters."


def _agreement(study: Study) -> Iterator[str]:
    for found in study.report.criteria if study.report else ():
        name = found.criterion.replace("_", " ")
        alpha = phrases.agreement(found)
        if alpha is None:
            yield f"Agreement on {name} is not defined for these answers."
        else:
            yield f"Agreement on {name}: {alpha.name} = {phrases.coefficient(alpha)}."


def _analysis(study: Study) -> Iterator[str]:
    for found in study.report.criteria if study.report else ():
        name = found.criterion.replace("_", " ").capitalize()
        yield f"{name}: {phrases.tests(found, study)} {phrases.claim(found, study)}"


def limitations(study: Study) -> list[str]:
    """What the study cannot show, from the record and the report."""
    found = list(_limits_of_report(study))
    definition = study.definition
    if len(study.campaign.versions.values_list("pk")) > 1:
        changes = study.campaign.versions.count() - 1
        found.append(f"The campaign changed {counted(changes, 'time')} while it was running.")
    if not study.campaign.is_archive and definition.crowd.open_link:
        found.append("Anyone with the link could take part, so one person may have done so twice.")
    found.append(f"Texts for raters were in one language ({definition.language}).")
    found.append(_power(study))
    return found


def _power(study: Study) -> str:
    """What the study was planned to find, and whether it became as large as planned."""
    promise = study.promise
    if promise is None:
        return "No power analysis made before the study is on record."
    said = f"Before the study its planner promised: {phrases.power_value(study)}"
    if study.report is None:
        return said
    data = study.report.data
    if data.raters >= promise["raters"] and data.items >= promise["items"]:
        return said
    return (
        f"{said} That was for {counted(promise['raters'], 'rater')} and "
        f"{counted(promise['items'], 'item')}; {data.raters:,} and {data.items:,} were analysed."
    )


def _limits_of_report(study: Study) -> Iterator[str]:
    if study.report is None:
        return
    data = study.report.data
    generality = study.generality
    if any(phrases.is_compared(each, study) for each in study.report.criteria):
        yield f"Claims hold {beyond(generality)} like these, and for no others."
    else:
        yield (
            f"{counted(data.raters, 'rater')} and {counted(data.items, 'item')} do not allow "
            f"claims about systems {beyond(generality)}."
        )
    if generality == "raters":
        yield "Other items may give another ranking."
    if generality == "items":
        yield "Other raters may give another ranking."
    primary = study.report.options.get("primary")
    if len(study.report.criteria) > 1 and not primary:
        yield (
            f"Levels are not adjusted for the {len(study.report.criteria)} criteria; differences "
            "on one of them may be chance."
        )
    yield "Systems that were not told apart may still differ; none was shown to be equal."
    if study.excluded:
        yield f"Results depend on the exclusion of {counted(len(study.excluded), 'rater')}."


def checklist(study: Study) -> list[tuple[str, str]]:
    """Answers to sections D and E of ACL's responsible NLP checklist; empty ones are open."""
    own, definition = study.confirmed, study.definition
    if study.campaign.is_archive:
        return [(number, "") for number in ("D1", "D2", "D3", "D4", "D5", "E1")]
    risks = _sentence(own.get(RISKS.number, ""))
    words = counted(len(definition.texts.instructions.split()), "word")
    committee = own.get("5.1", "")
    return [
        (
            "D1",
            f"Yes, Section __: full instructions ({words}) in the campaign file. {risks}"
            if risks
            else "",
        ),
        (
            "D2",
            f"Yes, Section __: {phrases.recruitment(study)} {_compensation(study)}"
            if not study.pay or own.get(ADEQUATE.number)
            else "",
        ),
        (
            "D3",
            "Yes, Section __: raters agreed before the first question to a text that is in the "
            f"campaign file.{_ticked(study)}",
        ),
        ("D4", f"Section __: {_sentence(committee)}" if committee else ""),
        (
            "D5",
            f"Yes, Section __: {' '.join(study.characteristics)}" if study.characteristics else "",
        ),
        ("E1", _sentence(own.get(ASSISTANTS.number, ""))),
    ]


def _ticked(study: Study) -> str:
    statements = study.definition.texts.statements
    if not statements:
        return ""
    agreed = study.campaign.participants.exclude(consented_at=None)
    raters, ticked = agreed.count(), agreed.filter(ticked=statements).count()
    who = "They" if raters == ticked else f"{ticked} of {counted(raters, 'rater')} also"
    quoted = phrases.listed([f"“{statement}”" for statement in statements])
    return f" {who} ticked {quoted}."


def open_items(study: Study) -> list[str]:
    """The items of the methods and the checklist that nobody has answered yet."""
    items = [each.item for each in methods(study) if not each.text]
    return items + [f"ACL {number}" for number, text in checklist(study) if not text]


def as_markdown(study: Study) -> str:
    said = [each.text or f"**[Open: {each.item}]**" for each in methods(study)]
    answers = [f"- {number}: {text or '**[Open]**'}" for number, text in checklist(study)]
    lines = ["## Human evaluation", "", " ".join(said), "", "## Limitations", ""]
    lines += [f"- {each}" for each in limitations(study)]
    return "\n".join([*lines, "", "## ACL checklist (D, E1)", "", *answers, ""])


def as_latex(study: Study) -> str:
    said = [
        escaped(each.text) if each.text else rf"\textbf{{[Open: {escaped(each.item)}]}}"
        for each in methods(study)
    ]
    answers = [rf"\item[{number}] {escaped(text or '[Open]')}" for number, text in checklist(study)]
    lines = [r"\section*{Human evaluation}", *said, "", r"\section*{Limitations}"]
    lines += [r"\begin{itemize}", *(rf"\item {escaped(each)}" for each in limitations(study))]
    lines += [r"\end{itemize}", "", r"\section*{ACL checklist (D, E1)}", r"\begin{description}"]
    return "\n".join([*lines, *answers, r"\end{description}", ""])
