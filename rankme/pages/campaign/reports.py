"""Analyses and reports: asked for, watched, read, downloaded, published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.dateparse import parse_datetime
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from analysis.report.layout.report_tables import (
    CriterionTables,
    correlation_table,
    metrics_of,
    tables_of,
)
from analysis.report.layout.scale_tables import overview_table
from analysis.report.layout.table_model import Table
from analysis.report.robustness_sentences import TITLES
from analysis.report.stored import read_report
from analysis.signature import citation
from rankme.actions.audit import note_identities, note_seen
from rankme.actions.runs import analysis_runs, publishing
from rankme.actions.runs.report_files import require_files
from rankme.downloads import attachment, tagged
from rankme.errors import FilesInPreparation, InvalidOptions
from rankme.exporting import bundle, spans, texts
from rankme.exporting.declined import declined_file
from rankme.exporting.files import ExportedFile
from rankme.exporting.judgements import csv_file, jsonl_file
from rankme.exporting.paper import earlier
from rankme.exporting.paper.study import study_of
from rankme.exporting.rater_files import checks_file, complaints_file, own_answers_file
from rankme.exporting.registered import registered_sha256
from rankme.exporting.seen import CANNOT_BE_SEEN, all_looks_sentence
from rankme.exporting.settled import settled_file
from rankme.forms.analysis import AnalysisForm
from rankme.models import AnalysisRun, Campaign, CampaignVersion, Report
from rankme.pages.previews.static_copy import copy_file, parts_of
from rankme.permissions import Permission, may, require, user_of
from rankme.protocols.definition import Definition
from rankme.queries.check_answers import has_checks
from rankme.queries.definitions import frozen_definition
from rankme.queries.items.answers import codes_of
from rankme.queries.shared_task.system_names import names_of, public_names_of
from rankme.untrusted.whole_numbers import number_in

from .campaign_page import (
    FORM,
    POST,
    SAFE,
    act,
    campaign_page,
    refusals_as_messages,
    render_campaign,
    sent,
)
from .measured import how_measured, scale_of

RUNS_ON_A_PAGE = 20
SECONDS_UNTIL_RELOAD = 5
DONE = AnalysisRun.State.DONE
EXPORTS_WITH_SYSTEMS = (
    *("csv", "jsonl", "cannot-judge", "copy", "settled", "texts", "e2e", "spans"),
)
# What the files need beyond the page; those with systems are for roles that see their names.
EXPORTS_NEED = {name: Permission.FILES for name in EXPORTS_WITH_SYSTEMS} | {
    "copy": Permission.READ,
    "problems": Permission.WATCH,
    "answers": Permission.IDENTITIES,
}
LIGHT = ("table_csv_gz", "result")


@dataclass(frozen=True)
class Heading:
    """A criterion in words: `info_quality` is “Info quality”, with its question below."""

    name: str
    asked: str
    scale: str = ""

    @property
    def title(self) -> str:
        words = " ".join(self.name.replace("_", " ").replace("-", " ").split())
        return words[:1].upper() + words[1:]

    @property
    def is_plain(self) -> bool:
        """Whether the short name is the title but for the capital."""
        return self.title.casefold() == self.name

    @property
    def question(self) -> str:
        """Empty where it says no more than the title, as in archives."""
        asked = self.asked.casefold()
        is_same = asked == self.name or asked.rstrip(" .?!") == self.title.casefold()
        return "" if is_same else self.asked


# --- Asking ------------------------------------------------------------------------------------


@campaign_page(FORM, needs=Permission.REPORTS, to_send=Permission.ANALYSE)
def list_runs(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The campaign's analyses, and the form for another."""
    form = AnalysisForm(**sent(request), campaign=campaign)
    if form.is_valid():
        run = _ask(request, campaign, form)
        if run is not None:
            return redirect("rankme:analysis-run", campaign.code, run.pk)
    runs = campaign.analysis_runs.select_related("report", "requested_by").defer(*LIGHT)
    context = {
        "form": form,
        "page": Paginator(runs, RUNS_ON_A_PAGE).get_page(request.GET.get("page")),
        "has_judgements": analysis_runs.has_judgements(campaign),
        "has_texts": texts.asks_for_texts(campaign),
    }
    return render_campaign(request, campaign, "report/runs.html", context, tab="analysis-runs")


def _ask(request: HttpRequest, campaign: Campaign, form: AnalysisForm) -> AnalysisRun | None:
    with refusals_as_messages(request):
        try:
            return analysis_runs.request_run(campaign, form.options(), by=user_of(request))
        except InvalidOptions as refused:
            form.add_problems(refused)
    return None


# --- Watching and reading ----------------------------------------------------------------------


def with_files(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Answer 503 with a page that reloads itself while a worker makes lost files again."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except FilesInPreparation as reason:
            context = {"reason": reason, "seconds": SECONDS_UNTIL_RELOAD}
            response = render(request, "report/preparing.html", context, status=503)
            response.headers["Retry-After"] = str(SECONDS_UNTIL_RELOAD)
            response.headers["Cache-Control"] = "no-store"
            return response

    return answer


@campaign_page(SAFE, needs=Permission.REPORTS)
@with_files
def show_run(request: HttpRequest, campaign: Campaign, run: int) -> HttpResponse:
    """One analysis: its progress, then its report."""
    found = _seen_run(request, campaign, run)
    context = {
        "run": found,
        "is_moving": not found.is_over,
        "percent": round(100 * found.progress),
        "files": _files_of(found),
    }
    context |= {"report": getattr(found, "report", None)}
    if found.state == DONE:
        context |= result_context(found)
    return render_campaign(request, campaign, "report/run.html", context, tab="analysis-runs")


@campaign_page(POST, needs=Permission.ANALYSE)
def cancel_run(request: HttpRequest, campaign: Campaign, run: int) -> HttpResponse:
    found = _run(campaign, run)
    act(request, _("The analysis was stopped."), analysis_runs.cancel_run, found)
    return redirect("rankme:analysis-run", campaign.code, found.pk)


@campaign_page(SAFE, needs=Permission.REPORTS)
@with_files
def run_file(request: HttpRequest, campaign: Campaign, run: int, name: str) -> HttpResponseBase:
    found = _seen_run(request, campaign, run)
    require_files(found)
    return tagged(request, bundle.report_file(found, name))


def result_context(run: AnalysisRun, *, is_public: bool = False) -> dict[str, Any]:
    """Context of a result's page, for organisers and the public.

    While raters are still to come, nothing public says which pages are checks.
    """
    tells_checks = run.campaign.is_over or not is_public
    result = read_report(run.finished_result["report"])
    criteria = tables_of(result, run.timed_out, run.declined)
    headings = _headings(run)
    drawn = bundle.plots_of(run, [found.name for found in criteria])
    return {
        "result": result,
        "citation": citation(run.signature),
        "criteria": [_shown(found, headings[found.name], drawn[found.name]) for found in criteria],
        "overview": _under_titles(overview_table(result), headings),
        "correlations": correlation_table(result.correlations),
        "exclusions": run.finished_result["exclusions"],
        "rule": run.finished_result.get("rule") if tells_checks else None,
        "paper": _definition(run).analysis.paper,
        "measured": list(how_measured(run, _definition(run), tells_checks=tells_checks)),
        "earlier": list(earlier.tables(study_of(run.campaign, run))),
        "versions": _versions_of(run),
        "system_names": (public_names_of if is_public else names_of)(run.campaign),
    } | _plan_context(run)


def _plan_context(run: AnalysisRun) -> dict[str, Any]:
    """What was done otherwise than planned; runs of before know no deviations but looks."""
    if run.campaign.is_archive:
        return {}
    deviations = run.finished_result.get("deviations", [])
    return {
        "deviations": deviations,
        "looks": all_looks_sentence(run, deviations),
        "cannot_be_seen": CANNOT_BE_SEEN,
        "preregistered": registered_sha256(run.campaign),
    }


def _shown(
    found: CriterionTables, heading: Heading, drawn: list[tuple[str, str]]
) -> dict[str, Any]:
    """One criterion's page: the answer with its figure, and the parts below that have anything."""
    plots = [plot_of(*names) for names in drawn]
    has = {"claims": found.sentences, "robustness": found.findings, "other": found.undefined}
    of_parts = [
        (part, [plot for plot in plots if plot["part"] == part.name]) for part in found.parts
    ]
    return {
        "tables": found,
        "heading": heading,
        "figures": [plot for plot in plots if plot["part"] == "answer"],
        "findings": [
            {"found": each, "plots": [plot for plot in plots if plot["kind"] == each.said.name]}
            for each in found.findings
        ],
        "parts": [
            {"part": part, "plots": mine}
            for part, mine in of_parts
            if part.tables or mine or has.get(part.name)
        ],
    }


@campaign_page(SAFE, needs=Permission.REPORTS)
@with_files
def show_metrics(request: HttpRequest, campaign: Campaign, run: int) -> HttpResponse:
    """Metrics against people in one analysis, after the ranking by people."""
    found = _seen_run(request, campaign, run)
    context = {"run": found} | _metrics_context(found)
    return render_campaign(request, campaign, "report/metrics.html", context, tab="analysis-runs")


def _metrics_context(run: AnalysisRun) -> dict[str, Any]:
    """By criterion: the ranking by people, then tables and plots of its metrics."""
    if run.state != DONE:
        raise Http404
    result = read_report(run.finished_result["report"])
    if not result.metrics:
        raise Http404
    require_files(run)
    people = {found.name: found for found in tables_of(result, run.timed_out)}
    headings, tables = _headings(run), metrics_of(result)
    drawn = bundle.plots_of(run, list(people))
    return {
        "result": result,
        "sections": [
            {
                "section": section,
                "heading": headings[section.criterion],
                "people": people[section.criterion],
                "tables": tables[section.criterion],
                "plots": [
                    plot
                    for names in drawn[section.criterion]
                    if (plot := plot_of(*names))["part"] == "metrics"
                ],
                "refused": [each for each in section.powered if not each.estimates],
            }
            for section in result.metrics
        ],
    }


def _headings(run: AnalysisRun) -> dict[str, Heading]:
    """Headings of the criteria, with their questions as they were when the run began.

    Files and commands use the short name, so the page shows it where the title differs. Of marks
    with a score, the ends of the scale belong to the score.
    """
    return {
        name: Heading(
            name,
            spec.question,
            scale_of(spec, has_ends=name != spec.name or "score" not in spec.derived),
        )
        for spec in _definition(run).criteria
        for name in (spec.name, *(f"{spec.name}_{suffix}" for suffix in spec.derived))
    }


def _definition(run: AnalysisRun) -> Definition:
    """The campaign's definition as it was when the run began."""
    return frozen_definition(run.campaign, bundle.newest_version(run)).definition


def _under_titles(table: Table | None, headings: dict[str, Heading]) -> Table | None:
    """The table with titles above the columns of each criterion."""
    if table is None:
        return None
    titles = {name: heading.title for name, heading in headings.items()}
    columns = (replace(column, group=titles.get(column.group, "")) for column in table.columns)
    return replace(table, columns=tuple(columns))


def _versions_of(run: AnalysisRun) -> list[dict[str, Any]]:
    """The versions of the campaign, where there was more than one when the judgements were read."""
    versions = run.finished_result.get("versions", [])
    titles = dict(CampaignVersion.Change.choices)
    return [
        version
        | {"title": titles[version["change"]], "since": parse_datetime(version["created_at"])}
        for version in versions
        if len(versions) > 1
    ]


def _files_of(run: AnalysisRun) -> tuple[str, ...]:
    if run.state != DONE:
        return ()
    require_files(run)
    return bundle.members(run)


# What was resampled before each ranking of a plot.
RESAMPLED = {
    "none": gettext_noop("as published"),
    "raters": gettext_noop("raters resampled"),
    "items": gettext_noop("items resampled"),
    "raters-items": gettext_noop("raters and items resampled"),
    "screens": gettext_noop("screens resampled"),
    "pairs": gettext_noop("pairs resampled"),
}
RANKINGS = {
    "ranks": gettext_noop("Means and rank ranges"),
    "heatmap": gettext_noop("How often each system had each rank"),
}
# The part of a criterion in which a plot is shown, and what it shows.
PLOTS = {
    "answer": ("answer", gettext_noop("The answer")),
    "letters": ("paper", gettext_noop("Means and homogeneous subsets")),
    "answers": ("values", gettext_noop("How often each system got each value")),
    "wins": ("values", gettext_noop("How often one system was preferred to another")),
    "raters": ("raters", gettext_noop("Each rater's agreement with the rest")),
    **{check: ("robustness", title) for check, title in TITLES.items()},
    "metrics-scatter": ("metrics", gettext_noop("Metrics against people, system by system")),
    "metrics-heatmap": ("metrics", gettext_noop("How people and metrics correlate over systems")),
}


def plot_of(name: str, column: str) -> dict[str, str]:
    """What the page says of a picture: its files, its part of the page, its title, its kind."""
    kind, part, title = _about_plot(name)
    return {"file": name, "column": column, "title": title, "part": part, "kind": kind}


def _about_plot(name: str) -> tuple[str, str, str]:
    for ranking, title in RANKINGS.items():
        for scheme, resampled in RESAMPLED.items():
            if name.endswith(f"-{ranking}-{scheme}"):
                part = "paper" if scheme == "none" else "other"
                return f"{ranking}-{scheme}", part, f"{_(title)}, {_(resampled)}"
    for kind, (part, title) in PLOTS.items():
        if name.endswith(f"-{kind}"):
            return kind, part, _(title)
    return "", "values", name.rpartition("/")[2].replace("-", " ")


def _run(campaign: Campaign, run: int) -> AnalysisRun:
    runs = AnalysisRun.objects.select_related("report", "campaign").defer("table_csv_gz")
    return get_object_or_404(runs, campaign=campaign, pk=run)


def _seen_run(request: HttpRequest, campaign: Campaign, run: int) -> AnalysisRun:
    """A run, with a note that somebody reads its report."""
    found = _run(campaign, run)
    if found.state == DONE:
        note_seen(campaign, "a report", by=user_of(request))
    return found


# --- Publishing --------------------------------------------------------------------------------


@campaign_page(FORM, needs=Permission.EDIT)
def publish(request: HttpRequest, campaign: Campaign, run: int) -> HttpResponse:
    """Asks before it publishes: what has been read cannot be taken back."""
    found = _run(campaign, run)
    if request.method == "POST":
        act(request, _("The report is published."), publishing.publish_report, found)
        return redirect("rankme:analysis-run", campaign.code, found.pk)
    if found.state != DONE:
        raise Http404
    return render_campaign(
        request, campaign, "report/publish.html", {"run": found}, tab="analysis-runs"
    )


@campaign_page(FORM, needs=Permission.EDIT)
def withdraw(request: HttpRequest, campaign: Campaign, run: int) -> HttpResponse:
    """Asks before it withdraws: links to the report will lead to a notice."""
    found = _run(campaign, run)
    report = getattr(found, "report", None)
    if report is None or report.withdrawn_at is not None:
        raise Http404
    if request.method == "POST":
        act(request, _("The report was withdrawn."), publishing.withdraw_report, report)
        return redirect("rankme:analysis-run", campaign.code, found.pk)
    return render_campaign(
        request, campaign, "report/withdraw.html", {"run": found}, tab="analysis-runs"
    )


def published(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Give the view a published report; at the address of a withdrawn one, a notice remains."""

    @require_safe
    @with_files
    @wraps(view)
    def answer(request: HttpRequest, report: str, **more: Any) -> HttpResponseBase:
        reports = Report.objects.select_related("run__campaign").defer("run__table_csv_gz")
        found = get_object_or_404(reports, code=report)
        if found.withdrawn_at is not None:
            return render(request, "report/withdrawn.html", {"report": found}, status=410)
        return view(request, found, **more)

    return answer


@published
def show_public(request: HttpRequest, report: Report) -> HttpResponse:
    """A published report, for anybody who has its address."""
    run = report.run
    context = {"report": report, "run": run, "campaign": run.campaign, "files": _files_of(run)}
    context |= result_context(run, is_public=True)
    return render(request, "report/public.html", context)


@published
def show_public_metrics(request: HttpRequest, report: Report) -> HttpResponse:
    """Metrics against people in a published report."""
    context = {"report": report, "run": report.run, "campaign": report.run.campaign}
    return render(request, "report/public_metrics.html", context | _metrics_context(report.run))


@published
def public_file(request: HttpRequest, report: Report, name: str) -> HttpResponseBase:
    require_files(report.run)
    # Kept, and asked about each time: the report may have been withdrawn.
    return tagged(request, bundle.report_file(report.run, name), caching="no-cache")


# --- Judgements --------------------------------------------------------------------------------


@campaign_page(SAFE, needs=Permission.READ)
def export_judgements(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """The judgements as files: what counts, all that is stored, and the raw record."""
    chosen = request.GET.get("format")
    require(request, EXPORTS_NEED.get(chosen or "", Permission.READ))
    if chosen in EXPORTS_WITH_SYSTEMS:
        note_seen(campaign, f"export: {chosen}", by=user_of(request))
    if chosen == "csv":
        return attachment(csv_file(campaign, stored=request.GET.get("stored") == "1"))
    if chosen == "jsonl":
        return attachment(jsonl_file(campaign))
    if chosen == "checks" and has_checks(campaign):
        return attachment(checks_file(campaign))
    if chosen == "cannot-judge":
        return attachment(declined_file(campaign))
    if chosen == "copy" and not campaign.is_draft:
        return attachment(_copy(request, campaign))
    if chosen == "settled":
        return attachment(settled_file(campaign))
    if chosen == "problems":
        return attachment(complaints_file(campaign))
    if chosen == "answers":
        note_identities(campaign, "raters' own answers", by=user_of(request))
        return attachment(own_answers_file(campaign))
    if chosen in ("texts", "e2e") and texts.asks_for_texts(campaign):
        shape = "long" if chosen == "texts" else chosen
        return attachment(texts.texts_file(campaign, shape))
    if chosen == "spans":
        with refusals_as_messages(request):
            criterion, form = request.GET.get("criterion", ""), request.GET.get("form", "")
            return attachment(spans.spans_file(campaign, criterion, form))
    definition = frozen_definition(campaign).definition
    context = {
        "marking": spans.marking_criteria(campaign),
        "span_forms": spans.FORMS,
        "has_judgements": analysis_runs.has_judgements(campaign),
        "has_texts": texts.asks_for_texts(campaign),
        "has_checks": has_checks(campaign),
        "copies": range(1, parts_of(campaign) + 1),
        "has_settled": campaign.settlements.exists(),
        "may_decline": any(criterion.cannot_judge for criterion in definition.criteria),
        "asks_raters": bool(definition.entry_questions or definition.end_questions),
    }
    return render_campaign(
        request, campaign, "report/judgements.html", context, tab="analysis-runs"
    )


def _copy(request: HttpRequest, campaign: Campaign) -> ExportedFile | None:
    """A part of the copy, with codes for systems unless their names are asked for."""
    part = number_in(request.GET.get("part", "1"))
    if not 1 <= part <= parts_of(campaign):
        return None
    names = codes_of(campaign)
    if request.GET.get("names") == "yes" and may(request, Permission.SYSTEMS):
        names = dict(campaign.systems.values_list("pk", "name"))
    return copy_file(campaign, names, part, get_language() or "en")
