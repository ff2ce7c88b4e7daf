"""A page's company says nothing: no check is known by the texts that it shares with others."""

import re
from collections import Counter
from typing import Any

import pytest

from rankme.actions.campaign import campaigns
from rankme.checks.drawing import MOST_SET_ASIDE, HostTrial, Surroundings, draw_batch
from rankme.corruptions import Specimen
from rankme.models import CheckTrial
from rankme.pages.rater.page_document import page_document
from rankme.pages.rater.shown_trials import trials_of
from rankme.queries.check_answers import measures_by_rater
from tests.campaigns import make_campaign, make_rater, rankme_definition, slider_definition
from tests.sittings import claim, payload_for, store

pytestmark = pytest.mark.django_db

INSTRUCTION = "Please give {value} points."


def checks_on(criterion: str) -> list[dict[str, Any]]:
    look = {"text": INSTRUCTION, "value": 20, "tolerance": 3}
    return [
        {"name": "look", "kind": "instructed", "criterion": criterion, "options": look},
        {"name": "spoiled", "kind": "corruption", "criterion": criterion, "per_batch": 6},
        {
            **{"name": "again", "kind": "repeat", "criterion": criterion, "per_batch": 3},
            "options": {"apart": 2},
        },
    ]


def several_outputs(**changes: Any):
    options = {"outputs_per_screen": 3, "trials_per_batch": 6}
    return rankme_definition(
        checks=checks_on("quality"), design={"kind": "random_blocks", "options": options}, **changes
    )


def blind_scores(pages: list[dict[str, Any]]) -> list[list[float]]:
    """The scores of a client that reads nothing: it remembers pages, finds numbers of points, and
    marks down the odd texts of a page that shares others with another page.

    Nothing else tells texts of a page apart, so any difference between them is one that it found.
    """
    met = Counter(text for page in pages for text in page["outputs"])
    scores = []
    for page in pages:
        has_company = any(met[text] > 1 for text in page["outputs"])
        alike = 60.0 + sum("".join(page["outputs"]).encode()) % 40
        scores.append([])
        for text in page["outputs"]:
            asked = re.search(r"(\d+) points", text)
            is_odd = has_company and met[text] == 1
            scores[-1].append(float(asked[1]) if asked else alike - 50 * is_odd)
    return scores


def sit_blindly(campaign, name: str) -> dict[str, float | None]:
    """One sitting of that client, and what rules would measure."""
    rater = make_rater(campaign, name)
    assignment = claim(rater)
    definition = campaigns.definition_of(campaign)
    pages = page_document(definition, trials_of(assignment), seed=assignment.pk)["trials"]
    for place, scores in enumerate(blind_scores(pages)):
        payload = payload_for(assignment, place)
        for answer in payload["answers"]:
            answer["value"] = scores[answer["place"]]
        store(rater, payload)
    return measures_by_rater(campaign, [rater.pk])[rater.pk]


def test_a_client_that_reads_nothing_finds_no_damage():
    campaign = make_campaign(several_outputs(), items=36, systems=3)
    found = [sit_blindly(campaign, f"w{number}") for number in range(6)]
    assert all(one["look.failed"] == 0 for one in found), "a regular expression reads numbers"
    assert [one["spoiled.mean_drop"] for one in found] == [0] * 6
    assert [one["spoiled.paired_p"] for one in found] == [1] * 6
    # Nothing can hide that a page is there again: a rule needs an upper bound for that.
    assert all(one["again.icc"] == pytest.approx(1) for one in found)


def test_the_same_client_finds_damage_where_a_check_shares_texts_with_another_page():
    pages = [{"outputs": outputs} for outputs in (["a", "b"], ["a", "spoiled b"])]
    assert blind_scores(pages)[1][0] - blind_scores(pages)[1][1] == 50


def one_output(**changes: Any):
    options = {"outputs_per_screen": 1, "trials_per_batch": 12}
    return slider_definition(
        checks=checks_on("fluency"), design={"kind": "random_blocks", "options": options}, **changes
    )


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("made", [several_outputs, one_output])
@pytest.mark.slow
def test_only_pages_that_are_compared_share_anything_with_another(made, seed: int):
    """Damage can borrow a text from another item; with some seeds the batch showed that one."""
    campaign = make_campaign(made(seed=seed), items=36, systems=3)
    for batch in campaign.batches.all():
        shown: Counter[str] = Counter()
        for trial in batch.trials.filter(as_check=None).prefetch_related("places__output"):
            shown.update([trial.item.input, *(place.output.text for place in trial.places.all())])
        checks = CheckTrial.objects.filter(trial__batch=batch)
        shown.update(
            text for check in checks for text in [check.shown["input"], *check.shown["outputs"]]
        )
        for check in checks.filter(source=None):
            texts = [check.shown["input"], *check.shown["outputs"]]
            assert check.trial.item.input == check.shown["input"]
            assert [shown[text] for text in texts] == [1] * len(texts)


def test_where_a_batch_has_all_items_its_checks_still_can_be_drawn():
    campaign = make_campaign(several_outputs(raters_per_trial=2), items=6, systems=3)
    assert CheckTrial.objects.filter(campaign=campaign).count() == 10 * campaign.batches.count()


def test_where_all_items_have_one_input_the_search_for_unmet_texts_ends_after_a_few():
    tried = []

    def specimen(trial: HostTrial, place: int) -> Specimen:
        tried.append(trial.item)
        return Specimen(trial.outputs[place][1])

    def shown(item: int, place: int | None = None) -> HostTrial:
        outputs = tuple((3 * item + n, f"Text {n} of {item} is here. It ends.") for n in range(3))
        return HostTrial(place, item, "Describe the picture.", "", "", outputs)

    definition = several_outputs()
    elsewhere = [shown(item) for item in range(100, 300)]
    batch = [shown(item, item) for item in range(6)]
    draw_batch(definition, batch, Surroundings(1, specimen, elsewhere), 0)
    assert len(set(tried)) <= 2 * MOST_SET_ASIDE
