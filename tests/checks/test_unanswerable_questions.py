"""A question that nobody can answer, as the docs have it: it marks raters and turns nobody away."""

import re
from pathlib import Path

import pytest
import yaml

from rankme.actions.sitting.quiz import answer_quiz, is_pending
from rankme.models import Participant, RuleDecision
from rankme.queries.definitions import frozen_definition
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import sit

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "quality.md"


def documented() -> dict:
    [section] = re.findall(
        r"### Questions that nobody can answer.*?```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.S
    )
    return yaml.safe_load(section)


@pytest.mark.parametrize(("answer", "marks"), [("204", 1), ("I do not know", 0)])
def test_raters_who_know_what_nobody_knows_are_marked(answer, marks):
    campaign = make_campaign(slider_definition(**documented()), items=2, systems=2)
    rater = make_rater(campaign)
    assert is_pending(rater, frozen_definition(campaign).definition)
    answer_quiz(rater, {"nobody": answer})
    sit(rater)
    rater.refresh_from_db()
    assert rater.state == Participant.State.COMPLETED
    found = RuleDecision.objects.filter(participant=rater)
    assert found.filter(action=RuleDecision.Action.FLAG).count() == found.count() == marks
