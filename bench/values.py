"""Values against real sales: ``python -m bench.values FILE [--day 2020-04-01] [--half report]``.

FILE is a CSV with the columns ``vin``, ``year``, ``mileage`` and ``price`` in dollars, of sales around the day. Sales below
$500 are left out: they are of wrecks. Half of the sales, by a hash of their VIN, are for tuning (``--half tune``), the
other half (``report``) for the reported figures. The offset is the median of ln(price / value).
"""

import argparse
import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from statistics import median

from attrs import frozen

from bench.table import tell
from repaircore.adapters.lookups.vpic_local import VpicVinDecoder
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.adapters.shipped.values import shipped_levels, shipped_used_car_index
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.kernel.money import cents
from repaircore.valuation.depreciation import value_vehicle
from repaircore.vehicles.vin import normalize

LEAST = 500.0


@frozen
class Sale:
    """A sale: the distances of its price, low and high from the value, in logarithms."""

    segment: str
    off: float
    low: float
    high: float


def sales(rows: Iterable[Mapping[str, str]], day: date) -> Iterator[Sale]:
    table, levels, market = shipped_factor_table(), shipped_levels(), shipped_used_car_index()
    decoder = VpicVinDecoder(lambda: datetime.now(UTC), shipped_mechanics)
    for row in rows:
        specs = decoder.decode(normalize(row["vin"]))
        price = float(row["price"])
        if specs is None or price < LEAST:
            continue
        segment = table.segment_of(specs)
        level = levels.of(specs.make, specs.model, segment, table.tier_of(specs.make)).level
        miles, year = float(row["mileage"]), int(row["year"])
        value = value_vehicle(level, model_year=year, miles=miles, today=day, market=market.at)
        yield Sale(
            segment.value,
            math.log(cents(price) / value.middle),
            math.log(value.low / value.middle),
            math.log(value.high / value.middle),
        )


def half_of(vin: str) -> str:
    """Return the half of the sales that a VIN belongs to."""
    return ("tune", "report")[sha256(vin.lower().encode()).digest()[0] % 2]


def error(found: Iterable[float]) -> float:
    """Return the median error in percent of the value."""
    return 100 * median(abs(math.expm1(off)) for off in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--day", type=date.fromisoformat, default=date(2020, 4, 1))
    parser.add_argument("--half", choices=("tune", "report"))
    options = parser.parse_args()
    with options.file.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if options.half in {None, half_of(row["vin"])}]
        found = list(sales(rows, options.day))
    offset = median(sale.off for sale in found)
    inside = sum(sale.low <= sale.off <= sale.high for sale in found)
    by_segment: dict[str, list[float]] = defaultdict(list)
    for sale in found:
        by_segment[sale.segment].append(sale.off)
    tell(f"{len(found):,} sales; offset {100 * math.expm1(offset):+.0f}%")
    tell(
        f"median error {error(sale.off for sale in found):.1f}%; {inside / len(found):.0%} within low and high"
    )
    for segment, some in sorted(by_segment.items(), key=lambda pair: -len(pair[1])):
        tell(f"{segment}: {len(some)} sales, middle {100 * math.expm1(median(some)):+.0f}%")


if __name__ == "__main__":
    main()
