"""The site under a clock that is wrong and jumps: a file says by how many seconds.

Nothing of this is part of the site: a test starts the web server with this module instead of
`evalsite.wsgi`, or a worker or beat with its `app`, and names the file in CLOCK_FILE. Whatever in
this process asks Python for the time of day is misled; the monotonic clock continues, as it does
when a clock is set.
"""

import datetime
import os
import sys
import time
from pathlib import Path
from types import ModuleType

# Their compiled parts read the fields of `datetime`, and crash if that is another class already.
import pandas  # noqa: F401
import pyarrow.csv  # noqa: F401

CLOCK = Path(os.environ["CLOCK_FILE"])
true_time, TrueDatetime = time.time, datetime.datetime


def seconds_wrong() -> float:
    return float(CLOCK.read_text() or 0)


class Misled(TrueDatetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + datetime.timedelta(seconds=seconds_wrong())

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def utcnow(cls):
        return cls.now(datetime.UTC).replace(tzinfo=None)


def misled_time() -> float:
    return true_time() + seconds_wrong()


def mislead(module: ModuleType) -> None:
    """Let a module that has been imported already ask this clock, under whatever name."""
    for name, value in list(vars(module).items()):
        if value is true_time:
            setattr(module, name, misled_time)
        elif value is TrueDatetime:
            setattr(module, name, Misled)


for imported in list(sys.modules.values()):
    if isinstance(imported, ModuleType) and imported is not sys.modules[__name__]:
        mislead(imported)

from evalsite.wsgi import application  # noqa: E402, F401
from tests.faults.plain_site import app  # noqa: E402, F401
