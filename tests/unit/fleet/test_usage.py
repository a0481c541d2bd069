from datetime import date

import pytest

from repaircore.fleet.usage import age_of


@pytest.mark.parametrize(
    ("model_year", "today", "age"),
    [
        (2026, date(2026, 1, 31), 0),
        (2026, date(2026, 7, 1), 0.5),
        (2016, date(2026, 12, 1), 10 + 11 / 12),
        (2027, date(2026, 7, 1), 0),
    ],
)
def test_age_counts_from_january_of_the_model_year(model_year: int, today: date, age: float) -> None:
    assert age_of(model_year, today) == pytest.approx(age)
