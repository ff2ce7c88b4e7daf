"""A skeleton of the overview paper: what the record knows as sentences, the rest as open places.

Its class is `article`; where the style file of ACL is next to it, that is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analysis.report.answer import answers_of
from analysis.report.layout.latex import as_document, escaped, tabular
from rankme.exporting.paper import methods, phrases
from rankme.exporting.paper.phrases import counted
from rankme.exporting.paper.study import study_of
from rankme.exporting.zipped import Content
from rankme.models import SharedTask, SystemUpload, TaskEvent, Team

from . import tables, teams
from .results import TaskResults, TrackResults

PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{textcomp}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\else
  \usepackage{fontspec}\usepackage[english,bidi=basic]{babel}
\fi
\usepackage{booktabs,graphicx,longtable}
\IfFileExists{acl.sty}{\usepackage{acl}}{% acl.sty names its style of references itself
  \usepackage[margin=2.5cm]{geometry}\usepackage{natbib}\let\cite\citep
  \AtBeginDocument{\bibliographystyle{plainnat}}}
"""
OPEN = r"\textbf{[Open: %s]}"
LATE = {
    SharedTask.Late.REFUSE: "Late uploads were refused.",
    SharedTask.Late.MARK: "Late uploads were marked, and the organisers decided about each.",
}
REGISTRATION = {
    SharedTask.Registration.OPEN: "Registration was open to everybody.",
    SharedTask.Registration.APPROVE: "The organisers approved each team.",
    SharedTask.Registration.CLOSED: "Teams took part by invitation.",
}


def overview_files(results: TaskResults) -> Iterator[tuple[str, Content]]:
    """The paper with its bibliography, ready to be compiled."""
    yield "overview.tex", as_latex(results)
    yield "teams.bib", teams.as_bibtex(results) if results.teams else ""


def as_latex(results: TaskResults) -> str:
    parts = [
        rf"\title{{Overview of {escaped(results.task.title)}}}",
        rf"\author{{{_open('authors')}}}\date{{}}\maketitle",
        rf"\begin{{abstract}}{_open('abstract')} {_said(_abstract(results))}\end{{abstract}}",
        r"\section{Introduction}",
        _open("what the task is about"),
        r"\section{Task}",
        escaped(results.task.call.strip()) or _open("the task and its data"),
        _said(_schedule(results.task)),
        r"\section{Teams and systems}",
        _said(_participation(results)),
        *(_placed(teams.as_latex(results), "Teams and their systems.") if results.teams else ()),
        _open("what the systems have in common"),
        r"\section{Human evaluation}",
        _said(_sealing(results.task)),
        *(part for track in results.tracks for part in _method(results, track)),
        r"\section{Results}",
        *_results(results),
        _open("discussion"),
        r"\section*{Limitations}",
        *(part for track in results.tracks for part in _limits(results, track)),
        r"\section*{Ethics statement}",
        _open("pay, consent, risks"),
    ]
    if results.teams:
        parts.append(r"\bibliography{teams}")
    return as_document(parts, PREAMBLE)


def _open(what: str) -> str:
    return OPEN % escaped(what)


def _said(sentences: Iterator[str]) -> str:
    return escaped(" ".join(sentences))


def _abstract(results: TaskResults) -> Iterator[str]:
    judged = sum(bool(each.code) for track in results.tracks for each in track.entries)
    yield (
        f"{counted(_teams(results.task), 'team')} took part, and people judged "
        f"{counted(judged, 'system')} in {counted(len(results.tracks), 'track')}."
    )


def _teams(task: SharedTask) -> int:
    uploads = SystemUpload.objects.filter(track__task=task)
    return task.teams.filter(
        kind=Team.Kind.TEAM, state__in=["approved", "withdrawn"], pk__in=uploads.values("team")
    ).count()


def _schedule(task: SharedTask) -> Iterator[str]:
    yield REGISTRATION[SharedTask.Registration(task.registration)]
    yield (
        f"Uploads were open from {task.opens_at:%d %B %Y, %H:%M} to "
        f"{task.closes_at:%d %B %Y, %H:%M} (UTC)."
    )
    if task.preregister_until:
        yield (
            f"Systems that were announced by {task.preregister_until:%d %B %Y} had the first "
            "places in the human evaluation."
        )
    yield f"A team could upload {task.most_uploads} times to each track."
    yield LATE[SharedTask.Late(task.late)]
    yield "A system was judged only if its team had chosen it as primary."


def _participation(results: TaskResults) -> Iterator[str]:
    uploads = SystemUpload.objects.filter(track__task=results.task)
    sent = uploads.filter(team__kind=Team.Kind.TEAM).count()
    yield f"{counted(_teams(results.task), 'team')} sent {counted(sent, 'upload')}."
    for track in results.tracks:
        of_teams = [each for each in track.entries if each.code and each.is_constrained is not None]
        constrained = sum(bool(each.is_constrained) for each in of_teams)
        gone = sum(each.is_withdrawn for each in of_teams)
        has_reference = any(each.is_reference for each in track.entries)
        yield (
            f"In the track {track.track.name}, {counted(len(of_teams), 'system')} "
            f"{'was' if len(of_teams) == 1 else 'were'} judged ({constrained} constrained)"
            f"{'; the reference was judged, too' if has_reference else ''}"
            f"{f'; {gone} withdrew later and got no rank' if gone else ''}."
        )


def _sealing(task: SharedTask) -> Iterator[str]:
    yield (
        f"On {task.sealed_at:%d %B %Y} each system became a code; raters, organisers and analysts "
        f"saw no names until {task.unsealed_at:%d %B %Y}."
    )
    yield f"The mapping had been committed to by its SHA-256 ({task.seal_sha256[:12]}…)."
    unseal = TaskEvent.objects.filter(task=task, verb="systems unsealed").first()
    missing = unseal.detail.get("missing", []) if unseal else []
    if missing:
        yield f"Not fixed before the names were known: {' '.join(missing)}"
    else:
        yield "The analysis had been registered before the launch, and was computed without names."


def _method(results: TaskResults, track: TrackResults) -> Iterator[str]:
    """What the methods paragraph of the track's campaign says; open items stay open."""
    study = study_of(track.track.campaign, track.run)
    if len(results.tracks) > 1:
        yield rf"\subsection{{{escaped(track.track.name)}}}"
    names = _names(track)
    for each in methods.methods(study):
        yield escaped(_named(each.text, names)) if each.text else _open(each.item)


def _results(results: TaskResults) -> Iterator[str]:
    shown = iter(tables.tables_of_results(results))
    for track in results.tracks:
        if track.report is None:
            yield _open(f"the track {track.track.name} has no report")
            continue
        names = _names(track)
        for answer in answers_of(track.report):
            table = next(shown)
            criterion = answer.criterion.replace("_", " ")
            yield rf"\paragraph{{{escaped(track.track.name)}: {escaped(criterion)}.}} " + escaped(
                _named(answer.sentence, names)
            )
            caption = f"{track.track.name}: {criterion}. {' '.join(table.notes)}"
            yield from _placed(tabular(table), _named(caption, names))
            found = track.report.criterion(answer.criterion)
            alpha = phrases.agreement(found)
            if alpha is not None:
                yield escaped(f"Agreement: {alpha.name} = {phrases.coefficient(alpha)}.")


def _limits(results: TaskResults, track: TrackResults) -> Iterator[str]:
    names = _names(track)
    begin = f"{track.track.name}: " if len(results.tracks) > 1 else ""
    yield escaped(
        begin
        + " ".join(
            _named(each, names)
            for each in methods.limitations(study_of(track.track.campaign, track.run))
        )
    )


def _names(track: TrackResults) -> dict[str, str]:
    return {code: entry.system for code, entry in track.by_code.items()}


def _named(text: str, names: dict[str, str]) -> str:
    """The report's sentence with the published names in place of codes."""
    return re.sub(r"\bS\d{2,}\b", lambda found: names.get(found[0], found[0]), text)


def _placed(table: str, caption: str) -> tuple[str, ...]:
    """A table over both columns, no wider than the page; one that may break stays as it is."""
    lines = "\n".join(line for line in table.strip().split("\n") if not line.startswith("%"))
    if "longtable" in lines:
        return (rf"{{\small {lines}}}",)
    return (
        "\n".join(
            [
                r"\begin{table*}[t]\centering",
                rf"\sbox0{{\small {lines}}}",
                r"\ifdim\wd0>\textwidth\resizebox{\textwidth}{!}{\usebox0}\else\usebox0\fi",
                rf"\caption{{{escaped(caption)}}}",
                r"\end{table*}",
            ]
        ),
    )
