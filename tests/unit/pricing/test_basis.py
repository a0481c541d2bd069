"""The weights of the book and of past invoices in an estimate."""

import pytest

from repaircore.pricing.credibility import LevelResult, Walk
from repaircore.pricing.explanation import basis_of
from repaircore.transactions.evidence import Lineage
from repaircore.transactions.levels import Level

ACCORD = Lineage(make="Honda", model="Accord", year=2018)
NOTHING = LevelResult(Level.YEARS, 0, 0.0, 0.0)


def weights(*stops: LevelResult) -> list[tuple[str, int, float]]:
    walk = Walk(mean=0.0, variance=0.1, book=1.0, stops=stops)
    return [(one.name, one.invoices, one.weight) for one in basis_of(walk, ACCORD)]


def test_book_has_all_the_weight_without_invoices() -> None:
    assert weights(NOTHING) == [("the repair book", 0, 100.0)]


def test_each_level_has_its_share_of_what_finer_ones_leave() -> None:
    assert weights(
        LevelResult(Level.PROBLEM, 10, 0.5, 0.0),
        LevelResult(Level.MAKE, 4, 0.25, 0.0),
        LevelResult(Level.MODEL, 6, 0.4, 0.0, taken=2),
        NOTHING,
    ) == [
        ("the repair book", 0, 22.5),
        ("another installation", 0, 10.0),
        ("this job on other makes", 10, 22.5),
        ("this job on other models of the make (Honda)", 4, 15.0),
        ("this job on other years of the model (Honda Accord)", 6, 30.0),
    ]


def test_history_of_another_installation_counts_without_invoices_of_its_own_level() -> None:
    assert weights(LevelResult(Level.YEARS, 0, 0.2, 0.0, taken=3)) == [
        ("the repair book", 0, 80.0),
        ("another installation", 0, 20.0),
    ]


@pytest.mark.parametrize("credibility", [0.333, 0.6667, 0.123456])
def test_weights_add_up_to_100_percent_with_one_decimal(credibility: float) -> None:
    found = weights(
        LevelResult(Level.PROBLEM, 1, credibility, 0.0), LevelResult(Level.YEARS, 1, credibility, 0.0)
    )

    assert sum(weight for *_, weight in found) == pytest.approx(100.0)
    assert all(weight == round(weight, 1) for *_, weight in found)
