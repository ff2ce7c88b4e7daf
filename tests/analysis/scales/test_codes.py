"""Codes are numbered and counted as numpy and scipy do it, whichever way is taken."""

import numpy as np
import pytest
import scipy

from analysis.scales.codes import compact, cross_sums, distinct, renumber, thin_cross_sums

CODES = {
    "few": np.array([7, 2, 2, 5, 0], dtype=np.int32),
    "far apart": np.array([7_000_000_000, 2, 2], dtype=np.int64),
    "below zero": np.array([3, -1, 3, 0, 0, 0]),
    "unsigned": np.array([2**63 + 1, 3, 3], dtype=np.uint64),
    "numbers": np.array([0.5, -2.0, 0.5]),
    "texts": np.array(["b", "a", "b"]),
    "none": np.zeros(0, dtype=np.int32),
}


@pytest.mark.parametrize("codes", CODES.values(), ids=CODES)
def test_codes_are_numbered_as_numpy_does_it(codes):
    theirs, numbers = np.unique(codes, return_inverse=True)
    ours = renumber(codes)
    assert np.array_equal(ours[0], theirs) and ours[0].dtype == theirs.dtype
    assert np.array_equal(ours[1], numbers) and ours[1].dtype == numbers.dtype
    assert np.array_equal(compact(codes), numbers)
    assert distinct(codes) == len(theirs)


@pytest.mark.parametrize("shape", [(3, 4), (3, 400)], ids=["filled", "thin"])
@pytest.mark.parametrize("weighed", [True, False])
def test_cross_sums_are_those_of_a_sparse_matrix(shape, weighed):
    rng = np.random.default_rng(1)
    rows, columns = rng.integers(2, size=50), rng.integers(shape[1], size=50)
    values = rng.normal(size=50) if weighed else np.ones(50)
    theirs = scipy.sparse.coo_matrix((values, (rows, columns)), shape).toarray()
    given = values if weighed else None
    assert cross_sums(rows, columns, shape, given) == pytest.approx(theirs)
    thin = thin_cross_sums(rows, columns, shape, given)
    assert scipy.sparse.issparse(thin) == (shape[1] == 400)
    assert (thin.toarray() if scipy.sparse.issparse(thin) else thin) == pytest.approx(theirs)
