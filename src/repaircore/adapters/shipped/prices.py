"""The shipped price index and labor rates."""

import csv
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from importlib.resources import files
from typing import Any

from repaircore.facilities.labor_table import LaborRates, StateRate, TablePlace, WageIndex
from repaircore.kernel.money import cents
from repaircore.pricing.price_index import PriceIndex


@lru_cache(maxsize=2)
def read_price_index(text: str | None = None) -> PriceIndex:
    """Read ``data/price_index.csv`` (or ``text`` in its format, ``date,index`` for every month).

    Lines that begin with ``#`` are comments; together they are the source.

    Raises:
        ValueError: the text is in a different format, a month is missing, or a value is not positive.
    """
    lines = (_shipped("price_index.csv") if text is None else text).splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    try:
        days = [date.fromisoformat(row["date"]) for row in rows]
        values = tuple(float(row["index"]) for row in rows)
    except (KeyError, TypeError) as error:
        raise ValueError("A price index needs the columns date and index.") from error
    _validate_index(days, values)
    source = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    return PriceIndex(first=days[0], values=values, source=source)


def _validate_index(days: list[date], values: tuple[float, ...]) -> None:
    if not days:
        raise ValueError("A price index needs at least one month.")
    months = [day.year * 12 + day.month for day in days]
    if months != list(range(months[0], months[0] + len(months))):
        raise ValueError("A price index must have every month exactly once, in order.")
    if not all(0 < value < float("inf") for value in values):
        raise ValueError("The values of a price index must be finite and positive.")


@lru_cache(maxsize=2)
def read_labor_rates(text: str | None = None) -> LaborRates:
    """Read ``data/labor_rates.toml``, or ``text`` in its format; the last two results are cached.

    Raises:
        ValueError: the text is in a different format, or two metro areas share ZIP codes.
    """
    data = tomllib.loads(_shipped("labor_rates.toml") if text is None else text)
    try:
        return LaborRates(
            national=cents(data["national"]),
            states={
                state: StateRate(rate=cents(line["rate"]), rural=cents(line["rural"]))
                for state, line in data["states"].items()
            },
            metros=_metros(data["metro"]),
            rural=frozenset(prefix for spans in data["rural"].values() for prefix in _prefixes(spans)),
            territories={
                state: TablePlace(name=line["name"], rate=cents(line["rate"]))
                for state, line in data["territories"].items()
            },
            dealer=float(data["dealer"]),
            wages=WageIndex(by_year={int(year): float(wage) for year, wage in data["wages"].items()}),
            source=data["source"],
            year=data["year"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"Invalid labor rate table: {error!r}.") from error


def _metros(lines: Iterable[Mapping[str, Any]]) -> Mapping[str, TablePlace]:
    found: dict[str, TablePlace] = {}
    for line in lines:
        place = TablePlace(name=line["name"], rate=cents(line["rate"]))
        for prefix in _prefixes(line["zips"]):
            if found.setdefault(prefix, place) is not place:
                raise ValueError(
                    f"The ZIP code prefix {prefix} is listed under both {found[prefix].name} and {place.name}."
                )
    return found


def _prefixes(spans: Iterable[str]) -> Iterator[str]:
    """Expand ranges such as "100-119" to three-digit prefixes."""
    for span in spans:
        first, _, last = span.partition("-")
        for number in range(int(first), int(last or first) + 1):
            yield f"{number:03d}"


def _shipped(name: str) -> str:
    return files("repaircore").joinpath("data", name).read_text("utf-8")
