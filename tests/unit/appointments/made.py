"""Appointments for tests."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.model import Appointment, AppointmentPlace
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.mechanics.slots import Slot

AT = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
SLOT = Slot(date(2026, 3, 4), 600, datetime(2026, 3, 4, 15, tzinfo=UTC), datetime(2026, 3, 4, 16, tzinfo=UTC))


def an_appointment(**changes: Any) -> Appointment:
    usual: dict[str, Any] = {
        "id": 1,
        "ref": "apt_01m7wx6s0ce2jsmdd4rhxwsq51",
        "caller": PartnerCaller(partner_id=1, environment=Environment.TEST),
        "place": AppointmentPlace(
            id=1,
            ref="mec_0xgd6zg2d5by8rw766d69a8jb9",
            name="Garage",
            address="1 Main Street",
            city="Columbus",
            state="OH",
            phone=None,
            time_zone="America/New_York",
        ),
        "customer_id": 1,
        "customer_ref": "cus_01m7wx6rzmeftvsbht068yj9t9",
        "day": date(2026, 3, 3),
        "minute": 540,
        "starts_at": datetime(2026, 3, 3, 14, tzinfo=UTC),
        "ends_at": datetime(2026, 3, 3, 15, tzinfo=UTC),
        "status": Status.SCHEDULED,
        "pickup": Pickup.NOT_STARTED,
        "description": None,
        "partner_reference": None,
        "session_id": None,
        "cancel_reason": None,
        "notified": None,
        "notified_at": None,
        "created_at": AT - timedelta(days=1),
        "updated_at": AT - timedelta(days=1),
    }
    return Appointment(**{**usual, **changes})
