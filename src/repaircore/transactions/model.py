"""A past repair, as it was invoiced."""

from datetime import date, datetime
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.transactions.evidence import Evidence
from repaircore.transactions.tally import Surprise


@frozen(kw_only=True)
class TransactionPart:
    """A line of parts on an invoice."""

    name: str
    unit_price: Cents
    quantity: int


@frozen(kw_only=True)
class Lesson:
    """What an invoice taught: the evidence it put into the cells, and the error that was made before."""

    evidence: Evidence
    surprise: Surprise


@frozen(kw_only=True)
class Transaction:
    """An invoice. Money is in cents; ``labor_rate`` in cents per hour, ``mileage`` in miles.

    ``total`` is ``parts_total`` and ``labor_total``. ``lesson`` is None when nothing could be learned
    (a repair on warranty); ``review`` marks a price so far out that somebody should look at it.
    ``prediction_id`` is the prediction that the invoice answers, and ``session_id`` its session. ``make_key`` is what its vehicle's make
    was compared by when the invoice was kept; ``car`` tells the car from others that are built alike (``cars.car_of``),
    None when its whole VIN was not told. ``version`` counts the changes that were kept: two who change
    it at once cannot overwrite each other.
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
