"""The cost of canceling an appointment."""

from datetime import datetime, timedelta

from attrs import frozen

from repaircore.appointments.model import Appointment, Response


@frozen(kw_only=True)
class CancellationCost:
    """The fee of a cancellation in cents, the time until which it is free, and the reason."""

    fee: int
    free_until: datetime
    reason: str


@frozen(kw_only=True)
class CancellationPolicy:
    """Canceling is free until ``free_hours`` before the start, and costs ``fee`` (cents) after that.

    A no-show costs ``no_show_fee``; an appointment keeps the fee of its booking, which its customer agreed to. See
    docs/decisions/calendar.md.
    """

    free_hours: float = 24.0
    fee: int = 0
    no_show_fee: int = 0

    def cost(self, appointment: Appointment, *, at: datetime) -> CancellationCost:
        """Return the cost of canceling at a time; nothing if the mechanic has declined the appointment."""
        free_until = appointment.starts_at - timedelta(hours=self.free_hours)
        if not self.fee:
            fee, reason = 0, "There is no cancellation fee."
        elif appointment.response is Response.DECLINED:
            fee, reason = 0, "The mechanic has declined the appointment."
        elif at <= free_until:
            fee, reason = 0, f"Canceling is free until {self.free_hours:g} hours before the start."
        else:
            fee, reason = (
                self.fee,
                f"The appointment starts in less than {self.free_hours:g} hours, or has started.",
            )
        return CancellationCost(fee=fee, free_until=free_until, reason=reason)


def no_show_cost(appointment: Appointment) -> int:
    """Return the cost of a no-show; nothing if the mechanic has declined the appointment."""
    is_declined = appointment.response is Response.DECLINED
    return 0 if is_declined else appointment.no_show_fee or 0


FREE = CancellationPolicy()
"""The policy without a fee."""
