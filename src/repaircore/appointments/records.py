"""Record each change of an appointment: a step of its timeline, an event, and messages."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from attrs import frozen

from repaircore.appointments.cancellation import CancellationPolicy
from repaircore.appointments.letters import (
    PHONE,
    CustomerNews,
    Letter,
    MechanicNews,
    customer_letter,
    mechanic_letter,
)
from repaircore.appointments.model import Appointment
from repaircore.appointments.ports import AppointmentsWork
from repaircore.appointments.views import AppointmentView
from repaircore.customers.model import Customer
from repaircore.json_text import plain
from repaircore.kernel.callers import Environment
from repaircore.kernel.events import Event
from repaircore.kernel.phones import e164
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock, NewId
from repaircore.messages.model import Channel, NewMessage
from repaircore.messages.texts import sms_text

_LEAST_LIFE: Final = timedelta(hours=1)


@frozen(kw_only=True)
class AppointmentLog:
    """Records changes of appointments.

    ``channels`` returns the message channels that are on in an environment: all of them in the test environment, where
    messages are stored and never sent. ``link`` returns the URL at which the mechanic responds, given the
    appointment's reference. ``policy`` determines what a cancellation costs.
    """

    channels: Callable[[Environment], Collection[Channel]]
    link: Callable[[str], str]
    policy: CancellationPolicy
    new_id: NewId
    clock: Clock

    def record(self, work: AppointmentsWork, saved: Appointment, change: str, step: Step) -> None:
        """Store the timeline step and the event for a change."""
        work.timelines.add(saved.ref, step)
        self.emit(work, saved, change)

    def emit(self, work: AppointmentsWork, saved: Appointment, change: str) -> None:
        """Store the event for a change."""
        work.outbox.add(
            Event(
                id=reference(Kind.EVENT, self.new_id()),
                type=f"appointment.{change}",
                partner_id=saved.caller.partner_id,
                environment=saved.caller.environment,
                subject=saved.ref,
                data=plain(AppointmentView.of(saved, at=saved.updated_at)),
                created_at=saved.updated_at,
            )
        )

    def tell_customer(
        self,
        work: AppointmentsWork,
        news: CustomerNews,
        saved: Appointment,
        *,
        moved_from: datetime | None = None,
    ) -> Channel | None:
        """Queue a message to the customer, by e-mail if possible, else by SMS, and return the channel.

        Return None if neither channel reaches the customer. ``moved_from`` is the former start of an appointment that
        was moved.
        """
        customer = _customer(work, saved)
        if customer is None:
            return None
        letter = customer_letter(
            news,
            saved,
            customer,
            partner=_partner_name(work, saved),
            policy=self.policy,
            sender=self._sender(saved),
            now=self.clock(),
            moved_from=moved_from,
        )
        for channel, recipient in ((Channel.EMAIL, customer.email), (Channel.SMS, customer.phone)):
            if self._send(work, channel, letter, recipient, saved):
                return channel
        return None

    def tell_mechanic(
        self,
        work: AppointmentsWork,
        news: MechanicNews,
        saved: Appointment,
        *,
        moved_from: datetime | None = None,
    ) -> None:
        """Queue messages to the mechanic, by e-mail and by SMS, with the link if ``news`` asks for a response.

        ``moved_from`` is the former start of an appointment that was moved.
        """
        link = self.link(saved.ref) if news.asks else None
        letter = mechanic_letter(
            news,
            saved,
            _customer(work, saved),
            policy=self.policy,
            link=link,
            sender=self._sender(saved),
            now=self.clock(),
            moved_from=moved_from,
        )
        for channel, recipient in _mechanic_contacts(saved).items():
            self._send(work, channel, letter, recipient, saved)

    def reaches_mechanic(self, appointment: Appointment) -> bool:
        """Return whether messages can reach the mechanic, through a contact whose channel is on."""
        on = self.channels(appointment.caller.environment)
        contacts = _mechanic_contacts(appointment)
        return any(channel in on and recipient is not None for channel, recipient in contacts.items())

    def tell_customer_phone(self, work: AppointmentsWork, saved: Appointment) -> None:
        """Queue messages to the mechanic with the number at which to call the customer, if there is one."""
        customer = _customer(work, saved)
        if saved.customer_phone(None if customer is None else customer.phone, at=self.clock()) is not None:
            self.tell_mechanic(work, PHONE, saved)

    def _sender(self, about: Appointment) -> str:
        """Return the host of the links, which tells recipients who is writing to them."""
        return urlsplit(self.link(about.ref)).netloc

    def _send(
        self,
        work: AppointmentsWork,
        channel: Channel,
        letter: Letter,
        recipient: str | None,
        about: Appointment,
    ) -> bool:
        environment = about.caller.environment
        if recipient is None or channel not in self.channels(environment):
            return False
        is_mail = channel is Channel.EMAIL
        message = NewMessage(
            channel=channel,
            environment=environment,
            recipient=recipient,
            subject=letter.subject if is_mail else "",
            body=letter.body if is_mail else sms_text(letter.short, ending=letter.ending),
            about=about.ref,
            # Messages about an appointment are useless once it is over.
            expires_at=max(about.ends_at, self.clock() + _LEAST_LIFE),
        )
        work.messages.add(message, self.clock())
        return True


def _mechanic_contacts(about: Appointment) -> Mapping[Channel, str | None]:
    place = about.place
    return {Channel.EMAIL: place.email, Channel.SMS: None if place.phone is None else e164(place.phone)}


def _partner_name(work: AppointmentsWork, appointment: Appointment) -> str:
    partner_id = appointment.caller.partner_id
    return work.partners.list_names([partner_id])[partner_id]


def _customer(work: AppointmentsWork, appointment: Appointment) -> Customer | None:
    return work.customers.find_by_id(appointment.customer_id, appointment.caller)
