import pytest
import us

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.fees import shipped_statutory_fees, statutory_fees
from repaircore.predictions.statutory_fees import FeeKind

SLUGS = ("state-safety-inspection", "emissions-test")
TERRITORIES = {"AS", "GU", "MP", "PR", "VI"}


@pytest.mark.parametrize("slug", SLUGS)
def test_every_state_and_territory_has_a_line(slug: str) -> None:
    states = {state.abbr for state in us.states.STATES} | {"DC"} | TERRITORIES

    assert shipped_statutory_fees().by_slug[slug].keys() == states
    assert any(problem.slug == slug for problem in book().problems)


@pytest.mark.parametrize(
    ("slug", "state", "kind", "price"),
    [
        ("state-safety-inspection", "VA", FeeKind.FIXED, 20_00),
        ("state-safety-inspection", "TX", FeeKind.NONE, 0),
        ("state-safety-inspection", "PR", FeeKind.FIXED, 11_00),
        ("state-safety-inspection", "PA", FeeKind.SHOP, 0),
        ("emissions-test", "IL", FeeKind.FREE, 0),
        ("emissions-test", "CT", FeeKind.FIXED, 20_00),
        ("emissions-test", "FL", FeeKind.NONE, 0),
    ],
)
def test_fee_matches_the_law(slug: str, state: str, kind: FeeKind, price: int) -> None:
    fee = shipped_statutory_fees().find(slug, state, "")

    assert fee is not None
    assert (fee.kind, fee.price) == (kind, price)


@pytest.mark.parametrize(
    "line",
    [
        'NY = "sometimes"',
        'NY = "fixed"',
        'NY = { law = "fixed" }',
        "NY = { fee = 0 }",
        "NY = { fee = 10, low = 12 }",
    ],
)
def test_impossible_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        statutory_fees(f"year = 2025\n[emissions-test]\n{line}\n")


@pytest.mark.parametrize(
    ("state", "zip_code", "price"),
    [
        ("NY", "10001", 27_00),
        ("NY", "11747", 27_00),
        ("NY", "14201", 11_00),
        ("OR", "97204", 25_00),
        ("OR", "97124", 25_00),
        ("OR", "97501", 20_00),
    ],
)
def test_area_has_its_own_fee(state: str, zip_code: str, price: int) -> None:
    fee = shipped_statutory_fees().find("emissions-test", state, zip_code)

    assert fee is not None
    assert (fee.low, fee.price, fee.high) == (price, price, price)


def test_inspection_of_some_areas_is_not_required_elsewhere() -> None:
    fee = shipped_statutory_fees().find("emissions-test", "OR", "97701")

    assert fee is not None
    assert fee.kind is FeeKind.NONE
    assert "outside the Portland and Medford areas" in fee.text
