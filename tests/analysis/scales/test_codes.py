"""Codes are numbered as `numpy.unique` does it, whichever way is taken."""

import numpy as np
import pytest

from analysis.scales.codes import compact, renumber

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
    distinct, numbers = np.unique(codes, return_inverse=True)
    ours = renumber(codes)
    assert np.array_equal(ours[0], distinct) and ours[0].dtype == distinct.dtype
    assert np.array_equal(ours[1], numbers) and ours[1].dtype == numbers.dtype
    assert np.array_equal(compact(codes), numbers)
