"""Wiring of the garage."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Final

from attrs import evolve

from repaircore.adapters.sql.bulk_evidence import SqlBulkEvidence
from repaircore.batches.bulk_prices import BulkPrices
from repaircore.facilities.zip_code import zip5
from repaircore.garage.additions import Additions
from repaircore.garage.outlooks import Outlooks
from repaircore.garage.reminders import Reminders
from repaircore.garage.service import Garage
from repaircore.garage.validation import GarageChecks
from repaircore.garage.views import ListedServiceView
from repaircore.messages.model import Channel
from repaircore.vehicle_bills.service import VehicleBills

if TYPE_CHECKING:
    from repaircore.adapters.sql.engine.work import SqlWork
    from repaircore.core import Core
    from repaircore.garage.model import ListedService

_ADD_SECONDS: Final = 60.0
"""The time budget for looking up the vehicles in a request; proxies commonly time out after two minutes."""


def garage(core: "Core") -> Garage:
    """Wire garages and their vehicles."""
    return Garage(
        transaction=core.storage.transaction,
        read=core.storage.read,
        outlooks=core.garage_outlooks,
        schedules=core.schedules,
        history=core.fleet.history,
        health=core.health_scores.of_vehicle,
        checks=_checks(core),
        clock=core.clock,
    )


def garage_additions(core: "Core") -> Additions:
    """Wire adding vehicles to a garage."""
    return Additions(
        transaction=core.storage.transaction,
        read=core.storage.read,
        vehicles=lambda: core.vehicles,
        lookups=lambda: core.lookups,
        outlooks=core.garage_outlooks,
        checks=_checks(core),
        seconds=_ADD_SECONDS,
        timer=time.monotonic,
        new_id=core.new_id,
        clock=core.clock,
    )


def vehicle_bills(core: "Core") -> VehicleBills:
    """Wire vehicle bills."""
    return VehicleBills(
        transaction=core.storage.transaction,
        read=core.storage.read,
        find_vehicle=core.garage.find,
        find_problem=core.problems.find,
        new_id=core.new_id,
        clock=core.clock,
    )


def garage_outlooks(core: "Core") -> Outlooks:
    """Wire the outlooks for vehicles."""
    scores = core.health_scores
    stored = evolve(scores, recalls=evolve(scores.recalls, live=None))
    return Outlooks(
        transaction=core.storage.transaction,
        read=core.storage.read,
        problems=lambda: core.problems.list_all(),
        prices=_bulk_prices(core),
        health=stored.of_vehicle,
        live_health=scores.of_vehicle,
        upkeep=core.valuations.upkeep_of,
        value=core.valuations.value_of,
        clock=core.clock,
    )


def garage_reminders(core: "Core") -> Reminders:
    """Wire reminders about due services."""
    return Reminders(
        transaction=core.storage.transaction,
        read=core.storage.read,
        present=_present,
        public_url=core.settings.public_url,
        can_mail=Channel.EMAIL in core.messages.channels,
        new_id=core.new_id,
        clock=core.clock,
    )


def _present(service: "ListedService", today: date) -> ListedServiceView:
    return ListedServiceView.of(service, today)


def _bulk_prices(core: "Core") -> BulkPrices:
    @contextmanager
    def read() -> "Iterator[SqlWork]":
        with core.storage.read() as work:
            work.evidence = SqlBulkEvidence(work.connection)
            yield work

    return BulkPrices(read=read, computation=lambda: core.computation)


def _checks(core: "Core") -> GarageChecks:
    def is_zip_in_use(zip_code: str) -> bool:
        code = zip5(zip_code)
        return code is not None and core.computation.is_zip_in_use(code)

    return GarageChecks(is_zip_in_use=is_zip_in_use, today=lambda: core.clock().date())
