"""Wiring of fleets: vehicles and their schedules, health, recalls and values."""

from functools import cache
from typing import TYPE_CHECKING

from repaircore.adapters.shipped.codes import code_table
from repaircore.adapters.shipped.prices import read_price_index
from repaircore.adapters.shipped.values import shipped_levels, shipped_used_car_index
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.fleet.service import Fleet
from repaircore.health.code_severity import severity_by_area, severity_of
from repaircore.health.compliance import ComplianceReports
from repaircore.health.coverage import Coverage
from repaircore.health.score import Severity
from repaircore.health.service import HealthScores
from repaircore.health.tire_estimates import Tires
from repaircore.recalls.service import Recalls
from repaircore.recalls.vehicle_recalls import VehicleRecalls
from repaircore.repair_intervals.repair_sequences import RepairSequences
from repaircore.repair_intervals.service import RepairIntervals
from repaircore.schedules.service import Schedules
from repaircore.valuation.service import Valuations

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.recalls.ports import LiveRecalls


def fleet(core: "Core") -> Fleet:
    """Wire fleet vehicles."""
    return Fleet(
        transaction=core.storage.transaction,
        read=core.storage.read,
        vehicles=lambda: core.vehicles,
        new_id=core.new_id,
        clock=core.clock,
    )


def recalls(core: "Core") -> Recalls:
    """Wire safety recalls."""
    return Recalls(
        transaction=core.storage.transaction,
        read=core.storage.read,
        list_models=core.catalog.list_models,
        clock=core.clock,
    )


def vehicle_recalls(core: "Core") -> VehicleRecalls:
    """Wire the recalls of one vehicle."""
    return VehicleRecalls(
        transaction=core.storage.transaction,
        read=core.storage.read,
        fleet=core.fleet,
        imported=core.recalls,
        live=_live_recalls(core),
        clock=core.clock,
    )


def schedules(core: "Core") -> Schedules:
    """Wire service schedules."""
    return Schedules(
        transaction=core.storage.transaction,
        read=core.storage.read,
        fleet=core.fleet,
        find_problem=core.problems.find,
        new_id=core.new_id,
        clock=core.clock,
    )


def repair_intervals(core: "Core") -> RepairIntervals:
    """Wire repair intervals."""
    return RepairIntervals(
        transaction=core.storage.transaction,
        read=core.storage.read,
        fleet=core.fleet,
        problems=lambda: core.problems,
        clock=core.clock,
    )


def repair_sequences(core: "Core") -> RepairSequences:
    """Wire repair sequences."""
    return RepairSequences(
        read=core.storage.read, fleet=core.fleet, problems=lambda: core.problems, clock=core.clock
    )


def valuations(core: "Core") -> Valuations:
    """Wire the valuation and insurance risk of vehicles."""
    used_cars = cache(shipped_used_car_index)
    return Valuations(
        fleet=core.fleet,
        levels=cache(shipped_levels),
        market=lambda day: used_cars().at(day),
        table=shipped_factor_table,
        health=lambda vehicle: core.health_scores.of_vehicle(vehicle).health.score,
        price_level=lambda day, base: read_price_index().level(day, base=base),
        clock=core.clock,
    )


def health_scores(core: "Core") -> HealthScores:
    """Wire vehicle health."""
    return HealthScores(
        fleet=core.fleet,
        recalls=core.vehicle_recalls,
        severities=_severity,
        count_services=core.schedules.count_services,
        burden=lambda vehicle, miles: core.valuations.burden(vehicle, miles),
        clock=core.clock,
    )


def compliance(core: "Core") -> ComplianceReports:
    """Wire the recording of signals that vehicles report."""
    return ComplianceReports(
        transaction=core.storage.transaction,
        fleet=core.fleet,
        scores=core.health_scores,
        severities=core.health_scores.severities,
        clock=core.clock,
    )


def tires(core: "Core") -> Tires:
    """Wire tire estimates."""
    return Tires(clock=core.clock)


def coverage(core: "Core") -> Coverage:
    """Wire the coverage report on a vehicle's data."""
    return Coverage(
        fleet=core.fleet,
        scores=core.health_scores,
        others=(
            core.valuations.value_coverage,
            core.valuations.risk_coverage,
            core.repair_intervals.coverage,
            core.repair_sequences.coverage,
        ),
    )


def _live_recalls(core: "Core") -> "LiveRecalls | None":
    url = core.settings.recalls_url
    if url is None:
        return None
    from repaircore.adapters.lookups.recalls_live import NhtsaRecalls  # imports httpx

    return NhtsaRecalls.at(url, clock=core.clock)


def _severity(code: str, make: str | None) -> Severity:
    """Return the severity of a trouble code, from the shipped codes or else from its area."""
    found = code_table().find(code, make)
    return severity_by_area(code) if found is None else severity_of(found.urgency, found.safe_to_drive)
