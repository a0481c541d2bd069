"""Transactions, as clients see them over HTTP and on the command line."""

from datetime import date, datetime
from typing import Self
from uuid import UUID

from repaircore.book.views import ProblemSummaryView
from repaircore.facilities.views import FacilitySummaryView
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents, dollars, dollars_or_none, round_half_up
from repaircore.kernel.views import Count, Dollars, Month, view
from repaircore.learning.appraisal import percentages, review_sentence, sentences
from repaircore.learning.ledger import FormOptions, PriceHistory, TransactionDetails
from repaircore.learning.pooling import ExportedPriors, ImportedPriors
from repaircore.learning.refits import Refitted, RefittedProblem, off_book_percent, spread_percent
from repaircore.predictions.past_predictions import HistoryEntry
from repaircore.pricing.priors import PriorStanding
from repaircore.pricing.variances import Variances
from repaircore.transactions.listing import MonthTotals, Statistics
from repaircore.transactions.model import Lesson, Transaction, TransactionPart
from repaircore.transactions.price_history import MonthPaid
from repaircore.vehicles.model import Vehicle


@view
class TransactionPartView:
    """A part on an invoice; ``unit_price`` is the price of one piece."""

    name: str
    unit_price: Dollars
    quantity: Count

    @classmethod
    def of(cls, part: TransactionPart) -> Self:
        """Return the view of a part, with its price in dollars."""
        return cls(name=part.name, unit_price=dollars(part.unit_price), quantity=part.quantity)


@view
class TransactionView:
    """An invoice; the totals follow from the rest. ``car`` is ``told`` if the car is known by its VIN, else null."""

    id: int
    vehicle_id: UUID
    facility_id: int | None
    problem_id: int
    car: str | None
    session_id: UUID | None
    performed_on: date
    mileage: Count | None
    parts: list[TransactionPartView]
    labor_hours: float
    labor_rate: Dollars
    parts_total: Dollars
    labor_total: Dollars
    total: Dollars
    notes: str | None
    review: bool
    version: int
    created_at: datetime

    @classmethod
    def of(cls, transaction: Transaction) -> Self:
        """Return the view of a transaction, with money in dollars."""
        return cls(
            id=transaction.id,
            vehicle_id=transaction.vehicle_id,
            facility_id=transaction.facility_id,
            problem_id=transaction.problem_id,
            car=None if transaction.car is None else "told",
            session_id=transaction.session_id,
            performed_on=transaction.performed_on,
            mileage=transaction.mileage,
            parts=[TransactionPartView.of(part) for part in transaction.parts],
            labor_hours=transaction.labor_hours,
            labor_rate=dollars(transaction.labor_rate),
            parts_total=dollars(transaction.parts_total),
            labor_total=dollars(transaction.labor_total),
            total=dollars(transaction.total),
            notes=transaction.notes,
            review=transaction.review,
            version=transaction.version,
            created_at=transaction.created_at,
        )


@view
class TransactionVehicleView:
    """The vehicle that was repaired."""

    id: UUID
    vin: str | None
    display_name: str
    make: str
    model: str
    year: int

    @classmethod
    def of(cls, vehicle: Vehicle) -> Self:
        """Return the view of a vehicle."""
        return cls(
            id=vehicle.id,
            vin=vehicle.vin,
            display_name=vehicle.display_name,
            make=vehicle.specs.make,
            model=vehicle.specs.model,
            year=vehicle.specs.year,
        )


@view
class TransactionPredictionView:
    """The prediction that an invoice is linked to."""

    session_id: UUID
    problem_name: str
    local_average_estimate: Dollars
    ai_average_estimate: Dollars | None
    red_flag: bool
    created_at: datetime

    @classmethod
    def of(cls, entry: HistoryEntry) -> Self:
        """Return the view of a prediction, with money in dollars."""
        return cls(
            session_id=entry.session_id,
            problem_name=entry.problem_name,
            local_average_estimate=dollars(entry.local_average),
            ai_average_estimate=dollars_or_none(entry.ai_average),
            red_flag=entry.red_flag,
            created_at=entry.created_at,
        )


@view
class LessonView:
    """What was learned from a transaction, compared with the repair book in percent."""

    learned: bool
    price_against_book_percent: float | None
    hours_against_book_percent: float | None
    labor_share_percent: float | None
    text: list[str]

    @classmethod
    def of(cls, lesson: Lesson | None) -> Self:
        """Return the view of a lesson, in percent and in sentences; None means that nothing was learned."""
        figures = None if lesson is None else percentages(lesson)
        return cls(
            learned=figures is not None,
            price_against_book_percent=None if figures is None else figures.price,
            hours_against_book_percent=None if figures is None else figures.hours,
            labor_share_percent=None if figures is None else figures.labor_share,
            text=[*sentences(lesson)],
        )


@view
class TransactionDetailsView(TransactionView):
    """An invoice with the records that it refers to, and what was learned from it."""

    vehicle: TransactionVehicleView
    problem: ProblemSummaryView
    facility: FacilitySummaryView | None
    prediction: TransactionPredictionView | None
    lesson: LessonView
    review_text: str | None

    @classmethod
    def of_details(cls, details: TransactionDetails) -> Self:
        """Return the view of a transaction with the records that it refers to."""
        transaction, facility, prediction = details.transaction, details.facility, details.prediction
        return cls(
            **vars(TransactionView.of(transaction)),
            vehicle=TransactionVehicleView.of(details.vehicle),
            problem=ProblemSummaryView.of(details.problem),
            facility=None if facility is None else FacilitySummaryView.of(facility),
            prediction=None if prediction is None else TransactionPredictionView.of(prediction),
            lesson=LessonView.of(transaction.lesson),
            review_text=review_sentence(review=transaction.review),
        )


@view
class TransactionMonthView:
    """The number, totals and average of a month's transactions."""

    month: Month
    count: Count
    parts_total: Dollars
    labor_total: Dollars
    total: Dollars
    average_total: Dollars | None

    @classmethod
    def of(cls, month: MonthTotals) -> Self:
        """Return the view of a month, with totals in dollars."""
        return cls(
            month=month.month,
            count=month.n,
            parts_total=dollars(month.parts_total),
            labor_total=dollars(month.labor_total),
            total=dollars(month.total),
            average_total=_mean(month.total, month.n),
        )


@view
class TransactionStatsView:
    """The number, totals and averages of transactions, overall and by month."""

    count: Count
    parts_total: Dollars
    labor_total: Dollars
    total: Dollars
    average_parts_total: Dollars | None
    average_labor_total: Dollars | None
    average_total: Dollars | None
    by_month: list[TransactionMonthView]

    @classmethod
    def of(cls, statistics: Statistics) -> Self:
        """Return the view of statistics, with totals in dollars."""
        return cls(
            count=statistics.n,
            parts_total=dollars(statistics.parts_total),
            labor_total=dollars(statistics.labor_total),
            total=dollars(statistics.total),
            average_parts_total=_mean(statistics.parts_total, statistics.n),
            average_labor_total=_mean(statistics.labor_total, statistics.n),
            average_total=_mean(statistics.total, statistics.n),
            by_month=[TransactionMonthView.of(month) for month in statistics.months],
        )


@view
class FormOptionsView:
    """The options in a form for transactions."""

    problems: list[ProblemSummaryView]
    facilities: list[FacilitySummaryView]
    makes: list[str]

    @classmethod
    def of(cls, options: FormOptions) -> Self:
        """Return the view of options."""
        return cls(
            problems=[ProblemSummaryView.of(problem) for problem in options.problems],
            facilities=[FacilitySummaryView.of(facility) for facility in options.facilities],
            makes=[*options.makes],
        )


def _mean(total: Cents, count: int) -> float | None:
    return dollars(round_half_up(total / count)) if count else None


@view
class MonthPricesView:
    """The prices paid in a month: 80% of the invoices lie between ``low`` and ``high``."""

    month: Month
    invoices: Count
    low: Dollars
    middle: Dollars
    high: Dollars

    @classmethod
    def of(cls, month: MonthPaid) -> Self:
        """Return the view of a month's prices, in dollars."""
        return cls(
            month=month.month.isoformat()[:7],
            invoices=month.invoices,
            low=dollars(month.low),
            middle=dollars(month.middle),
            high=dollars(month.high),
        )


@view
class NoPricesView:
    """A repair that has no invoices yet."""

    problem: str
    make: str | None
    invoices: Count


@view
class PriceHistoryView(NoPricesView):
    """The prices paid for a repair, and the file that they are plotted in."""

    low: Dollars
    middle: Dollars
    average: Dollars
    high: Dollars
    months: list[MonthPricesView]
    file: str


def price_history_view(history: PriceHistory, *, file: str) -> NoPricesView | PriceHistoryView:
    """Return the view of the prices paid for a repair, plotted in a file."""
    paid, slug = history.paid, history.problem.slug
    if paid is None:
        return NoPricesView(problem=slug, make=history.make, invoices=0)
    return PriceHistoryView(
        problem=slug,
        make=history.make,
        invoices=len(paid.totals),
        low=dollars(paid.low),
        middle=dollars(paid.middle),
        average=dollars(paid.average),
        high=dollars(paid.high),
        months=[MonthPricesView.of(month) for month in paid.months],
        file=file,
    )


# Refits, and what other installations share


@view
class FitView:
    """The variation of a repair's invoices: in percent, and as variances of logarithms."""

    spread_percent: float
    off_book_percent: float
    within: float
    make: float
    model: float
    years: float

    @classmethod
    def of(cls, variances: Variances) -> Self:
        """Return the view of a fit."""
        return cls(
            spread_percent=spread_percent(variances),
            off_book_percent=off_book_percent(variances),
            within=variances.within,
            make=variances.make,
            model=variances.model,
            years=variances.years,
        )


@view
class RefittedProblemView(ProblemSummaryView):
    """A repair before and after a refit."""

    invoices: Count
    before: FitView
    after: FitView

    @classmethod
    def of_refit(cls, problem: RefittedProblem) -> Self:
        """Return the view of a repair with both fits."""
        return cls(
            **vars(ProblemSummaryView.of(problem)),
            invoices=problem.invoices,
            before=FitView.of(problem.before),
            after=FitView.of(problem.after),
        )


@view
class RefitView:
    """The result of a refit."""

    environment: Environment
    invoices: Count
    problems: list[RefittedProblemView]

    @classmethod
    def of(cls, result: Refitted) -> Self:
        """Return the view of a refit's result."""
        return cls(
            environment=result.environment,
            invoices=result.invoices,
            problems=[RefittedProblemView.of_refit(problem) for problem in result.problems],
        )


@view
class PriorsView:
    """Priors imported from another installation."""

    weight: int
    repairs: Count
    cells: Count

    @classmethod
    def of(cls, standing: PriorStanding) -> Self:
        """Return the view of imported priors."""
        return cls(weight=standing.weight, repairs=standing.repairs, cells=standing.cells)


@view
class ExportedPriorsView:
    """The priors file that was written, what it contains, and the number of cells that were withheld."""

    file: str
    repairs: Count
    cells: Count
    kept_back: Count

    @classmethod
    def of(cls, export: ExportedPriors, *, file: str) -> Self:
        """Return the view of an export."""
        return cls(file=file, repairs=export.repairs, cells=export.cells, kept_back=export.kept_back)


@view
class ImportedPriorsView:
    """The result of an import; ``replaced`` is what was imported before it."""

    dry_run: bool
    weight: int
    repairs: Count
    cells: Count
    replaced: PriorsView | None
    unknown_repairs: list[str]

    @classmethod
    def of(cls, result: ImportedPriors) -> Self:
        """Return the view of an import's result."""
        return cls(
            dry_run=result.dry_run,
            **vars(PriorsView.of(result.standing)),
            replaced=None if result.before is None else PriorsView.of(result.before),
            unknown_repairs=[*result.unknown],
        )
