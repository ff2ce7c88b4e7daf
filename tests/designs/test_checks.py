"""Where checks are in a batch."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankme.designs.check_places import Distance, draw_hosts, interleave, keep_apart, most_apart


def test_pages_of_a_batch_have_different_hosts_as_long_as_there_are_trials():
    hosts = draw_hosts(10, [4, 3, 3], np.random.default_rng(1))
    own = [host for found, count in zip(hosts, [4, 3, 3], strict=True) for host in found[:count]]
    assert sorted(own) == list(range(10))
    assert all(sorted(found) == list(range(10)) for found in hosts)
    assert draw_hosts(2, [3], np.random.default_rng(1))[0][:3] in ([0, 1], [1, 0])


@settings(max_examples=60, deadline=None)
@given(trials=st.integers(4, 20), checks=st.integers(1, 4), seed=st.integers(0, 99))
def test_checks_take_no_place_of_a_trial_and_keep_their_distance(trials, checks, seed):
    rng = np.random.default_rng(seed)
    apart = min(6, most_apart(trials, checks))
    distances = [
        Distance(number, trials + number, apart, in_order=bool(number % 2 == 0))
        for number in range(checks)
    ]
    order = interleave(trials, checks, distances, rng)
    assert [page for page in order if page < trials] == list(range(trials))
    shuffled = keep_apart(rng.permutation(trials + checks).tolist(), distances, rng)
    for found in (order, shuffled):
        assert sorted(found) == list(range(trials + checks))
    place = {page: number for number, page in enumerate(shuffled)}
    for distance in distances:
        gap = place[distance.second] - place[distance.first]
        assert gap >= apart if distance.in_order else abs(gap) >= apart


def test_checks_are_spread_over_the_batch():
    rng = np.random.default_rng(5)
    places = [interleave(20, 2, [], rng).index(20) for _ in range(400)]
    assert 8 < np.mean(places) < 13
    assert len(set(places)) > 18
