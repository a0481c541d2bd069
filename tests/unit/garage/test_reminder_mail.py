"""The e-mails that remind owners of services."""

from datetime import date, timedelta
from typing import Any, Final
from uuid import UUID

import pytest
from attrs import evolve

from repaircore.garage.expenses import PastCost
from repaircore.garage.model import (
    Labels,
    ListedService,
    PaidCosts,
    Reminder,
    ServiceBasis,
    VehicleService,
    status_on,
)
from repaircore.garage.reminders import reminder_mail
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import PriceRange
from repaircore.schedules.due import DueStatus, Interval

TODAY: Final = date(2026, 6, 1)
SERVICE: Final = VehicleService(
    name="brake-fluid-flush",
    title="Brake fluid flush",
    due_on=date(2026, 6, 5),
    due_mileage=None,
    interval=Interval(),
    basis=ServiceBasis.PLAN,
    period="90000 miles",
    price=None,
)
LISTED: Final = ListedService(
    vehicle_id=UUID(int=1), vin="1HG", display_name="2018 Honda Accord", labels=Labels(), service=SERVICE
)


def mail(*services: ListedService, email: str | None = "ada@example.com") -> tuple[str, list[str]]:
    """Return the subject and the lines of an e-mail."""
    reminder = Reminder(owner_id=1, environment=Environment.LIVE, name="Ada", email=email, services=services)
    found = reminder_mail(reminder, TODAY, "https://example.com/")
    assert found.recipient == (email or "")
    return found.subject or "", found.body.split("\n")


def line(labels: Labels | None = None, **changes: Any) -> str:
    listed = evolve(LISTED, labels=labels or Labels(), service=evolve(SERVICE, **changes))
    return mail(listed)[1][4]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "due by June 5, 2026"),
        ({"due_on": TODAY}, "due by June 1, 2026"),
        ({"due_on": date(2026, 5, 31)}, "overdue since May 31, 2026"),
        ({"due_on": date(2027, 5, 31)}, "due by May 31, 2027"),
        ({"due_mileage": 90_000}, "due by June 5, 2026 (90,000 miles)"),
        ({"due_mileage": 0}, "due by June 5, 2026 (0 miles)"),
        ({"price": PriceRange(low=1, average=120_00, high=2)}, "due by June 5, 2026, about $120.00"),
    ],
)
def test_line_of_an_email_says_when_a_service_is_due(changes: dict[str, Any], text: str) -> None:
    assert line(**changes) == f"- 2018 Honda Accord: Brake fluid flush, {text}"


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        (Labels(nickname="Blue"), "Blue"),
        (Labels(unit_number="12"), "12 (2018 Honda Accord)"),
        (Labels(unit_number="12", nickname="Blue"), "12 (Blue)"),
    ],
)
def test_vehicle_has_the_name_that_its_owner_gave_it(labels: Labels, name: str) -> None:
    assert line(labels).startswith(f"- {name}: ")
    assert mail(evolve(LISTED, labels=labels))[0] == f"Due soon: Brake fluid flush, {name}"


def test_email_about_several_services_counts_them() -> None:
    subject, lines = mail(LISTED, LISTED)

    assert subject == "2 services are due soon"
    assert lines[2] == "These services are due soon:"
    assert mail(LISTED)[1][2] == "This service is due soon:"
    assert (
        'To stop these e-mails, clear the box under "Reminders": https://example.com/console/garage/settings'
        in lines
    )


@pytest.mark.parametrize(("count", "listed", "more"), [(50, 50, None), (51, 50, "… and 1 more.")])
def test_email_lists_at_most_fifty_services(count: int, listed: int, more: str | None) -> None:
    _, lines = mail(*[LISTED] * count)

    assert sum(text.startswith("- ") for text in lines) == listed
    assert next((text for text in lines if text.startswith("… ")), None) == more


@pytest.mark.parametrize(
    ("days", "status"),
    [(-1, DueStatus.OVERDUE), (0, DueStatus.DUE), (30, DueStatus.DUE), (31, DueStatus.UPCOMING)],
)
def test_service_is_due_for_thirty_days(days: int, status: DueStatus) -> None:
    assert status_on(TODAY + timedelta(days=days), TODAY) is status


def test_paid_costs_are_merged_by_day() -> None:
    def cost(day: int, label: str) -> PastCost:
        return PastCost(on=date(2026, 5, day), amount=1, label=label)

    paid = PaidCosts(
        visits=(cost(9, "visit"),),
        transactions=(cost(9, "repeated"), cost(8, "transaction")),
        bills=(cost(9, "bill"), cost(7, "first")),
    )

    assert [each.label for each in paid.merged()] == ["first", "transaction", "visit", "bill"]
