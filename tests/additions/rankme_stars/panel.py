"""A panel: raters come with `?who=…`, and return with their code."""

from rankme.panel_links.base import Panel

VILLAGE = Panel(
    name="village",
    id_parameter="who",
    session_parameter="visit",
    return_url="https://village.example.org/done?code={code}",
    hosts=frozenset({"village.example.org"}),
)
