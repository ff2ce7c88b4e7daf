"""Default options of an analysis, and the check of the given ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from analysis.errors import OptionsError
from analysis.plain import plain
from analysis.report.options import ReportOptions
from rankme.actions.campaign.campaigns import definition_of
from rankme.errors import InvalidOptions, Problem, RefusedAction
from rankme.exporting.bundle import SITE_OPTIONS
from rankme.models import Campaign
from rankme.protocols.definition import FIXED_OPTIONS, Definition
from rankme.protocols.documents import DOCUMENT
from rankme.queries.judgement_table import factor_column
from rankme.queries.shared_task.system_names import blind_runs, track_of
from rankme.queries.watching.looks import looking_of

from .run_metrics import metric_options, unknown_metrics

MOST_RUNS = 100_000


def default_options(campaign: Campaign, definition: Definition | None = None) -> dict[str, Any]:
    """Build the default options: the instruments' kinds, and the options of the campaign file.

    `definition` is by default the one that the campaign has now.
    """
    definition = definition or definition_of(campaign)
    kinds = {name: kind for name, kind in definition.kinds.items() if kind != "text"}
    options: dict[str, Any] = {
        "seed": analysis_seed(campaign),
        "title": definition.title,
        "kinds": kinds,
        "lower_is_better": [name for name in kinds if name in definition.lower_is_better],
        **{name: getattr(definition, name) for name in FIXED_OPTIONS},
        "weights": definition.weights,
        "categories": {
            name: [labels[number] for number in sorted(labels)]
            for name, labels in definition.labels.items()
            if kinds.get(name) == "category"
        },
    }
    if definition.has_documents:
        options["item_groups"] = DOCUMENT
    options |= metric_options(campaign)
    options |= definition.analysis.options
    options["factors"] = [factor_column(name) for name in options.get("factors", ())]
    return options


def analysis_seed(campaign: Campaign) -> int:
    """The seed of a campaign's analyses, the same each time. Reports quote it, so it is not the
    campaign's own, which decides who sees what."""
    return int(salted_hmac("rankme.analysis-seed", str(campaign.seed)).hexdigest()[:8], 16)


def checked_options(campaign: Campaign, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as plain data, or `InvalidOptions` with every problem."""
    problems = [*_site_problems(campaign, options)]
    if "looking" in options:
        problems.append(Problem("looking", "It follows from how the campaign is looked at."))
    reported = {name: value for name, value in options.items() if name not in SITE_OPTIONS}
    reported["looking"] = looking_of(campaign)
    try:
        checked = ReportOptions.from_dict(reported)
    except OptionsError as error:
        raise InvalidOptions(
            problems + [Problem("", problem) for problem in error.problems]
        ) from error
    problems += _campaign_problems(campaign, checked)
    if problems:
        raise InvalidOptions(problems)
    site = {name: options[name] for name in SITE_OPTIONS if options.get(name)}
    # As pairs: the database forgets the order of a mapping's names.
    pairs: dict[str, Any] = plain(checked.as_pairs())
    return pairs | site


def refuse_options_after_the_names(campaign: Campaign, checked: Mapping[str, Any]) -> None:
    """Once the names of a shared task are known, a report is computed as it was blind, or as the
    campaign says.

    Raises
    ------
    RefusedAction : these options differ
    """
    track = track_of(campaign)
    if track is None or track.task.unsealed_at is None:
        return
    blind = [run.options for run in blind_runs(campaign)]
    allowed = blind or [checked_options(campaign, default_options(campaign))]
    if checked not in allowed:
        differing = [name for name in checked if checked[name] != allowed[0].get(name)]
        raise RefusedAction(
            _(
                "The names of the systems are known, so the analysis can no longer change. Leave "
                "these options as they were: %(options)s."
            )
            % {"options": ", ".join(sorted({*differing, *(allowed[0].keys() - checked.keys())}))}
        )


def _site_problems(campaign: Campaign, options: Mapping[str, Any]) -> Iterable[Problem]:
    criteria = options.get("criteria", [])
    known = set(definition_of(campaign).kinds)
    if not isinstance(criteria, list) or not all(isinstance(name, str) for name in criteria):
        yield Problem("criteria", "must be a list of names.")
    else:
        for name in sorted(set(criteria) - known):
            yield Problem(
                "criteria", f"There is no criterion {name!r}: {', '.join(sorted(known))}."
            )
    versions = options.get("versions", [])
    known_versions = range(1, campaign.version + 1)
    if not isinstance(versions, list) or not all(type(version) is int for version in versions):
        yield Problem("versions", "must be a list of numbers.")
    elif unknown := sorted(set(versions) - set(known_versions)):
        yield Problem("versions", f"There is no version {unknown[0]} of this campaign.")
    reason = options.get("exclusion_reason", "")
    if not isinstance(reason, str) or len(reason) > 500:
        yield Problem("exclusion_reason", "must be a text of at most 500 characters.")
    elif options.get("exclude_raters") and not reason.strip():
        yield Problem(
            "exclusion_reason", "Say why these raters are excluded: the report will quote it."
        )


def _campaign_problems(campaign: Campaign, options: ReportOptions) -> Iterable[Problem]:
    if options.runs > MOST_RUNS:
        yield Problem("runs", f"At most {MOST_RUNS:,} runs are computed here.")
    if options.seed >= 2**63:
        yield Problem("seed", "must be below 2^63.")
    definition = definition_of(campaign)
    for name in FIXED_OPTIONS:
        if getattr(options, name) != (fixed := getattr(definition, name)):
            yield Problem(name, f"It is fixed for this campaign: {fixed or 'none'}.")
    raters = campaign.participants.filter(label__in=options.exclude_raters)
    unknown = set(options.exclude_raters) - set(raters.values_list("label", flat=True))
    for label in sorted(unknown):
        yield Problem("exclude_raters", f"There is no rater {label!r} in this campaign.")
    for name in unknown_metrics(campaign, options.metrics):
        yield Problem("metrics", f"There is no metric {name!r} in this campaign.")
