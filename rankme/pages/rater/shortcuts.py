"""The keys with which raters answer: shown on each screen, and listed in a dialog.

No key of a single character works outside of what has the focus (WCAG 2.2, 2.1.4), because raters
who dictate would press it without wanting to.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition

EVERYWHERE = ((_("Tab"), _("next field")), (_("Enter"), _("next page")))
Keys = list[tuple[str, str]]


def keys_on_screen(questions: Iterable[CriterionSpec]) -> Keys:
    """The first keys of each instrument: what a rater needs at once."""
    first = (
        criterion.tool.keys_for(criterion.settings)[:1]
        for criterion in questions
        if criterion.tool.keys_for(criterion.settings)
    )
    return _translated(pair for keys in first for pair in keys)


def all_keys(definition: Definition) -> Keys:
    """List the keys of the campaign's instruments, then those of every page."""
    own = (
        pair
        for criterion in definition.criteria
        for pair in criterion.tool.keys_for(criterion.settings)
    )
    return [*_translated(own), *((str(key), str(what)) for key, what in EVERYWHERE)]


def _translated(pairs: Iterable[tuple[str, str]]) -> Keys:
    return [(gettext(key), gettext(what)) for key, what in dict.fromkeys(pairs)]
