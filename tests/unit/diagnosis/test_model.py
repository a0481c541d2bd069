import pytest

from repaircore.adapters.shipped.book import book
from repaircore.diagnosis.model import Candidate, Diagnosis

PROBLEMS = book().problems


@pytest.mark.parametrize(
    ("chances", "count"),
    [
        ((), 0),
        ((0.9, 0.05, 0.05), 3),
        ((0.98, 0.01, 0.009, 0.001), 2),  # at least one percent
        ((0.2,) * 5, 5),
        ((0.1,) * 10, 5),
    ],
)
def test_likely_repairs_are_few(chances: tuple[float, ...], count: int) -> None:
    candidates = tuple(Candidate(PROBLEMS[place], chance, ()) for place, chance in enumerate(chances))

    assert Diagnosis(candidates, enough=True, entropy=0.0).likely == candidates[:count]
