"""The panels by name: adding one is a module and a line here.

Other packages add theirs by an entry point of the group `rankme.panels`.
"""

from analysis.plugins import with_plugins

from .base import Panel
from .cint import CINT
from .connect import CONNECT
from .generic import GENERIC
from .microworkers import MICROWORKERS
from .outcomes import OUTCOME_TITLES, Outcome
from .prolific import PROLIFIC
from .sona import SONA

OWN: dict[str, Panel] = {
    panel.name: panel for panel in (GENERIC, PROLIFIC, CONNECT, SONA, MICROWORKERS, CINT)
}
PANELS = with_plugins("rankme.panels", OWN, lambda found: isinstance(found, Panel), "a Panel")

__all__ = ["OUTCOME_TITLES", "PANELS", "Outcome", "Panel"]
