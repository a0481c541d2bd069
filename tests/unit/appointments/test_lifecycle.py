"""Every action in every state: allowed as declared, or rejected."""

from datetime import timedelta
from itertools import pairwise

import pytest
from attrs import evolve
from tests.unit.appointments.made import AT, SLOT, an_appointment

from repaircore.appointments.lifecycle import LIFECYCLE, PICKUP, Action, Pickup, Status
from repaircore.appointments.validation import validate_end
from repaircore.kernel.errors import Conflict, TooMany

LEGAL = {
    (Status.SCHEDULED, Action.UPDATE): Status.SCHEDULED,
    (Status.SCHEDULED, Action.RESCHEDULE): Status.SCHEDULED,
    (Status.SCHEDULED, Action.CANCEL): Status.CANCELLED,
    (Status.SCHEDULED, Action.COMPLETE): Status.COMPLETED,
    (Status.SCHEDULED, Action.MARK_NO_SHOW): Status.NO_SHOW,
    (Status.SCHEDULED, Action.NOTIFY): Status.SCHEDULED,
}
STEPS = list(Pickup)
NEXT = {(earlier, later) for earlier, later in pairwise(STEPS)}


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("action", Action)
def test_apply_follows_the_lifecycle(status: Status, action: Action) -> None:
    appointment = an_appointment(status=status)

    if (status, action) in LEGAL:
        assert appointment.apply(action, at=appointment.starts_at).status is LEGAL[status, action]
        return
    with pytest.raises(Conflict) as error:
        appointment.apply(action, at=appointment.starts_at)
    allowed = [str(one) for one in LIFECYCLE.allowed(status)]

    assert error.value.details == {"status": str(status), "allowed": allowed}


@pytest.mark.parametrize("action", [Action.COMPLETE, Action.MARK_NO_SHOW])
def test_apply_ends_an_appointment_only_from_its_start_on(action: Action) -> None:
    appointment = an_appointment()
    before = appointment.starts_at - timedelta(microseconds=1)

    with pytest.raises(Conflict, match="before it starts, at 2026-03-03T14:00:00Z") as error:
        appointment.apply(action, at=before)

    allowed = ["update", "reschedule", "cancel", "notify_pickup_progress"]

    assert error.value.details == {
        "status": "scheduled",
        "allowed": allowed,
        "starts_at": "2026-03-03T14:00:00Z",
    }
    assert [*appointment.allowed_actions(at=before)] == allowed
    assert action in appointment.allowed_actions(at=appointment.starts_at)


@pytest.mark.parametrize("step", Pickup)
@pytest.mark.parametrize("wanted", Pickup)
def test_advance_pickup_goes_step_by_step(step: Pickup, wanted: Pickup) -> None:
    appointment = an_appointment(pickup=step)

    if wanted is step:
        assert appointment.advance_pickup(wanted, at=AT) == appointment
    elif (step, wanted) in NEXT:
        assert appointment.advance_pickup(wanted, at=AT).pickup is wanted
    else:
        with pytest.raises(Conflict) as error:
            appointment.advance_pickup(wanted, at=AT)
        assert error.value.details == {
            "status": str(step),
            "allowed": [str(one) for one in PICKUP.allowed(step)],
        }


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.SCHEDULED])
def test_advance_pickup_refuses_an_ended_appointment(status: Status) -> None:
    with pytest.raises(Conflict):
        an_appointment(status=status).advance_pickup(Pickup.DRIVER_ASSIGNED, at=AT)


@pytest.mark.parametrize("step", Pickup)
def test_reschedule_restarts_the_pickup_before_collection(step: Pickup) -> None:
    appointment = an_appointment(pickup=step, notified=step, notified_at=AT)

    moved = appointment.reschedule(SLOT, at=AT)

    collected = step in {Pickup.VEHICLE_COLLECTED, Pickup.DELIVERED}

    assert moved.pickup is (step if collected else Pickup.NOT_STARTED)
    assert (moved.notified is step) is collected
    assert (moved.starts_at, moved.ends_at) == (SLOT.starts_at, SLOT.ends_at)


@pytest.mark.parametrize(
    ("seconds", "retry_after"), [(0, 60), (0.5, 60), (1, 59), (59, 1), (59.999, 1), (60, None), (-5, 60)]
)
def test_notify_allows_a_step_once_a_minute(seconds: float, retry_after: int | None) -> None:
    notified = an_appointment().notify(at=AT)
    later = AT + timedelta(seconds=seconds)

    if retry_after is None:
        assert notified.notify(at=later).notified_at == later
        return
    with pytest.raises(TooMany) as error:
        notified.notify(at=later)

    assert error.value.retry_after == retry_after


def test_notify_allows_the_next_step_at_once() -> None:
    notified = an_appointment().notify(at=AT)

    assert evolve(notified, pickup=Pickup.DRIVER_ASSIGNED).notify(at=AT).notified is Pickup.DRIVER_ASSIGNED


def test_notify_refuses_an_ended_appointment() -> None:
    with pytest.raises(Conflict):
        an_appointment(status=Status.CANCELLED).notify(at=AT)


@pytest.mark.parametrize(
    ("status", "invoice", "fields"),
    [
        (None, None, set()),
        (Status.COMPLETED, None, set()),
        (Status.NO_SHOW, None, set()),
        (Status.COMPLETED, {"total": 1}, set()),
        (Status.NO_SHOW, {"total": 1}, {"invoice"}),
        (None, {"total": 1}, {"invoice"}),
        (Status.SCHEDULED, None, {"status"}),
        (Status.CANCELLED, {"total": 1}, {"invoice", "status"}),
    ],
)
def test_update_ends_an_appointment_as_completed_or_no_show(
    status: Status | None, invoice: object, fields: set[str]
) -> None:
    assert validate_end({"status": status, "invoice": invoice}).keys() == fields
