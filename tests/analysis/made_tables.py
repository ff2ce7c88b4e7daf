"""Tables that `tests/data/r/made_tables.R` makes too, number by number."""

from collections.abc import Iterator

import numpy as np


def _uniforms(seed: int) -> Iterator[float]:
    """The generator of Park & Miller (1988), whose products are exact in R's doubles."""
    while True:
        seed = 16807 * seed % 2147483647
        yield seed / 2147483647


def made_table(raters, items, systems, kept, seed, sd=(1, 1, 0, 0), cuts=None):
    """Columns rater, item and system, the values, and the codes of both products with systems."""
    uniform = _uniforms(seed)

    def normal() -> float:
        total = -6.0
        for _ in range(12):
            total += next(uniform)
        return total

    sizes = (raters, items, raters * systems, items * systems)
    r, i, rs, is_ = (
        [spread * normal() for _ in range(n)] for n, spread in zip(sizes, sd, strict=True)
    )
    rows = []
    for a, b, s in np.ndindex(raters, items, systems):
        keep, noise = next(uniform) < kept, normal()
        if keep:
            effects = r[a] + i[b] + rs[a * systems + s] + is_[b * systems + s]
            rows.append((a, b, s, 0.3 * s + effects + noise))
    rater, item, system = np.array([row[:3] for row in rows]).T
    value = np.array([row[3] for row in rows])
    if cuts is not None:
        value = 1.0 + (value[:, None] > np.array(cuts)).sum(axis=1)
    random = {"rater": rater, "item": item}
    full = {**random, "rs": rater * systems + system, "is": item * systems + system}
    return value, system, random, full
