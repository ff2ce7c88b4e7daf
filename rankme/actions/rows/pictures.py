"""Whether the items of a campaign that shows pictures have any."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rankme.protocols.definition import Definition
from rankme.protocols.item_input import lacks_pictures

LONGEST_SHOWN = 60


def problem_with_pictures(definition: Definition, inputs: Iterable[tuple[str, str]]) -> str:
    """Find the problem with inputs (key and text) that the campaign shows as pictures."""
    if definition.input_kind != "images":
        return ""
    without = [(key, text[:LONGEST_SHOWN]) for key, text in inputs if lacks_pictures(text)]
    if not without:
        return ""
    key, text = without[0]
    problem = _(
        "Item “%(key)s” has no pictures to show: its input is “%(input)s”. "
        "Upload the pictures together with the items, as a zip in the TUNA format, "
        "or change the kind of input in the definition."
    ) % {"key": key[:LONGEST_SHOWN], "input": text}
    if more := len(without) - 1:
        others = ngettext(
            "%(count)s more item has no pictures.", "%(count)s more items have no pictures.", more
        )
        problem = f"{problem} {others % {'count': more}}"
    return problem
