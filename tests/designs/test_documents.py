"""Documents in plans: whole, in order, by the same systems, whatever the design."""

import numpy as np
import pytest

from rankme.designs.document_order import Documents, document_of_trials
from rankme.designs.growth import Growth, joined
from rankme.designs.order import draw_order
from rankme.designs.plan import DesignError, DesignRequest
from rankme.designs.registry import DESIGNS, checked_options, draw, grow

# Twelve documents of one to five segments, whose items are scattered over the upload.
LENGTHS = [3, 1, 4, 2, 5, 3, 3, 2, 4, 1, 3, 5]


def scattered(lengths, seed=3):
    items = np.random.default_rng(seed).permutation(sum(lengths)).tolist()
    ends = np.cumsum(lengths).tolist()
    starts = [0, *ends[:-1]]
    # A plan's growth expects old documents before new ones, not items in order within them.
    return Documents.of([items[start:end] for start, end in zip(starts, ends, strict=True)])


def segments_of(documents):
    return {
        item: (number, place)
        for number, items in enumerate(documents.segments)
        for place, item in enumerate(items, start=1)
    }


OPTIONS = {"latin_square": {"groups": 2}, "random_blocks": {"outputs_per_screen": 2}}


@pytest.mark.parametrize("design", sorted({*DESIGNS} - {"own_plan"}))
def test_every_batch_holds_whole_documents_in_order(design):
    documents = scattered(LENGTHS)
    where = segments_of(documents)
    n_systems = 0 if design == "items_only" else 4
    plan = draw(
        *(design, sum(LENGTHS), n_systems, OPTIONS.get(design, {}), 1), seed=8, documents=documents
    )
    for batch in plan.batches:
        places = [where[trial.item] for trial in batch.trials]
        of_trials = document_of_trials([segment for _, segment in places])
        for number in set(of_trials):
            mine = [at for at, one in enumerate(of_trials) if one == number]
            (document,) = {places[at][0] for at in mine}
            assert [places[at][1] for at in mine] == list(range(1, LENGTHS[document] + 1))
            assert len({batch.trials[at].systems for at in mine}) == 1


@pytest.mark.parametrize("design", ["complete", "latin_square", "random_blocks"])
def test_systems_are_judged_on_equally_many_documents(design):
    documents = scattered(LENGTHS)
    where = segments_of(documents)
    plan = draw(*(design, sum(LENGTHS), 4, OPTIONS.get(design, {}), 1), seed=8, documents=documents)
    counts = np.zeros(4, dtype=int)
    for batch in plan.batches:
        for trial in batch.trials:
            if where[trial.item][1] == 1:
                counts[list(trial.systems)] += 1
    assert counts.max() - counts.min() <= (1 if design == "latin_square" else 0)
    assert plan.balance.trials == len(plan.items)
    assert any("whole" in note for note in plan.notes)


def test_a_document_that_a_system_has_in_part_is_refused():
    coverage = np.ones((sum(LENGTHS), 4), dtype=bool)
    coverage[5, 2] = False
    with pytest.raises(DesignError, match="judged whole"):
        draw(
            *("complete", sum(LENGTHS), 4, {}, 1),
            seed=1,
            coverage=coverage,
            documents=scattered(LENGTHS),
        )


def test_a_system_without_a_document_is_left_out_of_it_alone():
    documents = scattered(LENGTHS)
    coverage = np.ones((sum(LENGTHS), 4), dtype=bool)
    coverage[list(documents.segments[4]), 2] = False
    plan = draw(
        *("complete", sum(LENGTHS), 4, {}, 1), seed=1, coverage=coverage, documents=documents
    )
    assert len(plan.items) == 4 * sum(LENGTHS) - LENGTHS[4]


@pytest.mark.parametrize(
    ("design", "options"),
    [("complete", {}), ("random_blocks", {"outputs_per_screen": 2}), ("latin_square", {})],
)
def test_a_plan_grows_by_whole_documents(design, options):
    old, new = [2, 3, 1, 4], [3, 2, 2, 1]
    count = sum(old) + sum(new)
    documents = Documents.of(np.split(np.arange(count), np.cumsum(old + new)[:-1].tolist()))
    plan = draw(
        *(design, sum(old), 4, options, 1), seed=5, documents=Documents.of(documents.segments[:4])
    )
    request = DesignRequest(
        *(count, 4, checked_options(design, options), 1, 9),
        np.ones((count, 4), dtype=bool),
        np.zeros(count, dtype=np.int64),
    )
    growth = Growth(request, plan.items, plan.systems, plan.batch_sizes, sum(old), 4)
    added = grow(design, growth, documents)
    assert set(added.items.tolist()) == set(range(sum(old), count))
    assert added.batch_sizes.sum() == len(added.items) == len(added.systems)
    assert len(joined(growth, added).items) == len(plan.items) + len(added.items)
    torn = Documents.of([(*documents.segments[0], count - 1), *documents.segments[1:-1]])
    with pytest.raises(DesignError, match="whole documents only"):
        grow(design, growth, torn)


def test_raters_see_documents_in_random_order_and_segments_in_theirs():
    sizes, of_trials = [3] * 7, [1, 1, 1, 2, 3, 3, 3]
    orders = [draw_order(sizes, seed, documents=of_trials) for seed in range(200)]
    for order in orders:
        for number in (1, 2, 3):
            mine = [(trial, places) for trial, places in order if of_trials[trial] == number]
            trials = [trial for trial, _ in mine]
            assert trials == sorted(trials)
            assert len({places for _, places in mine}) == 1
            shown = [at for at, (trial, _) in enumerate(order) if of_trials[trial] == number]
            assert shown == list(range(shown[0], shown[0] + len(shown)))
    firsts = {of_trials[order[0][0]] for order in orders}
    assert firsts == {1, 2, 3}
    kept = draw_order(sizes, 4, shuffle_trials=False, documents=of_trials)
    assert [trial for trial, _ in kept] == list(range(7))
