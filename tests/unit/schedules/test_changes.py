"""Changes of service schedules, without a database."""

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve

from repaircore.fleet.model import FleetVehicle
from repaircore.kernel.callers import Environment
from repaircore.kernel.views import UNSET
from repaircore.schedules.changes import action_of, changed, missing_fields, status_errors, title_of
from repaircore.schedules.due import Due, Interval
from repaircore.schedules.model import Action, ScheduledProblem, ServiceSchedule, Stage, Status
from repaircore.schedules.validation import UpdateSchedule, validate_schedule
from repaircore.testing.builders import a_vehicle

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TODAY = NOW.date()
PADS = ScheduledProblem(id=101, slug="brake-pads-front", display_name="Brakes > Front Brake Pads")
SCHEDULE = ServiceSchedule(
    id=UUID(int=1),
    vehicle=FleetVehicle(
        id=UUID(int=2),
        environment=Environment.LIVE,
        owner_id=7,
        vin="1HGCV1F30JA000001",
        vehicle=a_vehicle(),
        created_at=NOW,
    ),
    title="Oil",
    due=Due(on=TODAY, mileage=80_000),
    created_at=NOW,
    problem=PADS,
    interval=Interval(months=6, miles=5_000),
    notes="quiet",
)
DONE = evolve(SCHEDULE, stage=Stage.COMPLETED, completed_on=TODAY, completed_mileage=81_000, ended_at=NOW)


@pytest.mark.parametrize(
    ("status", "action"),
    [
        (None, Action.CHANGE),
        (Status.DUE, Action.CHANGE),
        (Status.COMPLETED, Action.COMPLETE),
        (Status.CANCELLED, Action.CANCEL),
    ],
)
def test_final_status_is_an_action(status: Status | None, action: Action) -> None:
    assert action_of(UpdateSchedule(status=status)) is action


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        (UpdateSchedule(), set()),
        (UpdateSchedule(status=Status.DUE), set()),  # its own
        (UpdateSchedule(status=Status.OVERDUE), {"status"}),
        (UpdateSchedule(status=Status.COMPLETED, completed_on=TODAY, completed_mileage=5), set()),
        (UpdateSchedule(status=Status.CANCELLED, completed_on=TODAY), {"completed_on"}),
        (UpdateSchedule(completed_on=TODAY, completed_mileage=5), {"completed_on", "completed_mileage"}),
    ],
)
def test_only_a_completion_sets_its_day_and_miles(changes: UpdateSchedule, fields: set[str]) -> None:
    assert status_errors(SCHEDULE, changes, status=Status.DUE).keys() == fields


def test_values_that_were_read_may_be_sent_back() -> None:
    same = UpdateSchedule(status=Status.COMPLETED, completed_on=TODAY, completed_mileage=81_000)

    assert status_errors(DONE, evolve(same, status=None), status=Status.COMPLETED) == {}
    assert status_errors(
        DONE, evolve(same, status=None, completed_mileage=1), status=Status.COMPLETED
    ).keys() == {"completed_mileage"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        ({"title": " Wash "}, {"title": "Wash"}),
        ({"title": " "}, {"title": PADS.display_name}),
        ({"due_on": None}, {"due": Due(mileage=80_000)}),
        ({"due_mileage": 90_000}, {"due": Due(on=TODAY, mileage=90_000)}),
        ({"interval_months": None}, {"interval": Interval(miles=5_000)}),
        ({"interval_miles": 7_000}, {"interval": Interval(months=6, miles=7_000)}),
        ({"notes": ""}, {"notes": None}),
    ],
)
def test_given_fields_change_and_the_others_stay(changes: dict[str, Any], expected: dict[str, Any]) -> None:
    found = changed(SCHEDULE, UpdateSchedule(**changes), problem=PADS)

    assert found == evolve(SCHEDULE, **expected)


def test_title_is_that_of_the_repair_unless_there_is_another() -> None:
    assert [title_of(title, PADS) for title in ("Wash", None, " ")] == [
        "Wash",
        PADS.display_name,
        PADS.display_name,
    ]
    assert title_of(None, None) == ""


@pytest.mark.parametrize(
    ("title", "due", "problem", "fields"),
    [
        ("Wash", Due(on=TODAY), None, set()),
        ("Wash", Due(mileage=0), None, set()),
        ("Wash", Due(), None, {"due_on"}),
        ("", Due(on=TODAY), None, {"title"}),
        ("", Due(on=TODAY), " ", {"title"}),
        ("", Due(on=TODAY), UNSET, {"title"}),
        ("", Due(on=TODAY), "unknown", set()),  # its error is another
        ("", Due(), None, {"title", "due_on"}),
    ],
)
def test_schedule_needs_a_title_or_a_repair_and_a_limit(
    title: str, due: Due, problem: Any, fields: set[str]
) -> None:
    assert missing_fields(title, due=due, problem=problem).keys() == fields


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({}, set()),
        ({"vehicle": "1HGCM82633A004352"}, set()),
        ({"vehicle": str(UUID(int=1))}, set()),
        ({"vehicle": "1HG"}, {"vehicle"}),
        ({"problem_identifier": " brake-pads-front "}, set()),
        ({"problem_identifier": " "}, set()),
        ({"problem_identifier": None}, set()),
        ({"problem_identifier": "flux"}, {"problem_identifier"}),
        ({"completed_on": date(2026, 1, 3)}, set()),  # east of UTC it is tomorrow
        ({"completed_on": date(2026, 1, 4)}, {"completed_on"}),
        ({"completed_on": date(1990, 1, 1)}, set()),
        ({"completed_on": date(1989, 12, 31)}, {"completed_on"}),
    ],
)
def test_vehicle_repair_and_day_of_completion_are_checked(fields: dict[str, Any], wrong: set[str]) -> None:
    found = validate_schedule(fields, today=TODAY, is_problem=lambda text: text == PADS.slug)

    assert found.keys() == wrong


def test_completed_schedule_follows_by_its_interval() -> None:
    assert SCHEDULE.next_due() is None
    due = DONE.next_due()
    assert due == Due(on=date(2026, 7, 2), mileage=86_000)
    assert DONE.following(due, schedule_id=UUID(int=9), at=NOW) == evolve(SCHEDULE, id=UUID(int=9), due=due)


@pytest.mark.parametrize(
    ("schedule", "status"),
    [
        (SCHEDULE, Status.DUE),
        (evolve(SCHEDULE, due=Due(mileage=79_000)), Status.OVERDUE),
        (evolve(SCHEDULE, due=Due(on=date(2026, 3, 1))), Status.UPCOMING),
        (DONE, Status.COMPLETED),
        (evolve(SCHEDULE, stage=Stage.CANCELLED), Status.CANCELLED),
    ],
)
def test_status_of_a_planned_schedule_follows_from_day_and_miles(
    schedule: ServiceSchedule, status: Status
) -> None:
    assert schedule.status(today=TODAY, odometer=79_600) is status
