"""A preview of the rater's screens for the organiser: the same screens, but nothing is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy

from rankme.actions.campaign.plans import draw_plan
from rankme.actions.rows.shown_as import SHOWN_AS, WORDS, draw_pictorial_items
from rankme.actions.sitting.figures import figures_of
from rankme.actions.sitting.quiz import asks_before_work, quizzes_of
from rankme.checks.moving_figures import draw_figure
from rankme.designs.document_order import document_of_trials
from rankme.designs.order import draw_order
from rankme.errors import RefusedAction
from rankme.forms.entry import FiguresForm, QuestionsForm, QuizForm
from rankme.models import Campaign, Item, Output, Trial
from rankme.pages.campaign.campaign_page import SAFE, campaign_page
from rankme.pages.rater.page_document import as_json, page_document
from rankme.pages.rater.participant_words import instrument_words, script_words
from rankme.pages.rater.shown_trials import ShownTrial, shown_trial, without_suggestions
from rankme.pages.rater.terms import gate_of, statements_of, terms_of
from rankme.pages.rater.work_files import instrument_scripts
from rankme.pages.rater.working import screens_context
from rankme.panel_links.outcomes import Outcome
from rankme.permissions import Permission
from rankme.protocols.definition import Definition
from rankme.protocols.documents import place_of, runs_of
from rankme.protocols.exchange import sent_screen
from rankme.protocols.exchange.page_shapes import Addresses, PageDocument
from rankme.queries.definitions import frozen_definition
from rankme.queries.words import in_the_language_of

MOST_TRIALS = 10
MOST_READ = 100  # where a document is longer
CODE = "PREVIEW"
# The stations of a rater's way.
TITLES = {
    "consent": gettext_lazy("Consent"),
    "questions": gettext_lazy("Entry questions"),
    "instructions": gettext_lazy("Instructions"),
    "quiz": gettext_lazy("Questions about the instructions"),
    "work": gettext_lazy("Work"),
    "end-questions": gettext_lazy("Questions at the end"),
    "done": gettext_lazy("The end"),
}


@campaign_page(SAFE, needs=Permission.READ)
def preview(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    definition = frozen_definition(campaign).definition
    back = reverse("rankme:campaign", args=[campaign.code])
    return chosen_page(request, campaign, definition, back=back, work=_work)


def chosen_page(
    request: HttpRequest, campaign: Campaign, definition: Definition, *, back: str, work: Station
) -> HttpResponse:
    """The station of the rater's way that the address names; `back` is where the bar leads."""
    here = request.GET.get("page", "consent")
    return station_page(request, campaign, definition, here, work=work, bar={"back": back})


def station_page(
    request: HttpRequest,
    campaign: Campaign,
    definition: Definition,
    here: str,
    *,
    work: Station,
    bar: dict[str, Any],
) -> HttpResponse:
    """One station as raters see it; `bar` is what the bar above it needs to know."""
    with in_the_language_of(definition):
        pages = pages_of(definition)
        here = here if here in pages else "consent"
        template, more = (PAGES | {"work": work})[here](campaign, definition)
        context = {
            "campaign": campaign,
            "definition": definition,
            "preview": pages,
            "here": here,
        }
        return render(request, template, context | bar | more)


def pages_of(definition: Definition) -> dict[str, str]:
    """The stations that the campaign has, by the name that the address gives them."""
    are_there: dict[str, object] = {
        "questions": definition.entry_questions,
        "quiz": asks_before_work(definition),
        "end-questions": definition.end_questions,
    }
    return {name: str(title) for name, title in TITLES.items() if are_there.get(name, True)}


def _consent(campaign: Campaign, definition: Definition) -> tuple[str, dict[str, Any]]:
    return "participant/arrival/consent.html", {
        "terms": terms_of(campaign, definition),
        "statements": statements_of(definition),
    }


def _questions(campaign: Campaign, definition: Definition) -> tuple[str, dict[str, Any]]:
    return "participant/arrival/questions.html", {"form": QuestionsForm(definition.entry_questions)}


def _end_questions(campaign: Campaign, definition: Definition) -> tuple[str, dict[str, Any]]:
    return "participant/departure/end_questions.html", {
        "form": QuestionsForm(definition.end_questions)
    }


def _instructions(campaign: Campaign, definition: Definition) -> tuple[str, dict[str, Any]]:
    return "participant/arrival/instructions.html", {"gate": gate_of(definition)}


def _quiz(campaign: Campaign, definition: Definition) -> tuple[str, dict[str, Any]]:
    figures = {each.name: (each, draw_figure(0)) for each in figures_of(definition)}
    context = {
        "form": QuizForm(quizzes_of(definition)),
        "figures": FiguresForm(figures, None),
        "instructions": definition.texts.instructions,
    }
    return "participant/arrival/questions.html", context


def _done(campaign: Campaign, definition: Definition) -> tuple[str, dict[str, Any]]:
    url = definition.crowd.return_address(Outcome.COMPLETED, CODE)
    return "participant/departure/done.html", {"code": CODE, "return_url": url}


def _work(campaign: Campaign, definition: Definition) -> tuple[str, dict[str, Any]]:
    try:
        trials, refusal = sample_trials(campaign, definition), ""
    except RefusedAction as error:
        trials, refusal = [], str(error)
    if not trials and not definition.practice:
        return "participant/departure/stop.html", {"reason": "no-material", "refusal": refusal}
    return "participant/work/work.html", work_context(definition, trials) | {"refusal": refusal}


def work_context(definition: Definition, trials: Sequence[ShownTrial]) -> dict[str, Any]:
    """Context of the work page for these trials; stores nothing."""
    document: PageDocument = {
        **page_document(definition, trials, is_preview=True),
        "preview": True,
        "version": sent_screen.VERSION,
        "assignment": 0,
        "rater": "",
        "stored": [],
        "addresses": cast(Addresses, dict.fromkeys(Addresses.__annotations__, "")),
        "devices": "any",
        "instruments": instrument_scripts(definition),
        "words": script_words(definition),
        "instrument_words": instrument_words(definition),
    }
    return screens_context(definition) | {"document": as_json(document)}


Station = Callable[[Campaign, Definition], tuple[str, dict[str, Any]]]
PAGES: dict[str, Station] = {
    "consent": _consent,
    "questions": _questions,
    "instructions": _instructions,
    "quiz": _quiz,
    "end-questions": _end_questions,
    "done": _done,
}


def sample_trials(campaign: Campaign, definition: Definition) -> list[ShownTrial]:
    """The beginning of the first batch: as stored, or as a launch would draw it now."""
    chosen = _drawn(campaign) if campaign.is_draft else _planned(campaign)
    shuffle = definition.design.shuffle_trials
    items = Item.objects.select_related("media").in_bulk([item for item, _ in chosen])
    chosen = chosen[: most_whole([place_of(items[item].factors) for item, _ in chosen])]
    segments = [place_of(items[item].factors)[1] for item, _ in chosen]
    order = draw_order(
        [len(outputs) for _, outputs in chosen],
        campaign.seed,
        shuffle_trials=shuffle,
        documents=document_of_trials(segments) if definition.has_documents else (),
    )
    texts = Output.objects.select_related("media").in_bulk(
        [output for _, outputs in chosen for output in outputs]
    )
    drawn = (campaign.is_draft and draw_pictorial_items(campaign, definition)) or {}
    trials = [
        shown_trial(
            campaign.code,
            items[chosen[trial][0]],
            [texts[chosen[trial][1][place]] for place in places],
            in_words=WORDS
            in (drawn.get(chosen[trial][0]), items[chosen[trial][0]].factors.get(SHOWN_AS)),
        )
        for trial, places in order
    ]
    return _some_without_suggestions(trials, definition, campaign.seed)


def _some_without_suggestions(
    trials: list[ShownTrial], definition: Definition, seed: int | None
) -> list[ShownTrial]:
    """Hold out the campaign's share of the pages that have suggestions, and at least one."""
    share = definition.design.unassisted_share
    having = [number for number, trial in enumerate(trials) if any(trial.marks)]
    if not (share and having):
        return trials
    rng = np.random.default_rng(seed)
    chosen = rng.choice(having, max(round(share * len(having)), 1), replace=False).tolist()
    return [
        without_suggestions(trial) if number in chosen else trial
        for number, trial in enumerate(trials)
    ]


def most_whole(places: Sequence[tuple[str, int]]) -> int:
    """Limit the previewed trials to whole documents."""
    ends = [run.stop for run in runs_of(places)]
    return max([end for end in ends if end <= MOST_TRIALS] or ends[:1], default=0)


def _planned(campaign: Campaign) -> list[tuple[int, list[int]]]:
    planned = Trial.objects.filter(batch__campaign=campaign, as_check=None)
    trials = planned.order_by("batch__number", "position")
    return [
        (trial.item_id, [place.output_id for place in trial.places.all()])
        for trial in trials.prefetch_related("places")[:MOST_READ]
    ]


def _drawn(campaign: Campaign) -> list[tuple[int, list[int]]]:
    drawn = draw_plan(campaign)
    first = min(int(drawn.plan.batch_sizes[0]), MOST_READ)
    return [drawn.shown_in(trial) for trial in range(first)]
