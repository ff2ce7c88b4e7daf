"""The gallery: every preset's screens with our own material, for anybody to try."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from rankme.demonstration.material import MATERIAL
from rankme.designs.document_order import Documents, document_of_trials
from rankme.designs.order import draw_order
from rankme.designs.registry import draw
from rankme.downloads import ShownFile, in_place
from rankme.importing import LIMITS, read_material
from rankme.importing.spooling.rows import ItemRow, MediaRow, OutputRow
from rankme.models import Campaign
from rankme.pages.rater.shown_trials import ShownTrial, file_as_shown
from rankme.protocols.definition import Definition
from rankme.protocols.documents import place_of, runs_of
from rankme.protocols.exchange.page_shapes import TrialFile
from rankme.protocols.files import preset, preset_names

from .preview import chosen_page, most_whole, work_context

SEED = 2018


@require_safe
def list_presets(request: HttpRequest) -> HttpResponse:
    definitions = {name: preset(name) for name in preset_names()}
    presets = [(name, found, pictures_of(name, found)) for name, found in definitions.items()]
    return render(request, "gallery.html", {"presets": presets})


def pictures_of(name: str, definition: Definition) -> list[str]:
    """Pictures of the preset's screens (`docs/images/take.py`)."""
    paths = [f"images/gallery/{name}-{screen.name}.webp" for screen in definition.screens]
    return [path for path in paths if finders.find(path)]


@require_safe
def show_preset(request: HttpRequest, name: str) -> HttpResponse:
    """A preset as raters see it; the campaign is made for the page and never stored."""
    if name not in preset_names():
        raise Http404
    definition = preset(name)
    campaign = Campaign(title=definition.title)

    def work(campaign: Campaign, definition: Definition) -> tuple[str, dict[str, object]]:
        return "participant/work/work.html", work_context(definition, list(sample(name)))

    return chosen_page(request, campaign, definition, back=reverse("rankme:gallery"), work=work)


@lru_cache(maxsize=32)
def sample(name: str) -> tuple[ShownTrial, ...]:
    """The beginning of the first batch that the preset's own design draws of our material."""
    ours = read_ours(name)
    items, systems = ours.items, ours.systems
    definition = preset(name)
    places = [place_of(item.factors) for item in items.values()]
    documents = Documents.of(runs_of(places)) if definition.has_documents else None
    coverage = np.array(
        [[(key, system) in ours.outputs for system in systems] for key in items], dtype=np.bool_
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
        shown.append(ours.shown(item, [systems[trials[index].systems[at]] for at in positions]))
    return tuple(shown)


@dataclass(frozen=True)
class OurMaterial:
    """The demonstration material of a preset; `media` maps numbers to contents of files."""

    name: str
    items: dict[str, ItemRow]
    outputs: dict[tuple[str, str], OutputRow]
    media: dict[int, tuple[MediaRow, bytes]]

    @cached_property
    def systems(self) -> list[str]:
        return sorted({system for _, system in self.outputs})

    def systems_of(self, item: ItemRow) -> list[str]:
        return [system for system in self.systems if (item.key, system) in self.outputs]

    def shown(self, item: ItemRow, systems: Sequence[str]) -> ShownTrial:
        """A trial of this item with the outputs of these systems."""
        outputs = [self.outputs[item.key, system] for system in systems]
        return ShownTrial(
            item.input,
            item.reference,
            item.context,
            tuple(output.text for output in outputs),
            place=place_of(item.factors),
            input_file=self._file(item),
            output_files=tuple(map(self._file, outputs)),
        )

    def _file(self, row: ItemRow | OutputRow) -> TrialFile | None:
        if row.media is None:
            return None
        address = reverse("rankme:gallery-media", args=[self.name, row.media])
        media = self.media[row.media][0]
        return file_as_shown(address, media.kind, row.alt, media.seconds)


@lru_cache(maxsize=32)
def read_ours(name: str) -> OurMaterial:
    """Our material through the reader that an upload goes through."""
    ours = MATERIAL[name]
    # Our own files need no child process, and a web process has threads that it should not copy.
    with read_material(ours.paths, ours.format, limits=replace(LIMITS, reader_memory=0)) as read:
        items = {item.key: item for item in read.items()}
        outputs = {(output.item_key, output.system): output for output in read.outputs()}
        media = {row.number: (row, row.content.read_bytes()) for row in read.media()}
    return OurMaterial(name, items, outputs, media)


@require_safe
def show_file(request: HttpRequest, name: str, number: int) -> HttpResponseBase:
    """A picture, sound or film of our material."""
    if name not in preset_names() or number not in (media := read_ours(name).media):
        raise Http404
    row, content = media[number]
    shown = ShownFile(row.size, row.sha256, row.media_type)
    return in_place(request, shown, lambda: io.BytesIO(content))
