"""The table holds what counts, once, and says so in a CSV that reads back to the same table."""

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.table_files import csv_parts, guarded, read_table, unguarded, write_table
from rankme.actions.campaign import campaigns
from rankme.actions.sitting import assignments, exclusions
from rankme.models import Assignment, Campaign, Item, Submission, TrialOutput
from rankme.queries.counting import with_counting
from rankme.queries.judgement_table import factor_column, judgement_table, table_in_parts
from tests.campaigns import (
    make_campaign,
    make_owner,
    make_rater,
    rankme_definition,
    slider_definition,
)
from tests.invariants import counted_submissions
from tests.sittings import answer, finish


def launched() -> Campaign:
    return make_campaign(rankme_definition(raters_per_trial=2), items=8, systems=6)


@pytest.fixture
def campaign(db) -> Campaign:
    return launched()


@pytest.fixture(scope="module")
def rated_once(rows_of_the_module) -> Campaign:
    """Tests roll back what they do to it."""
    campaign = launched()
    rate_at_random(campaign)
    return campaign


@pytest.fixture
def rated(db, rated_once) -> Campaign:
    return Campaign.objects.get(pk=rated_once.pk)


def rate_at_random(campaign, raters: int = 4) -> None:
    """Sittings of all kinds: finished, left, taken over, changed, doubled and late."""
    dice = random.Random(5)
    for number in range(raters):
        rater = make_rater(campaign, f"w{number}")
        held = assignments.claim_batch(rater)
        if not isinstance(held, Assignment):
            continue
        trials = range(len(held.presentation))
        for trial in trials:
            first = answer(held, trial, value=dice.randrange(1, 200))
            if dice.random() < 0.4:
                answer(held, trial, value=1, replaces=str(first.key))
            if dice.random() < 0.4:
                answer(held, trial, value=2)
            if number % 2 and trial == 1:
                assignments.return_batch(held)
                answer(held, 2, value=3)
                break
        else:
            finish(held)
            answer(held, 0, value=4)


def test_the_table_has_exactly_the_counted_judgements(rated):
    table = judgement_table(rated)
    counted = counted_submissions(rated).values_list("pk", flat=True)
    standing = Submission.objects.filter(pk__in=list(counted))
    expected = sorted(
        (found.assignment.participant.label, said.output.item.key, said.output.system.name)
        for found in standing
        for said in found.judgements.all()
    )
    found = zip(*(labels(table, name) for name in ("rater", "item", "system")), strict=True)
    assert sorted(found) == expected
    assert 0 < len(table) < Submission.objects.count() * 3
    marked = with_counting(Submission.objects.all()).filter(is_counted=True)
    assert set(marked.values_list("pk", flat=True)) == set(counted)


def labels(table, name):
    return labels_of(getattr(table, name))


def labels_of(column):
    return [column.labels[code] for code in column.codes]


def test_everything_stored_is_there_when_asked_for_and_says_whether_it_counts(rated):
    whole = judgement_table(rated, stored=True)
    assert len(whole) == sum(found.judgements.count() for found in Submission.objects.all())
    says = whole.factors["counted"]
    counted = sum(says.labels[code] == "1" for code in says.codes)
    assert counted == len(judgement_table(rated)) < len(whole)


def test_excluded_raters_are_marked_and_leave_with_counted(rated):
    rater = rated.participants.get(external_id="w0")
    exclusions.exclude_rater(rater, reason="Always 50.", by=make_owner())
    table = judgement_table(rated)
    marked = {
        label for label, out in zip(labels(table, "rater"), table.excluded, strict=True) if out
    }
    assert marked == {rater.label}
    assert rater.label not in table.counted().rater.labels
    exclusions.readmit_rater(rater, by=make_owner())
    assert not judgement_table(rated).excluded.any()


def test_no_panel_id_leaves_the_record(campaign):
    rater = make_rater(campaign, "5f0c-prolific-person")
    held = assignments.claim_batch(rater)
    answer(held, 0, value=10)
    assert b"prolific-person" not in b"".join(csv_parts(judgement_table(campaign, stored=True)))


def test_the_csv_reads_back_to_the_same_table(rated):
    table = judgement_table(rated)
    file = io.BytesIO()
    write_table(table, file)
    assert file.getvalue().splitlines()[0].decode().replace('"', "") == (
        "rater,item,system,criterion,value,screen,time_ms,excluded,late,domain,order,position,version"
    )
    assert read_table(io.BytesIO(file.getvalue())).sha256 == table.sha256


def test_the_table_says_where_each_output_was_shown(rated):
    table = judgement_table(rated, stored=True)
    order, position = (labels_of(table.factors[name]) for name in ("order", "position"))
    for row, screen in enumerate(labels(table, "screen")):
        assignment, trial, *_ = map(int, screen.split("."))
        presentation = Assignment.objects.get(pk=assignment).presentation
        page = [shown for shown, _places in presentation].index(trial)
        places = dict(
            TrialOutput.objects.filter(trial=trial).values_list("output__system__name", "position")
        )
        planned = places[labels(table, "system")[row]]
        assert int(order[row]) == page + 1
        assert int(position[row]) == presentation[page][1].index(planned) + 1
    assert {"1", "2", "3"} <= set(position)


def test_factors_of_the_items_keep_their_names(db):
    draft = make_campaign(slider_definition(), launch=False)
    draft.items.update(factors={"order": "third", "position": "left"})
    campaigns.launch_campaign(draft, by=draft.owner)
    draft.refresh_from_db()
    answer(assignments.claim_batch(make_rater(draft, "w0")), 0, value=10)
    for table in (judgement_table(draft), next(table_in_parts(draft))):
        assert table.factors["order"].labels == ("third",)
        assert table.factors["position"].labels == ("left",)


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("rows_at_once", [7, 10_000])
def test_parts_of_the_table_make_the_same_file(rated, stored, rows_at_once):
    """A factor that only an item without judgements has is in neither."""
    unseen = Item.objects.create(campaign=rated, key="new", position=99, factors={"genre": "x"})
    parts = table_in_parts(rated, stored=stored, rows_at_once=rows_at_once)
    found = [part for n, table in enumerate(parts) for part in csv_parts(table, header=n == 0)]
    whole = b"".join(csv_parts(judgement_table(rated, stored=stored)))
    assert b"".join(found) == whole
    assert b"domain" in whole and b"genre" not in whole and unseen.pk


def test_a_campaign_without_judgements_has_an_empty_table(campaign):
    assert len(judgement_table(campaign)) == 0
    assert b"".join(csv_parts(judgement_table(campaign))).count(b"\n") == 1


def test_a_question_about_the_item_counts_for_the_only_output(db):
    question = {
        "name": "order",
        "question": "How well is it ordered?",
        "instrument": "likert",
        "about": "item",
    }
    screen = {"name": "rate", "show": ["outputs"], "ask": ["order"]}
    campaign = make_campaign(slider_definition(criteria=[question], screens=[screen]))
    rater = make_rater(campaign)
    held = assignments.claim_batch(rater)
    answer(held, 0, value=5)
    table = judgement_table(campaign)
    assert (len(table), table.criterion.labels) == (1, ("order",))


@given(st.text(alphabet="'=+-@\t\r ab5.e", max_size=8))
def test_a_guarded_cell_begins_no_formula_and_loses_nothing(label):
    cell = guarded(label)
    assert unguarded(cell) == label
    is_number = cell.lstrip("+-")[:1].isdigit() and not cell.strip("+-.e5")
    assert is_number or not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def test_factors_named_like_the_table_get_another_name():
    assert factor_column("domain") == "domain"
    assert factor_column("rater") == "item_rater"
    assert factor_column("item_rater") == "item_item_rater"
