"""Transactions: invoices of past repairs."""

from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.kernel.rules import NoNul, NotBlank, Range
from repaircore.transactions.evidence import Evidence
from repaircore.transactions.limits import DEAREST, LONGEST_NAME, MOST_PIECES, Amount
from repaircore.transactions.tally import Surprise


@frozen(kw_only=True)
class TransactionPart:
    """A line of parts on an invoice; ``unit_price`` is in cents."""

    name: Annotated[str, NotBlank(LONGEST_NAME), NoNul()]
    unit_price: Annotated[Cents, Amount(DEAREST)]
    quantity: Annotated[int, Range(1, MOST_PIECES)]


@frozen(kw_only=True)
class Lesson:
    """What was learned from an invoice: the evidence that it added, and the error of the estimate made before it."""

    evidence: Evidence
    surprise: Surprise


@frozen(kw_only=True)
class Transaction:
    """An invoice. Money is in cents, ``labor_rate`` in cents per hour, and ``mileage`` in miles.

    ``total`` is the sum of ``parts_total`` and ``labor_total``. ``lesson`` is None if nothing could be learned (a
    repair under warranty); ``review`` marks a price so far from the expected one that someone should check it.
    ``prediction_id`` is the prediction that led to the invoice, and ``session_id`` its session. ``make_key`` is the key
    of the vehicle's make when the invoice was recorded. ``car`` identifies the car among others of its kind
    (``car_numbers.car_of``), or is None without a whole VIN. ``version`` is for optimistic locking.
    """

    id: int
    environment: Environment
    vehicle_id: UUID
    facility_id: int | None
    problem_id: int
    performed_on: date
    mileage: int | None
    parts: tuple[TransactionPart, ...]
    labor_hours: float
    labor_rate: Cents
    parts_total: Cents
    labor_total: Cents
    total: Cents
    notes: str | None
    lesson: Lesson | None
    review: bool
    created_at: datetime
    prediction_id: int | None = None
    session_id: UUID | None = None
    make_key: str = ""
    car: int | None = None
    version: int = 1
