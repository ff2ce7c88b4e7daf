"""Random numbers by address: number c of stream k is a hash, so any split draws the same.

The hash is SplitMix64's finaliser over a Weyl sequence (Steele, Lea & Flood 2014), which passes
BigCrush. A stream is a seed, a purpose and the number of a run; nothing is carried along.
"""

from typing import Any

import numpy as np

from .compiling import compiled

GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST_MIX = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MIX = np.uint64(0x94D049BB133111EB)
LOW_HALF = np.uint64(0xFFFFFFFF)
UNIT_53 = 1.0 / (1 << 53)

RESAMPLING, STEPS = 1, 2


@compiled(inline="always")
def mixed(state: Any) -> Any:
    """Turn a 64-bit counter into 64 random bits.

    Parameters
    ----------
    state : uint64 or an array of them

    Source
    ------
    Steele, Lea & Flood (2014), SplitMix64.
    """
    state = (state ^ (state >> np.uint64(30))) * FIRST_MIX
    state = (state ^ (state >> np.uint64(27))) * SECOND_MIX
    return state ^ (state >> np.uint64(31))


@compiled()
def stream(seed: Any, purpose: int, run: int) -> Any:
    """Return the stream of one run for one purpose.

    Parameters
    ----------
    seed : uint64
    purpose : a constant of the caller
    run : its number
    """
    key = mixed(seed + GAMMA)
    key = mixed(key ^ (np.uint64(purpose) * GAMMA))
    return mixed(key + np.uint64(run) * GAMMA)


@compiled(inline="always")
def below(bits: Any, count: Any) -> Any:
    """Draw a whole number in [0, count) from 32 random bits.

    Parameters
    ----------
    bits : uint64, of which the lower 32 are used
    count : below 2³²

    Source
    ------
    Lemire (2019).
    """
    return (bits * np.uint64(count)) >> np.uint64(32)


@compiled(inline="always")
def unit(bits: Any) -> Any:
    """Draw a number in [0, 1) from the upper 53 of 64 random bits.

    Parameters
    ----------
    bits : uint64
    """
    return np.float64(bits >> np.uint64(11)) * UNIT_53
