"""Which scripts and stylesheets a campaign's work page loads: only those that its screens need."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.templatetags.static import static

from rankme.protocols.definition import Definition
from rankme.protocols.dialogues import text_checks
from rankme.protocols.instruments import INSTRUMENTS
from rankme.protocols.matrix import MATRIX

IMPORT = re.compile(r'^import\s[^"]*"(\.[^"]+)";', re.MULTILINE)


def work_scripts(definition: Definition) -> list[str]:
    """Every script that the work page needs; the instructions page fetches them ahead of it."""
    return [static(name) for name in work_script_names(definition)]


def work_script_names(definition: Definition) -> list[str]:
    """The names of these scripts, as they are before they are stored under a hash."""
    is_timed, crowd = has_timed_screens(definition), definition.crowd
    needed: dict[str, object] = {
        "work/work": True,
        "work/bell": is_timed,
        "work/timed": is_timed,
        "work/practice": definition.practice,
        "blocks/pictorial": has_pictorial_block(definition),
        "blocks/document": definition.has_documents,
        "blocks/dialogue": text_checks(definition),
        "blocks/files": definition.shows_files(),
        "blocks/lookup": definition.input_kind == "tables",
        **{f"blocks/{name}": True for name in _scripts_for_texts(definition)},
        "work/practice_answers": tells_answers(definition),
        "participant/device": crowd.devices == "desktop",
        "work/traces": crowd.traces,
        "work/complaint": definition.problem_button,
    }
    own = [f"js/{name}.js" for name, is_needed in needed.items() if is_needed]
    instruments = [f"js/instruments/{name}.js" for name in instrument_scripts(definition)]
    return list(dict.fromkeys(each for name in own + instruments for each in with_imports(name)))


@cache
def with_imports(name: str) -> list[str]:
    """A script and all that it imports; a browser would learn of each only from the one before."""
    path = finders.find(name)
    assert path is not None, name
    addresses = IMPORT.findall(Path(path).read_text("utf-8"))
    imported = [posixpath.normpath(f"{posixpath.dirname(name)}/{each}") for each in addresses]
    return [name, *(each for script in imported for each in with_imports(script))]


def instrument_scripts(definition: Definition) -> dict[str, str]:
    """The modules of the instruments that this campaign uses, and of what goes with them, under
    their hashed names.
    """
    scripts = {name: static(f"js/instruments/{name}.js") for name in instruments_of(definition)}
    if may_decline(definition):
        scripts["cannot_judge"] = static("js/instruments/cannot_judge.js")
    return scripts


def work_stylesheets(definition: Definition) -> list[str]:
    """The stylesheets that the work page contains, in the order of the cascade."""
    sheets = dict.fromkeys(
        f"instruments/{sheet}"
        for name in instruments_of(definition)
        for sheet in INSTRUMENTS[name].stylesheets
    )
    names = ["work", "screen", *_block_stylesheets(definition), *sheets]
    if has_timed_screens(definition):
        names.append("timed")
    if may_decline(definition):
        names.append("cannot_judge")
    if any(screen.layout == MATRIX for screen in definition.screens):
        names.append("matrix")
    return [f"css/{name}.css" for name in names]


def _block_stylesheets(definition: Definition) -> Iterator[str]:
    if definition.input_kind == "tables":
        yield "blocks/tables"
    if may_have_panes(definition):
        yield "blocks/panes"
    if definition.input_kind == "images":
        yield "blocks/pictures"
    if has_pictorial_block(definition):
        yield "blocks/pictorial"
    if definition.has_documents:
        yield "blocks/document"
    if text_checks(definition):
        yield "blocks/dialogue"
    if definition.shows_files():
        yield "blocks/files"
    yield from (f"blocks/{name}" for name in _scripts_for_texts(definition))


def _scripts_for_texts(definition: Definition) -> list[str]:
    """What blocks need whose texts are in Markdown, side by side, or compared."""
    blocks = [block for screen in definition.screens for block in screen.show]
    has_difference = any(block.difference for block in blocks)
    needed = {
        "formatted": has_difference
        or any(block.format == "markdown" or block.markdown_turns for block in blocks),
        "columns": any(block.layout == "side_by_side" for block in blocks),
        "difference": has_difference,
    }
    return [name for name, is_needed in needed.items() if is_needed]


def may_have_panes(definition: Definition) -> bool:
    """Whether tables or a long text can be next to the outputs (`kept.js` decides)."""
    if definition.input_kind not in ("tables", "text"):
        return False
    layouts = [
        {block.block: block.layout for block in screen.show} for screen in definition.screens
    ]
    return any("input" in has and has.get("outputs") == "rows" for has in layouts)


def instruments_of(definition: Definition) -> list[str]:
    return sorted({criterion.instrument for criterion in definition.criteria})


def may_decline(definition: Definition) -> bool:
    """Whether raters can say somewhere that they cannot judge."""
    return any(criterion.cannot_judge for criterion in definition.criteria)


def has_timed_screens(definition: Definition) -> bool:
    return any(screen.timed for screen in definition.screens)


def tells_answers(definition: Definition) -> bool:
    """Whether raters see their own answers to a practice example again, next to the feedback."""
    has_text = any(trial.feedback or trial.expect for trial in definition.practice)
    is_gated = definition.practice_gate
    return is_gated or (definition.practice_feedback and has_text)


def has_pictorial_block(definition: Definition) -> bool:
    return any(block.pictorial for screen in definition.screens for block in screen.show)
