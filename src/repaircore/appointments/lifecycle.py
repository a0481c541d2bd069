"""What may happen to an appointment, and to the pickup of its vehicle: two tables."""

from enum import StrEnum
from typing import Final

from repaircore.kernel.lifecycle import Lifecycle


class Status(StrEnum):
    """How an appointment stands."""

    SCHEDULED = "scheduled"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    NO_SHOW = "no_show"


class Action(StrEnum):
    """What may be done about it."""

    UPDATE = "update"
    RESCHEDULE = "reschedule"
    CANCEL = "cancel"
    COMPLETE = "complete"
    MARK_NO_SHOW = "mark_no_show"
    NOTIFY = "notify_pickup_progress"


class Pickup(StrEnum):
    """How far the pickup of the vehicle is; each step is reached from the one before it alone."""

    NOT_STARTED = "not_started"
    DRIVER_ASSIGNED = "driver_assigned"
    EN_ROUTE = "en_route"
    ARRIVED = "arrived"
    VEHICLE_COLLECTED = "vehicle_collected"
    DELIVERED = "delivered"


LIFECYCLE: Final = Lifecycle[Status, Action](
    {
        Status.SCHEDULED: {
            Action.UPDATE: Status.SCHEDULED,
            Action.RESCHEDULE: Status.SCHEDULED,
            Action.CANCEL: Status.CANCELLED,
            Action.COMPLETE: Status.COMPLETED,
            Action.MARK_NO_SHOW: Status.NO_SHOW,
            Action.NOTIFY: Status.SCHEDULED,
        },
        Status.COMPLETED: {},
        Status.CANCELLED: {},
        Status.NO_SHOW: {},
    },
    noun="appointment",
    phrases={Action.MARK_NO_SHOW: "mark {} as no_show", Action.NOTIFY: "send the pickup progress of {}"},
)
"""See docs/lifecycles/appointment.md."""

PICKUP: Final = Lifecycle[Pickup, Pickup](
    {
        Pickup.NOT_STARTED: {Pickup.DRIVER_ASSIGNED: Pickup.DRIVER_ASSIGNED},
        Pickup.DRIVER_ASSIGNED: {Pickup.EN_ROUTE: Pickup.EN_ROUTE},
        Pickup.EN_ROUTE: {Pickup.ARRIVED: Pickup.ARRIVED},
        Pickup.ARRIVED: {Pickup.VEHICLE_COLLECTED: Pickup.VEHICLE_COLLECTED},
        Pickup.VEHICLE_COLLECTED: {Pickup.DELIVERED: Pickup.DELIVERED},
        Pickup.DELIVERED: {},
    },
    noun="pickup",
    phrases={step: f"move {{}} to {step}" for step in Pickup},
)
"""A step leads to the next one: the action is named for the step that it reaches. See docs/lifecycles/pickup-progress.md."""

COLLECTED: Final = frozenset({Pickup.VEHICLE_COLLECTED, Pickup.DELIVERED})
"""Steps since which the vehicle is not at the customer's any more."""
