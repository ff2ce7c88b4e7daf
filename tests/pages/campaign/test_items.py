"""The pages on which organisers read items with what raters said about them."""

import html
import json
import re

import numpy as np
import pytest

from analysis.reliability.krippendorff import krippendorff_alpha
from rankme.actions.sitting import exclusions
from rankme.models import Complaint, Judgement
from rankme.pages.campaign import items
from rankme.queries.items.answers import codes_of
from rankme.queries.items.list import Wish, disagreements, items_for
from tests.campaigns import make_campaign, make_rater, rankme_definition, slider_definition
from tests.marking import marked_campaign
from tests.pages.addresses import address
from tests.sittings import answer, claim, finish

pytestmark = pytest.mark.django_db


def sit_with(campaign, name, values):
    """Let a rater answer everything; `values` maps an item's position to the slider's value."""
    held = claim(make_rater(campaign, name))
    items = dict(campaign.items.values_list("pk", "position"))
    trials = {trial.pk: items[trial.item_id] for trial in held.batch.trials.all()}
    for place, (trial, _order) in enumerate(held.presentation):
        answer(held, place, value=values(trials[trial]), comment=f"{name} on {trials[trial]}")
    return finish(held)


@pytest.fixture
def judged():
    """Four items that three raters judged: all agree about item 0, and least about item 3."""
    definition = slider_definition(design={"kind": "complete"}, raters_per_trial=3)
    campaign = make_campaign(definition, items=4, systems=2)
    for number, name in enumerate(("ann", "ben", "cem")):
        sit_with(campaign, name, lambda item, shift=number: 40 + 10 * item * shift)
    return campaign


def test_items_begin_with_those_about_which_raters_disagree(olga, judged):
    page = olga.get(address("campaign-items", judged)).text
    places = [page.index(f">item-{number}<") for number in (3, 2, 1, 0)]
    assert places == sorted(places)
    upload = olga.get(address("campaign-items", judged), {"order": "upload"}).text
    assert upload.index(">item-0<") < upload.index(">item-3<")


def test_items_without_an_input_are_told_by_their_reference(olga):
    campaign = make_campaign(launch=False)
    page = olga.get(address("campaign-items", campaign)).text
    assert "food[Soup]" in page
    assert "serves soup" not in page
    campaign.items.update(input="")
    page = olga.get(address("campaign-items", campaign)).text
    assert "Place 1 serves soup." in page
    assert ">Input<" not in page


def test_the_list_says_that_no_output_has_two_raters(olga):
    definition = slider_definition(design={"kind": "complete"}, raters_per_trial=2)
    campaign = make_campaign(definition, items=4, systems=2)
    for number, name in enumerate(("ann", "ben")):
        page = olga.get(address("campaign-items", campaign)).text
        assert "from two raters" in page
        sit_with(campaign, name, lambda item, shift=number: 40 + 10 * item * shift)
    page = olga.get(address("campaign-items", campaign)).text
    assert "from two raters" not in page


def test_two_bad_items_among_forty_come_first(olga):
    """Nobody can tell how good they are: each rater guesses. Of the others all think alike."""
    bad, dice = {7, 23}, np.random.default_rng(20)
    truth = dice.uniform(20, 80, 40)
    definition = slider_definition(design={"kind": "complete"}, raters_per_trial=5)
    campaign = make_campaign(definition, items=40, systems=1)
    for number in range(5):
        given = np.clip(truth + dice.normal(0, 6, 40), 0, 100).round(2)
        given[sorted(bad)] = 20 * number + 10, 90 - 20 * number
        sit_with(campaign, f"w{number}", lambda item, given=given: float(given[item]))
    page = olga.get(address("campaign-items", campaign)).text
    assert {int(found) for found in re.findall(r">item-(\d+)<", page)[:2]} == bad


def test_the_disagreement_of_all_items_is_one_less_alpha(judged):
    found = disagreements(judged)
    rows = np.array(
        list(Judgement.objects.values_list("value", "output", "submission__assignment"))
    )
    outputs, raters = (np.unique(codes, return_inverse=True)[1] for codes in rows[:, 1:].T)
    agreement = krippendorff_alpha(rows[:, 0], outputs, raters, "interval")
    # Every item has as many values, so that the ratio of all is the mean of the items'.
    assert np.mean(list(found.values())) == pytest.approx(1 - agreement.value)
    assert found[judged.items.get(position=0).pk] == 0


def test_only_the_order_of_relative_values_counts():
    campaign = make_campaign(rankme_definition(raters_per_trial=2), items=2, systems=3)
    for name, factor in (("ann", 1), ("ben", 1_000)):
        held = claim(make_rater(campaign, name))
        for place, (_trial, order) in enumerate(held.presentation):
            sent = [
                {"criterion": "quality", "place": shown, "value": factor * (1 + planned)}
                for shown, planned in enumerate(order)
            ]
            answer(held, place, answers=sent)
        finish(held)
    assert set(disagreements(campaign).values()) <= {0.0}


def test_a_page_shows_all_answers_to_an_item_by_output(olga, judged):
    item = judged.items.get(position=3)
    page = olga.get(address("campaign-item", judged, 4)).text
    for output in item.outputs.all():
        assert output.text in page
    for name, value in (("ann", 40), ("ben", 70), ("cem", 100)):
        label = judged.participants.get(external_id=name).label
        assert page.count(label) >= 2 and f">{value}<" in page.replace("\n", "").replace("  ", "")
        assert f"{name} on 3" in page
    assert "70 ± 30" in page
    assert page.count('rel="prev"') == 1 and 'rel="next"' not in page


def test_answers_of_excluded_raters_are_shown_and_not_counted(olga, judged):
    rater = judged.participants.get(external_id="cem")
    exclusions.exclude_rater(rater, reason="Too fast.", by=judged.owner)
    page = olga.get(address("campaign-item", judged, 4)).text
    assert "55 ± 21" in page and "excluded" in page


def test_systems_have_codes_until_somebody_asks_for_their_names(olga, judged):
    names = list(judged.systems.values_list("name", flat=True))
    codes = list(codes_of(judged).values())
    for where in (address("campaign-items", judged), address("campaign-item", judged, 1)):
        page = olga.get(where).text
        assert all(code in page for code in codes) and not any(name in page for name in names)
    show = address("campaign-item-names", judged)
    back = address("campaign-item", judged, 1)
    assert olga.post(show, {"show": "yes", "back": back}).url == back
    page = olga.get(back).text
    assert all(name in page for name in names)
    assert judged.audit_events.filter(verb="names of systems shown").count() == 1
    assert olga.post(show, {"show": "no", "back": "https://evil.example/"}).url == address(
        "campaign-items", judged
    )
    assert not any(name in olga.get(back).text for name in names)


def test_codes_do_not_follow_the_order_of_the_upload():
    orders = set()
    for seed in range(5):
        campaign = make_campaign(slider_definition(seed=seed), items=4, systems=4)
        systems = campaign.systems.order_by("position").values_list("pk", flat=True)
        orders.add(tuple(codes_of(campaign)[pk] for pk in systems))
    assert len(orders) > 1


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ({"order": "lowest"}, 0),
        ({"order": "highest", "search": "place 1"}, 1),
        ({"order": "reports"}, 2),
        ({"order": "apart", "rater": "ann"}, 3),
        ({"order": "nonsense", "system": "nobody", "criterion": "none", "rater": "x\0"}, 3),
    ],
)
def test_items_are_ordered_and_searched_as_asked(olga, judged, asked, first):
    reported = judged.items.get(position=2)
    held = judged.assignments.first()
    Complaint.objects.create(
        key="9d3f3b1e-3df3-4b0a-8f0a-1c4d7a6b7c11",
        campaign=judged,
        participant=held.participant,
        assignment=held,
        trial=held.batch.trials.filter(item=reported).first(),
        screen=0,
        text="Cut off.",
    )
    if "rater" in asked:
        labels = dict(judged.participants.values_list("external_id", "label"))
        asked = {**asked, "rater": labels.get(asked["rater"], asked["rater"])}
    page = olga.get(address("campaign-items", judged), asked).text
    rows = page[page.index("<tbody>") :]
    assert rows.index("item-") == rows.index(f"item-{first}")


def test_marks_of_all_raters_lie_over_the_text(olga):
    campaign = marked_campaign("esa", raters=2)
    marks = [
        (judgement, mark)
        for judgement in Judgement.objects.filter(text__startswith="{").order_by("pk")
        for mark in json.loads(judgement.text)["marks"]
        if mark["side"] == "output" and mark["start"] is not None
    ]
    judgement, mark = marks[0]
    item = judgement.output.item
    page = olga.get(address("campaign-item", campaign, item.position + 1)).text
    about = page[page.index("<h3>") :]
    assert len(re.findall(r'<mark\s+class="level-', about)) >= 1
    label = judgement.submission.assignment.participant.label
    assert f"{label}, {mark['category']}" in about or f"{label}, {mark['severity']}" in about
    text = "".join(html.unescape(part) for part in re.findall(r"<mark[^>]*>([^<]*)</mark>", about))
    assert mark["text"][0] in text


def test_items_of_a_draft_have_names_and_no_answers(olga):
    campaign = make_campaign(launch=False)
    page = olga.get(address("campaign-items", campaign)).text
    assert "item-0" in page and '<form class="card row"' not in page
    page = olga.get(address("campaign-item", campaign, 1)).text
    assert "Sys0" in page and "No rater has judged" not in page


def test_items_that_no_rater_shares_have_no_disagreement():
    campaign = make_campaign(items=4, systems=4)
    sit_with(campaign, "ann", lambda item: item)
    order = items_for(campaign, Wish(order="disagreement"))
    assert not order.numbers and len(order.ids) == 4


def test_neighbours_are_those_of_the_list_without_a_new_order(olga, judged, monkeypatch):
    monkeypatch.setattr(items, "ITEMS_ON_A_PAGE", 2)
    page = olga.get(address("campaign-items", judged)).text
    opened = html.unescape(re.search(r'href="([^"]*/items/4/[^"]*)"', page).group(1))

    def refused(*_given):
        raise AssertionError("an opened item puts no items in order")

    seen = []
    for number in (4, 3):
        with monkeypatch.context() as held:
            held.setattr(items, "items_for", refused)
            shown = olga.get(opened)
        assert f"{len(seen) + 1} / 4" in shown.text
        seen.append(number)
        opened = shown.context["after"]
    # The window of the address ends here: the list opens the first item of its next page.
    opened = olga.get(opened).url
    shown = olga.get(opened)
    assert shown.context["item"].key == "item-1" and shown.context["place"] == 3
    back = olga.get(shown.context["before"]).url
    assert olga.get(back).context["item"].key == "item-2"
    last = olga.get(shown.context["after"])
    assert last.context["item"].key == "item-0" and not last.context.get("after")


def test_a_large_campaign_is_ordered_by_judgements_when_it_is_asked_for(olga, judged, monkeypatch):
    monkeypatch.setattr(items, "MOST_ORDERED", 3)
    page = olga.get(address("campaign-items", judged))
    assert page.context["wish"].order == "upload"
    page = olga.get(address("campaign-items", judged), {"order": "disagreement"})
    assert page.context["wish"].order == "disagreement"


@pytest.mark.parametrize("among", ["", "9.9", "x.4", "4" * 5000, "4.٣"])
def test_an_odd_address_shows_the_item_with_some_neighbours(olga, judged, among):
    shown = olga.get(
        address("campaign-item", judged, 4), {"among": among, "page": "-3", "of": "10" * 9}
    )
    assert shown.status_code == 200
