"""Lifecycle and sequence against real work orders: ``python -m bench.work_orders FILE [--cut 2021-01-01]``.

FILE is a CSV (.gz is read as well) with the columns ``date``, ``asset_id``, ``job_type``, ``repair_reason_desc`` and
``department_name``, such as the fleet work orders of the City of Cincinnati. Work before the day of the cut is learned
from, work after it is predicted. The figures in docs/explanation/fleet.md come from here.
"""

import argparse
import csv
import gzip
import math
import random
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from attrs import evolve, frozen

from bench.table import Row as Line
from bench.table import exactly, print_table, tell
from repaircore.repair_intervals.intervals import Factors, HoldTime, VehicleScope, book_times, survival_curve
from repaircore.repair_intervals.sequence import PRIOR_COUNT, RepairDone, SequenceCounts, count_sequences

HORIZONS = (90, 180, 365)
MOST_TESTED = 3000
BOOK = book_times(180, 3)
Kind = tuple[str, str]
Predict = Callable[[str, int], float]
"""Return the share of an asset's work that is due within some days."""


@frozen
class Fleet:
    """Days of each kind of work on each asset, in order, and the department of each asset."""

    days: Mapping[tuple[Kind, str], Sequence[date]]
    department: Mapping[str, str]

    @property
    def last(self) -> date:
        return max(days[-1] for days in self.days.values())


def read(path: Path) -> Fleet:
    days: dict[tuple[Kind, str], set[date]] = defaultdict(set)
    department: dict[str, str] = {}
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for row in csv.DictReader(file):
            kind = (row["job_type"], row["repair_reason_desc"])
            days[kind, row["asset_id"]].add(date.fromisoformat(row["date"]))
            department[row["asset_id"]] = row["department_name"]
    return Fleet({key: sorted(found) for key, found in days.items()}, department)


def held_before(fleet: Fleet, kind: Kind, cut: date) -> list[HoldTime]:
    found: list[HoldTime] = []
    for (other, asset), days in fleet.days.items():
        known = [day for day in days if day < cut] if other == kind else []
        scope = VehicleScope(make=fleet.department[asset], car=asset)
        found += [HoldTime((b - a).days, scope) for a, b in pairwise(known)]
        if known:
            found.append(HoldTime((cut - known[-1]).days, scope, ended=False))
    return found


def tested_after(fleet: Fleet, kind: Kind, cut: date) -> list[tuple[str, float]]:
    """Return work after the cut that is at least a year old: the asset, and the days to the next (or infinity)."""
    until = fleet.last - timedelta(days=max(HORIZONS))
    found = [
        (asset, (days[place + 1] - day).days if place + 1 < len(days) else math.inf)
        for (other, asset), days in fleet.days.items()
        if other == kind
        for place, day in enumerate(days)
        if cut <= day <= until
    ]
    return random.Random(1).sample(found, min(MOST_TESTED, len(found)))  # noqa: S311 - a sample


def methods(held: Sequence[HoldTime], department: Mapping[str, str]) -> dict[str, Predict]:
    ended = sorted(hold.time for hold in held if hold.ended)
    own: dict[object, list[float]] = defaultdict(list)
    for hold in held:
        if hold.ended:
            own[hold.scope.car].append(math.log(hold.time))
    middle = ended[len(ended) // 2]
    curve = survival_curve(BOOK, held, VehicleScope())
    factors = Factors(hold for hold in held if hold.ended)

    def group(_asset: str, days: int) -> float:
        return bisect_right(ended, days) / len(ended)

    def asset_mean(asset: str, days: int) -> float:
        factor = math.exp(fmean(own[asset])) / middle if asset in own else 1.0
        return bisect_right(ended, days / factor) / len(ended)

    def lifecycle(asset: str, days: int) -> float:
        scope = VehicleScope(make=department[asset], car=asset)
        return evolve(curve, factor=factors.of(scope)).share_due(days)

    return {"the kind's times": group, "the asset's own mean": asset_mean, "lifecycle": lifecycle}


def brier(predict: Predict, tested: Iterable[tuple[str, float]], days: int) -> float:
    return fmean((predict(asset, days) - (time <= days)) ** 2 for asset, time in tested)


def lifecycle_lines(fleet: Fleet, cut: date) -> list[Line]:
    commonest = Counter({kind: 0 for kind, _ in fleet.days})
    for (kind, _), days in fleet.days.items():
        commonest[kind] += len(days)
    lines: list[Line] = []
    for kind, _ in commonest.most_common(7):
        tested, held = tested_after(fleet, kind, cut), held_before(fleet, kind, cut)
        if len(tested) < 100:
            continue
        predictions = methods(held, fleet.department)
        for horizon in HORIZONS:
            scores = {name: brier(predict, tested, horizon) for name, predict in predictions.items()}
            mine = scores.pop("lifecycle")
            was = fmean(time <= horizon for _, time in tested)
            said = fmean(predictions["lifecycle"](asset, horizon) for asset, _ in tested)
            what = f"{' '.join(kind)}, {horizon} d: said {said:.0%}, was {was:.0%}; Brier {mine:.4f}"
            lines += [
                Line(what, f"{name} {score:.4f}", exactly(mine / score), 1.0)
                for name, score in scores.items()
            ]
    return lines


def sequence_lines(fleet: Fleet, cut: date) -> list[Line]:
    numbers = {kind: number for number, kind in enumerate({kind for kind, _ in fleet.days}, 1)}
    trails: dict[str, list[RepairDone]] = defaultdict(list)
    for (kind, asset), days in fleet.days.items():
        trails[asset] += [RepairDone(day, numbers[kind]) for day in days]
    ordered = [sorted(trail, key=lambda done: (done.day, done.problem_id)) for trail in trails.values()]
    later = ([repair for repair in trail if repair.day >= cut] for trail in ordered)
    test = count_sequences(later, until=fleet.last)
    lines: list[Line] = []
    for assets in (20, 200, len(ordered)):
        some = random.Random(1).sample(ordered, assets)  # noqa: S311 - a sample
        earlier = ([repair for repair in trail if repair.day < cut] for trail in some)
        known = count_sequences(earlier, until=cut)
        losses = log_losses(known, test, numbers.values())
        mine = losses.pop("sequence")
        what = f"what follows within 60 days, {assets:,} assets: log loss {mine:.4f}"
        lines += [
            Line(what, f"{name} {loss:.4f}", exactly(mine / loss), 1.0) for name, loss in losses.items()
        ]
    return lines


def log_losses(known: SequenceCounts, test: SequenceCounts, kinds: Iterable[int]) -> dict[str, float]:
    losses = dict.fromkeys(("how common it is", "its share alone", "sequence"), 0.0)
    pairs = 0
    for other in kinds:
        usual = known.share_followed_by(other)
        for kind, times in test.done.items():
            came = len(test.followed.get(kind, {}).get(other, ()))
            n, k = known.done[kind], len(known.followed.get(kind, {}).get(other, ()))
            pairs += times
            losses["how common it is"] += _loss(usual, came, times)
            losses["its share alone"] += _loss(k / n if n else usual, came, times)
            losses["sequence"] += _loss((k + PRIOR_COUNT * usual) / (n + PRIOR_COUNT), came, times)
    return {name: loss / pairs for name, loss in losses.items()}


def _loss(share: float, came: int, times: int) -> float:
    bounded = min(max(share, 1e-4), 1 - 1e-4)
    return -(came * math.log(bounded) + (times - came) * math.log(1 - bounded))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--cut", type=date.fromisoformat, default=date(2021, 1, 1))
    options = parser.parse_args()
    fleet = read(options.file)
    tell(f"{sum(map(len, fleet.days.values())):,} days of work on {len(fleet.department):,} assets")
    print_table([*lifecycle_lines(fleet, options.cut), *sequence_lines(fleet, options.cut)])


if __name__ == "__main__":
    main()
