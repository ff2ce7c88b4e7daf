"""The plan of a study as a document that is fixed, and can be dated by others, at the launch.

The same definition and material give the same document, before the launch and at it. It names
neither the seed, which decides who sees what, nor any code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.inference import beyond
from analysis.report.layout.latex import as_document, escaped
from analysis.report.options import ReportOptions
from analysis.sequential.plan import ANYTIME, BEST, GROUP_SEQUENTIAL
from rankme.designs.registry import DESIGNS
from rankme.exporting.bundle import public_definition
from rankme.exporting.registered import document_sha256
from rankme.models import Campaign, CampaignVersion
from rankme.protocols.definition import Definition
from rankme.protocols.exchange.payload_hashes import canonical
from rankme.protocols.files import definition_to_document, stored_definition

FORMAT = 1
NOT_STATED = "Not stated."


def preregistration(
    campaign: Campaign, balance: Mapping[str, Any], launched: CampaignVersion | None = None
) -> dict[str, Any]:
    """Write the document of a draft, or again from the first version of a campaign.

    Parameters
    ----------
    balance : of the plan, as it is stored
    """
    definition = stored_definition((launched or campaign).definition)
    systems = list(campaign.systems.order_by("position").values_list("name", flat=True))
    items = campaign.items.count()
    if launched is not None:  # what came later is in no plan of the launch
        systems, items = systems[: launched.systems], launched.items
    public = definition_to_document(public_definition(definition, is_over=False))
    sections = {
        "Hypotheses": [["Hypotheses", definition.hypotheses.strip() or NOT_STATED]],
        "Design": list(_design(definition, systems, items)),
        "Questions": [
            [each.name, f"{each.question.strip()} ({each.tool.title.rstrip('.')})"]
            for each in definition.criteria
        ],
        "Sample": list(_sample(definition, balance)),
        "Exclusions": list(_exclusions(definition)),
        "Analysis": list(_analysis(definition)),
        "End of the collection": [["Stopping rule", _stopping(definition)]],
    }
    return {
        "format": FORMAT,
        "title": definition.title,
        "sections": [{"title": title, "facts": facts} for title, facts in sections.items()],
        # Of `campaign.yaml` in a report's bundle, as it is public before the close.
        "campaign_file_sha256": hashlib.sha256(canonical(public)).hexdigest(),
    }


def _design(definition: Definition, systems: Sequence[str], items: int) -> Iterator[list[str]]:
    design = DESIGNS[definition.design.kind]
    shown = {option.name: option.shown for option in design.options}
    given = sorted(definition.design.options.items())
    options = [f"{name}: {shown[name](value)}" for name, value in given]
    yield ["Assignment", "; ".join([str(design.title), *options])]
    yield ["Items", str(items)]
    yield ["Systems", f"{len(systems)}: {', '.join(systems)}"]
    yield ["Raters who judge the same outputs", str(definition.raters_per_trial)]
    order = "random, drawn for each rater" if definition.design.shuffle_trials else "as planned"
    yield ["Order of trials", order]
    if share := definition.design.unassisted_share:
        yield ["Pages without suggested marks", f"{100 * share:g} %, drawn for each rater"]
    for number, screen in enumerate(definition.screens, start=1):
        blocks = ", ".join(block.block for block in screen.show)
        yield [f"Screen {number}", f"shows {blocks}; asks {', '.join(screen.ask)}"]


def _sample(definition: Definition, balance: Mapping[str, Any]) -> Iterator[list[str]]:
    crowd = definition.crowd
    fewest, most = planned_raters(balance["batches"], definition)
    yield ["Batches", f"{balance['batches']}, each done by {definition.raters_per_trial} raters"]
    yield ["Raters", str(most) if fewest == most else f"{fewest} to {most}"]
    yield ["Outputs judged, on each criterion", str(balance["judgements"])]
    yield ["Batches per rater", f"at most {crowd.batches_per_rater}"]
    way = "anyone with the link" if crowd.open_link else "by invitation or through the panel"
    yield ["Recruitment", f"{crowd.panel}; {way}"]
    yield ["Pay per batch", f"{crowd.pay_per_batch:.2f} {crowd.currency}"]
    for question in definition.entry_questions:
        if question.accept:
            yield [f"Entry question “{question.question}”", f"accepted: {listed(question.accept)}"]
        for answer, most in question.most.items():
            yield [f"Entry question “{question.question}”", f"at most {most} raters: {answer}"]


def planned_raters(batches: int, definition: Definition) -> tuple[int, int]:
    """The fewest and the most raters who can do all batches."""
    sittings = batches * definition.raters_per_trial
    each = min(definition.crowd.batches_per_rater, batches)
    return max(-(-sittings // each), definition.raters_per_trial), sittings


def _exclusions(definition: Definition) -> Iterator[list[str]]:
    rules = definition.rules
    yield ["Excluded if", rules.exclude_if or "No rule excludes raters."]
    yield ["Marked if", rules.flag_if or "No rule marks raters."]
    yield ["Turned away before the work if", rules.gate_if or "No rule turns raters away."]
    kinds = sorted({check.kind.replace("_", " ") for check in definition.checks})
    yield ["Checks", listed(kinds) or "None."]
    yield ["Practice", "must be passed" if definition.practice_gate else "need not be passed"]
    yield ["By hand", "An exclusion by hand has a reason, and is a deviation from this plan."]


def _analysis(definition: Definition) -> Iterator[list[str]]:
    options = ReportOptions.from_dict(definition.analysis.options)
    yield ["Claims are", f"{beyond(definition.generality)}."]
    primary = definition.primary or "None: every criterion is tested at the whole level."
    yield ["Primary criterion", primary]
    margins = [f"{name} ± {margin:g}" for name, margin in sorted(definition.equivalence.items())]
    yield ["Margins of equivalence", listed(margins) or "None: nothing is claimed to be as good."]
    yield ["Level", f"{options.alpha:g}"]
    default = ReportOptions().as_dict()
    stated = {name: value for name, value in options.as_dict().items() if value != default[name]}
    told = [f"{name}: {json.dumps(value)}" for name, value in sorted(stated.items())]
    yield ["Options of the report", "; ".join(told) or "The standard report."]


def _stopping(definition: Definition) -> str:
    looks = definition.looks
    ends = f"The collection ends when {definition.raters_per_trial} raters have done each batch"
    deviations = (
        "a reading of judgements before the end, and an extension of the plan are deviations from "
        "this plan."
    )
    if looks.is_fixed:
        return f"{ends}. An earlier end, {deviations}"
    how = {
        GROUP_SEQUENTIAL: (
            f"There are {looks.number} group-sequential looks at equal distances, the last one "
            "after the end (t, O'Brien–Fleming's shape, from 10 effective raters on)"
        ),
        ANYTIME: "Anybody of us may look at any time from 12 raters on (betting)",
    }[looks.mode]
    which = "the best system is" if looks.goal == BEST else "all systems are"
    return (
        f"{ends}, or earlier when a look proposes it: when {which} told apart from the others or "
        "differs by less than the margin of equivalence, or when the chance to tell more pairs "
        f"apart is below 10 % (group-sequential looks only). {how}. Looks take raters in the order "
        f"in which they began. Any other earlier end, {deviations}"
    )


def listed(names: Sequence[str]) -> str:
    return ", ".join(names)


# --- Files ----------------------------------------------------------------------------------------


def as_markdown(document: Mapping[str, Any]) -> str:
    lines = [f"# Preregistration: {document['title']}"]
    for section in document["sections"]:
        lines += ["", f"## {section['title']}", ""]
        for name, text in section["facts"]:
            lines.append(text if name == section["title"] else f"- **{name}**: {text}")
    return "\n".join([*lines, "", f"SHA-256 of the JSON file: {document_sha256(document)}", ""])


def as_latex(document: Mapping[str, Any]) -> str:
    parts = [rf"\section*{{Preregistration: {escaped(document['title'])}}}"]
    for section in document["sections"]:
        parts.append(rf"\subsection*{{{escaped(section['title'])}}}")
        for name, text in section["facts"]:
            label = "" if name == section["title"] else rf"\textbf{{{escaped(name)}:}} "
            parts.append(rf"\par\noindent {label}{escaped(text)}")
    sha256 = rf"\texttt{{\small {document_sha256(document)}}}"
    return as_document([*parts, rf"\par\bigskip\noindent SHA-256 of the JSON file: {sha256}"])


FILES = {
    "preregistration.json": lambda document: canonical(document).decode(),
    "preregistration.md": as_markdown,
    "preregistration.tex": as_latex,
}
