"""The pages about one rater: alarms, answers, and the effect of leaving the rater out."""

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from rankme.actions.sitting import assignments, exclusions
from rankme.models import Assignment, Judgement
from rankme.pages.campaign import monitoring
from rankme.queries.items.answers import codes_of
from rankme.queries.watching import answers
from rankme.queries.watching.alarms import alarms_by_rater
from tests.campaigns import make_campaign, make_raters, rankme_definition, slider_definition
from tests.frauds import CRITERION, crowd_with_frauds, sit_as
from tests.marking import marked_campaign
from tests.pages.addresses import address
from tests.sittings import answer, finish

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_three_frauds_among_thirty_raters_are_listed_first(olga):
    campaign, frauds = crowd_with_frauds()
    page = olga.get(address("campaign-raters", campaign))
    lines = list(page.context["raters"])
    assert {line.participant.label for line in lines[:3]} == frauds
    assert not any(line.alarms for line in lines[3:])
    assert {alarm.name for line in lines[:3] for alarm in line.alarms} == {
        "same", "hasty", "times",
    }  # fmt: skip
    monitor = olga.get(address("campaign-monitor", campaign)).text
    assert "alarms about 3 of these 30 raters" in monitor
    quality = olga.get(address("campaign-quality", campaign), {"sort": "alarms"})
    assert {line.participant.label for line in quality.context["lines"][:3]} == frauds
    assert quality.context["alarmed"] == 3
    for line in lines[:3]:
        shown = olga.get(address("campaign-rater", campaign, line.participant.label))
        text = " ".join(shown.text.split())
        for alarm in line.alarms:
            assert alarm.rate in text and "innocent" in alarm.sentence
    # Judgements that were imported have no times, and the order of a file.
    ids = [line.participant.pk for line in lines]
    campaign.is_archive = True
    alarms = alarms_by_rater(campaign, ids)
    found = [alarm.name for own in alarms.values() for alarm in own]
    assert found == ["same"]
    exclusions.exclude_rater(lines[0].participant, reason="Alike.", by=campaign.owner)
    again = list(olga.get(address("campaign-raters", campaign)).context["raters"])
    assert {line.participant.label for line in again[:2]} == frauds - {lines[0].participant.label}


def test_alarms_with_the_most_pay_at_stake_come_first(olga):
    """Two raters who gave the same answer throughout: one holds a second batch."""
    definition = slider_definition(
        criteria=[CRITERION],
        raters_per_trial=4,
        design={"kind": "random_blocks", "options": {"trials_per_batch": 12}},
        crowd={"pay_per_batch": 3, "batches_per_rater": 2},
    )
    campaign = make_campaign(definition, items=24, systems=2)
    careful, once, twice = make_raters(campaign, ["w0", "w1", "w2"])
    sit_as(careful, "careful", 1)
    sit_as(twice, "same", 2)
    assert isinstance(assignments.claim_batch(twice), Assignment)
    sit_as(once, "same", 3)
    page = olga.get(address("campaign-monitor", campaign))
    lines = page.context["raters"]
    assert [line.participant.pk for line in lines] == [twice.pk, once.pk, careful.pk]
    assert [line.stake for line in lines] == [6, 3, 3]
    assert page.context["stake"] == 9
    text = " ".join(page.text.split())
    assert "9.00 GBP is the pay for their batches" in text and "6.00 GBP" in text
    exclusions.exclude_rater(twice, reason="Alike.", by=campaign.owner)
    again = olga.get(address("campaign-monitor", campaign))
    assert again.context["raters"][0].participant.pk == once.pk and again.context["stake"] == 3


def rater_page(olga, campaign, rater, **asked):
    page = olga.get(address("campaign-rater", campaign, rater.label), asked)
    assert page.status_code == 200
    return page, " ".join(page.text.split())


@pytest.fixture
def shifted():
    """Two systems: three raters prefer the first a little, one the second very much."""
    definition = slider_definition(design={"kind": "complete"}, raters_per_trial=4)
    campaign = make_campaign(definition, items=8, systems=2)
    rng = random.Random(4)
    for name in ("ann", "ben", "cem", "odd"):
        [rater] = make_raters(campaign, [name])
        while isinstance(held := assignments.claim_batch(rater), Assignment):
            outputs = dict(held.batch.trials.values_list("pk", "places__output__system__position"))
            for place, (trial, _order) in enumerate(held.presentation):
                better = outputs[trial] == (1 if name == "odd" else 0)
                value = 50 + better * (45 if name == "odd" else 12) + rng.uniform(-2, 2)
                times = {"spent_ms": 4_000 + place}
                answer(held, place, value=round(value), times=times, comment=f"{name} {place}")
            finish(held)
    return campaign


def test_the_effect_of_leaving_a_rater_out_is_shown_before_it_is_decided(olga, shifted):
    odd, ann = (shifted.participants.get(external_id=name) for name in ("odd", "ann"))
    page, text = rater_page(olga, shifted, odd)
    [effect] = page.context["effects"]
    means = Judgement.objects.values_list(
        "output__system", "submission__assignment__participant", "value"
    )
    codes = codes_of(shifted)
    for each in effect.systems:
        of_system = [row for row in means if codes[row[0]] == each.system]
        without = [value for _, rater, value in of_system if rater != odd.pk]
        assert each.mean == pytest.approx(sum(row[2] for row in of_system) / len(of_system))
        assert each.mean_without == pytest.approx(sum(without) / len(without))
    assert len(effect.moved) == 2 and "2 systems change places" in text
    assert text.index("With and without this rater") < text.index("Exclude from analyses")
    assert not any(name in text for name in ("Sys0", "Sys1"))
    unmoved, _ = rater_page(olga, shifted, ann)
    assert not unmoved.context["effects"][0].moved
    # Of a rater who is out already, it is the same.
    exclusions.exclude_rater(odd, reason="Odd.", by=shifted.owner)
    again, _ = rater_page(olga, shifted, odd)
    assert again.context["effects"] == [effect]


def test_a_large_campaign_computes_the_effect_when_it_is_asked_for(olga, shifted, monkeypatch):
    odd = shifted.participants.get(external_id="odd")
    monkeypatch.setattr(monitoring, "MOST_AT_ONCE", 10)
    page, text = rater_page(olga, shifted, odd)
    assert "effects" not in page.context and "?effect=yes" in text
    assert rater_page(olga, shifted, odd, effect="yes")[0].context["effects"]
    monkeypatch.setattr(monitoring, "MOST_SCREENS", 10)
    page, text = rater_page(olga, shifted, odd, effect="yes")
    assert "effects" not in page.context and "too large" in text


def test_the_page_of_a_rater_shows_a_bounded_number_of_screens(olga, shifted, monkeypatch):
    monkeypatch.setattr(monitoring, "SCREENS_ON_A_PAGE", 3)
    rater = shifted.participants.get(external_id="ann")
    with CaptureQueriesContext(connection) as few:
        page, text = rater_page(olga, shifted, rater)
    screens = list(page.context["screens"])
    assert [screen.number for screen in screens] == [1, 2, 3] and "Page 1 of" in text
    assert page.context["width"] == 36
    assert {mark.left for mark in page.context["times"]["bars"]} == {0, 12, 24}
    second, _ = rater_page(olga, shifted, rater, page="2")
    assert next(iter(second.context["screens"])).number == 4
    monkeypatch.setattr(monitoring, "SCREENS_ON_A_PAGE", 16)
    with CaptureQueriesContext(connection) as many:
        page, text = rater_page(olga, shifted, rater)
    assert len(many) == len(few)
    place = dict(
        rater.assignments.values_list("submissions__pk", "submissions__trial__item__position")
    )
    for screen in page.context["screens"]:
        assert screen.item_number == place[screen.submission.pk] + 1
        assert address("campaign-item", shifted, screen.item_number) in text
        assert screen.seconds >= 4 and 0 < screen.reading < 10
    [(_, bins)] = page.context["scale_use"]
    assert sum(each.answers for each in bins) == 16
    monkeypatch.setattr(answers, "SAMPLED_SCREENS", 6)
    newest, _ = rater_page(olga, shifted, rater)
    [(_, bins)] = newest.context["scale_use"]
    assert sum(each.answers for each in bins) == 6 == newest.context["agreement"][0][2]
    [(name, value, outputs)] = page.context["agreement"]
    assert (name, outputs) == ("fluency", 16) and f"n = {outputs}" in text and value < 1


@pytest.mark.parametrize(
    ("instrument", "options", "lanes"),
    [
        ("preference", {}, 1),
        ("best_worst", {}, 1),
        ("rankme", {}, 1),
        ("text", {}, 0),
    ],
)
def test_every_kind_of_answer_has_its_line(olga, instrument, options, lanes):
    outputs = 2 if instrument == "preference" else 3
    criterion = {**CRITERION, "instrument": instrument, "options": options}
    design = {"outputs_per_screen": outputs, "trials_per_batch": 4}
    definition = rankme_definition(
        criteria=[criterion | {"name": "quality"}],
        design={"kind": "random_blocks", "options": design},
    )
    campaign = make_campaign(definition, items=4, systems=outputs)
    [rater] = make_raters(campaign, ["ann"])
    sit_as(rater, "careful", 3)
    page, _ = rater_page(olga, campaign, rater)
    screens = list(page.context["screens"])
    assert len(screens) == 4 and all(len(screen.answers) == outputs for screen in screens)
    assert all(screen.by_criterion[0][1] for screen in screens)
    assert len(page.context["lanes"]) == lanes
    if lanes:
        tops = {mark.top for mark in page.context["lanes"][0].marks}
        assert len(tops) > 1 and all(0 <= top <= 100 for top in tops)
        [(_, places)] = page.context["places_best"]
        assert [place for place, _ in places] == list(range(1, outputs + 1))


def test_marks_and_scores_of_a_rater_are_shown(olga):
    campaign = marked_campaign("esa", raters=2)
    rater = campaign.participants.first()
    page, _ = rater_page(olga, campaign, rater)
    assert page.context["lanes"] and all(screen.by_criterion for screen in page.context["screens"])
