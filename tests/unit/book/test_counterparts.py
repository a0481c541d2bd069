import pytest
from tests.unit.book.test_fit import BOOK, BY_SLUG, DIESEL, ELECTRIC, GAS, vehicle

from repaircore.book.counterparts import are_same_work, counterpart, nearest_fitting
from repaircore.kernel.facts import CamDrive, Engine
from repaircore.kernel.profile import VehicleProfile

SPRINTER = vehicle(
    "Mercedes-Benz", "Sprinter", 2018, Engine(powertrain=DIESEL, cylinders=6, displacement=3.0)
)
TESLA = vehicle("Tesla", "Model 3", 2020, Engine(powertrain=ELECTRIC))
CAMRY = vehicle(
    "Toyota", "Camry", 2018, Engine(powertrain=GAS, cylinders=4, displacement=2.5, cam_drive=CamDrive.CHAIN)
)


@pytest.mark.parametrize(
    ("car", "slug", "expected"),
    [
        (SPRINTER, "oil-change", "oil-change-diesel"),
        (SPRINTER, "oil-change-synthetic", "oil-change-diesel"),
        (SPRINTER, "fuel-injector", "diesel-fuel-injector"),
        (SPRINTER, "spark-plugs", "spark-plugs"),
        (TESLA, "ac-compressor", "electric-ac-compressor"),
        (TESLA, "oil-change", "oil-change"),
        (CAMRY, "oil-change", "oil-change"),
        (CAMRY, "oil-change-diesel", "oil-change-diesel"),  # three kinds would fit
    ],
)
def test_counterpart_is_the_same_work_on_the_vehicle(car: VehicleProfile, slug: str, expected: str) -> None:
    assert counterpart(BY_SLUG[slug], BOOK, car).slug == expected


def test_nearest_fitting_starts_with_the_same_work() -> None:
    near = nearest_fitting(BY_SLUG["ac-compressor"], BOOK, TESLA)

    assert near[0].slug == "electric-ac-compressor"
    assert len({problem.id for problem in near}) == len(near) <= 3


def test_repair_is_not_its_own_counterpart() -> None:
    assert not are_same_work("oil-change", "oil-change")
    assert are_same_work("oil-change", "oil-change-diesel")
    assert not are_same_work("oil-change", "spark-plugs")
