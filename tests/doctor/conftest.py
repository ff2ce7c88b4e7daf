"""The same ratings for every make of table."""

import numpy as np
import pandas as pd
import pytest

SYSTEMS = {"Alder": 4.0, "Birch": 3.0, "Cedar": 1.8}


@pytest.fixture(scope="session")
def ratings() -> pd.DataFrame:
    """Six raters, eight items and three systems on a scale of five points."""
    rng = np.random.default_rng(5)
    rows = [
        (f"rater {rater}", f"p{item}", system, int(np.clip(round(rng.normal(mean, 0.8)), 1, 5)))
        for rater in range(1, 7)
        for item in range(1, 9)
        for system, mean in SYSTEMS.items()
    ]
    return pd.DataFrame(rows, columns=["annotator", "item_id", "model", "rating"])
