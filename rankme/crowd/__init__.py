"""The panels by name: adding one is a module and a line here."""

from .base import Panel
from .generic import GENERIC
from .outcomes import OUTCOME_TITLES, Outcome
from .prolific import PROLIFIC

PANELS: dict[str, Panel] = {"generic": GENERIC, "prolific": PROLIFIC}

__all__ = ["OUTCOME_TITLES", "PANELS", "Outcome", "Panel"]
