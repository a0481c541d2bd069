"""Ports of appointments."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from repaircore.appointments.model import Appointment
from repaircore.customers.ports import CustomerRecords
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.events import Outbox
from repaircore.kernel.timeline import Timelines
from repaircore.mails.ports import MailRecords
from repaircore.mechanics.ports import MechanicRecords, Seats
from repaircore.predictions.ports import PastPredictionRecords
from repaircore.transactions.job_invoice import JobBill, JobInvoice


class AppointmentRecords(Protocol):
    """The stored appointments. A caller does not find those of another partner or environment."""

    def add(self, appointment: Appointment) -> Appointment:
        """Store a new appointment, and return it with its id.

        Raises:
            Conflict: its mechanic or customer was deleted.
        """

    def find(self, ref: str, caller: PartnerCaller) -> Appointment | None:
        """Find an appointment of the caller by reference."""

    def lock(self, ref: str, caller: PartnerCaller) -> Appointment | None:
        """Find an appointment, and lock it until the unit of work ends."""

    def replace(self, old: Appointment, new: Appointment) -> Appointment:
        """Update an appointment, and return it with its next version.

        Raises:
            Conflict: the stored appointment is no longer ``old``.
        """


class Invoices(Protocol):
    """Learns from the invoices of appointments that led to a repair."""

    def record(
        self, work: Any, invoice: JobInvoice, *, job: str, session_id: UUID | None, environment: Environment
    ) -> JobBill:
        """Store the invoice of a job and learn from it, within the unit of work that ends the job.

        ``session_id`` is the prediction that led to the job.

        Raises:
            Invalid: with every bad field, below ``invoice``.
        """


class AppointmentsWork(Protocol):
    """The part of a unit of work that appointments need."""

    @property
    def appointments(self) -> AppointmentRecords:
        """The stored appointments."""

    @property
    def mechanics(self) -> MechanicRecords:
        """The directory of mechanics."""

    @property
    def seats(self) -> Seats:
        """The taken seats."""

    @property
    def customers(self) -> CustomerRecords:
        """The stored customers."""

    @property
    def past_predictions(self) -> PastPredictionRecords:
        """The stored predictions."""

    @property
    def mails(self) -> MailRecords:
        """The stored mails."""

    @property
    def outbox(self) -> Outbox:
        """The events for subscribers."""

    @property
    def timelines(self) -> Timelines:
        """The steps in the lives of records."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[AppointmentsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
