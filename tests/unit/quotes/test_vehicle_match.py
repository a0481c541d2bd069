import pytest
from bench.forty_cars import CARS

from repaircore.adapters.shipped.book import book
from repaircore.quotes.text_match import match_line
from repaircore.quotes.vehicle_match import repair_on_vehicle

PROBLEMS = book().problems
BY_NAME = {car.display_name: car.profile for car in CARS}


@pytest.mark.parametrize(
    ("car", "words", "slug"),
    [
        ("2018 Ram 2500", "Oil change", "oil-change-diesel"),
        ("2018 Ram 2500", "LOF", "oil-change-diesel"),
        ("2018 Ram 2500", "Oil change 12qt Rotella", "oil-change-diesel"),
        ("2018 Ram 2500", "full synthetic oil change", "oil-change-diesel"),
        ("2018 Toyota Camry", "Oil & filter change", "oil-change-synthetic"),
        ("1995 Honda Civic", "oil change service", "oil-change"),
        ("2018 Toyota Camry", "oil change synthetic blend", None),
        ("2020 Tesla Model 3", "A/C compressor", "electric-ac-compressor"),
        ("2020 Tesla Model 3", "spark plugs", "spark-plugs"),  # nothing like it fits
        ("2018 Toyota Camry", "brake pads", None),
    ],
)
def test_words_mean_the_repair_that_the_vehicle_has(car: str, words: str, slug: str | None) -> None:
    found = repair_on_vehicle(words, match_line(words, (), PROBLEMS), PROBLEMS, BY_NAME[car])

    assert (found and found.slug) == slug
