"""Read the price index that the package ships."""

import csv
from datetime import date
from functools import lru_cache
from importlib.resources import files

from repaircore.pricing.price_index import PriceIndex


@lru_cache(maxsize=2)
def read_price_index(text: str | None = None) -> PriceIndex:
    """Read ``data/price_index.csv`` (or ``text`` in its form, ``date,index`` by months without a gap).

    Lines that begin with ``#`` are comments; together they name the source.

    Raises:
        ValueError: the text is not of that form, a month is missing, or a value is not positive.
    """
    lines = (_shipped() if text is None else text).splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    try:
        days = [date.fromisoformat(row["date"]) for row in rows]
        values = tuple(float(row["index"]) for row in rows)
    except (KeyError, TypeError) as error:
        raise ValueError("a price index has the columns date and index") from error
    _check(days, values)
    source = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    return PriceIndex(first=days[0], values=values, source=source)


def _check(days: list[date], values: tuple[float, ...]) -> None:
    if not days:
        raise ValueError("a price index needs a month")
    months = [day.year * 12 + day.month for day in days]
    if months != list(range(months[0], months[0] + len(months))):
        raise ValueError("a price index has every month once, in order")
    if not all(0 < value < float("inf") for value in values):
        raise ValueError("a price index is positive")


def _shipped() -> str:
    return files("repaircore").joinpath("data", "price_index.csv").read_text("utf-8")
