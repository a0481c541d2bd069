"""``repaircore appointments``: operators list and cancel the appointments of all partners."""

import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from tests.cli.conftest import Cli
from tests.contracts.appointments import a_booking, a_customer, a_mechanic
from tests.contracts.partners import add_partner
from typing_extensions import override

from repaircore.adapters.sql.schema.mechanics import appointments
from repaircore.appointments.lifecycle import Status
from repaircore.appointments.model import Appointment
from repaircore.core import Core
from repaircore.testing.clock import FrozenClock


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Return the database that the commands open."""
    return sqlite_url


@pytest.fixture
def clock() -> FrozenClock:
    """Return a clock that agrees with that of the commands."""
    return FrozenClock(datetime.now(UTC))


@pytest.fixture
def booked(core: Core) -> Appointment:
    """Return an appointment in three days."""
    caller = add_partner(core.storage.database)
    garage = a_mechanic(core, services="brakes (90 min, $189.50)", hours="mon-sun 00:00-24:00")
    day = (core.clock() + timedelta(days=3)).date().isoformat()
    return core.appointments.book(a_booking(garage, a_customer(core, caller), "09:00", day), caller)


def test_appointments_are_listed_shown_and_cancelled(cli: Cli, booked: Appointment) -> None:
    listed = cli("appointments", "list", "--json").json

    assert [(each["ref"], each["status"]) for each in listed] == [(booked.ref, "scheduled")]
    assert (
        cli("appointments", "list", "--mechanic", booked.place.ref, "--status", "completed", "--json").json
        == []
    )
    assert [
        [each["ref"] for each in cli("appointments", "list", "--environment", name, "--json").json]
        for name in ("test", "live")
    ] == [[booked.ref], []]
    outcome = cli("appointments", "show", booked.ref)

    assert f"{booked.day} 09:00 (America/New_York)" in outcome.out
    early = cli("appointments", "complete", booked.ref, "--yes")

    assert early.status == 1
    assert "before it starts" in early.err
    cancelled = cli("appointments", "cancel", booked.ref, "--reason", "Flood", "--yes", "--json").json

    assert (cancelled["status"], cancelled["cancel_reason"], cancelled["cancel_fee"]) == (
        "cancelled",
        "Flood",
        0,
    )
    assert cancelled["timeline"][-1]["actor"] == "operator"


def test_unknown_appointments_and_bad_filters_are_refused(cli: Cli) -> None:
    assert cli("appointments", "show", "apt_00000000000000000000000000").status == 1
    for option, value in (("--from", "soon"), ("--mechanic", "x"), ("--status", "open")):
        assert cli("appointments", "list", option, value).status == 1


class LateYes(io.StringIO):
    """A terminal at which the answer comes after something else has happened."""

    def __init__(self, happen: Callable[[], None]) -> None:
        super().__init__("y\n")
        self._happen = happen

    @override
    def isatty(self) -> bool:
        return True

    @override
    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # the stubs of io disagree with one another
        self._happen()
        return super().readline(size)


def test_cancel_charges_no_other_fee_than_its_question_named(
    cli: Cli, core: Core, booked: Appointment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start() -> None:
        with core.storage.database.transaction(write=True) as connection:
            # In microseconds; once it has started, canceling costs as much as a no-show.
            connection.execute(sa.update(appointments).values(starts_at=1, ends_at=2, no_show_fee=4000))

    monkeypatch.setattr("sys.stdin", LateYes(start))
    refused = cli("appointments", "cancel", booked.ref)

    assert "Fee: $0" in refused.err
    assert refused.status == 1
    assert "Canceling now costs $40.00 instead of $0.00." in refused.err
    assert core.appointments.get(booked.ref, booked.caller)[0].status is Status.SCHEDULED
