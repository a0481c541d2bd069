from pathlib import Path

import pytest
from tests.adapters.lookups.conftest import clock
from tests.threads import at_once
from typing_extensions import override

from repaircore.adapters.lookups.vin_catalog import (
    VinCatalog,
    newest_catalog,
    shipped_catalog,
    variants_in,
    write_catalog,
)
from repaircore.adapters.lookups.vpic_local import data_month
from repaircore.catalog.ports import VinData
from repaircore.catalog.rebuild import CatalogRebuild, RebuildResult
from repaircore.kernel.traits import Body, Drive, Powertrain

CAR = {"Make": "FORD", "Model": "Focus", "VehicleType": "PASSENGER CAR", "BodyClass": "Sedan/Saloon"}
SMALL = {**CAR, "Trim": "SE", "DisplacementL": "2.0", "EngineCylinders": "4", "FuelTypePrimary": "Gasoline"}
TRUCK = {
    "Make": "MACK",
    "Model": "Anthem",
    "VehicleType": "TRUCK",
    "DriveType": "6x4",
    "GVWR": "Class 8: heavy",
}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "catalog.zip"
    rows = [(SMALL, [2012, 2013, 2015]), (CAR, [2013]), (TRUCK, [2020]), (SMALL, [2014])]
    assert write_catalog(path, rows, month="2026-10") == 2
    return path


def test_catalog_survives_writing_and_reading(written: Path) -> None:
    catalog = VinCatalog(written)
    ford = catalog.of("ford")
    assert ford is not None
    focus = ford.models["Focus"]
    assert (catalog.month, ford.name, focus.is_light, focus.spans) == (
        "2026-10",
        "Ford",
        True,
        [(2012, 2015)],
    )
    (variant,) = variants_in(focus, 2014)

    assert (variant.trim, variant.body) == ("SE", Body.CAR)
    assert variant.engine is not None
    assert (variant.engine.displacement, variant.engine.cylinders) == (2.0, 4)
    assert variant.engine.powertrain is Powertrain.GAS
    assert len(variants_in(focus, 2013)) == 2


def test_heavy_truck_is_not_light(written: Path) -> None:
    mack = VinCatalog(written).of("Mack")
    assert mack is not None
    (variant,) = mack.models["Anthem"].variants

    assert (mack.models["Anthem"].is_light, variant.weight_class) == (False, "8")
    assert variant.drives == {Drive.RWD}


@pytest.mark.parametrize("make", ["", "Nobody", "../catalog", "catalog", "%"])
def test_unlisted_make_is_none(written: Path, make: str) -> None:
    assert VinCatalog(written).of(make) is None


def test_same_rows_give_the_same_file(written: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    rows = [(SMALL, [2014]), (TRUCK, [2020]), (CAR, [2013]), (SMALL, [2012, 2013, 2015])]
    write_catalog(again, rows, month="2026-10")
    theirs, ours = VinCatalog(again).of("Ford"), VinCatalog(written).of("Ford")

    assert theirs is not None
    assert ours is not None
    assert set(theirs.models["Focus"].variants) == set(ours.models["Focus"].variants)


def test_newest_catalog_is_chosen(written: Path, tmp_path: Path) -> None:
    older, broken = tmp_path / "older.zip", tmp_path / "broken.zip"
    write_catalog(older, [(CAR, [2013])], month="2020-01")
    broken.write_bytes(b"no zip")
    assert newest_catalog(written).path == written
    for path in (older, broken, tmp_path / "none.zip"):
        assert newest_catalog(path).path == shipped_catalog()


def test_shipped_catalog_matches_the_installed_data() -> None:
    assert VinCatalog(shipped_catalog()).month == data_month()


def test_threads_read_the_same() -> None:
    catalog = VinCatalog(shipped_catalog())
    read = at_once(8, lambda: [catalog.of(make) for make in ("Honda", "Toyota", "Ford") * 3])

    assert all(answers == read[0] for answers in read)


class Data(VinData):
    def __init__(self, month: str, built: str) -> None:
        self._month, self._built = month, built
        self.latest: list[int] = []

    @override
    def month(self) -> str:
        return self._month

    @override
    def catalog_month(self) -> str:
        return self._built

    @override
    def build(self, *, latest: int) -> int:
        self.latest.append(latest)
        self._built = self._month
        return 7


def test_catalog_of_older_data_is_rebuilt() -> None:
    data = Data("2026-11", "2026-10")
    rebuild = CatalogRebuild(data=data, clock=clock)

    assert rebuild.run() == RebuildResult(month="2026-11", was="2026-10", models=7)
    assert rebuild.run() == RebuildResult(month="2026-11", was="2026-11", models=None)
    assert data.latest == [2027]


def test_catalog_of_the_same_data_is_rebuilt_when_forced() -> None:
    data = Data("2026-10", "2026-10")

    assert CatalogRebuild(data=data, clock=clock).run(force=True).models == 7
