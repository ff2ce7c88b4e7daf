"""Read the texts for a campaign's metrics, and its stored scores and verdicts."""

from __future__ import annotations

import gzip
import io
from collections.abc import Collection
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from analysis.meta_evaluation.judge_report import CHARACTERS
from analysis.meta_evaluation.verdict_files import read_verdicts
from analysis.text_metrics.domains import parse_domain
from analysis.text_metrics.referring import parse_attributes
from analysis.text_metrics.score_files import joined, read_scores, scores_from
from analysis.text_metrics.scoring import METRICS
from analysis.text_metrics.slots import parse_meaning
from analysis.text_metrics.text_files import Material
from rankme.models import Campaign, Metric, Output

if TYPE_CHECKING:
    from analysis.meta_evaluation.verdict_files import Verdicts
    from analysis.text_metrics.score_files import MetricScores

NEEDS_REFERENCE = frozenset(
    {"bleu", "chrf", "chrf++", "ter", "nist", "rouge-l", "cider", "accuracy", "edit-distance"}
    | {"dice", "masi"}
)
NEEDS_ATTRIBUTES = frozenset({"dice", "masi"})
NEEDS_INPUT = frozenset({"copied"})
NEEDS_MEANING = frozenset({"ser"})
NEEDS_DOMAIN = frozenset({"uniqueness", "minimality"})


def material_of(campaign: Campaign) -> Material:
    """The campaign's texts. The lines of an item's reference are as many references."""
    inputs: dict[str, str] = {}
    references: dict[str, tuple[str, ...]] = {}
    for key, text, reference in campaign.items.values_list("key", "input", "reference"):
        inputs[key] = text
        references[key] = tuple(line for line in reference.splitlines() if line.strip())
    outputs: dict[str, dict[str, str]] = {
        name: {} for name in campaign.systems.values_list("name", flat=True)
    }
    rows = Output.objects.filter(item__campaign=campaign).order_by("item__position")
    for system, item, text in rows.values_list("system__name", "item__key", "text").iterator():
        outputs[system][item] = text
    return Material({name: texts for name, texts in outputs.items() if texts}, references, inputs)


def uncomputable(campaign: Campaign) -> dict[str, str]:
    """Every metric that this site computes, with why this campaign's material does not allow it."""
    if not Output.objects.filter(item__campaign=campaign).exclude(text="").exists():
        return dict.fromkeys(METRICS, _("There are no outputs to score."))
    scored = campaign.items.filter(Exists(Output.objects.filter(item=OuterRef("pk"))))
    bare = scored.filter(reference="").values_list("key", flat=True).first()
    first = scored.values_list("input", flat=True).first() or ""
    reasons = dict.fromkeys(METRICS, "")
    if bare is not None:
        reason = _("Item %(item)s has no reference.") % {"item": bare}
        reasons |= dict.fromkeys(NEEDS_REFERENCE & set(METRICS), reason)
    if not first:
        reasons |= dict.fromkeys(NEEDS_INPUT & set(METRICS), _("Items have no input."))
    reference = scored.values_list("reference", flat=True).first() or ""
    if parse_attributes(next(iter(reference.splitlines()), "")) is None:
        reason = _("The references are not attribute sets, such as colour=red; type=chair.")
        reasons |= dict.fromkeys(NEEDS_ATTRIBUTES & set(METRICS), reason)
    if parse_domain(first) is None:
        reason = _("The inputs are not domains: a target and its distractors with attributes.")
        reasons |= dict.fromkeys(NEEDS_DOMAIN & set(METRICS), reason)
    if parse_meaning(first) is None:
        reason = _("The inputs are not meaning representations of the E2E domain.")
        reasons |= dict.fromkeys(NEEDS_MEANING & set(METRICS), reason)
    return reasons


def content_of(metric: Metric) -> io.BytesIO:
    """The scores or verdicts as the CSV that `analysis.csv_rows` reads."""
    return io.BytesIO(gzip.decompress(bytes(metric.content_csv_gz)))


def scores_of(campaign: Campaign, names: Collection[str] | None = None) -> MetricScores | None:
    """All scores (of these metrics) together; None where there are none."""
    # By name: metrics are stored as they become ready, which differs from run to run.
    rows = campaign.metrics.filter(kind=Metric.Kind.SCORES).order_by("name")
    if names is not None:
        rows = rows.filter(name__in=names)
    parts = [
        read_scores(
            content_of(metric), lower_is_better=[metric.name] if metric.lower_is_better else []
        )
        for metric in rows
    ]
    return joined(parts) if parts else None


def output_lengths(campaign: Campaign) -> MetricScores | None:
    """The metric `characters` of all outputs that have a text, without storing it."""
    rows = (
        Output.objects.filter(item__campaign=campaign)
        .exclude(text="")
        .values_list("system__name", "item__key", Length("text"))
    )
    found = {(CHARACTERS, system, item): float(length) for system, item, length in rows.iterator()}
    return scores_from(found) if found else None


def verdicts_of(campaign: Campaign, names: Collection[str] | None = None) -> Verdicts:
    """The verdicts of all judges (or of these)."""
    rows = campaign.metrics.filter(kind=Metric.Kind.VERDICTS).order_by("name")
    if names is not None:
        rows = rows.filter(name__in=names)
    return {
        judge: found
        for metric in rows
        for judge, found in read_verdicts(content_of(metric)).items()
    }
