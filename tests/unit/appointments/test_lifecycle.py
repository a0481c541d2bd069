"""Every state with every action: allowed as declared, or refused."""

from datetime import timedelta
from itertools import pairwise

import pytest
from attrs import evolve
from tests.unit.appointments.made import AT, SLOT, an_appointment

from repaircore.appointments.lifecycle import LIFECYCLE, PICKUP, Action, Pickup, Status
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
def test_each_action_is_legal_or_refused_as_declared(status: Status, action: Action) -> None:
    appointment = an_appointment(status=status)

    if (status, action) in LEGAL:
        assert appointment.after(action, at=AT).status is LEGAL[status, action]
        return
    with pytest.raises(Conflict) as refused:
        appointment.after(action, at=AT)
    allowed = [str(one) for one in LIFECYCLE.allowed(status)]
    assert refused.value.details == {"status": str(status), "allowed": allowed}


@pytest.mark.parametrize("step", Pickup)
@pytest.mark.parametrize("wanted", Pickup)
def test_a_pickup_goes_on_step_by_step(step: Pickup, wanted: Pickup) -> None:
    appointment = an_appointment(pickup=step)

    if wanted is step:
        assert appointment.picked_up(wanted, at=AT) == appointment
    elif (step, wanted) in NEXT:
        assert appointment.picked_up(wanted, at=AT).pickup is wanted
    else:
        with pytest.raises(Conflict) as refused:
            appointment.picked_up(wanted, at=AT)
        assert refused.value.details == {
            "status": str(step),
            "allowed": [str(one) for one in PICKUP.allowed(step)],
        }


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.SCHEDULED])
def test_nothing_is_picked_up_for_what_is_over(status: Status) -> None:
    with pytest.raises(Conflict):
        an_appointment(status=status).picked_up(Pickup.DRIVER_ASSIGNED, at=AT)


@pytest.mark.parametrize("step", Pickup)
def test_a_new_time_lets_the_pickup_begin_anew_unless_the_vehicle_is_collected(step: Pickup) -> None:
    appointment = an_appointment(pickup=step, notified=step, notified_at=AT)

    moved = appointment.moved(SLOT, at=AT)

    collected = step in {Pickup.VEHICLE_COLLECTED, Pickup.DELIVERED}
    assert moved.pickup is (step if collected else Pickup.NOT_STARTED)
    assert (moved.notified is step) is collected
    assert (moved.starts_at, moved.ends_at) == (SLOT.starts_at, SLOT.ends_at)


@pytest.mark.parametrize(
    ("seconds", "retry_after"), [(0, 60), (0.5, 60), (1, 59), (59, 1), (59.999, 1), (60, None), (-5, 60)]
)
def test_the_same_step_is_told_once_a_minute(seconds: float, retry_after: int | None) -> None:
    told = an_appointment().told(at=AT)
    later = AT + timedelta(seconds=seconds)

    if retry_after is None:
        assert told.told(at=later).notified_at == later
        return
    with pytest.raises(TooMany) as refused:
        told.told(at=later)
    assert refused.value.retry_after == retry_after


def test_the_next_step_is_told_at_once() -> None:
    told = an_appointment().told(at=AT)

    assert evolve(told, pickup=Pickup.DRIVER_ASSIGNED).told(at=AT).notified is Pickup.DRIVER_ASSIGNED


def test_nobody_is_told_of_what_is_over() -> None:
    with pytest.raises(Conflict):
        an_appointment(status=Status.CANCELLED).told(at=AT)
