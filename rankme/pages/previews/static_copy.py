"""A campaign as a folder of plain pages: items with all judgements, and the screens of raters.

It opens from a disk, without the site. Pages of items need no script. The screens are the ones of
the work page with its own scripts, in a form that browsers load from a disk (`code.js`).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import SimpleNamespace

from django.core.files.storage import default_storage
from django.db.models import Q
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils import timezone, translation

from rankme.exporting.files import ZIP, ExportedFile
from rankme.exporting.zipped import Content, zipped
from rankme.models import Campaign, Item, MediaFile, Output
from rankme.pages.campaign.items import item_context
from rankme.pages.campaign.settling import settled_parts
from rankme.pages.rater.shown_trials import ShownTrial, shown_trial
from rankme.pages.rater.work_files import work_script_names
from rankme.protocols.definition import Definition
from rankme.protocols.exchange.page_shapes import TrialFile
from rankme.protocols.files import stored_definition
from rankme.queries.items.answers import answers_about
from rankme.queries.words import in_the_language_of
from rankme.templatetags.inside import lines_of

from .preview import work_context

ITEMS_IN_A_PART = 200
MOST_SETS = 3  # of outputs that were shown together, of which an item has screens
CHUNK_BYTES = 64 * 1024
PAGE_STYLES = ("css/base.css", "css/parts.css", "css/organiser.css")
SCREEN_STYLES = ("css/base.css", "css/parts.css", "css/participant.css")
ICON = "images/rankme.svg"
OTHER_SCRIPT = re.compile(r'"(\.{1,2}/[^"]+\.js)"')
# Browsers refuse modules of a disk, but not those that are in a page.
CODE = """"use strict";
const add = (type, text) => {
  const script = document.createElement("script");
  script.type = type;
  script.textContent = text;
  document.head.append(script);
};
add("importmap", JSON.stringify({ imports: %s }));
add("module", 'import "rankme/js/work/work.js";');
"""


@dataclass(frozen=True)
class Folder:
    """A part of the campaign's items, and what the pages call the systems."""

    campaign: Campaign
    names: Mapping[int, str]
    part: int
    parts: int

    @cached_property
    def items(self) -> list[Item]:
        """The items of this part, in the order of the upload."""
        first = ITEMS_IN_A_PART * (self.part - 1)
        items = self.campaign.items.select_related("media").order_by("position")
        return list(items[first : first + ITEMS_IN_A_PART])

    @property
    def definition(self) -> Definition:
        """The campaign without what only belongs to its raters' way through it."""
        definition = stored_definition(self.campaign.definition)
        crowd = definition.crowd.model_copy(update={"devices": "any", "wait_least_seconds": False})
        changes = {"practice": [], "problem_button": False, "crowd": crowd}
        return definition.model_copy(update=changes)


def parts_of(campaign: Campaign) -> int:
    """In how many parts the campaign is copied."""
    return -(-campaign.items.count() // ITEMS_IN_A_PART)


def copy_file(
    campaign: Campaign, names: Mapping[int, str], part: int, language: str
) -> ExportedFile:
    """A part of the copy as a zip, which is written while it is sent."""
    folder = Folder(campaign, names, part, parts_of(campaign))
    number = f"-{part}" if folder.parts > 1 else ""
    content = zipped(_files(folder, language))
    return ExportedFile(f"{campaign.code}-copy{number}.zip", ZIP, content)


def _files(folder: Folder, language: str) -> Iterator[tuple[str, Content]]:
    """Every file of the copy; a page is rendered when its turn comes."""
    definition, items = folder.definition, folder.items
    yield "style.css", "\n".join(map(lines_of, PAGE_STYLES))
    yield "icon.svg", lines_of(ICON)
    yield "code.js", code_of(definition)
    with translation.override(language):
        index = render_to_string(
            "copy/index.html",
            {
                "folder": folder,
                "campaign": folder.campaign,
                "definition": definition,
                "items": items,
                "at": timezone.now(),
            },
        )
    yield "index.html", index
    for item in items:
        yield from _pages_of(folder, definition, item, language)
    for media in _media_of(items):
        yield f"media/{media.file_name}", _read(media)


def _pages_of(
    folder: Folder, definition: Definition, item: Item, language: str
) -> list[tuple[str, str]]:
    screens = _screens_of(folder, definition, item)
    answers = answers_about(folder.campaign, item, folder.names)
    number, place = item.position + 1, item.position % ITEMS_IN_A_PART + 1
    context = item_context(item) | {
        "folder": folder,
        "campaign": folder.campaign,
        "up": "../",
        "answers": answers,
        "parts": settled_parts(folder.campaign, item, answers.about),
        "screens": [name for name, _text in screens],
        "before": number - 1 if place > 1 else None,
        "after": number + 1 if place < len(folder.items) else None,
    }
    with translation.override(language):
        page = render_to_string("copy/item.html", context)
    return [(f"items/{number}.html", page), *((f"screens/{name}", text) for name, text in screens)]


# --- The screens of raters -----------------------------------------------------------------------


def _screens_of(folder: Folder, definition: Definition, item: Item) -> list[tuple[str, str]]:
    """Each screen on a page of its own, for the first sets of outputs that are shown together."""
    sets: dict[tuple[int, ...], None] = {}
    trials = item.trials.filter(as_check=None).order_by("pk").prefetch_related("places")
    for trial in trials.iterator(chunk_size=100):
        sets[tuple(place.output_id for place in trial.places.all())] = None
        if len(sets) == MOST_SETS:
            break
    outputs = Output.objects.select_related("media").in_bulk([pk for each in sets for pk in each])
    pages = []
    for number, chosen in enumerate(sets, start=1):
        shown = _on_disk(item, [outputs[pk] for pk in chosen])
        for place, screen in enumerate(definition.screens, start=1):
            only = definition.model_copy(update={"screens": [screen]})
            name = f"{item.position + 1}-{number}-{place}.html"
            pages.append((name, screen_page(folder, only, shown, item.position + 1)))
    return pages


def _on_disk(item: Item, outputs: Sequence[Output]) -> ShownTrial:
    """A trial with files that are next to the pages."""
    trial = shown_trial("copy", item, outputs)
    return replace(
        trial,
        input_file=_file(trial.input_file, item.media),
        output_files=tuple(
            _file(shown, output.media)
            for shown, output in zip(trial.output_files, outputs, strict=True)
        ),
    )


def _file(shown: TrialFile | None, media: MediaFile | None) -> TrialFile | None:
    if shown is None or media is None:
        return None
    return {**shown, "address": f"../media/{media.file_name}"}


def screen_page(folder: Folder, definition: Definition, trial: ShownTrial, number: int) -> str:
    """A screen with this trial as a page of the copy; `number` is that of the item's page."""
    with in_the_language_of(definition):
        context = work_context(definition, [trial])
        for name in context["document"]["instruments"]:
            context["document"]["instruments"][name] = f"rankme/js/instruments/{name}.js"
        page = render_to_string(
            "copy/screen.html",
            context
            | {
                "campaign": folder.campaign,
                "request": SimpleNamespace(headers={}, csp_nonce=""),
                "page_styles": SCREEN_STYLES,
                "number": number,
            },
        )
    return page.replace(static(ICON), "../icon.svg")


def code_of(definition: Definition) -> str:
    """All scripts of the work page in one, each under the name by which the others import it."""
    modules = {}
    for name in work_script_names(definition):
        folder = name.rpartition("/")[0]
        source = OTHER_SCRIPT.sub(partial(_imported, folder), lines_of(name))
        encoded = base64.b64encode(source.encode()).decode()
        modules[f"rankme/{name}"] = f"data:text/javascript;base64,{encoded}"
    return CODE % json.dumps(modules, indent=0)


def _imported(folder: str, found: re.Match[str]) -> str:
    path = folder.split("/")
    for step in found[1].split("/"):
        if step == "..":
            path.pop()
        elif step != ".":
            path.append(step)
    return f'"rankme/{"/".join(path)}"'


# --- Pictures, sounds and films ------------------------------------------------------------------


def _media_of(items: Sequence[Item]) -> Iterator[MediaFile]:
    """Each file that one of these items or its outputs shows, once."""
    of_items = Q(items__in=items) | Q(outputs__item__in=items)
    return MediaFile.objects.filter(of_items).distinct().order_by("pk").iterator()


def _read(media: MediaFile) -> Iterator[bytes]:
    with default_storage.open(media.stored) as file:
        while part := file.read(CHUNK_BYTES):
            yield part
