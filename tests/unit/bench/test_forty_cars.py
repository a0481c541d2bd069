"""The forty cars of the documentation, compared with published figures."""

from pathlib import Path

import pytest
from bench.forty_cars import CARS, ROWS, page

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "forty-cars.md"


def test_page_matches_the_command() -> None:
    assert len(CARS) == 40
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize(
    ("car", "plugs", "oil"),
    [
        # Oil in quarts with a new filter, looked up: carparts.com, autvex.com, safehubcollective.org, ryansautomi.net.
        ("2015 Toyota Corolla", 4, 4.4),
        ("2018 Toyota Camry", 4, 4.8),
        ("2012 Toyota Prius", 4, 4.4),
        ("2015 Toyota Tundra", 8, 8.0),
        ("2018 Honda Civic", 4, 3.7),
        ("2018 Ford F-150", 6, 6.0),
        ("2017 Ford F-250", None, 13.0),
        ("2018 Ram 2500", None, 12.0),
        ("2015 Ram 1500", 16, 7.0),
        ("2009 Mazda RX-8", 4, 3.7),
        ("2020 Tesla Model 3", None, None),
    ],
)
def test_plugs_and_oil_match_published_figures(car: str, plugs: int | None, oil: float | None) -> None:
    (row,) = (one for one in ROWS if one.car.startswith(car))
    assert row.plugs == plugs
    assert row.oil == (None if oil is None else pytest.approx(oil, rel=0.03))
