"""What simulated raters know and do: readers pass the checks of a campaign, others do not."""

import random

import pytest

from rankme.management.rehearsed_raters import knowledge_of
from rankme.models import CheckTrial
from rankme.pages.rater.page_document import page_document
from rankme.pages.rater.shown_trials import trials_of
from rankme.queries.check_answers import measures_by_rater
from rankme.queries.definitions import frozen_definition
from rankme.simulation.answers import answers_to, read_truth
from rankme.simulation.characters import CHARACTERS, obeying, unread
from tests.campaigns import make_campaign, make_rater, rankme_definition, slider_definition
from tests.marking import SteadyTaste
from tests.sittings import claim, payload_for, store

pytestmark = pytest.mark.django_db


def checks_on(criterion: str, *more: dict) -> list[dict]:
    look = {"text": "Please give {value}.", "value": 30, "tolerance": 4}
    own = [
        {"name": "look", "kind": "instructed", "per_batch": 3, "options": look},
        {"name": "spoiled", "kind": "corruption", "per_batch": 8, "options": {"apart": 2}},
        {"name": "again", "kind": "repeat", "per_batch": 3, "options": {"apart": 2}},
        *more,
    ]
    return [{"criterion": criterion} | check for check in own]


def campaign_of(kind: str):
    if kind == "slider":
        return make_campaign(slider_definition(checks=checks_on("fluency")), items=16, systems=2)
    order = {"name": "known", "kind": "known_answer"}
    order["options"] = {"outputs": ["Fine.", "Bad."], "in_order": True}
    options = {"outputs_per_screen": 3, "trials_per_batch": 8}
    return make_campaign(
        rankme_definition(
            checks=checks_on("quality", order), design={"kind": "random_blocks", "options": options}
        ),
        items=24,
        systems=3,
    )


def measured(campaign, name: str) -> dict:
    """One rater of this kind, and what rules would measure."""
    rng, character = random.Random(f"{name}-3"), CHARACTERS[name]
    known = knowledge_of(campaign)
    rater = make_rater(campaign, name)
    assignment = claim(rater)
    definition = frozen_definition(campaign).definition
    document = page_document(definition, trials_of(assignment), seed=1)
    for place, trial in enumerate(document["trials"]):
        [screen] = document["screens"]
        reads = rng.random() < character.awake
        taste = SteadyTaste(rng, known.quality, 0) if reads else unread(character.habit, rng, 0.4)
        answers = answers_to(screen, trial, taste)
        if reads:
            answers = obeying(answers, screen, trial, known.asked, random.Random(1))  # no slip
        store(rater, payload_for(assignment, place) | {"answers": answers})
    return measures_by_rater(campaign, [rater.pk])[rater.pk]


@pytest.mark.parametrize("kind", ["slider", "several outputs"])
def test_careful_raters_pass_what_others_fail(kind):
    campaign = campaign_of(kind)
    careful = measured(campaign, "careful")
    assert careful["look.failed"] == 0
    assert careful.get("known.failed") in (None, 0)
    copying = measured(campaign, "copy")
    # Of eight pairs a careful rater, too, may have one the wrong way round (p up to .05 and more).
    assert careful["spoiled.paired_p"] < 0.2 < copying["spoiled.paired_p"]
    assert copying["look.failed"] == 3 and copying["same_answer_share"] == 1


def test_readers_know_each_check_of_a_campaign():
    campaign = campaign_of("several outputs")
    known = knowledge_of(campaign)
    texts = {
        check.shown["outputs"][check.expected["output"]]
        for check in CheckTrial.objects.filter(campaign=campaign, kind="instructed")
    }
    assert known.asked.keys() == {("quality", text) for text in texts}
    assert set(known.asked.values()) == {(26, 34)}
    assert len(known.quality) >= 2, "damaged copies, and the two texts in order"


def test_a_truth_that_is_not_standard_normal_is_refused(tmp_path):
    """Scores from 0 to 100 would make every rater choose the best point."""
    file = tmp_path / "truth.csv"
    file.write_text("text,score\nGood.,93\nBad.,12\n")
    with pytest.raises(ValueError, match="about standard normal"):
        read_truth(file)
    file.write_text("text,score\nGood.,1.5\n")
    assert read_truth(file) == {"Good.": 1.5}
