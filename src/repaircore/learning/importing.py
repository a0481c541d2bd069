"""Taking a file of invoices over."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from operator import itemgetter
from typing import Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.book.model import Problem
from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.zip_code import zip5
from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.kernel.errors import NotFound
from repaircore.kernel.ids import is_possible_id
from repaircore.kernel.imports import (
    DEFAULT_OPTIONS,
    FileImport,
    ImportOptions,
    ImportResult,
    RejectedRow,
    Upload,
)
from repaircore.kernel.money import Cents
from repaircore.kernel.spelling import make_key
from repaircore.kernel.types import Clock, Lazy
from repaircore.learning.batch import Batch, BatchHistory, BatchVehicle
from repaircore.learning.invoice_file import Lookups, SaleTold, VehicleTold, read_invoices
from repaircore.learning.ports import BeginImport, ExportedTransaction, ImportWork
from repaircore.learning.refits import refit_is_due, refit_within
from repaircore.learning.service import update_track_records
from repaircore.predictions.compute import lineage_of
from repaircore.predictions.local_prices import LocalPriceLookup
from repaircore.predictions.ports import FactorsOf
from repaircore.predictions.ratings import NO_SUCH_SESSION
from repaircore.pricing.book_price import book_price
from repaircore.pricing.model import BookPrice, Market
from repaircore.pricing.places import PlacePrices
from repaircore.pricing.price_index import DayLevels, PriceIndex, day_levels
from repaircore.transactions.file_cells import BadCell, BoundedCache
from repaircore.vehicle_facts.model import Factors
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.service import Vehicles

BATCH: Final = 20_000
"""Rows that are learned together. More need less work for each, and let other writers wait for longer."""

EMBEDDED_BATCH: Final = 50_000
"""The same on SQLite, where writers wait more patiently, and each batch writes most pages of the indexes anew."""

_PART: Final = 10
"""Rows for a tenth of the history are judged by it: more would be off by what they could have learned of each other."""

_FIRST_PIECE: Final = 5
"""So few at first: what is judged before anything is known of a shop teaches its repairs what its level is taught as well."""

_REFIT: Final = 500
"""A refit between is due after so many rows, or a tenth of the history where that is more."""

_LONG: Final = 50_000
"""Beyond so many invoices a refit takes seconds, and the nightly one is soon enough."""

_DAY: Final = itemgetter(5)
_VEHICLES: Final = 20_000
_YEAR_DIGITS: Final = 4


@frozen(kw_only=True)
class InvoiceImports:
    """The use case of taking invoices over."""

    transaction: BeginImport
    read: BeginImport
    vehicles: Lazy[Vehicles]
    zip_codes: ZipCodes
    factors_of: FactorsOf
    prices: PriceIndex
    locating: LocalPriceLookup
    clock: Clock
    batch: int = BATCH

    def import_file(
        self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS, caller: Caller = LOCAL
    ) -> ImportResult:
        """Take a file of invoices over and learn from them, in batches.

        Rows that were taken before are recognized, and so are rows that stand in the file twice.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``file``: the file has the wrong form.
            Conflict: somebody else is taking the same file over, or a record that a row names is gone meanwhile.
        """
        require_admin(caller)
        taking = _InvoiceImport(self, upload.environment)
        return FileImport(
            kind="transactions",
            read_rows=taking.read,
            save_rows=taking.keep,
            prepare=taking.prepare,
            transaction=self.transaction,
            clock=self.clock,
            batch_size=self.batch,
            caller=caller,
        ).run(upload, options)


class _InvoiceImport:
    """One file on its way, and what was looked up for it."""

    def __init__(self, imports: InvoiceImports, environment: Environment) -> None:
        self._imports = imports
        self._environment = environment
        with imports.read() as work:
            found = work.problems.list_all()
        self._problems = {problem.id: problem for problem in found}
        self._named: dict[str, Problem] = {
            **{problem.slug: problem for problem in found},
            **{str(problem.id): problem for problem in found},
        }
        self._vehicles = BoundedCache[Vehicle](self._vehicle, _VEHICLES)
        self._lines: dict[VehicleTold, BatchVehicle] = {}
        self._meant: dict[VehicleTold, Vehicle] = {}
        self._books = BoundedCache[BookPrice](self._book)
        self._levels = BoundedCache[DayLevels](self._levels_of)
        self._today = day_levels(imports.prices, imports.locating.rates, imports.clock().date())

    def read(self, lines: Iterable[str]) -> Iterator[SaleTold | RejectedRow]:
        """Read and check the rows.

        Raises:
            Invalid: on ``file``.
        """
        known = Lookups(
            vehicle=self._vehicles.__getitem__,
            problem=self._problem_id,
            shop=self._shop,
            prediction=self._prediction,
        )
        # Somewhere it is tomorrow already.
        return read_invoices(lines, known, last=self._imports.clock().date() + timedelta(days=1))

    def prepare(self, sales: Sequence[SaleTold]) -> None:
        """Look up which vehicles some rows mean; of those not met lately a decoder far away may be asked."""
        if len(self._lines) >= _VEHICLES:
            self._lines.clear()
        told = {sale[1] for sale in sales}
        self._meant = {one: self._vehicles[one] for one in told - self._lines.keys()}

    def keep(self, work: ImportWork, sales: Sequence[SaleTold]) -> int:
        """Keep what is new of some rows, and learn from it; give how many that are."""
        environment, batches = self._environment, work.batches
        batches.take_turn(environment)
        seen = {*batches.known(environment, [sale[0] for sale in sales])}
        new = [sale for sale in sales if sale[0] not in seen and not seen.add(sale[0])]  # type: ignore[func-returns-value]
        if not new:
            return 0
        new.sort(key=_DAY)
        self._learn(work, new)
        if any(sale[4] is not None for sale in new):
            update_track_records(work, environment)
        return len(new)

    def _learn(self, work: ImportWork, sales: Sequence[SaleTold]) -> None:
        """Learn in pieces, each judged by what those before it taught."""
        environment, start = self._environment, 0
        invoices = work.fits.invoices(environment)
        while start < len(sales):
            piece = sales[start : start + max(_FIRST_PIECE, invoices // _PART)]
            self._learn_piece(work, piece)
            start, invoices = start + len(piece), invoices + len(piece)
            most = max(_REFIT, invoices // _PART)
            if invoices <= _LONG and refit_is_due(invoices, work.fits.fitted(environment), most=most):
                refit_within(work, environment, [*self._problems.values()])

    def _learn_piece(self, work: ImportWork, sales: Sequence[SaleTold]) -> None:
        environment, batches = self._environment, work.batches
        batch = Batch([(sale, self._line(work, sale[1])) for sale in sales])
        past = BatchHistory(
            drift=batches.drift(environment),
            cells=batches.cells(environment, batch.cell_rows),
            variances=work.fits.variances(environment),
            tallies=batches.tallies(environment, batch.problem_ids),
            alpha=batches.alpha(environment),
        )
        weight = work.priors.weight(environment)
        if weight:
            past = evolve(
                past,
                prior_weight=weight,
                prior_cells=batches.prior_cells(environment, batch.cell_rows),
                prior_centers=work.priors.centers(environment),
            )
        # Known before rows are written: PostgreSQL answers nothing while it takes rows in by COPY.
        prices = {place: self._prices(work, place) for place in {(sale[3], sale[14]) for sale in sales}}
        learned = batch.judged(
            past,
            book_of=self._book_of,
            prices_of=partial(self._prices_of, prices),
            market_of=self._market_of,
        )
        batches.keep(environment, learned, at=self._imports.clock())
        batches.add_to_cells(environment, batch.cell_sums())
        batches.add_to_sums(environment, batch.sums_moved())
        batches.keep_tallies(environment, batch.tallies(), alpha_step=batch.alpha_step)

    def _prices(self, work: ImportWork, told: tuple[int | None, str | None]) -> PlacePrices:
        shop_id, code = told
        shop = None if shop_id is None else work.facilities.by_id(shop_id)
        locating = self._imports.locating
        place = locating.place_of(shop, code)
        return locating.of_invoice(work, self._environment, place, shop, wages=self._today.wages).prices

    def _prices_of(
        self, known: Mapping[tuple[int | None, str | None], PlacePrices], sale: SaleTold
    ) -> PlacePrices:
        shop, code, rate, day = sale[3], sale[14], sale[9], sale[5]
        national = self._imports.locating.rates.national * self._levels[day[:7]].wages
        return known[shop, code].of_invoice(rate, national)

    def _line(self, work: ImportWork, told: VehicleTold) -> BatchVehicle:
        line = self._lines.get(told)
        if line is None:
            kept = work.vehicles.add(self._meant[told])
            line = BatchVehicle(
                vehicle_id=str(kept.id),
                make_key=make_key(kept.specs.make),
                lineage=lineage_of(kept.specs),
                factors=self._imports.factors_of(kept.specs),
            )
            self._lines[told] = line
        return line

    def _book_of(self, problem_id: int, factors: Factors, year: str) -> BookPrice:
        return self._books[problem_id, factors, year]

    def _book(self, told: tuple[int, Factors, str]) -> BookPrice:
        problem_id, factors, year = told
        return book_price(
            self._problems[problem_id],
            factors,
            national_rate=self._imports.locating.rates.national,
            year=int(year),
        )

    def _market_of(self, prices: PlacePrices, day: str) -> Market:
        return prices.market(self._imports.locating.rates.national, self._levels[day[:7]])

    def _levels_of(self, month: str) -> DayLevels:
        # The indexes know months alone.
        imports = self._imports
        return day_levels(imports.prices, imports.locating.rates, date.fromisoformat(f"{month}-01"))

    def _vehicle(self, told: VehicleTold) -> Vehicle:
        vehicles = self._imports.vehicles()
        if isinstance(told, str):
            with suppress(NotFound):
                return vehicles.resolve_unsaved(told)
            raise BadCell("No decoder and no record knows this VIN.")
        year, make, model, trim = told
        if not (year and make and model):
            raise BadCell("Neither a VIN nor year, make and model are told.")
        if not (year.isascii() and year.isdecimal() and len(year) == _YEAR_DIGITS):
            raise BadCell("The year must be a whole number of four digits.")
        with suppress(NotFound):
            return vehicles.find_match(
                year=int(year), make=make, model=model, trim=trim or None, engine=None
            ).vehicle
        raise BadCell(f"No {make} {model} is known around {year}.")

    def _problem_id(self, text: str) -> int:
        found = self._named.get(text)
        if found is None:
            raise BadCell("must be the id or the slug of a repair" if text else "is required")
        return found.id

    def _shop(self, told: tuple[str, str]) -> int | None:
        named, zip_code = (text.strip() for text in told)
        code = zip5(zip_code)
        if zip_code and (code is None or self._imports.zip_codes.find(code) is None):
            raise BadCell("The zip is no ZIP code in use.")
        with self._imports.read() as work:
            if not named:
                found = work.batches.shops_in(code) if code else ()
                return found[0][0] if len(found) == 1 else None
            if named.isascii() and named.isdecimal():
                number = int(named[:20])
                if is_possible_id(number) and work.facilities.by_id(number):
                    return number
                raise BadCell(f"There is no facility {named[:20]}.")
            called = work.batches.shops_called(named)
        near = [shop for shop, standing in called if code is None or zip5(standing or "") == code]
        if len(near) == 1:
            return near[0]
        if near:
            raise BadCell("Several facilities are called so: tell its ZIP code, or its id.")
        raise BadCell(f"No facility is called so{f' in {code}' if code else ''}.")

    def _prediction(self, told: tuple[str, int]) -> int:
        text, problem_id = told
        try:
            session_id = UUID(text.strip())
        except ValueError:
            raise BadCell("must be a session id") from None
        with self._imports.read() as work:
            found = work.past_predictions.find(session_id, environment=self._environment, owner_id=None)
        if found is None:
            raise BadCell(NO_SUCH_SESSION)
        if found.problem_id != problem_id:
            raise BadCell("The session_id is of a prediction of another repair.")
        return found.id


_AT_ONCE: Final = 2_000

_BEFORE_PARTS: Final = (
    "vin",
    "year",
    "make",
    "model",
    "trim",
    "problem",
    "date",
    "facility",
    "zip",
    "mileage",
)
_BEHIND_PARTS: Final = ("parts_total", "labor_hours", "labor_rate", "total", "notes", "fingerprint")


@frozen(kw_only=True)
class InvoiceExports:
    """The use case of giving invoices out."""

    read: BeginImport

    def rows(self, environment: Environment = Environment.LIVE) -> Iterator[tuple[object, ...]]:
        """Give the head and a row for each invoice, the first that was kept leading; a few are read at a time."""
        with self.read() as work:
            parts = work.batches.most_parts(environment)
        yield (
            *_BEFORE_PARTS,
            *(
                f"part_{number}_{what}"
                for number in range(1, parts + 1)
                for what in ("name", "price", "quantity")
            ),
            *_BEHIND_PARTS,
        )
        last = 0
        while True:
            with self.read() as work:
                found = work.batches.exported(environment, after=last, limit=_AT_ONCE)
            if not found:
                return
            yield from (_row(one, parts) for one in found)
            last = found[-1].id


def _row(one: ExportedTransaction, parts: int) -> tuple[object, ...]:
    # An invoice that came meanwhile may have more parts than there are columns: its total counts them nevertheless.
    lines: list[object] = []
    for name, price, quantity in one.parts[:parts]:
        lines += [name, _dollars(price), quantity]
    lines += [""] * (3 * parts - len(lines))
    return (
        one.vin,
        one.year,
        one.make,
        one.model,
        one.trim,
        one.problem,
        one.date,
        one.facility,
        one.zip_code,
        one.mileage,
        *lines,
        _dollars(one.parts_total),
        f"{one.labor_hours:.6f}".rstrip("0").rstrip("."),
        _dollars(one.labor_rate),
        _dollars(one.total),
        one.notes,
        one.fingerprint,
    )


def _dollars(amount: Cents) -> str:
    return f"{amount // 100}.{amount % 100:02}"
