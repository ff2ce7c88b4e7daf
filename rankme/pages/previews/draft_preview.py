"""The rater's screen of a form that is not saved yet, for the frame next to the form.

The browser posts the form as it is typed. Nothing is stored: what the form leaves open is filled
in for the picture, and the texts are the first of the campaign's own material, or ours.
"""

from __future__ import annotations

import re
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_replace
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST

from rankme.designs.plan import DesignError
from rankme.designs.registry import DESIGNS, checked_options
from rankme.errors import InvalidDefinition
from rankme.forms.definition import Document, draw_form, name_the_nameless, read_form
from rankme.models import Campaign, Output
from rankme.pages.rater.shown_trials import ShownTrial, shown_trial
from rankme.permissions import Permission, declare, get_campaign
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_document
from rankme.untrusted.whole_numbers import number_in

from .gallery import read_ours
from .preview import TITLES, station_page, work_context

SHOWN_TRIALS = 3
PREVIEW_PAGES = {name: title for name, title in TITLES.items() if name != "quiz"}
OPTIONAL = {"analysis", "breaks", "crowd", "entry_questions", "languages", "practice", "words"}
OPTIONAL |= {"end_questions", "hypotheses", "primary", "equivalence", "looks"}
# The station that shows what is being typed, by the beginning of its field's name.
STATIONS = {
    "texts.consent": "consent",
    "texts.contact": "consent",
    "texts.statements": "consent",
    "entry_questions": "questions",
    "end_questions": "end-questions",
    "texts.instructions": "instructions",
    "texts.thanks": "done",
    "crowd.return": "done",
    "crowd.completion": "done",
    "crowd": "consent",
}


@login_required
@require_POST
@xframe_options_sameorigin
@csp_replace({"frame-ancestors": [SELF]})
def preview_draft(request: HttpRequest, code: str = "") -> HttpResponse:
    """The station that shows the field named by `preview_at`, or the one that was chosen."""
    declare(request, Permission.EDIT)
    campaign = get_campaign(request, code) if code else Campaign()
    document = read_form(request.POST)
    name_the_nameless(document)
    _fill_gaps(document)
    at = request.POST.get("preview_at", "")
    try:
        definition = _as_far_as_it_goes(document)
    except InvalidDefinition as error:
        _sections, findings = draw_form(document, error.problems)
        context = {"findings": findings}
        return render(request, "organiser/definition/no_preview.html", context, status=422)
    here = request.POST.get("preview_page", "") or _station_of(at)
    shown = _what_is_edited(definition, at) if here == "work" else definition
    campaign.title = definition.title

    def work(campaign: Campaign, definition: Definition) -> tuple[str, dict[str, Any]]:
        trials = _trials(campaign, definition)
        return "participant/work/work.html", work_context(definition, trials)

    return station_page(request, campaign, shown, here, work=work, bar={"in_frame": True})


def _fill_gaps(document: Document) -> None:
    """Parts that are not typed yet should not hide those that are."""
    document["title"] = document["title"] or _("A campaign without a title")
    for criterion in document["criteria"]:
        criterion["question"] = criterion["question"] or _("A question without a text")
    name_the_nameless(document)
    asking = [screen for screen in document["screens"] if screen["ask"]]
    document["screens"] = asking or document["screens"]


def _as_far_as_it_goes(document: Document) -> Definition:
    """The definition; a part that can be left out and is half typed hides nothing of the others."""
    try:
        return definition_from_document(document)
    except InvalidDefinition as error:
        parts = {re.split(r"[.\[]", problem.place)[0] for problem in error.problems}
        if not parts <= OPTIONAL:
            raise
        rest = {name: part for name, part in document.items() if name not in parts}
        return definition_from_document(rest)


def _station_of(at: str) -> str:
    return next((station for start, station in STATIONS.items() if at.startswith(start)), "work")


def _what_is_edited(definition: Definition, at: str) -> Definition:
    """The campaign with nothing but the screen, or the practice, to which a field belongs."""
    part, _dot, rest = at.partition(".")
    number = number_in(rest.partition(".")[0])
    screen = number if part == "screens" else 0
    if part == "criteria" and number < len(definition.criteria):
        name = definition.criteria[number].name
        screen = next(index for index, spec in enumerate(definition.screens) if name in spec.ask)
    practice = definition.practice if part == "practice" else []
    return definition.model_copy(
        update={
            "screens": definition.screens[screen : screen + 1] or definition.screens[:1],
            "practice": practice[number:] or practice,
        }
    )


def _trials(campaign: Campaign, definition: Definition) -> list[ShownTrial]:
    """The first items, each with as many outputs as a screen will have."""
    own = _own_trials(campaign, definition) if campaign.pk else []
    return own or _our_trials(definition)


def _own_trials(campaign: Campaign, definition: Definition) -> list[ShownTrial]:
    width = _outputs_per_screen(definition)
    shown = []
    for item in campaign.items.select_related("media").order_by("position")[:SHOWN_TRIALS]:
        outputs = Output.objects.filter(item=item).order_by("system__position")[:width]
        shown.append(shown_trial(campaign.code, item, list(outputs.select_related("media"))))
    return shown


def _our_trials(definition: Definition) -> list[ShownTrial]:
    ours = read_ours(_like_ours(definition))
    width = _outputs_per_screen(definition)
    return [
        ours.shown(item, ours.systems_of(item)[:width])
        for item in list(ours.items.values())[:SHOWN_TRIALS]
    ]


def _like_ours(definition: Definition) -> str:
    """The preset whose example texts are of the kind that these screens show."""
    for block, name in (("outputs", "audio-quality"), ("input", "image-captions")):
        if definition.shows_files(block):
            return name
    of_kind = {"mr": "e2e-quality", "tables": "rotowire-facts", "images": "tuna08-identification"}
    if definition.input_kind in of_kind:
        return of_kind[definition.input_kind]
    if definition.has_documents:
        return "document-esa"
    if any(screen.shows("context", "reference_context") for screen in definition.screens):
        return "sr11-shallow"
    if any(screen.shows("reference") for screen in definition.screens):
        return "direct-assessment"
    return "likert-criteria"


def _outputs_per_screen(definition: Definition) -> int | None:
    """None: all of the item's."""
    kind = definition.design.kind
    if not DESIGNS[kind].needs_outputs:
        return 0
    try:
        options = checked_options(kind, definition.design.options)
    except DesignError:  # the form says so next to the option
        options = {}
    return int(options.get("outputs_per_screen", 1)) or None
