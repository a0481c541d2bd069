"""Import and export invoice files."""

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
    ImportRecord,
    ImportResult,
    RejectedRow,
    Upload,
)
from repaircore.kernel.money import Cents
from repaircore.kernel.spelling import make_key
from repaircore.kernel.types import Clock, Lazy
from repaircore.learning.batch import Batch, BatchHistory, BatchVehicle, PlaceAndTime
from repaircore.learning.invoice_file import InvoiceRow, Lookups, VehicleKey, read_invoices
from repaircore.learning.ports import BeginImport, ExportedTransaction, ImportWork
from repaircore.learning.refits import refit_is_due, refit_within
from repaircore.learning.service import update_track_records
from repaircore.predictions.compute import lineage_of
from repaircore.predictions.local_prices import LocalPriceLookup
from repaircore.predictions.past_predictions import NO_SUCH_SESSION
from repaircore.predictions.ports import FactorsOf
from repaircore.pricing.book_price import BookPrice, book_price
from repaircore.pricing.places import Market, PlacePrices
from repaircore.pricing.price_index import DayLevels, PriceIndex, day_levels
from repaircore.transactions.file_cells import BadCell, BoundedCache
from repaircore.vehicle_facts.model import Factors
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.service import Vehicles

IMPORT_KIND: Final = "transactions"
LEFT_OVER_KIND: Final = "left_over_transactions"
"""The import kind for rows that awaited a decision and have since been decided on."""

BATCH: Final = 20_000
"""The number of rows learned from together. Larger batches cost less per row, but other writers wait longer."""

EMBEDDED_BATCH: Final = 50_000
"""The batch size on SQLite, where writers wait longer for the lock and a batch rewrites most pages of the indexes."""

_PART: Final = 10
"""A piece is a tenth of the history it is compared with; in larger pieces, too little is learned from row to row."""

_FIRST_PIECE: Final = 5
"""The first piece is small: until a shop is known, its price level is attributed to its repairs."""

_REFIT: Final = 500
"""The maximum number of rows between two refits, or a tenth of the history if that is more."""

_LONG: Final = 50_000
"""Beyond this many invoices a refit takes seconds, and the nightly one is soon enough."""

_DAY: Final = itemgetter(5)
_VEHICLES: Final = 20_000
_YEAR_DIGITS: Final = 4


@frozen(kw_only=True)
class InvoiceImports:
    """Imports invoices, and learns from them."""

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
        self,
        upload: Upload,
        options: ImportOptions = DEFAULT_OPTIONS,
        caller: Caller = LOCAL,
        *,
        belongs_to: int | None = None,
    ) -> ImportResult:
        """Import an invoice file and learn from its rows, in batches.

        Rows that were imported before, or that are in the file twice, are recognized and skipped. ``belongs_to`` is the
        earlier import that the rows were left over from: they are undone with it.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``file``: it lacks required columns, or is not a table.
            Conflict: the same file is being imported elsewhere, or a record that a row refers to was deleted meanwhile.
        """
        require_admin(caller)
        invoice_import = _InvoiceImport(self, upload.environment)

        def begun(record: ImportRecord) -> None:
            invoice_import.import_id = record.id if belongs_to is None else belongs_to
            options.on_begin(record)

        return FileImport(
            kind=IMPORT_KIND if belongs_to is None else LEFT_OVER_KIND,
            read_rows=invoice_import.read,
            save_rows=invoice_import.save,
            prepare=invoice_import.prepare,
            transaction=self.transaction,
            clock=self.clock,
            batch_size=self.batch,
            caller=caller,
        ).run(upload, evolve(options, on_begin=begun))

    def lookups(self, environment: Environment) -> Lookups:
        """Return lookups for the records that rows refer to; ``vehicle`` returns a ``Vehicle``."""
        return _InvoiceImport(self, environment).lookups()


class _InvoiceImport:
    """The import of one file, with the records that its rows refer to."""

    def __init__(self, imports: InvoiceImports, environment: Environment) -> None:
        self._imports = imports
        self._environment = environment
        self.import_id: int | None = None
        with imports.read() as work:
            found = work.problems.list_all()
        self._problems = {problem.id: problem for problem in found}
        self._named: dict[str, Problem] = {
            **{problem.slug: problem for problem in found},
            **{str(problem.id): problem for problem in found},
        }
        self._vehicles = BoundedCache[Vehicle](self._vehicle, _VEHICLES)
        self._lines: dict[VehicleKey, BatchVehicle] = {}
        self._found: dict[VehicleKey, Vehicle] = {}
        self._books = BoundedCache[BookPrice](self._book)
        self._levels = BoundedCache[DayLevels](self._levels_of)
        self._today = day_levels(imports.prices, imports.locating.rates, imports.clock().date())

    def read(self, lines: Iterable[str]) -> Iterator[InvoiceRow | RejectedRow]:
        """Yield each parsed row, or the reasons for rejecting it.

        Raises:
            Invalid: on ``file``: it lacks required columns, or is not a table.
        """
        # In some time zones it is already tomorrow.
        return read_invoices(lines, self.lookups(), last=self._imports.clock().date() + timedelta(days=1))

    def lookups(self) -> Lookups:
        """Return cached lookups for the records that rows refer to."""
        return Lookups(
            vehicle=self._vehicles.__getitem__,
            problem=self._problem_id,
            shop=self._shop,
            prediction=self._prediction,
        )

    def prepare(self, rows: Sequence[InvoiceRow]) -> None:
        """Look up the vehicles of the rows; for those not seen recently, this may call a remote decoder."""
        if len(self._lines) >= _VEHICLES:
            self._lines.clear()
        keys = {row[1] for row in rows}
        self._found = {key: self._vehicles[key] for key in keys - self._lines.keys()}

    def save(self, work: ImportWork, rows: Sequence[InvoiceRow]) -> int:
        """Insert the new rows and learn from them; return how many are new."""
        environment, batches = self._environment, work.batches
        batches.lock(environment)
        seen = {*batches.known(environment, [row[0] for row in rows])}
        new = [row for row in rows if row[0] not in seen and not seen.add(row[0])]  # type: ignore[func-returns-value]
        if not new:
            return 0
        new.sort(key=_DAY)
        self._learn(work, new)
        if any(row[4] is not None for row in new):
            update_track_records(work, environment)
        return len(new)

    def _learn(self, work: ImportWork, rows: Sequence[InvoiceRow]) -> None:
        """Learn in pieces, each of which is compared with the history including the earlier pieces."""
        environment, start = self._environment, 0
        invoices = work.fits.invoices(environment)
        while start < len(rows):
            piece = rows[start : start + max(_FIRST_PIECE, invoices // _PART)]
            self._learn_piece(work, piece)
            start, invoices = start + len(piece), invoices + len(piece)
            most = max(_REFIT, invoices // _PART)
            if invoices <= _LONG and refit_is_due(invoices, work.fits.fitted(environment), most=most):
                refit_within(work, environment, [*self._problems.values()])

    def _learn_piece(self, work: ImportWork, rows: Sequence[InvoiceRow]) -> None:
        environment, batches = self._environment, work.batches
        batch = Batch([(row, self._line(work, row[1])) for row in rows])
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
        # These are read before rows are written, because PostgreSQL runs no other query during COPY.
        prices = {place: self._prices(work, place) for place in {(row[3], row[14]) for row in rows}}
        markets = BoundedCache(partial(self._market_of, prices))
        learned = batch.learn(past, book_of=self._book_of, market_of=markets.__getitem__)
        batches.insert(environment, learned, at=self._imports.clock(), import_id=self.import_id)
        batches.add_to_cells(environment, batch.cell_sums())
        batches.add_to_sums(environment, batch.sums_moved())
        batches.save_tallies(environment, batch.tallies(), alpha_step=batch.alpha_step)

    def _prices(self, work: ImportWork, place_key: tuple[int | None, str | None]) -> PlacePrices:
        shop_id, code = place_key
        shop = None if shop_id is None else work.facilities.by_id(shop_id)
        locating = self._imports.locating
        place = locating.place_of(shop, code)
        return locating.of_invoice(work, self._environment, place, shop, wages=self._today.wages).prices

    def _market_of(
        self, known: Mapping[tuple[int | None, str | None], PlacePrices], key: PlaceAndTime
    ) -> tuple[PlacePrices, Market]:
        shop, code, rate, month = key
        national, levels = self._imports.locating.rates.national, self._levels[month]
        prices = known[shop, code].of_invoice(rate, national * levels.wages)
        return prices, prices.market(national, levels)

    def _line(self, work: ImportWork, key: VehicleKey) -> BatchVehicle:
        line = self._lines.get(key)
        if line is None:
            vehicle = work.vehicles.add(self._found[key])
            line = BatchVehicle(
                vehicle_id=str(vehicle.id),
                make_key=make_key(vehicle.specs.make),
                lineage=lineage_of(vehicle.specs),
                factors=self._imports.factors_of(vehicle.specs),
            )
            self._lines[key] = line
        return line

    def _book_of(self, problem_id: int, factors: Factors, year: str) -> BookPrice:
        return self._books[problem_id, factors, year]

    def _book(self, key: tuple[int, Factors, str]) -> BookPrice:
        problem_id, factors, year = key
        return book_price(
            self._problems[problem_id],
            factors,
            national_rate=self._imports.locating.rates.national,
            year=int(year),
        )

    def _levels_of(self, month: str) -> DayLevels:
        # The indexes have one value per month.
        imports = self._imports
        return day_levels(imports.prices, imports.locating.rates, date.fromisoformat(f"{month}-01"))

    def _vehicle(self, key: VehicleKey) -> Vehicle:
        vehicles = self._imports.vehicles()
        if isinstance(key, str):
            with suppress(NotFound):
                return vehicles.resolve_unsaved(key)
            raise BadCell("The VIN was not found. Check it, or add the year, make and model.")
        year, make, model, trim = key
        if not (year and make and model):
            raise BadCell("The row needs a VIN, or year, make and model.")
        if not (year.isascii() and year.isdecimal() and len(year) == _YEAR_DIGITS):
            raise BadCell("The year must be a four-digit number.")
        with suppress(NotFound):
            return vehicles.find_match(
                year=int(year), make=make, model=model, trim=trim or None, engine=None
            ).vehicle
        raise BadCell(f"No {make} {model} is known around {year}. Check the year, make and model.")

    def _problem_id(self, text: str) -> int:
        found = self._named.get(text)
        if found is None:
            raise BadCell("must be the id or the slug of a repair" if text else "is required")
        return found.id

    def _shop(self, cells: tuple[str, str]) -> int | None:
        name, zip_code = (text.strip() for text in cells)
        code = zip5(zip_code)
        if zip_code and (code is None or self._imports.zip_codes.find(code) is None):
            raise BadCell("The zip must be a known ZIP code.")
        with self._imports.read() as work:
            if not name:
                found = work.batches.shops_in(code) if code else ()
                return found[0][0] if len(found) == 1 else None
            if name.isascii() and name.isdecimal():
                number = int(name[:20])
                if is_possible_id(number) and work.facilities.by_id(number):
                    return number
                raise BadCell(f"There is no facility {name[:20]}.")
            shops = work.batches.shops_named(name)
        near = [shop for shop, shop_zip in shops if code is None or zip5(shop_zip or "") == code]
        if len(near) == 1:
            return near[0]
        if near:
            raise BadCell("Several facilities have this name. Add the ZIP code, or enter the id instead.")
        raise BadCell(f"No facility has this name{f' in {code}' if code else ''}.")

    def _prediction(self, key: tuple[str, int]) -> int:
        text, problem_id = key
        try:
            session_id = UUID(text.strip())
        except ValueError:
            raise BadCell("must be a session id") from None
        with self._imports.read() as work:
            found = work.past_predictions.find(session_id, environment=self._environment, owner_id=None)
        if found is None:
            raise BadCell(NO_SUCH_SESSION)
        if found.problem_id != problem_id:
            raise BadCell("The session_id belongs to a prediction for another repair.")
        return found.id


_BATCH: Final = 2_000

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
    """Exports invoices."""

    read: BeginImport

    def rows(self, environment: Environment = Environment.LIVE) -> Iterator[tuple[object, ...]]:
        """Yield the header and then a row for each invoice, in the order of their ids, reading them in batches."""
        with self.read() as work:
            parts = work.batches.most_parts(environment)
        yield (
            *_BEFORE_PARTS,
            *(
                f"part_{number}_{field}"
                for number in range(1, parts + 1)
                for field in ("name", "price", "quantity")
            ),
            *_BEHIND_PARTS,
        )
        last = 0
        while True:
            with self.read() as work:
                found = work.batches.exported(environment, after=last, limit=_BATCH)
            if not found:
                return
            yield from (_row(exported, parts) for exported in found)
            last = found[-1].id


def _row(exported: ExportedTransaction, parts: int) -> tuple[object, ...]:
    # An invoice recorded meanwhile may have more parts than there are columns; its total includes them nevertheless.
    lines: list[object] = []
    for name, price, quantity in exported.parts[:parts]:
        lines += [name, _dollars(price), quantity]
    lines += [""] * (3 * parts - len(lines))
    return (
        exported.vin,
        exported.year,
        exported.make,
        exported.model,
        exported.trim,
        exported.problem,
        exported.date,
        exported.facility,
        exported.zip_code,
        exported.mileage,
        *lines,
        _dollars(exported.parts_total),
        f"{exported.labor_hours:.6f}".rstrip("0").rstrip("."),
        _dollars(exported.labor_rate),
        _dollars(exported.total),
        exported.notes,
        exported.fingerprint,
    )


def _dollars(amount: Cents) -> str:
    return f"{amount // 100}.{amount % 100:02}"
