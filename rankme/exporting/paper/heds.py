"""A campaign's Human Evaluation Datasheet (HEDS 3.0): its answers, as the form's JSON and LaTeX.

The form (nlp-heds.github.io) loads the JSON. A fact of the record is answered, a draft counts once
a person has confirmed it, and everything else is named as open.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse

from analysis.report.layout.latex import escaped
from analysis.signature import VERSION, citation
from rankme.protocols.criteria import CriterionSpec

from . import phrases
from .heds_questions import LANGUAGES, OTHER_LANGUAGE, QUESTIONS, Question
from .study import Study, from_to

NONE = "N/A"
CHOSEN = re.compile(r"(\d{1,3}(?:, *\d{1,3})*)(?:: *(.*))?", re.DOTALL)
SECTIONS = {
    "1": "Paper and resources", "2": "Systems", "3": "Sample, raters, experiment",
    "4": "Criteria", "5": "Ethics",
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """An answer as text. Options are written as their numbers, then a colon and words.

    `scope` is the criterion that it is about, or empty. `draft` is what the record suggests, and
    `is_known` says that the record itself has the answer.
    """

    question: Question
    scope: str
    text: str
    draft: str = ""
    is_known: bool = False

    @property
    def name(self) -> str:
        """The name under which it is stored."""
        return f"{self.question.number} {self.scope}".strip()

    @property
    def in_words(self) -> str:
        """The answer with its options in words."""
        if self.question.takes in ("text", "languages") or not self.text:
            return self.text
        chosen, words = parsed(self.text)
        names = (self.question.options[number - 1].rstrip(" +") for number in chosen)
        return ", ".join(names) + (f": {words}" if words else "")


def parsed(text: str) -> tuple[list[int], str]:
    """Read chosen options and the words about them; none from any other text."""
    found = CHOSEN.fullmatch(text.strip())
    if found is None:
        return [], ""
    return [int(number) for number in found[1].split(",")], found[2] or ""


def answers(study: Study) -> list[Answer]:
    """Every question with its answer, in the form's order; section 4 once for each criterion."""
    facts, drafts = dict(_facts(study)), dict(_drafts(study))
    of_criteria = {
        each.name: (dict(_criterion_facts(each, study)), dict(_criterion_drafts(each, study)))
        for each in study.definition.criteria
    }
    found = []
    for question in QUESTIONS:
        for scope in of_criteria if question.is_of_a_criterion else [""]:
            known, suggested = of_criteria[scope] if scope else (facts, drafts)
            own = study.confirmed.get(f"{question.number} {scope}".strip(), "")
            fact, draft = (each.get(question.number, "") for each in (known, suggested))
            found.append(Answer(question, scope, fact or own, draft, bool(fact)))
    return found


def _facts(study: Study) -> Iterator[tuple[str, str]]:
    definition, counts = study.definition, study.counts
    shared = study.public_report
    yield "1.2", f"1: {shared}" if shared else "2"
    yield "3.1.1", from_to(counts.outputs) if counts else str(study.campaign.items.count())
    yield "3.1.3.1", phrases.power_method(study)
    yield "3.1.3.2", phrases.power_value(study)
    yield "3.1.3.3", phrases.power_code(study)
    if study.report is not None:
        yield "3.2.1", str(study.report.data.raters)
    if study.campaign.is_archive:  # nothing else is known of judgements collected elsewhere
        return
    yield "3.2.2.2", "1" if study.pay else "3"
    yield "3.2.3", phrases.recruitment(study)
    yield "3.2.4", phrases.training(definition)
    yield "3.2.5", " ".join(study.characteristics) or "Not reported."
    yield "3.3.2", f"RankME {VERSION}, in the rater's own web browser."
    has_rule, excluded = bool(definition.rules.exclude_if), bool(study.excluded)
    types = {
        "2": bool(definition.checks),
        "3": excluded and not has_rule,
        "4": has_rule or excluded,
    }
    yield "3.3.3.1", ", ".join(number for number, holds in types.items() if holds) or "7: no checks"
    yield "3.3.3.2", phrases.quality(study) or NONE
    page = reverse("rankme:enter", args=[study.campaign.code])
    yield "3.3.4.1", f"{settings.SITE_URL}{page}"
    yield "3.3.4.2", phrases.shown(definition)
    lease = definition.crowd.lease_minutes
    yield "3.3.5", f"5: a batch without an answer for {lease} minutes goes to another rater"
    yield "3.3.7", "1"
    devices = "a mouse or a keyboard" if definition.crowd.devices == "desktop" else "any device"
    yield "3.3.8", f"Place, browser and screen differ; raters needed {devices}."


def _drafts(study: Study) -> Iterator[tuple[str, str]]:
    campaign, definition = study.campaign, study.definition
    owner = campaign.owner
    yield "1.1.2", f"{definition.title} ({campaign.code})"
    usual = study.usual
    for section in ("1.3.1", "1.3.2"):
        yield f"{section}.1", usual.get(f"{section}.1") or owner.get_full_name()
        yield f"{section}.2", usual.get(f"{section}.2", "")
        yield f"{section}.3", usual.get(f"{section}.3") or owner.email
    kinds = {"mr": "1", "tables": "1", "text": "6", "images": "11"}
    yield "2.1", kinds.get(definition.input_kind, "14: raters see none")
    yield "2.2", "11" if definition.shows_files("outputs") else "6"
    tasks = {"mr": "9", "tables": "9", "images": "18"}
    yield "2.3", tasks.get(definition.input_kind, "")
    yield "2.4", definition.language_of_inputs.partition("-")[0]
    yield "2.5", definition.language.partition("-")[0]
    yield "3.1.2", "2" if definition.design.stratify_by else ""
    yield "3.3.1", "2"
    has_comments = any(screen.comment for screen in definition.screens)
    gives = "3" if definition.end_questions or has_comments else ""
    asks = "2" if definition.texts.contact else ""
    yield "3.3.6", ", ".join(filter(None, [asks, gives])) or "5: no contact is given"
    yield "5.2", "2: labels and answers of raters, and the panel's ids until they are deleted"


def _criterion_facts(criterion: CriterionSpec, study: Study) -> Iterator[tuple[str, str]]:
    tool = criterion.tool
    scale = tool.scale_facts(criterion.settings, criterion.low, criterion.high)
    is_relative = tool.kind == "relative"
    yield "4.2.2", "2" if is_relative else "1"
    yield "4.3.1.1", criterion.name
    yield "4.3.2", criterion.question
    yield "4.3.3", scale.size
    yield "4.3.4", scale.values
    yield "4.3.5", scale.look
    yield "4.3.6", tool.title if scale.size == NONE else NONE
    yield "4.3.7", criterion.question
    yield "4.3.8", tool.heds_response or f"11: {tool.title}"
    found = study.analysed(criterion.name)
    if found is None:
        for number in ("4.3.9", "4.3.10", "4.3.11.1", "4.3.11.2", "4.3.12.1", "4.3.12.2"):
            yield number, NONE if study.report is not None else ""
        return
    yield "4.3.9", phrases.aggregation(found, study)
    yield "4.3.10", phrases.tests(found, study)
    chosen = {
        "4.3.11": phrases.agreement(found),
        "4.3.12": phrases.consistency(found),
    }
    for number, coefficient in chosen.items():
        yield f"{number}.1", NONE if coefficient is None else coefficient.name
        yield f"{number}.2", NONE if coefficient is None else phrases.coefficient(coefficient)


def _criterion_drafts(criterion: CriterionSpec, study: Study) -> Iterator[tuple[str, str]]:
    shows_input = any(
        screen.shows("input") for screen in study.definition.screens if criterion.name in screen.ask
    )
    yield "4.1.1", "1" if criterion.tool.is_objective else "2"
    yield "4.1.2", "2" if criterion.tool.is_objective else "3"
    yield "4.1.3", "2" if shows_input else "1"
    is_measured = criterion.tool.kind in ("time", "error")
    yield "4.2.1", "1" if is_measured else "2"
    yield "4.2.3", "2" if is_measured else "1"
    yield "4.3.1.2", criterion.name.replace("_", " ").capitalize()


# --- Files ---------------------------------------------------------------------------------------


def heds_json(study: Study) -> str:
    """Write what the form stores in its browser; it replaces its answers with a loaded file."""
    found = answers(study)
    names = [criterion.name for criterion in study.definition.criteria]
    document: dict[str, dict[str, Any]] = {
        "heds-criteria-criterion": {
            "data": {},
            # One criterion is in view at first.
            "control": {name: name == names[0] for name in names},
            "text": {},
        }
    }
    for answer in found:
        if answer.text:
            for key, field in _fields(answer):
                stored = document.setdefault(f"heds-{answer.question.key}{key}", field)
                for part in ("data", "text"):
                    if part in field:
                        stored[part] |= field[part]
    return json.dumps(document, ensure_ascii=False, indent=4)


def _fields(answer: Answer) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the fields of an answer by the ends of their keys."""
    question, scope = answer.question, answer.scope
    number = {"control": {}, "number": question.number}
    if question.takes == "text":
        yield "", {"data": {scope: answer.text}, **number}
        return
    chosen, words = _chosen(answer)
    count = OTHER_LANGUAGE if question.takes == "languages" else len(question.options)
    for option in range(1, count + 1):
        is_chosen = option in chosen
        label = ""
        if is_chosen and question.options:
            label = f"{option}. {question.options[option - 1].rstrip(' +')}"
        yield (
            f"-{option}",
            {"data": {scope: is_chosen}, **number, "text": {scope: label}},
        )
    if words:
        yield "-other_text", {"data": {scope: words}, "control": {}, "number": None}


def _chosen(answer: Answer) -> tuple[list[int], str]:
    if answer.question.takes != "languages":
        return parsed(answer.text)
    codes = [code.strip().lower() for code in answer.text.split(",")]
    known = [LANGUAGES.index(code) + 2 for code in codes if code in LANGUAGES]
    others = [code for code in codes if code not in LANGUAGES]
    return [*known, *([OTHER_LANGUAGE] if others else [])], ", ".join(others)


def heds_latex(study: Study) -> str:
    """Write the sheet as sections of a paper's appendix; open questions are marked."""
    lines = ["% HEDS 3.0 (Belz & Thomson 2024); labels are short names, not the form's wording."]
    found = answers(study)
    for section, title in SECTIONS.items():
        lines += ["", rf"\subsection*{{HEDS {section}: {title}}}"]
        own = [each for each in found if each.question.number.startswith(section)]
        for scope in dict.fromkeys(each.scope for each in own):
            if scope:
                lines += ["", rf"\subsubsection*{{{escaped(scope)}}}"]
            lines += [_latex_line(each) for each in own if each.scope == scope]
    if study.report is not None:
        lines += ["", rf"\noindent {escaped(citation(study.report.signature))}"]
    return "\n".join(lines) + "\n"


def _latex_line(answer: Answer) -> str:
    words = escaped(answer.in_words) or r"\emph{open}"
    label = escaped(answer.question.label)
    return rf"\par\noindent\textbf{{{answer.question.number} {label}:}} {words}"


def state(found: list[Answer]) -> Mapping[str, int]:
    """Count questions (not criteria): answered, drafts to confirm, open for a person."""
    numbers: dict[str, str] = {}
    for each in found:
        kind = "answered" if each.text else "draft" if each.draft else "open"
        worse = {"answered": 0, "draft": 1, "open": 2}
        before = numbers.get(each.question.number, "answered")
        numbers[each.question.number] = max(before, kind, key=worse.__getitem__)
    kinds = list(numbers.values())
    return {kind: kinds.count(kind) for kind in ("answered", "draft", "open")}
