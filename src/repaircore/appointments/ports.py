"""What appointments need from the database."""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from repaircore.appointments.model import Appointment, NewAppointment
from repaircore.customers.ports import CustomerRecords
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.events import Outbox
from repaircore.kernel.timeline import Timelines
from repaircore.mails.ports import MailRecords
from repaircore.mechanics.ports import MechanicRecords, Seats
from repaircore.predictions.ports import PastPredictionRecords
from repaircore.transactions.job_invoice import JobBill, JobInvoice


class AppointmentRecords(Protocol):
    """The kept appointments. One of another partner or environment is never given."""

    @abstractmethod
    def add(self, appointment: NewAppointment) -> Appointment:
        """Keep a new one, which is scheduled, and give it as it is kept.

        Raises:
            Conflict: its mechanic or customer is gone.
        """

    @abstractmethod
    def by_ref(self, ref: str, caller: PartnerCaller) -> Appointment | None:
        """Find one of the caller's by its reference."""

    @abstractmethod
    def hold(self, ref: str, caller: PartnerCaller) -> Appointment | None:
        """Find one as it is now, and let no other unit of work hold or change it until this one ends."""

    @abstractmethod
    def replace(self, old: Appointment, new: Appointment) -> Appointment:
        """Keep the next state of one, and give it with its new version.

        Raises:
            Conflict: the kept one is no longer ``old``.
        """


class Invoices(Protocol):
    """What learns from the invoices of appointments that led to a repair."""

    @abstractmethod
    def record(
        self, work: Any, told: JobInvoice, *, job: str, session_id: UUID | None, environment: Environment
    ) -> JobBill:
        """Keep the invoice of a job and learn from it, within the unit of work that ends the job.

        ``session_id`` is the prediction that led to the job.

        Raises:
            Invalid: every bad field is named, below ``invoice``; nothing is kept.
        """


class AppointmentsWork(Protocol):
    """The part of a unit of work that appointments need."""

    @property
    @abstractmethod
    def appointments(self) -> AppointmentRecords:
        """The kept appointments."""

    @property
    @abstractmethod
    def mechanics(self) -> MechanicRecords:
        """The directory of mechanics."""

    @property
    @abstractmethod
    def seats(self) -> Seats:
        """The taken places."""

    @property
    @abstractmethod
    def customers(self) -> CustomerRecords:
        """The kept customers."""

    @property
    @abstractmethod
    def past_predictions(self) -> PastPredictionRecords:
        """Everything that was ever asked."""

    @property
    @abstractmethod
    def mails(self) -> MailRecords:
        """The kept mails."""

    @property
    @abstractmethod
    def outbox(self) -> Outbox:
        """What happened, for whoever subscribed to it."""

    @property
    @abstractmethod
    def timelines(self) -> Timelines:
        """What became of records."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[AppointmentsWork]]
"""Open a unit of work: kept when the block ends well, undone when it raises."""
