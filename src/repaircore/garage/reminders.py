"""Remind owners of services that are due: by e-mail and by webhook, once for each occurrence of a service."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from attrs import frozen

from repaircore.garage.model import DUE_DAYS, ListedService, Reminder, status_on
from repaircore.garage.ports import OpenWork
from repaircore.json_text import plain
from repaircore.kernel.callers import Environment
from repaircore.kernel.events import Event
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.types import Clock, NewId
from repaircore.kernel.wording import money
from repaircore.messages.model import Channel, NewMessage
from repaircore.schedules.due import DueStatus

SERVICE_DUE: Final = "vehicle.service_due"
_MOST: Final = 500
_MOST_LINES: Final = 50
"""The maximum number of services that an e-mail lists; the others are only counted."""

_WORDS: Final = {
    DueStatus.OVERDUE: "overdue since",
    DueStatus.DUE: "due by",
    DueStatus.UPCOMING: "due by",
}


@frozen(kw_only=True)
class ReminderCounts:
    """How many services owners were reminded of, and how many e-mails were written."""

    services: int = 0
    mails: int = 0


@frozen(kw_only=True)
class Reminders:
    """Sends reminders. ``public_url`` is this installation's URL; ``present`` returns the data of an event."""

    transaction: OpenWork
    read: OpenWork
    present: Callable[[ListedService, date], object]
    public_url: str
    can_mail: bool
    new_id: NewId
    clock: Clock

    def send(self) -> ReminderCounts:
        """Remind every owner of the services that are due within 30 days, once for each occurrence.

        A run reminds each owner of at most 500 services. Each owner's marks, events and e-mail are saved in one
        transaction, so the next run continues an interrupted one.
        """
        due_by = self.clock().date() + timedelta(days=DUE_DAYS)
        with self.read() as work:
            owners = work.garage_reminders.list_owners(due_by=due_by)
        services = mails = 0
        for environment, owner_id in owners:
            now = self.clock()
            with self.transaction() as work:
                reminder = work.garage_reminders.claim(
                    environment, owner_id, due_by=due_by, at=now, limit=_MOST
                )
                if reminder is None:
                    continue
                for service in reminder.services:
                    work.outbox.add(self._event(reminder, service))
                if reminder.email is not None and self.can_mail:
                    work.messages.add(reminder_mail(reminder, now.date(), self.public_url), now)
                    mails += 1
            services += len(reminder.services)
        return ReminderCounts(services=services, mails=mails)

    def _event(self, reminder: Reminder, service: ListedService) -> Event:
        now = self.clock()
        return Event(
            id=reference(Kind.EVENT, self.new_id()),
            type=SERVICE_DUE,
            user_id=reminder.owner_id,
            environment=reminder.environment,
            subject=str(service.vehicle_id),
            data=plain(self.present(service, now.date())),
            created_at=now,
        )


def reminder_mail(reminder: Reminder, today: date, public_url: str) -> NewMessage:
    """Return the e-mail that reminds an owner of services."""
    count = len(reminder.services)
    some = reminder.services[:_MOST_LINES]
    base = f"{public_url.rstrip('/')}/console/garage"
    lines = (
        f"Hello {reminder.name},",
        "",
        "These services are due soon:" if count > 1 else "This service is due soon:",
        "",
        *(_line(service, today) for service in some),
        *([f"… and {count - len(some):,} more."] if count > len(some) else []),
        "",
        f"Your garage: {base}",
        f'To stop these e-mails, clear the box under "Reminders": {base}/settings',
        "",
    )
    return NewMessage(
        channel=Channel.EMAIL,
        environment=Environment.LIVE,
        recipient=reminder.email or "",
        subject=f"{count:,} services are due soon" if count > 1 else f"Due soon: {_subject(some[0])}",
        body="\n".join(lines),
        about=SERVICE_DUE,
    )


def _subject(listed: ListedService) -> str:
    return f"{listed.service.title}, {_vehicle(listed)}"


def _line(listed: ListedService, today: date) -> str:
    service = listed.service
    on = service.due_on
    words = _WORDS[status_on(on, today)]
    miles = "" if service.due_mileage is None else f" ({service.due_mileage:,} miles)"
    price = "" if service.price is None else f", about {money(service.price.average)}"
    return f"- {_vehicle(listed)}: {service.title}, {words} {on:%B} {on.day}, {on.year}{miles}{price}"


def _vehicle(listed: ListedService) -> str:
    labels = listed.labels
    name = labels.nickname or listed.display_name
    return name if labels.unit_number is None else f"{labels.unit_number} ({name})"
