"""How often the range of a visit holds what it costs: ``python -m bench visits [--visits N]``.

Visits are made of two to eight repairs on forty cars in ten places. What each line really costs is drawn around its estimate: a
part of the error is the same for all lines of a visit (the shop, the place, the car), the rest is the line's own. Beside
our range stand the two that are easy to think of: the sums of lows and highs, and lines that know nothing of one another.
"""

import argparse
import math
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from attrs import frozen

from bench.forty_cars import CARS
from repaircore.core import Core, build
from repaircore.kernel.errors import Failure
from repaircore.settings import Settings
from repaircore.visits.model import Estimate
from repaircore.visits.requests import EstimateVisit, VisitLineInput

_Z80: Final = 1.2815515655446004
_ZIP_CODES: Final = ("10001", "30301", "33101", "48201", "55401", "60601", "75201", "80202", "90210", "98101")
_REPAIRS: Final = (
    *("brake-pads-front", "brake-rotors-front", "brake-rotors-rear", "brake-fluid-flush", "struts-front"),
    *(
        "wheel-alignment",
        "wheel-bearing-front",
        "cv-axle",
        "tie-rod-end-outer",
        "spark-plugs",
        "ignition-coil",
    ),
    *("serpentine-belt", "alternator", "battery-replacement", "water-pump", "thermostat", "radiator"),
    *("coolant-flush", "timing-belt", "valve-cover-gasket", "oil-change-synthetic", "cabin-air-filter"),
    *(
        "muffler",
        "catalytic-converter",
        "wiper-blades",
        "ac-recharge",
        "tire-replacement-set",
        "tire-rotation",
    ),
)
_SHARES: Final = (0.3, 0.5, 0.7)
"""How much of the variance of an error the lines of a visit have in common."""


@frozen
class Coverage:
    """Shares of visits that a range held, and how wide it was on average: high divided by low."""

    common: float
    ours: float
    sums: float
    independent: float
    width: float
    width_of_sums: float


def estimates(core: Core, count: int, *, seed: int = 1) -> Sequence[Estimate]:
    """Make visits, without tax."""
    dice = random.Random(seed)  # noqa: S311 - a simulation
    found: list[Estimate] = []
    while len(found) < count:
        car = dice.choice(CARS)
        slugs = dice.sample(_REPAIRS, dice.randint(2, 8))
        request = EstimateVisit(
            year=car.year,
            make=car.make,
            model=car.model,
            zip_code=dice.choice(_ZIP_CODES),
            lines=[VisitLineInput(problem_identifier=slug) for slug in slugs],
            sales_tax=False,
        )
        try:
            found.append(core.visit_estimates.estimate(request))
        except Failure:
            continue  # a car without a timing belt, or one that the catalog does not know
    return found


def coverage(visits: Sequence[Estimate], *, common: float, seed: int = 2, draws: int = 20) -> Coverage:
    """Draw what visits cost with a share of the variance in common, and count what the ranges hold."""
    dice = random.Random(seed)  # noqa: S311 - a simulation
    held = {"ours": 0, "sums": 0, "independent": 0}
    for visit in visits:
        lines = [line for line in visit.lines if line.average > 0]
        spreads = [math.log(line.high / max(1, line.low)) / (2 * _Z80) for line in lines]
        centers = [math.sqrt(line.high * max(1, line.low)) for line in lines]
        ranges = {
            "ours": (visit.totals.low, visit.totals.high),
            "sums": (sum(line.low for line in lines), sum(line.high for line in lines)),
            "independent": _independent(centers, spreads),
        }
        for _ in range(draws):
            paid = _paid(centers, spreads, common, lambda: dice.gauss(0, 1))
            for name, (low, high) in ranges.items():
                held[name] += low <= paid <= high
    whole = len(visits) * draws
    return Coverage(
        common=common,
        ours=held["ours"] / whole,
        sums=held["sums"] / whole,
        independent=held["independent"] / whole,
        width=sum(visit.totals.high / visit.totals.low for visit in visits) / len(visits),
        width_of_sums=sum(
            sum(line.high for line in visit.lines) / max(1, sum(line.low for line in visit.lines))
            for visit in visits
        )
        / len(visits),
    )


def _paid(
    centers: Sequence[float], spreads: Sequence[float], common: float, draw: Callable[[], float]
) -> float:
    shared = draw()
    return sum(
        center * math.exp(spread * (math.sqrt(common) * shared + math.sqrt(1 - common) * draw()))
        for center, spread in zip(centers, spreads, strict=True)
    )


def _independent(centers: Sequence[float], spreads: Sequence[float]) -> tuple[float, float]:
    center = sum(centers)
    spread = math.sqrt(sum((c / center * s) ** 2 for c, s in zip(centers, spreads, strict=True)))
    return center * math.exp(-_Z80 * spread), center * math.exp(_Z80 * spread)


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench visits")
    parser.add_argument("--visits", type=int, default=300)
    count = parser.parse_args(arguments).visits
    with TemporaryDirectory() as folder:
        core = build(Settings(database_url=f"sqlite:///{Path(folder) / 'repaircore.db'}"))
        made = estimates(core, count)
        core.close()
    out = sys.stdout.write
    out(f"{count} visits of {sum(len(one.lines) for one in made) / count:.1f} lines; 80% is aimed at.\n\n")
    out("in common · our range · sums of lows and highs · independent lines · width (sums)\n")
    for common in _SHARES:
        found = coverage(made, common=common)
        out(
            f"{common:9.0%} · {found.ours:9.1%} · {found.sums:22.1%} · {found.independent:17.1%} · "
            f"{found.width:.2f} ({found.width_of_sums:.2f})\n"
        )
