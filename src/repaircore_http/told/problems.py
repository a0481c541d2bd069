"""The repair book: categories, repairs, and what operators see of them."""

from datetime import datetime
from typing import Annotated, TypedDict

from repaircore.book.model import Safety, Urgency, Wear
from repaircore.book.views import FitView
from repaircore.kernel.rules import Range
from repaircore.kernel.views import Count, Dollars, Month
from repaircore_http.told.envelopes import ProblemNamed


class ProblemFitting(TypedDict):
    """A repair that fits the vehicle, or may fit it; ``display_name`` is ``Parent > Child``."""

    id: int
    display_name: str
    fit: FitView


class CategoryListed(TypedDict):
    """A main category, or a repair in one."""

    id: int
    name: str
    description: str | None


class CategoryNamed(TypedDict):
    """A main category by its name."""

    id: int
    name: str


class _Placed(TypedDict):
    id: int
    slug: str
    name: str
    parent: CategoryNamed
    display_name: str


class MarketMatch(_Placed):
    """A repair, and how many invoices its prices were learned from."""

    samples: Count


class Found(_Placed):
    """A repair that was found; a score of 1 is as good as can be."""

    description: str | None
    score: Annotated[float, Range(0, 1)]


class Described(TypedDict):
    """What a repair is, and who wrote that."""

    id: int
    name: str
    description: str
    generated_by: str
    generated_at: datetime
    cached: bool


class AdminProblem(TypedDict):
    """A category or a repair, and what was invoiced of it."""

    id: int
    slug: str
    name: str
    description: str | None
    parent: CategoryNamed | None
    children_count: Count
    transactions_count: Count
    average_total: Dollars | None


class BookPart(TypedDict):
    """A part that a repair takes."""

    name: str
    unit_price: Dollars
    quantity: Count


class PriceRange(TypedDict):
    """Eight of ten invoices lie between."""

    low: Dollars
    high: Dollars


class Recurrence(TypedDict):
    """How a repair comes back."""

    miles: int | None
    months: int | None
    kind: Wear


class SymptomShare(TypedDict):
    """How often a symptom is owed to the repair."""

    slug: str
    name: str
    share: float


class RelatedRepair(ProblemNamed):
    """A repair of the same kind."""

    name: str


class AdminProblemDetails(AdminProblem):
    """A category or a repair with all that the book says of it; what it says of repairs alone is null of a category."""

    display_name: str | None
    labor_hours: float | None
    parts: list[BookPart]
    price_range: PriceRange | None
    recurrence: Recurrence | None
    urgency: Urgency | None
    safe_to_drive: Safety | None
    keywords: list[str]
    symptoms: list[SymptomShare]
    related_repairs: list[RelatedRepair]


class ProblemMonth(TypedDict):
    """What was invoiced in a month."""

    month: Month
    transactions_count: Count
    transactions_total: Dollars


class AdminProblemStats(TypedDict):
    """What the book holds, and what was invoiced of it."""

    total: Count
    categories: Count
    repairs: Count
    repairs_with_transactions: Count
    transactions_count: Count
    transactions_total: Dollars
    average_total: Dollars | None
    by_category: list[AdminProblem]
    most_frequent: list[AdminProblem]
    by_month: list[ProblemMonth]
