"""Make up invoices to try the program with: see docs/howto/import-invoices.md.

No row is about a real shop or car, and the notes in each row say so. The same seed always produces the same rows.
"""

import math
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import accumulate
from random import Random
from typing import Final

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.traits import Powertrain, Traits
from repaircore.predictions.ports import FactorsOf
from repaircore.pricing.book_price import BookPrice, book_price
from repaircore.pricing.price_index import BOOK_DAY, PriceIndex
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins

MADE_UP: Final = "made up"
_PARTS: Final = 4

_HEAD: Final = (
    "vin",
    "year",
    "make",
    "model",
    "problem",
    "date",
    "mileage",
    *(f"part_{number}_{field}" for number in range(1, _PARTS + 1) for field in ("name", "price", "quantity")),
    "parts_total",
    "labor_hours",
    "labor_rate",
    "total",
    "invoice",
    "notes",
)

_FIRST_DAY: Final = date(2023, 1, 2)
_DAYS: Final = 1095

_BY_VIN: Final = (
    ("1HGCM826", "3A", "Honda", "Accord", 2003),
    ("1FTEW1E5", "KF", "Ford", "F-150", 2019),
    ("3FA6P0RU", "KR", "Ford", "Fusion", 2019),
    ("1FMCU9J9", "FU", "Ford", "Escape", 2015),
    ("3N1AB7AP", "JY", "Nissan", "Sentra", 2018),
    ("2GNFLFEK", "H6", "Chevrolet", "Equinox", 2017),
    ("5NPD84LF", "HH", "Hyundai", "Elantra", 2017),
    ("1C4PJMBX", "KD", "Jeep", "Cherokee", 2019),
    ("2C3CDXCT", "KH", "Dodge", "Charger", 2019),
)
"""The first eight characters of a VIN, the tenth and eleventh, and the vehicle."""

_BY_SPECS: Final = (
    ("Honda", "Accord", 2001, 2021),
    ("Honda", "Civic", 2001, 2021),
    ("Honda", "CR-V", 2002, 2021),
    ("Honda", "Odyssey", 2005, 2020),
    ("Toyota", "Camry", 2000, 2021),
    ("Toyota", "Corolla", 2003, 2021),
    ("Toyota", "RAV4", 2004, 2021),
    ("Toyota", "Tacoma", 2005, 2021),
    ("Toyota", "Highlander", 2008, 2020),
    ("Ford", "F-150", 2004, 2021),
    ("Ford", "Escape", 2005, 2020),
    ("Ford", "Focus", 2004, 2018),
    ("Chevrolet", "Malibu", 2004, 2020),
    ("Chevrolet", "Impala", 2006, 2019),
    ("Chevrolet", "Equinox", 2006, 2021),
    ("Nissan", "Altima", 2002, 2021),
    ("Nissan", "Rogue", 2009, 2021),
    ("Hyundai", "Sonata", 2006, 2021),
    ("Hyundai", "Elantra", 2007, 2020),
    ("Kia", "Optima", 2006, 2020),
    ("Kia", "Sorento", 2007, 2020),
    ("Subaru", "Outback", 2005, 2021),
    ("Subaru", "Forester", 2006, 2021),
    ("Jeep", "Grand Cherokee", 2005, 2020),
    ("Jeep", "Wrangler", 2007, 2020),
    ("Volkswagen", "Jetta", 2005, 2020),
    ("Mazda", "CX-5", 2013, 2021),
    ("BMW", "X5", 2007, 2018),
    ("Lexus", "RX 350", 2008, 2020),
    ("Dodge", "Grand Caravan", 2008, 2019),
)
"""Makes and models, with their first and last model year."""

_SHARE_BY_VIN: Final = 0.35
_SHOP_RATES: Final = (0.85, 0.95, 1.0, 1.0, 1.1, 1.15, 1.25, 1.4)
_DEARER_HOURS: Final = 0.10
"""The made-up shops take longer than the book says (ln), so that a history of them visibly moves estimates."""

_CAR: Final = Traits(powertrain=Powertrain.GAS, drive=None, body=None)
_USUAL_MILES: Final = 11_500
_SOON: Final = 6


@frozen(kw_only=True)
class Sample:
    """The repairs and prices that rows are made from."""

    problems: Sequence[Problem]
    factors_of: FactorsOf
    prices: PriceIndex
    national_rate: Cents

    @property
    def head(self) -> tuple[str, ...]:
        """Return the column names."""
        return _HEAD

    def rows(self, count: int, seed: int) -> Iterator[tuple[object, ...]]:
        """Yield rows with the columns of ``head``, the oldest invoice first."""
        dice = Random(seed)  # noqa: S311 - a simulation
        fitting = [problem for problem in self.problems if problem.fits.allows(_CAR)]
        weights = [*accumulate(_frequency(problem) for problem in fitting)]
        leaning: dict[str, float] = {}
        books: dict[tuple[int, str, str, int, int], BookPrice] = {}
        levels: dict[date, float] = {}
        for number in range(count):
            day = _FIRST_DAY + timedelta(days=number * _DAYS // count)
            vin, make, model, year = _vehicle(dice)
            (problem,) = dice.choices(fitting, cum_weights=weights)
            job = (problem.id, make, model, year, day.year)
            if job not in books:
                factors = self.factors_of(VehicleSpecs(make=make, model=model, year=year, source=MADE_UP))
                books[job] = book_price(problem, factors, national_rate=self.national_rate, year=day.year)
            month = day.replace(day=1)
            if month not in levels:
                levels[month] = self.prices.level(month, base=BOOK_DAY)
            lean = leaning.setdefault(make, dice.gauss(0, 0.06)) + leaning.setdefault(
                f"{make} {model}", dice.gauss(0, 0.06)
            )
            vehicle = (vin, "", "", "") if vin else ("", year, make, model)
            miles = max(500, int(dice.gauss(_USUAL_MILES, 2_500) * (day.year - year)))
            yield (
                *vehicle,
                problem.slug,
                day.isoformat(),
                miles,
                *self._money(dice, books[job], levels[month], lean),
                f"MU-{seed}-{number + 1:06}",
                MADE_UP,
            )

    def _money(self, dice: Random, book: BookPrice, level: float, lean: float) -> tuple[object, ...]:
        usual = dice.choice(_SHOP_RATES) * self.national_rate * level
        rate = max(1, round_half_up(usual / 100)) * 100
        hours = max(0.1, round(book.hours * math.exp(dice.gauss(_DEARER_HOURS + lean, 0.22)), 1))
        cells: list[object] = []
        parts = 0
        for part in book.parts[:_PARTS]:
            price = max(100, round_half_up(part.price * level * math.exp(dice.gauss(lean, 0.20))))
            parts += price * part.quantity
            cells += [part.name, _dollars(price), part.quantity]
        cells += [""] * (3 * _PARTS - len(cells))
        labor = round_half_up(round(hours * rate, 6))
        return (*cells, _dollars(parts), f"{hours:.1f}", _dollars(rate), _dollars(parts + labor))


def _vehicle(dice: Random) -> tuple[str, str, str, int]:
    if dice.random() < _SHARE_BY_VIN:
        begins, ends, make, model, year = dice.choice(_BY_VIN)
        return _vin(begins, ends, dice.randrange(1_000_000)), make, model, year
    # The first ones are the most common.
    make, model, first, last = _BY_SPECS[int(len(_BY_SPECS) * dice.random() ** 1.7)]
    return "", make, model, dice.randint(first, last)


def _vin(begins: str, ends: str, serial: int) -> str:
    """Return a VIN with a valid check digit."""
    return next(
        vin for digit in "0123456789X" if vins.check_digit_holds(vin := f"{begins}{digit}{ends}{serial:06}")
    )


def _frequency(problem: Problem) -> float:
    """Return the relative frequency of a repair: the sooner it recurs, the more frequent."""
    return math.pow(max(_SOON, problem.recurrence.months), -1.5)


def _dollars(amount: Cents) -> str:
    return f"{amount // 100}.{amount % 100:02}"
