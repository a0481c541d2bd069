"""Remind customers of their appointments."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from attrs import evolve, frozen

from repaircore.appointments.letters import REMINDER
from repaircore.appointments.ports import OpenWork
from repaircore.appointments.records import AppointmentLog
from repaircore.kernel.types import Clock

_BATCH: Final = 100


def next_reminder(starts_at: datetime, hours: Sequence[float], *, after: datetime) -> datetime | None:
    """Return when the first reminder after ``after`` is due, or None; reminders are due ``hours`` before the start."""
    times = (starts_at - timedelta(hours=each) for each in hours)
    return min((at for at in times if at > after), default=None)


@frozen(kw_only=True)
class Reminders:
    """Sends reminders to customers. ``hours`` lists how many hours before the start each reminder is due."""

    transaction: OpenWork
    log: AppointmentLog
    hours: Sequence[float]
    clock: Clock

    def send(self) -> int:
        """Queue the reminders that are due, once each; return how many were queued.

        No reminder is sent for an appointment that has already started.
        """
        sent = 0
        while True:
            now = self.clock()
            with self.transaction() as work:
                due = work.appointments.lock_due(now, limit=_BATCH)
                for appointment in due:
                    later = next_reminder(appointment.starts_at, self.hours, after=now)
                    saved = work.appointments.replace(appointment, evolve(appointment, remind_at=later))
                    if appointment.starts_at > now:
                        sent += self.log.tell_customer(work, REMINDER, saved) is not None
            if len(due) < _BATCH:
                return sent
