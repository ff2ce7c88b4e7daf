"""What readers of a report need to know about its campaign, as lines of a list."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rankme.designs.registry import DESIGNS
from rankme.models import AnalysisRun
from rankme.protocols.checks import CHECK_KINDS
from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition

DAY = "Y-m-d"


def how_measured(
    run: AnalysisRun, definition: Definition, *, tells_checks: bool
) -> Iterator[tuple[str, str]]:
    """Yield titles and texts: the raters, what they were asked, and how their work was planned.

    `tells_checks` is false on public pages while raters are still to come.
    """
    found = run.finished_result.get("measured", {})
    if per_output := found.get("raters_per_output"):
        least, median, most = per_output
        few = f"{median:g}" if least == most else f"{median:g} ({least} – {most})"
        yield _("Raters per output"), few
    if run.campaign.is_archive:
        yield _("Origin"), _("The judgements were collected elsewhere and imported.")
        return
    if "first" in found:
        yield _("Dates"), " – ".join(_days(found["first"], found["last"]))
    yield from _about_plan(definition)
    yield from _about_crowd(definition)
    if tells_checks:
        yield _("Checks"), "; ".join(_checks(definition)) or _("None")


def _days(*moments: str) -> Iterator[str]:
    days = [date_format(moment, DAY) for each in moments if (moment := parse_datetime(each))]
    yield from dict.fromkeys(days)


def _about_plan(definition: Definition) -> Iterator[tuple[str, str]]:
    given = definition.design.options
    design = DESIGNS[definition.design.kind]
    options = ", ".join(
        f"{_(option.title or option.name)}: {option.shown(given[option.name])}"
        for option in design.options
        if option.name in given
    )
    title = _(design.title)
    yield _("Assignment"), f"{title} ({options})" if options else title
    yield _("Raters planned for the same outputs"), str(definition.raters_per_trial)


def _about_crowd(definition: Definition) -> Iterator[tuple[str, str]]:
    crowd = definition.crowd
    ways = [] if crowd.panel == "generic" else [capfirst(crowd.panel)]
    ways.append(_("open link") if crowd.open_link else _("by invitation"))
    yield _("Recruitment"), ", ".join(ways)
    batches = ngettext(
        "at most {number} batch per rater",
        "at most {number} batches per rater",
        crowd.batches_per_rater,
    ).format(number=crowd.batches_per_rater)
    pay = f"{crowd.pay_per_batch:.2f} {crowd.currency}" if crowd.pay_per_batch else _("none stated")
    yield _("Pay per batch"), f"{pay}, {batches}"


def _checks(definition: Definition) -> Iterator[str]:
    for check in definition.checks:
        yield f"{check.name}: {_(CHECK_KINDS[check.kind].title)}"
    if rule := definition.rules.exclude_if:
        yield _("raters are excluded if {rule}").format(rule=rule)


def scale_of(criterion: CriterionSpec, *, has_ends: bool = True) -> str:
    """What raters could answer: the instrument, the labels of its points, or its two ends."""
    labels = criterion.tool.labels(criterion.settings)
    named = [f"{number:g}: {label}" for number, label in sorted(labels.items())]
    ends = [end for end in (criterion.low, criterion.high) if end and has_ends]
    return " ".join([_(criterion.tool.title), " · ".join(named) or " … ".join(ends)]).strip()
