"""Values against real sales: ``python -m bench.values FILE [--day 2020-01-01]``.

FILE is a CSV with the columns ``vin``, ``year``, ``mileage`` and ``price`` in dollars; all of it was sold around the day. Sales
below $1,000 are left out: they are of wrecks. What all prices have in common beside the levels (dollars of another year,
auctions beside sellers who ask) is told apart as the offset, and taken off before errors are counted.
"""

import argparse
import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from statistics import median

from attrs import frozen

from bench.table import tell
from repaircore.adapters.lookups.vpic_local import VpicData, VpicVinDecoder
from repaircore.adapters.shipped.values import shipped_levels
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.fleet.valuation import valued
from repaircore.kernel.money import cents
from repaircore.vehicles.vin import normalize

LEAST = 1_000.0


@frozen
class Sale:
    """A sale: how far its price lay from the value, in logarithms, and how far low and high do."""

    segment: str
    off: float
    low: float
    high: float


def sales(rows: Iterable[Mapping[str, str]], day: date) -> Iterator[Sale]:
    data, table, levels = VpicData(), shipped_factor_table(), shipped_levels()
    decoder = VpicVinDecoder(data, lambda: datetime.now(UTC))
    for row in rows:
        about = decoder.decode(normalize(row["vin"]))
        price = float(row["price"])
        if about is None or price < LEAST:
            continue
        segment = table.segment_of(about)
        level = levels.of(segment, table.tier_of(about.make))
        value = valued(level, model_year=int(row["year"]), miles=float(row["mileage"]), today=day)
        yield Sale(
            segment.value,
            math.log(cents(price) / value.middle),
            math.log(value.low / value.middle),
            math.log(value.high / value.middle),
        )
    data.close()


def error(found: Iterable[float]) -> float:
    """Give the median error, in percent of the value."""
    return 100 * median(abs(math.expm1(off)) for off in found)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("file", type=Path)
    asked.add_argument("--day", type=date.fromisoformat, default=date(2020, 1, 1))
    told = asked.parse_args()
    with told.file.open(newline="") as file:
        found = list(sales(csv.DictReader(file), told.day))
    offset = median(sale.off for sale in found)
    off = [sale.off - offset for sale in found]
    held = sum(sale.low <= one <= sale.high for sale, one in zip(found, off, strict=True))
    by_segment: dict[str, list[float]] = defaultdict(list)
    for sale, one in zip(found, off, strict=True):
        by_segment[sale.segment].append(one)
    tell(f"{len(found):,} sales; offset {100 * math.expm1(offset):+.0f} %")
    tell(f"median error {error(off):.1f} %; {held / len(found):.0%} within low and high")
    for segment, some in sorted(by_segment.items(), key=lambda pair: -len(pair[1])):
        tell(f"{segment}: {len(some)} sales, middle {100 * math.expm1(median(some)):+.0f} %")


if __name__ == "__main__":
    main()
