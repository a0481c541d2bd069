"""What is told of a provider in words."""

from typing import Any

import pytest

from repaircore.kernel.geo import Point
from repaircore.kernel.hours import parse_weekly
from repaircore.providers.drivers import DRIVER
from repaircore.providers.validation import told_of

FULL = {
    "name": " Sam Reyes ",
    "phone": "(614) 555-0123",
    "services": "Tire_Change; towing",
    "vehicle": "A van",
    "latitude": "39.96",
    "longitude": "-83",
    "radius_miles": "30",
    "time_zone": "America/New_York",
    "hours": "mon-fri 08:00-17:00",
    "active": "No",
}
NEEDED = {"name", "phone", "services", "latitude", "longitude", "time_zone"}


def told(**cells: str) -> tuple[dict[str, Any], dict[str, list[str]]]:
    return told_of(cells, abilities=DRIVER.abilities, abilities_column="services", text="vehicle")


def test_words_become_what_they_say() -> None:
    assert told(**FULL) == (
        {
            "name": "Sam Reyes",
            "phone": "+16145550123",
            "abilities": {"tire_change", "towing"},
            "vehicle": "A van",
            "point": Point(39.96, -83.0),
            "radius_miles": 30.0,
            "time_zone": "America/New_York",
            "weekly": parse_weekly("mon-fri 08:00-17:00"),
            "active": False,
        },
        {},
    )


def test_what_is_not_told_is_not_there() -> None:
    read, wrong = told(**{name: FULL[name] for name in NEEDED}, hours=" ", vehicle="")
    assert wrong == {}
    assert set(read) == {"name", "phone", "abilities", "point", "time_zone"}
    assert told(**FULL | {"hours": "Always"})[0]["weekly"] is None


def test_what_is_needed_is_asked_for() -> None:
    read, wrong = told()
    assert (read, set(wrong)) == ({}, NEEDED)
    assert wrong["time_zone"] == ["The time zone field is required."]


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("name", "x" * 256),
        ("name", "a\0b"),
        ("phone", "12345"),
        ("phone", "1" * 51),
        ("phone", "(614) 555-0123 ext. 7"),
        ("services", "sleeping"),
        ("services", "towing, sleeping"),
        ("services", ";"),
        ("vehicle", "x" * 256),
        ("latitude", "90.1"),
        ("latitude", "nan"),
        ("longitude", "-181"),
        ("longitude", "west"),
        ("radius_miles", "0"),
        ("radius_miles", "201"),
        ("radius_miles", "inf"),
        ("time_zone", "Ohio"),
        ("time_zone", "../../etc/passwd"),
        ("hours", "all day"),
        ("hours", "mon 17:00-08:00"),
        ("active", "maybe"),
    ],
)
def test_each_bad_field_is_named(field: str, text: str) -> None:
    read, wrong = told(**{**FULL, field: text})
    assert (read, list(wrong)) == ({}, [field])
