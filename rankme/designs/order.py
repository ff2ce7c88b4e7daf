"""The order in which one participant sees the trials of a batch and the outputs on a screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def draw_order(
    trial_sizes: Sequence[int],
    seed: int,
    *,
    shuffle_trials: bool = True,
) -> list[tuple[int, tuple[int, ...]]]:
    """Draw, for one participant, the order of the trials and the position of each output.

    Parameters
    ----------
    trial_sizes : the number of outputs in each trial of the batch, in plan order
    seed : of this participant and batch; the same seed draws the same order

    Returns
    -------
    In order of presentation: the trial's index, and its outputs' indexes from first to last place
    """
    rng = np.random.default_rng(seed)
    n_trials = len(trial_sizes)
    trials = rng.permutation(n_trials).tolist() if shuffle_trials else range(n_trials)
    return [(trial, tuple(rng.permutation(trial_sizes[trial]).tolist())) for trial in trials]
