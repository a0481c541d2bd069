"""Share what was learned with other installations offline, by exporting and importing priors files."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import evolve, frozen

from repaircore.book.model import Problem
from repaircore.facilities.labor_table import LaborRates
from repaircore.kernel.audit import AuditState
from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.money import round_half_up
from repaircore.kernel.types import Clock
from repaircore.learning.priors_file import (
    FEWEST,
    LARGEST_SPREAD,
    PriorsFile,
    Ratios,
    RepairPrior,
    SharedCell,
    parse_priors,
    priors_document,
    rounded_count,
    shareable,
)
from repaircore.learning.refit import refit
from repaircore.learning.refits import Refits, refit_within
from repaircore.predictions.ports import OpenWork, PredictionsWork
from repaircore.pricing.book_price import BookPrice, book_price, book_spread
from repaircore.pricing.priors import NO_PRIORS, PriorStanding, Repaired
from repaircore.pricing.variances import Variances, variances_of
from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    GRAIN,
    NOTHING,
    UNPLACED,
    Cell,
    CellKey,
    Kind,
    deltas,
    grains,
    part_key,
)
from repaircore.transactions.levels import Level
from repaircore.vehicle_facts.model import Factors

WEIGHT: Final = 20
"""The default weight: the maximum number of invoices that an imported cell counts as."""

LEAST_WEIGHT, MOST_WEIGHT = 1, 1_000

_FEWEST_SHOPS: Final = 3
"""If fewer shops have five invoices, or one shop has most of them, a state's labor rate would reveal a shop's."""

_SHORT: Final = 2_000
"""A history of at most this many invoices is refitted in the same transaction, while other writers wait."""

_DECIMALS: Final = 2
_DIGITS: Final = 3
_USUAL: Final = Factors(labor=1.0, parts=1.0)


@frozen(kw_only=True)
class ExportedPriors:
    """A file to share, as JSON values, with the number of its repairs and cells.

    ``kept_back`` is how many cells were withheld because they might identify a person, a shop or a car.
    """

    document: Mapping[str, Any]
    repairs: int
    cells: int
    kept_back: int


@frozen(kw_only=True)
class ImportedPriors:
    """The result of an import, or of a dry run; ``unknown`` are slugs of repairs that this installation's book lacks.

    ``before`` is the earlier import that it replaced, or None.
    """

    standing: PriorStanding
    before: PriorStanding | None
    unknown: Sequence[str]
    dry_run: bool


@frozen(kw_only=True)
class Pooling:
    """Use cases for sharing priors with other installations."""

    transaction: OpenWork
    read: OpenWork
    refits: Refits
    rates: LaborRates
    clock: Clock

    def export(self, caller: Caller = LOCAL) -> ExportedPriors:
        """Return what was learned from the environment's invoices, without identifying a person, a shop or a car.

        It leaves out cells with fewer than five invoices or cars, models whose names might identify someone, price
        levels and rates of shops and ZIP codes, and a rate of a state or the country if fewer than three shops there
        have five invoices, or if one shop has more than half. Means are rounded to a percent, counts are rounded down.
        Imported priors are not passed on: the fit uses only this installation's invoices.

        Raises:
            Forbidden: the caller is not an admin.
            NotFound: nothing has been learned from invoices yet.
        """
        require_admin(caller)
        environment = caller.environment
        with self.read() as work:
            problems = {problem.id: problem for problem in work.problems.list_all()}
            drift, rate_drift = work.priors.drifts(environment)
            cells = dict(work.priors.learned(environment))
            cars, shops = _cars_and_shops_of(work.priors.repaired(environment))
        if not any(key.kind is Kind.PRICE and cell.w > 0 for key, cell in cells.items()):
            raise NotFound("There is nothing to export: nothing has been learned from invoices yet.")
        spreads = {number: book_spread(problem) for number, problem in problems.items()}
        # The last refit was shrunk toward imported priors, which are not ours to pass on.
        variances = refit(cells.items(), spreads, NO_PRIORS).variances
        shared, kept_back = _shareable(_centered(cells, variances), cars=cars, shops=shops)
        drifts = {Kind.PRICE: drift, Kind.RATE: rate_drift}
        by_problem: dict[tuple[int, Kind], list[SharedCell]] = defaultdict(list)
        for key, cell in sorted(shared.items(), key=lambda item: (item[0].level.value, item[0].key)):
            shift = drifts.get(key.kind, 0.0) if key.problem_id or key.kind is Kind.RATE else 0.0
            by_problem[key.problem_id, key.kind].append(_shared_cell(key, cell, shift))
        file = PriorsFile(
            made_in=f"{self.clock():%Y-%m}",
            ratios=_ratios(variances[EVERY_PROBLEM], drift),
            repairs=[
                self._repair_prior(problems[p], variances[p], by_problem, drift)
                for p in sorted({p for p, kind in by_problem if kind is Kind.PRICE and p in problems})
            ],
            vehicles=by_problem[EVERY_PROBLEM, Kind.PRICE],
            rates=by_problem[EVERY_PROBLEM, Kind.RATE],
        )
        return ExportedPriors(
            document=priors_document(file), repairs=len(file.repairs), cells=file.cells, kept_back=kept_back
        )

    def import_priors(
        self, data: Any, caller: Caller = LOCAL, *, weight: int = WEIGHT, dry_run: bool = False
    ) -> ImportedPriors:
        """Import what another installation learned, replacing an earlier import, and refit.

        Each cell counts as its number of invoices, but at most ``weight``. With ``dry_run``, nothing changes.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: with every bad field; on ``repairs`` if this installation knows none of them.
        """
        require_admin(caller)
        if type(weight) is not int or not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
            text = f"The weight must be an integer from {LEAST_WEIGHT} to {MOST_WEIGHT:,}."
            raise Invalid({"weight": [text]})
        file = parse_priors(data)
        with self.read() as work:
            named = {problem.slug: problem for problem in work.problems.list_all()}
            before = work.priors.standing(caller.environment)
        known = [(named[prior.slug], prior) for prior in file.repairs if prior.slug in named]
        if not known:
            raise Invalid({"repairs": ["None of the file's repairs are in this installation's repair book."]})
        fits, cells = self._rows(file, known)
        standing = PriorStanding(weight=weight, repairs=len(known), cells=len(cells))
        if not dry_run:
            with self.transaction() as work:
                before = work.priors.standing(caller.environment)
                work.priors.replace(caller.environment, fits, cells, weight=weight)
                self._audit(work, caller, "estimates.import_priors", before, standing)
                is_fitted = self._refit_if_short(work, caller)
            if not is_fitted:
                self.refits.refit(caller)
        return ImportedPriors(
            standing=standing,
            before=before,
            unknown=sorted(prior.slug for prior in file.repairs if prior.slug not in named),
            dry_run=dry_run,
        )

    def remove(self, caller: Caller = LOCAL) -> PriorStanding:
        """Delete the imported priors and refit: estimates are then as if they had never been imported.

        What was learned from invoices meanwhile stays. Return the counts of what was deleted.

        Raises:
            Forbidden: the caller is not an admin.
            NotFound: nothing was imported.
        """
        require_admin(caller)
        with self.transaction() as work:
            before = work.priors.standing(caller.environment)
            if before is None:
                raise NotFound("There are no imported priors to remove.")
            work.priors.replace(caller.environment, {}, {}, weight=0)
            self._audit(work, caller, "estimates.remove_priors", before, None)
            is_fitted = self._refit_if_short(work, caller)
        if not is_fitted:
            self.refits.refit(caller)
        return before

    def standing(self, caller: Caller = LOCAL) -> PriorStanding | None:
        """Return the weight and the counts of the imported priors, or None if there are none.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.priors.standing(caller.environment)

    def is_refit_outstanding(self, caller: Caller = LOCAL) -> bool:
        """Return whether the refit after an import or a removal is still pending; the nightly refit would also do it.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            invoices = work.fits.invoices(caller.environment)
            return invoices > _SHORT and work.fits.fitted(caller.environment) == 0

    def _refit_if_short(self, work: PredictionsWork, caller: Caller) -> bool:
        """Refit a short history now, but only mark a long one as due, because other writers wait.

        Return whether it was refitted.
        """
        if work.fits.invoices(caller.environment) <= _SHORT:
            refit_within(work, caller.environment, work.problems.list_all())
            return True
        work.fits.mark(caller.environment, 0)
        return False

    def _audit(
        self,
        work: PredictionsWork,
        caller: Caller,
        action: str,
        before: PriorStanding | None,
        after: PriorStanding | None,
    ) -> None:
        work.audit.add(
            caller,
            action,
            f"estimates/{caller.environment}",
            before=_audit_state(before),
            after=_audit_state(after),
            at=self.clock(),
        )

    def _book(self, problem: Problem) -> BookPrice:
        return book_price(problem, _USUAL, national_rate=self.rates.national)

    def _repair_prior(
        self,
        problem: Problem,
        own: Variances,
        cells: Mapping[tuple[int, Kind], Sequence[SharedCell]],
        drift: float,
    ) -> RepairPrior:
        book = self._book(problem)
        prices = {part_key(part.name): part.price / 100 for part in book.parts}
        share = cells.get((problem.id, Kind.SHARE), ())
        return RepairPrior(
            slug=problem.slug,
            hours=round(book.hours, 2),
            price=round(book.total / 100, 2),
            spread=_digits(math.sqrt(own.within)),
            off_book=round(own.center * GRAIN + drift, _DECIMALS),
            prices=cells.get((problem.id, Kind.PRICE), ()),
            worked=cells.get((problem.id, Kind.HOURS), ()),
            share=share[0] if share else None,
            parts=[
                evolve(cell, book=round(prices[cell.key], 2))
                for cell in cells.get((problem.id, Kind.PART), ())
                if round(prices.get(cell.key, 0.0), 2) > 0
            ],
        )

    def _rows(
        self, file: PriorsFile, known: Sequence[tuple[Problem, RepairPrior]]
    ) -> tuple[Mapping[int, Variances], Mapping[CellKey, Cell]]:
        """Return the fits and the cells to store for a file, relative to this installation's book."""
        fits = {
            EVERY_PROBLEM: _variances(file.ratios, file.ratios.spread, center=file.ratios.off_book, unit=1.0)
        }
        cells: dict[CellKey, Cell] = {}
        for problem, prior in known:
            book = self._book(problem)
            # 10% above a book that is 5% below ours is 4.5% above ours.
            shift = math.log(prior.price / (book.total / 100))
            longer = math.log(prior.hours / book.hours) if prior.hours > 0 and book.hours > 0 else 0.0
            fits[problem.id] = _variances(
                file.ratios, prior.spread, center=prior.off_book + shift, unit=book_spread(problem)
            )
            _put(cells, problem.id, Kind.PRICE, prior.prices, shift)
            _put(cells, problem.id, Kind.HOURS, prior.worked, longer)
            if prior.share is not None:
                _put(cells, problem.id, Kind.SHARE, [prior.share], 0.0)
            prices = {part_key(part.name): part.price / 100 for part in book.parts if part.price > 0}
            for cell in prior.parts:
                if cell.key in prices and cell.book:
                    _put(cells, problem.id, Kind.PART, [cell], math.log(cell.book / prices[cell.key]))
        _put(cells, EVERY_PROBLEM, Kind.PRICE, file.vehicles, 0.0)
        _put(cells, EVERY_PROBLEM, Kind.RATE, file.rates, 0.0)
        return fits, cells


def _put(
    cells: dict[CellKey, Cell], problem_id: int, kind: Kind, shared: Iterable[SharedCell], shift: float
) -> None:
    for cell in shared:
        y = grains(cell.mean + shift)
        cells[CellKey(problem_id, kind, cell.level, _own_key(cell))] = Cell(
            cell.invoices, cell.invoices * y, cell.invoices * y * y
        )


def _own_key(cell: SharedCell) -> str:
    """Return the key in our spelling: a file may have been written by hand."""
    if cell.level is Level.STATE:
        return cell.key
    return "|".join(part_key(name) for name in cell.key.split("|"))


def _centered(cells: Mapping[CellKey, Cell], variances: Mapping[int, Variances]) -> Mapping[CellKey, Cell]:
    """Return the cells, with the shared ones relative to the centers of ``variances`` instead of the last refit's."""
    own = {key: cell for key, cell in cells.items() if key.problem_id or key.kind is not Kind.PRICE}
    shared: dict[CellKey, Cell] = {}
    for key, cell in own.items():
        if key.kind is Kind.PRICE and key.level is not Level.YEARS and cell.w > 0:
            of_all = evolve(key, problem_id=EVERY_PROBLEM)
            centered = cell.recentered(variances[key.problem_id].center)
            shared[of_all] = shared.get(of_all, NOTHING).joined(centered)
    return {**own, **shared}


def _cars_and_shops_of(
    repaired: Iterable[Repaired],
) -> tuple[Mapping[CellKey, int], Mapping[CellKey, Mapping[int | None, int]]]:
    """Return the number of cars behind each cell, and each shop's number of invoices behind each labor rate cell."""
    cars: Counter[CellKey] = Counter()
    shops: dict[CellKey, Counter[int | None]] = defaultdict(Counter)
    counted: set[CellKey] = set()
    before = None
    for invoice in repaired:
        if invoice.car is None or invoice.car != before:
            counted = set()
        before = invoice.car
        keys = {delta.key for delta in deltas(invoice.evidence, center=0)}
        cars.update(keys - counted)
        counted |= keys
        here = invoice.evidence.here
        if here is not None:
            for key in keys:
                if key.kind is Kind.RATE:
                    shops[key][here.place.shop] += 1
    return cars, shops


def _shareable(
    cells: Mapping[CellKey, Cell],
    *,
    cars: Mapping[CellKey, int],
    shops: Mapping[CellKey, Mapping[int | None, int]],
) -> tuple[Mapping[CellKey, Cell], int]:
    """Return the cells that identify no one, and the number of cells that are withheld."""
    wanted = {key: cell for key, cell in cells.items() if cell.w > 0 and _is_exported(key)}
    found = {
        key: cell
        for key, cell in wanted.items()
        if cell.w >= FEWEST
        and (
            _is_of_many_shops(shops.get(key, {}))
            if key.kind is Kind.RATE
            else cars.get(key, 0) >= FEWEST and shareable(key.key)
        )
    }
    return found, len(wanted) - len(found)


def _is_of_many_shops(invoices: Mapping[int | None, int]) -> bool:
    """Return whether a labor rate comes from many shops; invoices without a shop (None) may all be from the same."""
    known = sum(count >= FEWEST for shop, count in invoices.items() if shop is not None)
    return known >= _FEWEST_SHOPS and 2 * max(invoices.values()) <= sum(invoices.values())


def _is_exported(key: CellKey) -> bool:
    if key.kind is Kind.RATE:
        return key.level in {Level.COUNTRY, Level.STATE} and key.key != UNPLACED
    return key.kind in {Kind.PRICE, Kind.HOURS, Kind.SHARE, Kind.PART}


def _shared_cell(key: CellKey, cell: Cell, shift: float) -> SharedCell:
    return SharedCell(
        level=key.level, key=key.key, invoices=rounded_count(cell.w), mean=round(cell.mean + shift, _DECIMALS)
    )


def _ratios(of_all: Variances, drift: float) -> Ratios:
    """Return the fit of all repairs as ratios; only ratios are the same for every repair."""
    return Ratios(
        spread=_digits(min(LARGEST_SPREAD, math.sqrt(of_all.within))),
        book=_digits(of_all.book / of_all.within),
        make=_digits(of_all.make / of_all.within),
        model=_digits(of_all.model / of_all.within),
        years=_digits(of_all.years / of_all.within),
        make_index=_digits(of_all.make_index / of_all.within),
        model_index=_digits(of_all.model_index / of_all.within),
        off_book=round(of_all.root * GRAIN + drift, _DECIMALS),
    )


def _variances(ratios: Ratios, spread: float, *, center: float, unit: float) -> Variances:
    within = spread * spread
    return Variances(
        within=within,
        book=within * ratios.book,
        make=within * ratios.make,
        model=within * ratios.model,
        years=within * ratios.years,
        make_index=within * ratios.make_index,
        model_index=within * ratios.model_index,
        unit=variances_of(unit).unit,
        center=round_half_up(center / GRAIN),
        root=round_half_up(ratios.off_book / GRAIN),
    )


def _digits(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _audit_state(standing: PriorStanding | None) -> AuditState | None:
    if standing is None:
        return None
    return {"weight": standing.weight, "repairs": standing.repairs, "cells": standing.cells}
