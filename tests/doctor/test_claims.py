"""What the doctor says holds, measured on simulated ratings."""

import numpy as np
import pytest

from analysis.table import JudgementTable
from rankme.doctor.claims import (
    ALPHA,
    POWER,
    examine_criterion,
    fewest_raters,
    strict_comparison,
    weaknesses,
)
from rankme.doctor.examination import examine
from rankme.importing import ImportRefused

VARIANCE = {"rater:system": 0.1, "item:system": 0.15, "Residual": 0.5}


def ratings(
    seed: int, raters: int, items: int, systems: int = 2, difference: float = 0.0, **more: float
) -> JudgementTable:
    """Every rater judges everything; the first system is better by `difference`."""
    rng = np.random.default_rng(seed)
    variance = VARIANCE | more
    rater, item, system = (
        each.ravel() for each in np.indices((raters, items, systems), dtype=np.int64)
    )
    value = difference * (system == 0) + rng.normal(0, variance["Residual"] ** 0.5, len(rater))
    value += rng.normal(0, variance["rater:system"] ** 0.5, (raters, systems))[rater, system]
    value += rng.normal(0, variance["item:system"] ** 0.5, (items, systems))[item, system]
    columns = {"rater": rater, "item": item, "system": system, "screen": rater * items + item}
    labels = {name: [f"{name[0]}{code:03}" for code in codes] for name, codes in columns.items()}
    return JudgementTable.from_columns(
        {**labels, "criterion": ["quality"] * len(rater), "value": value}
    )


def test_the_published_way_claims_what_raters_tastes_made_and_thestrict_comparison_one_does_not():
    """Five raters with tastes, equal systems: the first seed whose letters differ."""
    for seed in range(50):
        table = ratings(seed, 5, 60, 4, **{"rater:system": 0.4})
        found = examine_criterion(table, "quality")
        if "A" in found.systems[0].published and "A" not in found.systems[-1].published:
            break
    assert "0 of 6 pairs of systems differ, for new raters" in found.strict
    assert found.verdict.startswith("Claim no difference. The published way alone finds, so do not")
    assert {line.strict for line in found.systems} == {"A"}


def test_two_raters_can_claim_nothing_however_clear_the_means_are():
    found = examine_criterion(ratings(1, 2, 40, difference=3), "quality")
    assert "2 raters cannot show what other raters would give" in found.strict
    assert "s000 above s001 would not hold" in found.verdict
    assert {line.strict for line in found.systems} == {""}


@pytest.mark.parametrize(("items", "difference"), [(20, 0.6), (60, 0.4)])
def test_as_many_raters_as_it_says_find_the_difference_in_four_of_five_studies(items, difference):
    raters = fewest_raters(VARIANCE, items, 2, difference)
    assert raters is not None
    campaigns = 120

    def found(raters: int) -> float:
        tables = (ratings(seed, raters, items, difference=difference) for seed in range(campaigns))
        return np.mean([strict_comparison(table).contrasts[0].p < ALPHA for table in tables])

    # Three standard errors of 120 campaigns are .11; the sandwich is a little stricter.
    assert POWER - 0.13 < found(raters) < POWER + 0.11
    assert found(max(3, raters // 3)) < POWER - 0.2


def test_it_names_what_weakens_every_claim():
    table = ratings(1, 3, 10)
    assert list(weaknesses(table)) == []
    first = table.rater.codes == 0
    said = " ".join(weaknesses(table.rows(first | (table.item.codes == 0))))
    assert "One rater gave more than half" in said
    lazy = JudgementTable.from_columns(
        {
            **{name: getattr(table, name) for name in ("rater", "item", "system", "screen")},
            "criterion": ["a"] * len(table),
            "value": np.where(first, 3.0, table.value),
        }
    )
    assert "1 of 3 raters gave the same value throughout" in " ".join(weaknesses(lazy))
    once = table.rows(table.rater.codes == table.item.codes % 3)
    assert "Every output was judged once" in " ".join(weaknesses(once))
    fewer = table.rows((table.system.codes == 0) | (table.item.codes < 4))
    assert "Systems have 12 to 30 judgements each" in " ".join(weaknesses(fewer))


def test_a_table_of_one_system_has_nothing_to_compare():
    table = ratings(1, 4, 6)
    found = examine_criterion(table.rows(table.system.codes == 0), "quality")
    assert "one system" in found.published and "at least two" in found.strict
    assert "cannot be said" in found.enough


def test_a_page_reads_no_more_than_it_can(tmp_path):
    path = tmp_path / "ratings.csv"
    rows = [f"r{n % 5},i{n // 10},s{n // 5 % 2},{n % 4}" for n in range(100)]
    path.write_text("\n".join(["rater,item,system,score", *rows]))
    assert examine(path, most_judgements=100).criteria
    with pytest.raises(ImportRefused, match="More than 99 values"):
        examine(path, most_judgements=99)
