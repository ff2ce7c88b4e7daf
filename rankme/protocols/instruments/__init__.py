"""The instruments by name: adding one is a module, a template, a script and a line here."""

from __future__ import annotations

from .base import Instrument, Refused, Subject, Value
from .choices import Checklist, Choice, Count, Likert
from .comparisons import BestWorst, Preference
from .mr_coverage import MrCoverage
from .sliders import RankMe, Slider
from .texts import Text
from .timed import ClickTarget, ResponseTime

INSTRUMENTS: dict[str, Instrument] = {
    "rankme": RankMe(),
    "slider": Slider(),
    "likert": Likert(),
    "choice": Choice(),
    "checklist": Checklist(),
    "count": Count(),
    "text": Text(),
    "response_time": ResponseTime(),
    "click_target": ClickTarget(),
    "preference": Preference(),
    "best_worst": BestWorst(),
    "mr_coverage": MrCoverage(),
}

__all__ = ["INSTRUMENTS", "Instrument", "Refused", "Subject", "Value"]
