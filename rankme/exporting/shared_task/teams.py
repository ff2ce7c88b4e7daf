"""The list of teams with their citations, as a table and as BibTeX."""

from __future__ import annotations

import re
from dataclasses import dataclass

from analysis.report.layout.latex import escaped
from analysis.report.layout.table_model import Column, Role, Table, as_csv, rows_of
from analysis.translatable import gettext_noop as _
from rankme.models import Team

from .results import TaskResults

ENTRY = re.compile(r"\s*@\s*([A-Za-z]+)\s*\{\s*([^\s,{}\"#%'()=~\\]+)\s*,", re.A)
NOT_CITED = {"comment", "preamble", "string"}
# Accents, letters, marks that are escaped, and fonts: no command that reads or runs anything.
HARMLESS = re.compile(
    r"\\(?:[\"'`^~=.&%$#_{}\- ]|(?:[cvuHkrbdtijoOlL]|ss|aa|AA|ae|AE|oe|OE|emph|textit|textbf"
    r"|url|enquote|textasciitilde|LaTeX|TeX)(?![A-Za-z]))"
)


@dataclass(frozen=True)
class Citation:
    """How a team is cited: the key for LaTeX, its entry, and the names of its judged systems."""

    team: Team
    key: str
    entry: str
    systems: str


def citations(results: TaskResults) -> list[Citation]:
    """One entry for each team: its own BibTeX where that is usable, or one made of its facts."""
    found: list[Citation] = []
    taken: set[str] = set()
    systems = _systems(results)
    for team in results.teams:
        own = _own_entry(team.citation)
        if own is not None and own[0].casefold() not in taken:
            key, entry = own
        else:
            key = _free_key(team.name, taken)
            entry = _made_entry(team, key, results.task.title)
        taken.add(key.casefold())
        found.append(Citation(team, key, entry, ", ".join(systems.get(team.pk, ()))))
    return found


def _own_entry(citation: str) -> tuple[str, str] | None:
    """The key and the text of the first entry, if it is complete and cannot run anything."""
    begun = ENTRY.match(citation)
    if begun is None or begun[1].casefold() in NOT_CITED:
        return None
    depth = 0
    for place, sign in enumerate(citation):
        if sign in "{}":  # BibTeX counts those after a backslash, too
            depth += 1 if sign == "{" else -1
            if depth == 0:
                entry = citation[: place + 1].strip()
                is_harmless = "\\" not in HARMLESS.sub("", entry)
                return (begun[2], entry) if is_harmless else None
    return None


def _free_key(name: str, taken: set[str]) -> str:
    key, number = name, 2
    while key.casefold() in taken:
        key, number = f"{name}-{number}", number + 1
    return key


def _made_entry(team: Team, key: str, title: str) -> str:
    facts = {
        "author": f"{{{escaped(team.publication_name)}}}",
        "title": f"The system of {{{escaped(team.publication_name)}}} at {{{escaped(title)}}}",
        "note": _escaped(" ".join(team.citation.split())),
        "year": f"{team.registered_at:%Y}",
    }
    lines = [f"  {name} = {{{text}}}" for name, text in facts.items() if text]
    return "\n".join([f"@misc{{{key},", ",\n".join(lines), "}"])


def _escaped(text: str) -> str:
    """Text as LaTeX prints it, without braces that have no partner: BibTeX counts all of them."""
    braces = {r"\{": r"\textbraceleft{}", r"\}": r"\textbraceright{}"}
    return re.sub(r"\\[{}]", lambda found: braces[found[0]], escaped(text))


def as_bibtex(results: TaskResults) -> str:
    return "\n\n".join(each.entry for each in citations(results)) + "\n"


def teams_table(results: TaskResults) -> Table:
    """Teams with institutions, judged systems and the keys of their citations."""
    rows = [
        (
            each.team.publication_name,
            each.team.name,
            each.team.institution or None,
            each.systems,
            each.key,
        )
        for each in citations(results)
    ]
    titles = (_("Team"), _("Short name"), _("Institution"), _("System"), _("Citation"))
    columns = tuple(Column(title) for title in titles)
    return Table("teams", _("Teams"), columns, rows_of(rows), Role.PAPER)


def _systems(results: TaskResults) -> dict[int, dict[str, None]]:
    """By team: the names of its judged systems, each once."""
    found: dict[int, dict[str, None]] = {}
    for team, name in results.judged.order_by("system").values_list("team", "system__name"):
        found.setdefault(team, {})[name] = None
    return found


def as_table_csv(results: TaskResults) -> str:
    return as_csv(teams_table(results))


def as_latex(results: TaskResults) -> str:
    """The table with a citation after each team's name."""
    rows = [
        rf"{escaped(each.team.publication_name)} \cite{{{each.key}}} & "
        rf"{escaped(each.team.institution)} & {escaped(each.systems)} \\"
        for each in citations(results)
    ]
    head = [r"% \usepackage{booktabs}, and \bibliography{teams}", r"\begin{tabular}{lll}"]
    head += [r"\toprule", r"Team & Institution & Systems \\", r"\midrule"]
    return "\n".join([*head, *rows, r"\bottomrule", r"\end{tabular}", ""])
