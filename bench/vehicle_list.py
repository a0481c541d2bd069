"""Listing, filtering and searching 100,000 stored vehicles on SQLite, held against 50 milliseconds.

Run from the root of the repository: ``python -m bench vehicle_list``.
"""

import random
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from bench.table import Row, ratio_of, tell
from repaircore.core import Core
from repaircore.kernel.paging import PageRequest
from repaircore.settings import Settings
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import Vehicle, VehicleFilter

_NUMBER = 100_000
_ROUNDS = 9
_AIM = 0.05
_VIN = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
_RARE = "2HKRM4H57FH"


def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        core = Core(Settings(database_url=f"sqlite:///{Path(folder) / 'vehicles.db'}"))
        core.upgrade()
        tell(f"{_NUMBER:,} vehicles")
        _fill(core)
        pages = core.stored_vehicles.page
        last = _NUMBER // 15
        asked: dict[str, Callable[[], object]] = {
            "first page": pages,
            "middle page": lambda: pages(request=PageRequest(number=last // 2)),
            "last page": lambda: pages(request=PageRequest(number=last)),
            "of a make": lambda: pages(VehicleFilter(make="honda")),
            "of a year": lambda: pages(VehicleFilter(year=2015)),
            "search, a make": lambda: pages(VehicleFilter(search="honda")),
            "search, the beginning of a VIN": lambda: pages(VehicleFilter(search=_RARE[:6])),
            "search, a VIN": lambda: pages(VehicleFilter(search=_RARE)),
            "search, nothing": lambda: pages(VehicleFilter(search="zzzzzz")),
        }
        found = [
            Row(f"100,000 vehicles: {name}", "50 ms", ratio_of(_seconds(call), [_AIM] * _ROUNDS), 1)
            for name, call in asked.items()
        ]
        core.close()
    return found


def _seconds(call: Callable[[], object]) -> list[float]:
    call()
    taken = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return taken


def _fill(core: Core) -> None:
    dice = random.Random(1)  # noqa: S311 - for figures
    sold = [(make, model) for make in core.catalog.list_makes() for model in core.catalog.list_models(make)]
    start = datetime(2024, 1, 1, tzinfo=UTC)
    vins = {_RARE}
    while len(vins) < _NUMBER:
        vins.add("".join(dice.choices(_VIN, k=11)))
    with core.storage.transaction() as work:
        for vin in sorted(vins):
            make, model = dice.choice(sold)
            about = VehicleSpecs(make=make, model=model, year=dice.randint(1984, 2026), source="vpic")
            work.vehicles.add(
                Vehicle(
                    id=UUID(int=dice.getrandbits(128)),
                    vin=vin,
                    specs=about,
                    created_at=start + timedelta(seconds=dice.randrange(50_000_000)),
                    plate_no=None if dice.random() < 0.5 else "".join(dice.choices(_VIN, k=7)),
                )
            )
