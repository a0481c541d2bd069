"""A garage: 200 VINs added, and a list of 1,000 vehicles held against the page of one, on SQLite.

Run from the root of the repository: ``python -m bench garage``.
"""

import random
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from attrs import evolve

from bench.table import Row, ratio_of, tell
from repaircore.core import Core
from repaircore.fleet.model import FleetVehicle
from repaircore.garage.model import GarageVehicle, Labels
from repaircore.garage.validation import FilterGarage
from repaircore.garage.views import FleetSumsView, GarageVehicleView, ListedServiceView, VehicleReportView
from repaircore.json_text import encode
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import MOST_PER_PAGE, PageRequest, every_page
from repaircore.settings import Settings
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import Vehicle

_MANY: Final = 1_000
_PASTED: Final = 200
_PASTE_SECONDS: Final = 10.0
_TIMES: Final = 5
_ROUNDS: Final = 15
_SERIALS: Final = "0123456789"
_BUILDS: Final = (
    "1HGCM826_3A", "1FTFW1E5_JK", "5YJ3E1EA_JF", "1FT7W2B6_GE", "JTDKN3DU_5A", "4T1BF1FK_FU", "1N4AZ1CP_JC",
    "JF2SJAGC_FH", "1GNSKBKC_FR", "3C63RRGL_GG", "1FMCU0GD_HU", "2C4RDGCG_ER", "1C4RJFAG_FC", "5N1AT2MV_HC",
)  # fmt: skip
_WEIGHTS: Final = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VALUES: Final = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", map(int, "123456781234579234567890123456789"), strict=True)
)


def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        core = Core(Settings(database_url=f"sqlite:///{Path(folder) / 'garage.db'}"))
        core.upgrade()
        dice = random.Random(1)  # noqa: S311 - for figures
        core.vehicles.decode(_vin(dice))
        core.computation.is_zip_in_use("60601")  # a server has read its lists when the first request comes
        tell(f"{_PASTED} VINs pasted, then {_MANY:,} vehicles")
        pasted = _seconds_to_paste(core, dice)
        _fill(core, dice)
        one = str(core.garage.page(FilterGarage()).items[0].id)
        single = _seconds(lambda: encode(VehicleReportView.of(core.garage.get(one))))
        asked: dict[str, Callable[[], object]] = {
            "the longest page": lambda: _page(core),
            "all pages": lambda: _vehicles(core),
            "added up": lambda: encode(FleetSumsView.of(core.garage.sums(FilterGarage()))),
            "due services": lambda: _services(core),
        }
        found = [Row("200 VINs added to a garage", "10 s", ratio_of([pasted], [_PASTE_SECONDS]), 1)]
        for name, call in asked.items():
            ratio = ratio_of(_seconds(call), single)
            found.append(Row(f"a garage of {_MANY:,} vehicles, {name}", "the page of one", ratio, _TIMES))
        core.close()
    return found


def _seconds_to_paste(core: Core, dice: random.Random) -> float:
    vins = {_vin(dice) for _ in range(2 * _PASTED)}
    items = [
        {"vin": vin, "zip_code": "60601", "odometer": dice.randint(5_000, 180_000)} for vin in sorted(vins)
    ]
    start = time.perf_counter()
    results = core.garage_additions.add_many(items[:_PASTED])
    taken = time.perf_counter() - start
    assert all(result.failure is None for result in results)
    return taken


def _fill(core: Core, dice: random.Random) -> None:
    """Fill the garage up to so many vehicles of all models, and compute what they need."""
    sold = [(make, model) for make in core.catalog.list_makes() for model in core.catalog.list_models(make)]
    now = core.clock()
    with core.storage.transaction() as work:
        for number in range(_MANY - _PASTED):
            make, model = dice.choice(sold)
            specs = VehicleSpecs(make=make, model=model, year=dice.randint(2005, 2026), source="vpic")
            vin = f"BENCH{number:012d}".replace("O", "0").replace("I", "1")
            record = Vehicle(
                id=UUID(int=dice.getrandbits(128)), vin=vin[:11][::-1], specs=specs, created_at=now
            )
            vehicle = FleetVehicle(
                id=core.new_id(),
                environment=Environment.LIVE,
                owner_id=0,
                vin=vin,
                vehicle=work.vehicles.add(evolve(record, vin=None)),
                created_at=now,
            )
            labels = Labels(unit_number=str(number), department=f"Department {number % 7}", zip_code="60601")
            work.garage.add(
                GarageVehicle(vehicle=work.fleet_vehicles.register(vehicle), labels=labels, added_at=now)
            )
    core.garage_outlooks.refresh_all()


def _page(core: Core) -> bytes:
    request = PageRequest(per_page=MOST_PER_PAGE, sort="-cost")
    return encode([*map(GarageVehicleView.of, core.garage.page(FilterGarage(), request=request))])


def _vehicles(core: Core) -> bytes:
    """Read all of a list, page by page as a download does, by what costs most."""
    pages = every_page(lambda request: core.garage.page(FilterGarage(), request=request), "-cost")
    return encode([GarageVehicleView.of(one) for page in pages for one in page])


def _services(core: Core) -> bytes:
    today = core.garage.today()
    due_by = today + timedelta(days=60)
    pages = every_page(lambda request: core.garage.services(FilterGarage(), due_by=due_by, request=request))
    return encode([ListedServiceView.of(service, today) for page in pages for service in page])


def _vin(dice: random.Random) -> str:
    """Return a VIN of a real build, with a serial number and its check digit."""
    text = dice.choice(_BUILDS).replace("_", "0") + "".join(dice.choices(_SERIALS, k=6))
    total = sum(_VALUES[char] * weight for char, weight in zip(text, _WEIGHTS, strict=True))
    return text[:8] + "0123456789X"[total % 11] + text[9:]


def _seconds(call: Callable[[], object]) -> list[float]:
    call()
    taken = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return taken
