"""Moving figures that are asked before the work, each rater's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.crypto import salted_hmac

from rankme.checks.moving_figures import RIGHT, WRONG, MovingFigure, draw_figure, in_words
from rankme.models import Participant
from rankme.protocols.checks import CheckSpec
from rankme.protocols.definition import Definition


def figures_of(definition: Definition) -> list[CheckSpec]:
    return [check for check in definition.checks if check.kind == "figure"]


def figure_for(participant: Participant, check: CheckSpec) -> MovingFigure:
    """Draw a rater's figure, the same each time. Its seed is the server's secret."""
    of = f"{participant.campaign.seed}/{participant.pk}/{check.name}"
    return draw_figure(int(salted_hmac("rankme.moving-figure", of).hexdigest()[:16], 16))


def results_of(
    participant: Participant, figures: Sequence[CheckSpec], answers: Mapping[str, str]
) -> dict[str, str]:
    """Say of each figure whether the rater named its digit, or answered the question instead.

    Which of the two it was can tell of a disability, so it is not stored.
    """
    found = {}
    for figure in figures:
        if said := answers.get(in_words(figure.name)):
            is_right = said == figure.settings.answer
        else:
            is_right = answers.get(figure.name) == figure_for(participant, figure).digit
        found[figure.name] = RIGHT if is_right else WRONG
    return found
