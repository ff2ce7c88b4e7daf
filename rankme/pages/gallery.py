"""The gallery: every preset's screens with our own material, for anybody to try."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from rankme.demonstration.material import MATERIAL
from rankme.designs.documents import Documents, document_of_trials
from rankme.designs.order import draw_order
from rankme.designs.registry import draw
from rankme.importing import read_material
from rankme.importing.rows import ItemRow
from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.protocols.documents import place_of, runs_of
from rankme.protocols.files import preset, preset_names

from .preview import chosen_page, most_whole, work_context
from .trial_page import ShownTrial

SEED = 2018


@require_GET
def list_presets(request: HttpRequest) -> HttpResponse:
    definitions = {name: preset(name) for name in preset_names()}
    presets = [(name, found, pictures_of(name, found)) for name, found in definitions.items()]
    return render(request, "gallery.html", {"presets": presets})


def pictures_of(name: str, definition: Definition) -> list[str]:
    """Those of the preset's screens that were taken (`docs/images/take.py`)."""
    paths = [f"images/gallery/{name}-{screen.name}.webp" for screen in definition.screens]
    return [path for path in paths if finders.find(path)]


@require_GET
def show_preset(request: HttpRequest, name: str) -> HttpResponse:
    """A preset as raters see it; the campaign is made for the page and never stored."""
    if name not in preset_names():
        raise Http404
    definition = preset(name)
    campaign = Campaign(title=definition.title)

    def work(campaign: Campaign, definition: Definition) -> tuple[str, dict[str, object]]:
        return "participant/work.html", work_context(definition, list(sample(name)))

    return chosen_page(request, campaign, definition, back=reverse("rankme:gallery"), work=work)


@lru_cache(maxsize=32)
def sample(name: str) -> tuple[ShownTrial, ...]:
    """The beginning of the first batch that the preset's own design draws of our material."""
    items, systems, texts = read_ours(name)
    definition = preset(name)
    places = [place_of(item.factors) for item in items.values()]
    documents = Documents.of(runs_of(places)) if definition.has_documents else None
    coverage = np.array(
        [[(key, system) in texts for system in systems] for key in items], dtype=np.bool_
    )
    plan = draw(
        definition.design.kind,
        len(items),
        len(systems),
        definition.design.options,
        definition.raters_per_trial,
        seed=SEED,
        coverage=coverage,
        documents=documents,
    )
    trials = plan.batches[0].trials
    trials = trials[: most_whole([places[trial.item] for trial in trials])]
    order = draw_order(
        [len(trial.systems) for trial in trials],
        SEED,
        documents=document_of_trials([places[trial.item][1] for trial in trials])
        if documents
        else (),
    )
    shown = []
    for index, positions in order:
        item = items[list(items)[trials[index].item]]
        outputs = [texts[item.key, systems[trials[index].systems[place]]] for place in positions]
        shown.append(
            ShownTrial(
                item.input,
                item.reference,
                item.context,
                tuple(outputs),
                place=place_of(item.factors),
            )
        )
    return tuple(shown)


@lru_cache(maxsize=32)
def read_ours(name: str) -> tuple[dict[str, ItemRow], list[str], dict[tuple[str, str], str]]:
    """Our material through the reader that an upload goes through: items, systems, outputs."""
    ours = MATERIAL[name]
    with read_material(ours.paths, ours.format) as read:
        items = {item.key: item for item in read.items()}
        texts = {(output.item_key, output.system): output.text for output in read.outputs()}
    return items, sorted({system for _, system in texts}), texts
