"""The order in which one participant sees the trials of a batch and the outputs on a screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def draw_order(
    trial_sizes: Sequence[int],
    seed: int,
    *,
    shuffle_trials: bool = True,
    documents: Sequence[int] = (),
) -> list[tuple[int, tuple[int, ...]]]:
    """Draw, for one participant, the order of the trials and the position of each output.

    Parameters
    ----------
    trial_sizes : the number of outputs in each trial of the batch, in plan order
    seed : of this participant and batch; the same seed draws the same order
    documents : the document of each trial, where there are any; its trials stay together and in
        order, and have their outputs in the same positions

    Returns
    -------
    In order of presentation: the trial's index, and its outputs' indexes from first to last place
    """
    rng = np.random.default_rng(seed)
    if len(documents):
        return _in_documents(trial_sizes, documents, rng, shuffle=shuffle_trials)
    n_trials = len(trial_sizes)
    trials = rng.permutation(n_trials).tolist() if shuffle_trials else range(n_trials)
    return [(trial, tuple(rng.permutation(trial_sizes[trial]).tolist())) for trial in trials]


def _in_documents(
    trial_sizes: Sequence[int],
    documents: Sequence[int],
    rng: np.random.Generator,
    *,
    shuffle: bool,
) -> list[tuple[int, tuple[int, ...]]]:
    """Whole documents in random order; the trials of each follow each other in the plan."""
    of_document: dict[int, list[int]] = {}
    for trial, document in enumerate(documents):
        of_document.setdefault(document, []).append(trial)
    groups = list(of_document.values())
    order = rng.permutation(len(groups)).tolist() if shuffle else range(len(groups))
    found = []
    for number in order:
        places = tuple(rng.permutation(trial_sizes[groups[number][0]]).tolist())
        found += [(trial, places) for trial in groups[number]]
    return found
