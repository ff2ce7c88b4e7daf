"""The instruments by name: adding one is a module, a template, a script and a line here.

Other packages add theirs by an entry point of the group `rankme.instruments`.
"""

from __future__ import annotations

from typing import Any

from analysis.plugins import with_plugins

from .base import Instrument, Refused, Subject, Value
from .choices import Checklist, Choice, Count, Likert
from .comparisons import BestWorst, Preference
from .mr_coverage import MrCoverage
from .sliders import RankMe, Slider
from .spans import Spans
from .texts import Text
from .timed import ClickTarget, ResponseTime

OWN: dict[str, Instrument[Any]] = {
    instrument.name: instrument
    for instrument in (
        RankMe(),
        Slider(),
        Likert(),
        Choice(),
        Checklist(),
        Count(),
        Text(),
        ResponseTime(),
        ClickTarget(),
        Preference(),
        BestWorst(),
        MrCoverage(),
        Spans(),
    )
}
INSTRUMENTS = with_plugins(
    "rankme.instruments", OWN, lambda found: isinstance(found, Instrument), "an Instrument"
)

__all__ = ["INSTRUMENTS", "Instrument", "Refused", "Subject", "Value"]
