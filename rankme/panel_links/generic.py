"""Any other panel: an id in, a code out."""

from .base import Panel

GENERIC = Panel(name="generic", id_parameter="id", session_parameter="session", return_url="")
