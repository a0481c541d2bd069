"""Published prices and labor times, each with its vehicle, and what the book says of the same job.

The figures lie in ``tests/data``: half of them, chosen by a hash of the row, is what the book was brought to, and the other
half is what is reported. A row without a vehicle is a national average: it is held against the mean of a few common ones.

What was collected later, from other pages (``published_*_collected.csv``), is a set of its own that the book was not brought to. Its
prices are of the year that the page tells and are brought to the book's by the product's price index; where the page tells none
(``dated`` is ``no``), they are taken as the book's year's.

``published_prices_national.csv`` has national averages of one more collection, several of them for the same repair: they show how far published
prices agree with each other, which is as far as any estimate can agree with them.
"""

import csv
import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from statistics import mean, median

from attrs import frozen

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.prices import read_price_index
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem
from repaircore.kernel.facts import Engine, Layout, VehicleFacts
from repaircore.kernel.money import Cents
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.pricing.book_price import BookPrice, book_price
from repaircore.vehicle_facts.model import VehicleSpecs

NATIONAL_RATE: Cents = 145_00
YEAR = 2026
BOOK_YEAR = 2025
"""The book's prices are dollars of this year."""
_DATA = Path(__file__).parent / "data"
_TABLE = shipped_factor_table()
_INDEX = read_price_index()
_PROBLEMS = {problem.slug: problem for problem in book().problems}

_BODIES = {
    "F-150": (Body.PICKUP, Drive.FOUR_WD),
    "F-250": (Body.PICKUP, Drive.FOUR_WD),
    "1500": (Body.PICKUP, Drive.FOUR_WD),
    "Silverado": (Body.PICKUP, Drive.FOUR_WD),
    "Excursion": (Body.SUV, Drive.FOUR_WD),
    "Grand Cherokee": (Body.SUV, Drive.FOUR_WD),
    "Highlander": (Body.SUV, Drive.AWD),
    "Pilot": (Body.SUV, Drive.AWD),
    "CR-V": (Body.SUV, Drive.AWD),
    "Equinox": (Body.SUV, Drive.FWD),
    "328i": (Body.CAR, Drive.RWD),
    "Model S": (Body.CAR, Drive.RWD),
    "Model 3": (Body.CAR, Drive.RWD),
}
_LEAST_OTHERS = 2
_LEVELED = {"prices_collected", "prices_national"}
"""The figures that tell their year."""
_MAKES = ("Land Rover", "Mercedes-Benz")
_COMMON = (
    "2016 Toyota Camry I4 2.5",
    "2015 Honda Civic I4 1.8",
    "2016 Honda CR-V I4 2.4",
    "2016 Chevrolet Equinox I4 2.4",
    "2016 Toyota Highlander V6 3.5",
    "2016 Ford F-150 V6 3.5",
    "2016 Chevrolet Silverado V8 5.3",
    "2015 BMW 328i I4 2.0",
)
_DIESEL = "2016 Ford F-250 DIESEL 6.7"
_WITH_PUMP = "2016 Chevrolet Equinox V6 3.6"
"""Stands in for repairs of hydraulic steering, which none of the common cars has any more."""


@frozen(kw_only=True)
class Published:
    """A published range of dollars, or of hours."""

    vehicle: str
    repair: str
    low: float
    high: float
    source: str
    year: int
    level: float = 1.0
    """What prices of the row's year are multiplied by to be of the book's."""
    address: str = ""

    @property
    def middle(self) -> float:
        """Return the middle of the range, in the book's dollars."""
        return (self.low + self.high) / 2 * self.level

    @property
    def is_reported(self) -> bool:
        """Tell whether the row was kept apart: the book was never tuned on it."""
        result = f"{self.vehicle}|{self.repair}|{self.source}"
        return hashlib.sha256(result.encode()).digest()[0] % 2 == 1

    @property
    def kind(self) -> str:
        """Return the category of the repair."""
        return _PROBLEMS[self.repair].parent.slug


@frozen(kw_only=True)
class Comparison:
    """A published figure, and the book's over it."""

    published: Published
    ratio: float


def published(name: str) -> Sequence[Published]:
    """Read ``tests/data/published_<name>.csv``: prices, hours, and what was collected later of either."""
    with (_DATA / f"published_{name}.csv").open(newline="") as file:
        return [
            Published(
                vehicle=row["vehicle"],
                repair=row["repair"],
                low=float(row["low"]),
                high=float(row["high"]),
                source=row["source"],
                year=int(row["year"]),
                level=_level(int(row["year"])) if name in _LEVELED else 1.0,
                address=row.get("address", ""),
            )
            for row in csv.DictReader(file)
        ]


def compared(name: str) -> Sequence[Comparison]:
    """Hold every published figure against the book's."""
    of = _dollars if name.startswith("prices") else _hours
    return [
        Comparison(published=one, ratio=mean(of(price) for price in _prices(one)) / one.middle)
        for one in published(name)
    ]


def agreement() -> tuple[Sequence[float], Sequence[float]]:
    """Return two lists of ratios to each national average that two or more other sources have: the median of the others', and the book's."""
    sources = defaultdict[str, list[Comparison]](list)
    for row in compared("prices_national"):
        sources[row.published.repair].append(row)
    others, own = [], []
    for rows in sources.values():
        for one in rows if len(rows) > _LEAST_OTHERS else []:
            other = median(row.published.middle for row in rows if row is not one)
            others.append(other / one.published.middle)
            own.append(one.ratio)
    return others, own


def summary(rows: Sequence[Comparison]) -> tuple[int, float, float, float]:
    """Return the count, the median ratio, and the shares within 25 and 50 percent."""
    return shares([one.ratio for one in rows])


def shares(ratios: Sequence[float]) -> tuple[int, float, float, float]:
    """Return the count, the median, and the shares within 25 and 50 percent of 1."""
    return (
        len(ratios),
        median(ratios),
        sum(abs(ratio - 1) <= 0.25 for ratio in ratios) / len(ratios),
        sum(abs(ratio - 1) <= 0.5 for ratio in ratios) / len(ratios),
    )


def _level(year: int) -> float:
    return _INDEX.level(date(BOOK_YEAR, 6, 1), base=date(year, 6, 1))


def _dollars(price: BookPrice) -> float:
    return price.total / 100


def _hours(price: BookPrice) -> float:
    return price.hours


def _prices(row: Published) -> Iterator[BookPrice]:
    problem = _PROBLEMS[row.repair]
    names = (row.vehicle,) if row.vehicle else (*_COMMON, _DIESEL)
    vehicles = [
        vehicle for vehicle in map(_vehicle, names) if row.vehicle or _is_offered(problem, vehicle)
    ] or [_vehicle(_WITH_PUMP)]
    for vehicle in vehicles:
        yield book_price(problem, _TABLE.factors_for(vehicle), national_rate=NATIONAL_RATE, year=YEAR)


def _is_offered(problem: Problem, vehicle: VehicleSpecs) -> bool:
    """Tell whether a vehicle has part in an average; the diesel has only where nothing else does."""
    diesel = vehicle.facts.powertrain is Powertrain.DIESEL
    only_diesel = problem.fits.powertrains == {Powertrain.DIESEL}
    return (
        diesel == only_diesel and check_fit(problem, vehicle.profile).outcome is not FitOutcome.DOES_NOT_FIT
    )


def _vehicle(text: str) -> VehicleSpecs:
    year, rest = text.split(" ", 1)
    make = next((one for one in _MAKES if rest.startswith(one)), rest.split(" ")[0])
    *model, engine, size = rest.removeprefix(make).strip().split(" ")
    body, drive = _BODIES.get(" ".join(model), (Body.CAR, Drive.FWD))
    return VehicleSpecs(
        make=make,
        model=" ".join(model),
        year=int(year),
        body=body,
        drive=drive,
        facts=VehicleFacts(body=body, drives=frozenset({drive}), engines=(_engine(engine, float(size)),)),
        source="published",
    )


def _engine(kind: str, size: float) -> Engine:
    if kind == "EV":
        return Engine(powertrain=Powertrain.ELECTRIC, battery=size)
    if kind == "DIESEL":
        return Engine(powertrain=Powertrain.DIESEL, displacement=size, cylinders=8, layout=Layout.V)
    layout = {"I": Layout.INLINE, "V": Layout.V, "F": Layout.FLAT}[kind[0]]
    return Engine(powertrain=Powertrain.GAS, displacement=size, cylinders=int(kind[1:]), layout=layout)
