"""Read the labor rates that the package ships."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from repaircore.facilities.labor_table import LaborRates, StateRate, TablePlace, WageIndex
from repaircore.kernel.money import cents


@lru_cache(maxsize=2)
def read_labor_rates(text: str | None = None) -> LaborRates:
    """Read ``data/labor_rates.toml``, or ``text`` in its form; what was read last is not read again.

    Raises:
        ValueError: the text is not of that form, or two metro areas claim the same ZIP codes.
    """
    data = tomllib.loads(_shipped() if text is None else text)
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
        raise ValueError(f"not a table of labor rates: {error!r}") from error


def _metros(lines: Iterable[Mapping[str, Any]]) -> Mapping[str, TablePlace]:
    found: dict[str, TablePlace] = {}
    for line in lines:
        place = TablePlace(name=line["name"], rate=cents(line["rate"]))
        for prefix in _prefixes(line["zips"]):
            if found.setdefault(prefix, place) is not place:
                raise ValueError(f"{prefix} belongs to {found[prefix].name} and to {place.name}")
    return found


def _prefixes(spans: Iterable[str]) -> Iterator[str]:
    """Expand spans such as "100-119" to each three digits."""
    for span in spans:
        first, _, last = span.partition("-")
        for number in range(int(first), int(last or first) + 1):
            yield f"{number:03d}"


def _shipped() -> str:
    return files("repaircore").joinpath("data", "labor_rates.toml").read_text("utf-8")
