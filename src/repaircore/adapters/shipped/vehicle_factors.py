"""The vehicle factors, from the shipped files."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from attrs import evolve

from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.book.open_data import VehicleTables
from repaircore.kernel.facts import ValveTrain
from repaircore.kernel.spelling import make_key
from repaircore.kernel.traits import Powertrain
from repaircore.pricing.book_price import PRICES
from repaircore.vehicle_facts.amounts import AmountTable, FamilyRow
from repaircore.vehicle_facts.job_factors import JobFactorRow
from repaircore.vehicle_facts.model import Factors, JobFactors, Segment, Tier
from repaircore.vehicle_facts.model_patterns import ModelPatterns
from repaircore.vehicle_facts.segments import FactorTable, SegmentPatterns

_JOB_KEYS = frozenset(
    [
        *("repair", "makes", "models", "displacements", "cylinders", "valve_train", "powertrain"),
        *("first", "last", "labor", "parts", "quantity", "why", "source"),
    ]
)

K = TypeVar("K", Segment, Tier)


@cache
def shipped_factor_table() -> FactorTable:
    """Read the factors, amounts and jobs of vehicles, which takes a few milliseconds, once per process."""
    data = files("repaircore") / "data"
    table = factor_table((data / "vehicle_factors.toml").read_text("utf-8"))
    return evolve(
        table,
        amounts=amount_table((data / "vehicle_amounts.toml").read_text("utf-8")),
        jobs=job_rows((data / "vehicle_jobs.toml").read_text("utf-8")),
        axle_of=shipped_mechanics().axle_of,
    )


def vehicle_tables() -> VehicleTables:
    """Return the rows of the vehicle tables and the grades of parts, with their sources, for the open data."""
    data = files("repaircore") / "data"
    factors, amounts, jobs = (
        tomllib.loads((data / f"vehicle_{name}.toml").read_text("utf-8"))
        for name in ("factors", "amounts", "jobs")
    )
    grades = {tier.value: price for tier, price in PRICES.items()}
    return {**factors, "grades": grades, "amounts": amounts, "jobs": jobs["job"]}


def job_rows(text: str) -> tuple[JobFactorRow, ...]:
    """Read the factors of repairs on particular vehicles.

    Raises:
        KeyError, ValueError: a row is malformed or lacks its source (a contributor's mistake, which the tests find).
    """
    return tuple(_job_row(row) for row in tomllib.loads(text)["job"])


def _job_row(row: Mapping[str, Any]) -> JobFactorRow:
    unknown = row.keys() - _JOB_KEYS
    if unknown:
        raise ValueError(f"A row for {row.get('repair')} has unknown keys: {', '.join(sorted(unknown))}.")
    job = JobFactors(
        repair=row["repair"],
        labor=float(row.get("labor", 1)),
        parts=float(row.get("parts", 1)),
        quantity=row.get("quantity"),
        why=row["why"],
    )
    if not row["source"]:
        raise ValueError(f"A row for {job.repair} has no source.")
    if not (0 < job.labor < 10 and 0 < job.parts < 10):  # noqa: PLR2004 - dearer is a slip
        raise ValueError(f"The labor and parts factors of {job.repair} must be between 0 and 10.")
    return JobFactorRow(
        job=job,
        makes=frozenset(row["makes"]),
        models=ModelPatterns(listed=tuple(row.get("models", ()))),
        displacements=frozenset(map(float, row.get("displacements", ()))),
        cylinders=frozenset(row.get("cylinders", ())),
        valve_train=None if "valve_train" not in row else ValveTrain(row["valve_train"]),
        powertrain=None if "powertrain" not in row else Powertrain(row["powertrain"]),
        first=row.get("first", 0),
        last=row.get("last", 9999),
    )


def amount_table(text: str) -> AmountTable:
    """Read a table of fluid amounts, spark plugs per cylinder and battery capacities.

    Raises:
        KeyError, ValueError: an entry is malformed (a contributor's mistake, which the tests find).
    """
    data = tomllib.loads(text)
    coolant = dict(data["coolant"])
    return AmountTable(
        oil=_families(data["oil"]),
        plugs_per_cylinder=_families(data["plugs_per_cylinder"]),
        battery=_families(data["battery"]),
        outside_pumps=_families(data.get("outside_pumps", ())),
        usual_oil={int(number): (base, each) for number, (base, each) in data["usual_oil"].items()},
        diesel_oil=(data["diesel_oil"]["base"], data["diesel_oil"]["each"]),
        diesel_coolant=coolant.pop("diesel_truck"),
        coolant={int(number): float(gallons) for number, gallons in coolant.items()},
        transmission_fluid={segment: float(data["transmission_fluid"][segment.value]) for segment in Segment},
    )


def _families(rows: Iterable[Mapping[str, Any]]) -> tuple[FamilyRow, ...]:
    return tuple(
        FamilyRow(
            value=float(row["value"]),
            makes=frozenset(row["makes"] if "makes" in row else [row["make"]]),
            models=ModelPatterns(listed=tuple(row.get("models", ()))),
            displacements=_liters(row),
            cylinders=row.get("cylinders"),
            powertrain=None if "powertrain" not in row else Powertrain(row["powertrain"]),
            first=row.get("first", 0),
            last=row.get("last", 9999),
        )
        for row in rows
    )


def _liters(row: Mapping[str, Any]) -> frozenset[float]:
    listed = row.get("displacements", [row["displacement"]] if "displacement" in row else ())
    return frozenset(map(float, listed))


def factor_table(text: str) -> FactorTable:
    """Read a table of factors.

    Raises:
        ValueError: a segment or tier is unknown, lacks its factors or has invalid ones, or
            a make is listed in more than one tier.
    """
    data = tomllib.loads(text)
    return FactorTable(
        by_segment=_factors(Segment, data["segments"]),
        by_tier=_factors(Tier, data["tiers"]),
        tiers=_tiers(data["makes"]),
        models={make_key(make): _patterns(names) for make, names in data["models"].items()},
        exotic={
            make_key(make): ModelPatterns(listed=tuple(names))
            for make, names in data.get("exotic_models", {}).items()
        },
    )


def _factors(kind: type[K], rows: Mapping[str, Mapping[str, float]]) -> dict[K, Factors]:
    found = {kind(name): _positive(name, row) for name, row in rows.items()}
    missing = [word.value for word in kind if word not in found]
    if missing:
        raise ValueError(f"Factors are missing for: {', '.join(missing)}.")
    return found


def _positive(name: str, row: Mapping[str, float]) -> Factors:
    factors = Factors(labor=float(row["labor"]), parts=float(row["parts"]))
    if not (0 < factors.labor < 10 and 0 < factors.parts < 10):  # noqa: PLR2004 - dearer is a slip
        raise ValueError(f"The labor and parts factors of {name} must be between 0 and 10.")
    return factors


def _tiers(rows: Mapping[str, Iterable[str]]) -> dict[str, Tier]:
    listed = [(make_key(make), Tier(tier)) for tier, makes in rows.items() for make in makes]
    tiers = dict(listed)
    if len(tiers) != len(listed):
        raise ValueError("A make is listed in more than one tier.")
    return tiers


def _patterns(names: Mapping[str, Any]) -> SegmentPatterns:
    return SegmentPatterns.of({Segment(segment): tuple(listed) for segment, listed in names.items()})
