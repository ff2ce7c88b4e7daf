"""The site's own texts that raters can read: what `words` in a campaign file may say otherwise.

They are found where they are used, so a new text of a template needs no entry here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.utils.translation.template import templatize

from .instruments import INSTRUMENTS

PROJECT = Path(__file__).parents[2]
# Raters never see it.
OF_ORGANISERS = {"_preview_bar.html"}
SHARED_TEMPLATES = ("base.html", "components/form_errors.html")
MODULES = (
    "rankme/pages/rater/rater_pages.py",
    "rankme/pages/rater/entering.py",
    "rankme/pages/rater/working.py",
    "rankme/pages/rater/leaving.py",
    "rankme/pages/rater/participant_words.py",
    "rankme/pages/rater/shortcuts.py",
    "rankme/forms/entry.py",
    "rankme/actions/sitting/assignments.py",
    "rankme/actions/sitting/complaints.py",
    "rankme/actions/sitting/judgements.py",
    "rankme/actions/sitting/participation.py",
    "rankme/actions/sitting/sent_screens.py",
    "rankme/protocols/answers.py",
)
# What Django says about the entry questions.
OF_DJANGO = (
    ("This field is required.",),
    ("Select a valid choice. %(value)s is not one of the available choices.",),
    (
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
    ),
)
MARKS = {"_", "gettext", "ngettext"}

STRING = r"""u?('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
MARKED_IN_TEMPLATES = re.compile(rf"(?:gettext|_)\({STRING}(?:\s*,\s*{STRING}\s*,)?")
# Error pages say other things to organisers.
TO_ORGANISERS = re.compile(
    r"{% if not is_for_rater %}.*?{% endif %}"
    r"|(?<={% if is_for_rater %})(?P<to_raters>.*?){% else %}.*?{% endif %}",
    re.DOTALL,
)
GAP = re.compile(r"%\(\w+\)[sd]|%d|\{\w+\}")


@dataclass(frozen=True)
class RaterText:
    """One English text, which is also its key in `words`."""

    key: str
    # The only instruments whose screens have it; empty: every campaign has it.
    instruments: frozenset[str] = frozenset()
    # One thing and several things, where the text has two forms.
    forms: tuple[str, str] | None = None


@lru_cache(maxsize=1)
def rater_texts() -> Mapping[str, RaterText]:
    """All texts by their keys, in the order in which raters meet them."""
    found: dict[str, RaterText] = {}
    for forms, instrument in _found_texts():
        pair = (forms[0], forms[1]) if len(forms) == 2 else None
        for key in forms:
            before = found.get(key)
            only = frozenset({instrument}) if instrument else frozenset()
            if before is not None:
                only = only | before.instruments if only and before.instruments else frozenset()
            found[key] = RaterText(key, only, pair)
    return found


def texts_needed(instruments: Iterable[str]) -> list[RaterText]:
    """The texts that a campaign with these instruments can show."""
    used = set(instruments)
    return [
        text
        for text in rater_texts().values()
        if not text.instruments or not used.isdisjoint(text.instruments)
    ]


def problem_with_word(key: str, text: str) -> str | None:
    """Why a campaign file cannot say this instead of the text with this key."""
    known = rater_texts()
    if key not in known:
        near = get_close_matches(key, known, 1, cutoff=0.5)
        hint = f": did you mean “{near[0]}”?" if near else ""
        return f"raters see no such text of the site{hint or ': see manage.py words'}"
    if not text.strip():
        return None
    wanted, given = set(GAP.findall(key)), set(GAP.findall(text))
    if missing := sorted(wanted - given):
        return f"the text must contain {', '.join(missing)}"
    if unknown := sorted(given - wanted):
        return f"there is nothing to put in the place of {', '.join(unknown)}"
    return None


def _found_texts() -> Iterator[tuple[tuple[str, ...], str]]:
    """The forms of each text, and the instrument that it belongs to."""
    # A wheel has them in another folder than a checkout; the settings know which.
    templates = Path(settings.TEMPLATES[0]["DIRS"][0])
    of_instruments = templates / "participant" / "instruments"
    for path in _templates(templates):
        instrument = path.stem if path.parent == of_instruments else ""
        owner = instrument if instrument in INSTRUMENTS else ""
        for forms in _texts_of_template(path):
            yield forms, owner
    for module in MODULES:
        for forms in _texts_of_module(PROJECT / module):
            yield forms, ""
    for name, tool in INSTRUMENTS.items():
        own_keys = (text for pair in tool.keys for text in pair if any(map(str.isalpha, text)))
        for word in (*tool.words.values(), *own_keys):
            yield (word,), name
    for forms in OF_DJANGO:
        yield forms, ""


def _templates(templates: Path) -> Iterator[Path]:
    for folder in ("participant", "errors"):
        paths = sorted((templates / folder).rglob("*.html"))
        yield from (path for path in paths if path.name not in OF_ORGANISERS)
    yield from (templates / name for name in SHARED_TEMPLATES)


def _texts_of_template(path: Path) -> Iterator[tuple[str, ...]]:
    source = TO_ORGANISERS.sub(
        lambda match: match["to_raters"] or "", path.read_text(encoding="utf-8")
    )
    for argument, several in MARKED_IN_TEMPLATES.findall(templatize(source, origin=path.name)):
        yield tuple(ast.literal_eval(text) for text in (argument, several) if text)


def _texts_of_module(path: Path) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MARKS:
            texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            yield tuple(text for text in texts if isinstance(text, str))
