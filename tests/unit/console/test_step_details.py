"""The details of the steps of timelines, in words."""

from datetime import UTC, datetime
from typing import Any

import pytest

from repaircore.kernel.geo import Point
from repaircore.kernel.timeline import Step
from repaircore_http.console.partner.step_details import shown_steps

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
PASADENA = Point(34.15, -118.15)


def area_at(place: Point) -> str | None:
    return "Pasadena, CA 91101" if place == PASADENA else None


def details(action: str, detail: dict[str, Any] | None) -> list[tuple[str, str]]:
    (shown,) = shown_steps([Step.within("pending", action, at=AT, actor="partner", detail=detail)], area_at)
    return [*shown.details]


def test_former_trip_is_one_place_and_one_price() -> None:
    assert details(
        "change_destination",
        {
            "latitude": 1.0,
            "longitude": 2.00004,
            "total": 52.5,
            "previous_total": 45.0,
            "previous_latitude": 34.15,
            "previous_longitude": -118.15,
        },
    ) == [
        ("destination", "1.0000, 2.0000"),
        ("price", "$52.50"),
        ("previous price", "$45.00"),
        ("previous destination", "near Pasadena, CA 91101"),
    ]


def test_report_on_the_way_has_a_position() -> None:
    detail = {"eta_minutes": 1, "latitude": 34.15, "longitude": -118.15}

    assert details("en_route", detail) == [
        ("arrives in", "1 minute"),
        ("position", "near Pasadena, CA 91101"),
    ]


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("why", "The provider has arrived.", ("reason", "The provider has arrived.")),
        ("reason", "customer_changed_mind", ("reason", "customer changed mind")),
        ("reason", "It came late.", ("reason", "It came late.")),
        ("provider_ref", "drv_1_2", ("provider", "drv_1_2")),
        ("late_minutes", 25, ("late by", "25 minutes")),
        ("released", 7, ("released", "$7.00")),
        ("rating", 5, ("rating", "5")),
        ("partial", True, ("partial", "yes")),
        ("partial", False, ("partial", "no")),
        ("changed", ["dropoff_address", "notes"], ("changed", "dropoff address, notes")),
        ("scheduled_for", "2026-03-02T15:07:00Z", ("scheduled for", "Mar 2, 2026, 3:07 PM UTC")),
    ],
)
def test_detail_has_a_label_and_a_text(name: str, value: object, shown: tuple[str, str]) -> None:
    assert details("update", {name: value}) == [shown]


@pytest.mark.parametrize("detail", [None, {}, {"reason": None}])
def test_step_without_details_shows_none(detail: dict[str, Any] | None) -> None:
    assert details("create", detail) == []
