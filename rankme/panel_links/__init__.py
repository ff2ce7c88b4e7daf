"""The panels by name: adding one is a module and a line here."""

from .base import Panel
from .cint import CINT
from .connect import CONNECT
from .generic import GENERIC
from .microworkers import MICROWORKERS
from .outcomes import OUTCOME_TITLES, Outcome
from .prolific import PROLIFIC
from .sona import SONA

PANELS: dict[str, Panel] = {
    panel.name: panel for panel in (GENERIC, PROLIFIC, CONNECT, SONA, MICROWORKERS, CINT)
}

__all__ = ["OUTCOME_TITLES", "PANELS", "Outcome", "Panel"]
