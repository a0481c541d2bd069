"""The amounts of a row of an invoice file, of which some may be missing."""

import pytest

from repaircore.learning.invoice_file import amounts
from repaircore.transactions.file_cells import BadCell
from repaircore.transactions.limits import DEAREST, DEAREST_HOUR


@pytest.mark.parametrize(
    ("lines", "parts_total", "hours", "rate", "total", "expected"),
    [
        (None, 100_00, 2.0, 100_00, 300_00, (100_00, 100_00, 200_00)),
        (100_00, None, 2.0, 100_00, 300_00, (100_00, 100_00, 200_00)),
        (90_00, 100_00, 2.0, 100_00, 300_00, (100_00, 100_00, 200_00)),
        (None, 100_00, 2.0, 100_00, None, (100_00, 100_00, 200_00)),
        (None, 100_00, 2.0, None, 300_00, (100_00, 100_00, 200_00)),
        (None, None, 2.0, 100_00, 300_00, (100_00, 100_00, 200_00)),
        (None, None, 2.0, None, 300_00, (0, 150_00, 300_00)),
        (None, 100_00, 0.0, 100_00, 300_00, (100_00, 100_00, 200_00)),
        (None, 100_00, 0.0, None, 300_00, (100_00, 0, 200_00)),
        (None, 100_00, 0.0, None, None, (100_00, 0, 0)),
        (None, DEAREST, 1.0, DEAREST_HOUR, None, (DEAREST, DEAREST_HOUR, DEAREST_HOUR)),
        (None, None, 1.0, None, DEAREST_HOUR, (0, DEAREST_HOUR, DEAREST_HOUR)),
    ],
)
def test_missing_amounts_are_derived_from_the_others(
    *,
    lines: int | None,
    parts_total: int | None,
    hours: float,
    rate: int | None,
    total: int | None,
    expected: tuple[int, int, int],
) -> None:
    assert amounts(lines, parts_total, hours, rate, total) == expected


@pytest.mark.parametrize(
    ("parts_total", "hours", "total", "expected"),
    [
        (100_00, 2.0, 300_02, (100_00, 100_00, 200_02)),
        (100_00, 2.0, 299_98, (100_00, 100_00, 199_98)),
        (100_00, 0.5, 150_01, (100_00, 100_00, 50_01)),
        (None, 2.0, 199_98, (0, 100_00, 199_98)),
    ],
)
def test_total_may_be_off_by_a_cent_and_half_a_cent_for_each_hour(
    parts_total: int | None, hours: float, total: int, expected: tuple[int, int, int]
) -> None:
    assert amounts(None, parts_total, hours, 100_00, total) == expected


@pytest.mark.parametrize(
    ("lines", "parts_total", "hours", "rate", "total", "reason"),
    [
        (None, 100_00, 2.0, 100_00, 300_03, "must be the sum"),
        (None, 100_00, 2.0, 100_00, 299_97, "must be the sum"),
        (None, 100_00, 0.5, 100_00, 150_02, "must be the sum"),
        (None, 200_01, 0.001, 1_00, 200_00, "must be the sum"),
        (None, None, 2.0, 100_00, 199_97, "The labor is more"),
        (None, 100_00, 2.0, None, None, "needs a labor_rate or a total"),
        (100_01, 100_00, 2.0, 100_00, 300_00, "more than parts_total"),
        (None, 300_01, 2.0, None, 300_00, "exceed the total"),
        (None, DEAREST + 1, 1.0, 1_00, None, "The parts exceed"),
        (None, None, 1.0, DEAREST_HOUR + 1, None, "The labor_rate must be"),
        (None, None, 1.0, None, DEAREST_HOUR + 1, "implies a labor_rate"),
    ],
)
def test_amounts_that_do_not_add_up_are_refused(
    *,
    lines: int | None,
    parts_total: int | None,
    hours: float,
    rate: int | None,
    total: int | None,
    reason: str,
) -> None:
    with pytest.raises(BadCell, match=reason):
        amounts(lines, parts_total, hours, rate, total)
