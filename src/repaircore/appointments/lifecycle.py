"""The lifecycles of an appointment and of the pickup of its vehicle."""

from enum import StrEnum
from typing import Final

from repaircore.kernel.lifecycle import Lifecycle


class Status(StrEnum):
    """The status of an appointment."""

    SCHEDULED = "scheduled"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    NO_SHOW = "no_show"


class Action(StrEnum):
    """An action on an appointment."""

    UPDATE = "update"
    RESCHEDULE = "reschedule"
    CANCEL = "cancel"
    COMPLETE = "complete"
    MARK_NO_SHOW = "mark_no_show"
    NOTIFY = "notify_pickup_progress"


class Pickup(StrEnum):
    """The progress of the pickup; each step is reached only from the one before it."""

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
"""Each action is named after the step that it leads to. See docs/lifecycles/pickup-progress.md."""

ENDS: Final = {Status.COMPLETED: Action.COMPLETE, Status.NO_SHOW: Action.MARK_NO_SHOW}
"""The action for each final status that an update can set."""

COLLECTED: Final = frozenset({Pickup.VEHICLE_COLLECTED, Pickup.DELIVERED})
"""The steps in which the vehicle has left the customer."""
