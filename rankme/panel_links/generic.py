"""Any other panel: an id in, a code out."""

from analysis.translatable import gettext_noop as _

from .base import Panel

GENERIC = Panel(
    name="generic",
    id_parameter="id",
    session_parameter="session",
    return_url="",
    called=_("any, by a link"),
)
