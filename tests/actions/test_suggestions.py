"""Marks that came with an output are told from marks that only claim it."""

import pytest

from analysis.report.layout.span_tables import span_tables
from analysis.report.options import ReportOptions
from analysis.report.span_section import span_section
from analysis.spans.judged import marked_outputs, read_cell
from rankme.actions.campaign import campaigns
from rankme.actions.sitting.presentations import draw_held_out
from rankme.errors import InvalidAnswer, InvalidDefinition
from rankme.models import Assignment, CheckTrial, Judgement, Output
from rankme.pages.previews.preview import sample_trials
from rankme.pages.rater.shown_trials import trials_of
from rankme.protocols.answers import read_answers
from rankme.protocols.files import stored_definition
from rankme.queries.definitions import frozen_definition
from rankme.queries.judgement_table import judgement_table
from rankme.queries.quality import quality_of
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.pages.addresses import address
from tests.sittings import claim, pages_of, payload_for, store

pytestmark = pytest.mark.django_db

SUGGESTED = {
    **{"id": 1, "side": "output", "start": 0, "end": 4, "text": "Text", "severity": "minor"},
    **{"category": "", "note": "", "missing": False, "prefilled": "a model", "confirmed": False},
}


@pytest.fixture
def held():
    return holding("count")


def marking_definition(unconfirmed="count", **changes):
    """One question, which marks texts; without a word on open suggestions, the default."""
    options = {"severities": {"minor": "Minor", "major": "Major"}}
    if unconfirmed:
        options["unconfirmed"] = unconfirmed
    spans = {"name": "errors", "question": "?", "instrument": "spans", "options": options}
    screens = [{"name": "rate", "show": ["outputs"], "ask": ["errors"]}]
    return slider_definition(criteria=[spans], screens=screens, **changes)


def holding(unconfirmed):
    definition = marking_definition(unconfirmed)
    campaign = make_campaign(definition, items=1, systems=1, launch=False)
    Output.objects.update(marks=[SUGGESTED])
    return claim(make_rater(campaigns.launch_campaign(campaign, by=campaign.owner)))


def marked(*marks):
    value = {"marks": list(marks), "events": []}
    return {"criterion": "errors", "place": 0, "time_ms": 1.0, "value": value}


def send(held, *marks, trial=0, **more):
    payload = payload_for(held, trial=trial) | {"answers": [marked(*marks)]} | more
    return store(held.participant, payload)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"confirmed": True},
        {"confirmed": True, "severity": "major"},
        {"confirmed": True, "start": 0, "end": 6, "text": "Text 0"},
    ],
)
def test_a_suggestion_comes_back_as_it_was_or_confirmed(held, change):
    send(held, SUGGESTED | change)
    assert Judgement.objects.count() == 1


OWN = SUGGESTED | {"id": 7, "start": 5, "end": 6, "text": "0", "severity": "major"}
del OWN["prefilled"], OWN["confirmed"]


def test_an_untouched_suggestion_is_asked_about_by_default():
    held = holding("")
    with pytest.raises(InvalidAnswer, match="still open: 1"):
        send(held, SUGGESTED, OWN)
    assert not Judgement.objects.exists()
    send(held, SUGGESTED | {"confirmed": True}, OWN)
    assert Judgement.objects.get().value == 6


@pytest.mark.parametrize(("unconfirmed", "penalty"), [("count", 6), ("leave_out", 5)])
def test_an_untouched_suggestion_counts_only_where_the_campaign_says_so(unconfirmed, penalty):
    held = holding(unconfirmed)
    send(held, SUGGESTED, OWN)
    judgement = Judgement.objects.get()
    assert judgement.value == penalty
    table = judgement_table(held.campaign)
    [cell] = [read_cell(label) for label in table.factors["marks"].labels if label]
    assert sum({"minor": 1, "major": 5}[mark.severity] for mark in cell.marks) == penalty
    [note] = marked_outputs(table).notes
    assert note in next(iter(span_tables(span_section(table, ReportOptions())))).notes
    counted = 1 if unconfirmed == "count" else 0
    assert "1 of 1 (100.0 %) were left untouched" in note
    assert f"{counted} of these count as the raters' own" in note
    [line] = quality_of(held.campaign, [held.participant])
    assert line.facts.untouched == 1
    assert "left 100 % of the suggested marks untouched" in line.sentence.lower()


def test_answers_from_before_the_question_are_still_read_as_they_are():
    held = holding("")
    definition = stored_definition(held.campaign.definition)
    [reading] = read_answers(
        definition, 0, [marked(SUGGESTED)], outputs=1, texts=["Text 0 of system 0"], item_input=""
    )
    assert reading.number == 1


@pytest.mark.parametrize(
    "change",
    [
        {"prefilled": "an expert"},
        {"id": 2},
        {"id": 2, "confirmed": True},
        {"start": 0, "end": 6, "text": "Text 0"},  # moved, and nobody has confirmed it
    ],
)
def test_invented_suggestions_are_refused(held, change):
    with pytest.raises(InvalidAnswer, match="was not suggested"):
        send(held, SUGGESTED | change)
    assert not Judgement.objects.exists()


def test_marks_of_ones_own_claim_nothing(held):
    own = {name: SUGGESTED[name] for name in ("side", "start", "end", "text", "severity")}
    send(held, own | {"id": 7})
    assert Judgement.objects.get().value == 1


# --- A share of the pages without suggestions --------------------------------------------------

TIMES = {"onset_ms": 0, "spent_ms": 4000.4, "active_ms": 3000}


def a_draft(share, *, bare=0, **changes):
    """A campaign whose six outputs have a suggestion, but for the first `bare`."""
    design = {"kind": "latin_square", "unassisted_share": share}
    definition = marking_definition(design=design, raters_per_trial=4, **changes)
    campaign = make_campaign(definition, items=6, systems=1, launch=False)
    Output.objects.filter(item__position__gte=bare).update(marks=[SUGGESTED])
    return campaign


def holding_out(share, **changes):
    """Four raters of such a campaign."""
    campaign = a_draft(share, **changes)
    campaign = campaigns.launch_campaign(campaign, by=campaign.owner)
    return [claim(make_rater(campaign, f"w{number}")) for number in range(4)]


def answer_all(held):
    """Leave each shown suggestion as it was, and mark nothing else."""
    for place, trial in enumerate(trials_of(held)):
        send(held, *(trial.marks[0] if trial.marks else ()), trial=place, times=TIMES)


def test_a_share_of_the_pages_is_drawn_for_each_rater_and_stays_theirs():
    raters = holding_out(0.5)
    for held in raters:
        trials = {trial for trial, _ in held.presentation}
        assert len(held.held_out) == 3
        assert set(held.held_out) < trials
        shown = [bool(trial.marks) for trial in trials_of(held)]
        assert shown == [trial not in held.held_out for trial, _ in held.presentation]
        again = Assignment.objects.get(pk=held.pk)
        assert [bool(trial.marks) for trial in trials_of(again)] == shown
        definition = stored_definition(held.campaign.definition)
        drawn = draw_held_out(held.participant, held.batch_id, definition, pages_of(held.batch_id))
        assert drawn == held.held_out
    assert len({tuple(held.held_out) for held in raters}) > 1


def test_without_a_share_every_page_has_its_suggestions_and_the_table_no_column():
    first, *_ = holding_out(0)
    assert first.held_out == []
    assert all(trial.marks for trial in trials_of(first))
    answer_all(first)
    assert not {"assisted", "screen_ms"} & set(judgement_table(first.campaign).factors)


def test_the_share_is_met_on_average_where_a_batch_has_fewer_pages_than_one_in_ten():
    held, *_ = holding_out(0.1)
    definition = stored_definition(held.campaign.definition)
    pages = [(page, 1, False) for page in range(6)]
    drawn = [
        len(draw_held_out(held.participant, batch, definition, pages)) for batch in range(2000)
    ]
    assert set(drawn) == {0, 1}
    assert sum(drawn) == pytest.approx(1200, abs=80)


def test_a_page_that_is_compared_with_another_has_suggestions_if_that_one_has():
    again = {"name": "again", "kind": "repeat", "criterion": "errors", "per_batch": 3}
    raters = holding_out(0.5, checks=[again | {"options": {"apart": 1}}])
    sources = dict(CheckTrial.objects.values_list("trial_id", "source_id"))
    assert len(sources) == 3
    pairs = [
        (check in held.held_out, source in held.held_out)
        for held in raters
        for check, source in sources.items()
    ]
    assert {check for check, _source in pairs} == {True, False}
    assert all(check == source for check, source in pairs)


def test_a_browser_cannot_claim_a_suggestion_that_was_held_out():
    held, *_ = holding_out(0.5)
    order = [trial for trial, _ in held.presentation]
    hidden = order.index(held.held_out[0])
    with pytest.raises(InvalidAnswer, match="was not suggested"):
        send(held, SUGGESTED, trial=hidden)
    shown = next(place for place, trial in enumerate(order) if trial not in held.held_out)
    send(held, SUGGESTED, trial=shown)
    assert Judgement.objects.count() == 1


def test_the_table_and_the_report_say_which_answers_had_suggestions():
    raters = holding_out(0.5, generality="raters")
    for held in raters:
        answer_all(held)
    table = judgement_table(raters[0].campaign)
    column = table.factors["assisted"]
    labels = [column.labels[code] for code in column.codes]
    trials = [int(screen.split(".")[1]) for screen in labels_of(table.screen)]
    sittings = [int(screen.split(".")[0]) for screen in labels_of(table.screen)]
    held_out = {held.pk: held.held_out for held in raters}
    assert labels == [
        "no" if trial in held_out[sitting] else "yes"
        for sitting, trial in zip(sittings, trials, strict=True)
    ]
    # Raters who leave suggestions alone mark one error with them and none without, always.
    assert table.value.tolist() == [float(label == "yes") for label in labels]
    assert set(labels_of(table.factors["screen_ms"])) == {"4000"}


def labels_of(column):
    return [column.labels[code] for code in column.codes]


def test_an_output_without_suggestions_is_neither_assisted_nor_held_out():
    for held in (raters := holding_out(0.5, bare=2)):
        answer_all(held)
    table = judgement_table(raters[0].campaign)
    found = list(zip(labels_of(table.item), labels_of(table.factors["assisted"]), strict=True))
    bare = {item.key for item in raters[0].campaign.items.filter(position__lt=2)}
    assert all((label == "") == (item in bare) for item, label in found)
    assert {label for _item, label in found} == {"", "yes", "no"}


def test_a_share_without_suggestions_needs_a_question_that_marks_texts():
    with pytest.raises(InvalidDefinition, match="no question marks the texts"):
        slider_definition(design={"kind": "latin_square", "unassisted_share": 0.1})


def test_the_preview_shows_a_page_without_suggestions_and_pages_with_them():
    campaign = holding_out(0.1)[0].campaign
    shown = [
        any(trial.marks)
        for trial in sample_trials(campaign, frozen_definition(campaign).definition)
    ]
    assert shown.count(False) == 1
    assert shown.count(True) == 5


@pytest.mark.parametrize(
    ("share", "suggested", "words"),
    [
        (0.1, True, "10 % of the pages are shown without their suggested marks"),
        (0.1, False, "but no output has any"),
        (0.0, True, "All pages show their suggested marks"),
        (0.0, False, ""),
    ],
)
def test_the_launch_page_says_what_is_done_about_suggestions(olga, share, suggested, words):
    campaign = a_draft(share, bare=0 if suggested else 6)
    text = " ".join(olga.get(address("campaign-launch", campaign)).content.decode().split())
    assert words in text
    assert ("suggested marks" in text) == bool(words)
