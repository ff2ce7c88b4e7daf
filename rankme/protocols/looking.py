"""How a campaign is looked at while it runs; fixed at the launch."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from analysis.sequential.plan import ANYTIME, FEWEST_LOOKS, FIXED, GROUP_SEQUENTIAL, MOST_LOOKS
from analysis.translatable import gettext_noop as _

from .parts import Labels, Part

MODES = Labels(
    {
        FIXED: _("Not at all: one analysis after the end"),
        GROUP_SEQUENTIAL: _("A few times, by group-sequential tests"),
        ANYTIME: _("At any time, by betting"),
    }
)
GOALS = Labels(
    best=_("The best system is told apart from all others"),
    all=_("All systems are told apart from each other"),
)


class Looks(Part):
    """When claims may be computed before the end, and for what a look proposes to stop."""

    mode: Annotated[Literal["fixed", "group-sequential", "anytime"], MODES] = Field(
        "fixed",
        title=_("Looks at the ranking while raters work"),
        description=_(
            "Looks at a comparison make its claims less certain, unless they are planned. Each "
            "rater then does one batch. Looks at any time need 12 raters, and claims about new "
            "raters of these items. It is fixed at the launch."
        ),
    )
    number: int = Field(
        3,
        ge=FEWEST_LOOKS,
        le=MOST_LOOKS,
        title=_("Group-sequential looks"),
        description=_(
            "At equal distances, the last one after the end. The first needs 10 raters whose "
            "batches have ended."
        ),
    )
    goal: Annotated[Literal["best", "all"], GOALS] = Field(
        "best",
        title=_("A look proposes to stop when"),
        description=_(
            "Or when two systems differ by less than the margin of equivalence. You decide whether "
            "the campaign is closed."
        ),
    )

    @property
    def is_fixed(self) -> bool:
        return self.mode == FIXED
