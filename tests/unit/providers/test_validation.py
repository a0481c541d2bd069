"""Providers are parsed from text."""

from typing import Any

import pytest

from repaircore.kernel.geo import Point
from repaircore.kernel.hours import parse_weekly
from repaircore.providers.drivers import DRIVER
from repaircore.providers.validation import parse_provider

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
REQUIRED = {"name", "phone", "services", "latitude", "longitude", "time_zone"}


def parse(**cells: str) -> tuple[dict[str, Any], dict[str, list[str]]]:
    return parse_provider(cells, DRIVER)


def test_parse_provider_returns_the_fields() -> None:
    assert parse(**FULL) == (
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


def test_parse_provider_leaves_out_empty_cells() -> None:
    fields, errors = parse(**{name: FULL[name] for name in REQUIRED}, hours=" ", vehicle="")

    assert errors == {}
    assert set(fields) == {"name", "phone", "abilities", "point", "time_zone"}
    assert parse(**FULL | {"hours": "Always"})[0]["weekly"] is None


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("phone", "+1 614" + " " * 36 + "555 0123", "+16145550123"),
        ("webhook_url", "https://example.com/" + "x" * 480, "https://example.com/" + "x" * 480),
        ("radius_miles", "0.1", 0.1),
        ("radius_miles", "200", 200.0),
        ("plate", "x" * 20, "x" * 20),
        ("name", "x" * 255, "x" * 255),
        ("active", "TRUE", True),
        ("offers", "ASKED", "asked"),
    ],
)
def test_parse_provider_reads_the_limits(field: str, text: str, value: object) -> None:
    fields, errors = parse(**{**FULL, field: text})

    assert (errors, fields[field]) == ({}, value)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("phone", "+1 614" + " " * 37 + "555 0123"),
        ("webhook_url", "https://example.com/" + "x" * 481),
        ("webhook_url", "http://example.com/"),
        ("webhook_url", "https://ada@example.com/"),
        ("webhook_url", "https:///path"),
        ("webhook_url", "https://example.com/é"),
        ("webhook_url", "https://[x/"),
        ("plate", "x" * 21),
        ("email", "nobody"),
        ("offers", "sometimes"),
    ],
)
def test_parse_provider_refuses_contacts_beyond_the_limits(field: str, text: str) -> None:
    fields, errors = parse(**{**FULL, field: text})

    assert (fields, list(errors)) == ({}, [field])


def test_parse_provider_requires_some_fields() -> None:
    fields, errors = parse()

    assert (fields, set(errors)) == ({}, REQUIRED)
    assert errors["time_zone"] == ["The time zone field is required."]


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
def test_parse_provider_reports_a_bad_field(field: str, text: str) -> None:
    fields, errors = parse(**{**FULL, field: text})

    assert (fields, list(errors)) == ({}, [field])
