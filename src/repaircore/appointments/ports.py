"""Ports for appointments."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from repaircore.appointments.model import Appointment, Hold
from repaircore.appointments.validation import AppointmentFilter
from repaircore.customers.ports import CustomerRecords
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.events import Outbox
from repaircore.kernel.paging import Page, PageRequest
from repaircore.kernel.timeline import Timelines
from repaircore.mechanics.ports import MechanicRecords, Seats
from repaircore.messages.ports import MessageRecords
from repaircore.partners.ports import PartnerRecords
from repaircore.predictions.ports import PastPredictionRecords
from repaircore.transactions.job_invoice import JobBill, JobInvoice


class AppointmentRecords(Protocol):
    """The stored appointments. A caller cannot find those of another partner or environment."""

    def add(self, appointment: Appointment) -> Appointment:
        """Store a new appointment and return it with its ID.

        Raises:
            Conflict: its mechanic or customer was deleted.
        """

    def find(self, ref: str, caller: PartnerCaller) -> Appointment | None:
        """Return the caller's appointment with this reference, or None."""

    def lock(self, ref: str, caller: PartnerCaller) -> Appointment | None:
        """Return the caller's appointment with this reference, locked until the unit of work ends, or None."""

    def find_caller(self, ref: str) -> PartnerCaller | None:
        """Return the partner and environment of an appointment, for operators and mechanics, or None."""

    def list_page(
        self, caller: PartnerCaller | Environment | None, wanted: AppointmentFilter, request: PageRequest
    ) -> Page[Appointment]:
        """List a page of the caller's, an environment's or all appointments, newest first unless requested otherwise.

        Raises:
            Invalid: on ``sort`` and ``cursor``.
        """

    def lock_due(self, at: datetime, *, limit: int) -> Sequence[Appointment]:
        """Lock up to ``limit`` scheduled appointments with a due reminder, longest overdue first; skip locked ones."""

    def list_unmasked(self, at: datetime, *, until: datetime, limit: int) -> Sequence[Appointment]:
        """List up to ``limit`` appointments that begin after ``at`` and need a masked number, soonest first.

        They are scheduled, and either accepted, or pending with a start no later than ``until``. Both phones are
        hidden, and no reason for the missing number is stored.
        """

    def replace(self, old: Appointment, new: Appointment) -> Appointment:
        """Update an appointment and return it with its next version.

        Raises:
            Conflict: the stored appointment is no longer ``old``.
        """


class HoldRecords(Protocol):
    """The stored holds. A caller cannot find those of another partner or environment."""

    def add(self, hold: Hold) -> Hold:
        """Store a new hold and return it with its ID."""

    def find(self, ref: str, caller: PartnerCaller, *, at: datetime) -> Hold | None:
        """Return the caller's hold with this reference if it has not expired, or None."""

    def list_open(self, mechanic_id: int, caller: PartnerCaller, *, at: datetime) -> Sequence[Hold]:
        """List the caller's holds with a mechanic that have not expired, the next to expire first."""

    def delete(self, hold_id: int) -> bool:
        """Delete a hold with its seats; return whether it existed."""

    def prune(self, at: datetime) -> int:
        """Delete the holds that have expired; return how many were deleted."""


class Invoices(Protocol):
    """Learns from the invoices of appointments that led to a repair."""

    def record(
        self, work: Any, invoice: JobInvoice, *, job: str, session_id: UUID | None, environment: Environment
    ) -> JobBill:
        """Store the invoice of a job, learn from it and return the bill, within the unit of work that ends the job.

        ``session_id`` is the prediction that led to the job.

        Raises:
            Invalid: with every bad field, under ``invoice``.
        """


class AppointmentsWork(Protocol):
    """The part of a unit of work that appointments need."""

    @property
    def appointments(self) -> AppointmentRecords:
        """The stored appointments."""

    @property
    def holds(self) -> HoldRecords:
        """The stored holds."""

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
    def partners(self) -> PartnerRecords:
        """The stored partners."""

    @property
    def past_predictions(self) -> PastPredictionRecords:
        """The stored predictions."""

    @property
    def messages(self) -> MessageRecords:
        """The stored messages."""

    @property
    def outbox(self) -> Outbox:
        """The events for subscribers."""

    @property
    def timelines(self) -> Timelines:
        """The stored timelines."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[AppointmentsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
