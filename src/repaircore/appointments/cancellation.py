"""The cost of canceling an appointment."""

from datetime import datetime, timedelta

from attrs import frozen

from repaircore.appointments.model import Appointment, Response


@frozen(kw_only=True)
class CancellationCost:
    """The cancellation fee in cents, the time until which canceling is free, and the reason for the fee."""

    fee: int
    free_until: datetime
    reason: str


@frozen(kw_only=True)
class CancellationPolicy:
    """Canceling is free until ``free_hours`` before the start, and costs ``fee`` (cents) after that.

    Moving an appointment after that does not make canceling free again until the mechanic accepts the new time. A
    no-show costs ``no_show_fee``; an appointment keeps the no-show fee that its customer agreed to when it was
    booked. From the start on, canceling costs at least as much as a no-show. See docs/decisions/calendar.md.
    """

    free_hours: float = 24.0
    fee: int = 0
    no_show_fee: int = 0

    def cost(self, appointment: Appointment, *, at: datetime) -> CancellationCost:
        """Return the cost of canceling at the given time; it is zero if the mechanic has declined the appointment."""
        free_until = self.free_until(_fee_start(appointment))
        no_show = no_show_cost(appointment)
        if at >= appointment.starts_at and no_show > self.fee:
            fee, reason = no_show, "The appointment has started, so canceling costs as much as a no-show."
        elif not self.fee:
            fee, reason = 0, "There is no cancellation fee."
        elif appointment.response is Response.DECLINED:
            fee, reason = 0, "The mechanic has declined the appointment."
        elif at <= free_until:
            fee, reason = 0, f"Canceling is free until {self.free_hours:g} hours before the start."
        else:
            fee, reason = self.fee, self._fee_reason(appointment, at=at)
        return CancellationCost(fee=fee, free_until=free_until, reason=reason)

    def late_start(self, old: Appointment, start: datetime, *, at: datetime) -> datetime | None:
        """Return the ``late_start`` of an appointment moved to ``start``, or None if canceling it is still free.

        It is the earliest start that the appointment has had since canceling began to cost the fee. Canceling is free
        if the mechanic declined the old time.
        """
        return min(_fee_start(old), start) if self.fee and self.cost(old, at=at).fee else None

    def is_late_move(self, appointment: Appointment, *, at: datetime) -> bool:
        """Return whether canceling costs the fee only because of a late move, which the mechanic can still forgive."""
        return bool(self.cost(appointment, at=at).fee) and self._is_new_time_free(appointment, at=at)

    def free_until(self, start: datetime) -> datetime:
        """Return the time until which an appointment with this start can be canceled for free."""
        return start - timedelta(hours=self.free_hours)

    def _is_new_time_free(self, appointment: Appointment, *, at: datetime) -> bool:
        return at <= self.free_until(appointment.starts_at)

    def _fee_reason(self, appointment: Appointment, *, at: datetime) -> str:
        if self._is_new_time_free(appointment, at=at):
            return (
                f"The appointment was moved less than {self.free_hours:g} hours before its start, "
                "and the mechanic has not accepted the new time."
            )
        if at >= appointment.starts_at:
            return "The appointment has started."
        return f"The appointment starts in less than {self.free_hours:g} hours."


def _fee_start(appointment: Appointment) -> datetime:
    """Return the start that decides when canceling costs the fee."""
    return appointment.late_start or appointment.starts_at


def no_show_cost(appointment: Appointment) -> int:
    """Return the cost of a no-show, which is zero if the mechanic has declined the appointment."""
    is_declined = appointment.response is Response.DECLINED
    return 0 if is_declined else appointment.no_show_fee or 0


FREE = CancellationPolicy()
"""The policy without fees."""
