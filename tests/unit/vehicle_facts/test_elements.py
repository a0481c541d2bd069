import pytest

from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.elements import body_of, drive_of, engine_text, powertrain_of


@pytest.mark.parametrize(
    ("result", "body"),
    [
        ("Sedan/Saloon", Body.CAR),
        ("Coupe", Body.CAR),
        ("Sport Utility Vehicle (SUV)/Multi-Purpose Vehicle (MPV)", Body.SUV),
        ("Crossover Utility Vehicle (CUV)", Body.SUV),
        ("Sport Utility Truck (SUT)", Body.PICKUP),
        ("Pickup", Body.PICKUP),
        ("Minivan", Body.VAN),
        ("Cargo Van", Body.VAN),
        ("Incomplete - Chassis Cab (Single Cab)", Body.PICKUP),
        ("Motorcycle - Sport", None),
        (None, None),
    ],
)
def test_body_classes_are_one_of_four(result: str | None, body: Body | None) -> None:
    assert body_of(result) is body


def test_body_of_a_passenger_car_is_a_car_without_a_body_class() -> None:
    assert body_of(None, "PASSENGER CAR") is Body.CAR
    assert body_of(None, "Truck") is None


@pytest.mark.parametrize(
    ("level", "powertrain"),
    [
        ("BEV (Battery Electric Vehicle)", Powertrain.ELECTRIC),
        ("PHEV (Plug-in Hybrid Electric Vehicle)", Powertrain.PLUG_IN_HYBRID),
        ("Strong HEV (Hybrid Electric Vehicle)", Powertrain.HYBRID),
        ("Mild HEV (Hybrid Electric Vehicle)", Powertrain.DIESEL),
        ("FCEV (Fuel Cell Electric Vehicle)", Powertrain.ELECTRIC),
        ("HEV (Hybrid Electric Vehicle) - Level Unknown", Powertrain.HYBRID),
    ],
)
def test_level_of_electrification_outranks_the_fuel(level: str, powertrain: Powertrain) -> None:
    assert powertrain_of(electrification=level, fuels=["Diesel"]) is powertrain


@pytest.mark.parametrize(
    ("fuels", "powertrain"),
    [
        (["Gasoline"], Powertrain.GAS),
        (["Diesel"], Powertrain.DIESEL),
        (["Electric"], Powertrain.ELECTRIC),
        (["Gasoline", "Electric"], Powertrain.HYBRID),
        (["Gasoline", "Ethanol (E85)"], Powertrain.GAS),
        ([], None),
    ],
)
def test_fuels_decide_without_a_level(fuels: list[str], powertrain: Powertrain | None) -> None:
    assert powertrain_of(fuels=fuels) is powertrain


@pytest.mark.parametrize(
    ("name", "powertrain"),
    [
        ("Camry Hybrid", Powertrain.HYBRID),
        ("2.0 TDI", Powertrain.DIESEL),
        ("Rubicon 4xe", Powertrain.PLUG_IN_HYBRID),
        ("Kona Electric", Powertrain.ELECTRIC),
        ("2.5 SE, TDI", None),
        ("w/Diesel Option", None),
        ("EX-V6", None),
        ("XC90 T8 Inscription", Powertrain.PLUG_IN_HYBRID),
        ("T8 Series", None),
    ],
)
def test_powertrain_follows_names_unless_they_offer_a_choice(
    name: str, powertrain: Powertrain | None
) -> None:
    assert powertrain_of(names=[name]) is powertrain


@pytest.mark.parametrize(
    ("result", "drive"),
    [
        ("4WD/4-Wheel Drive/4x4", Drive.FOUR_WD),
        ("AWD/All-Wheel Drive", Drive.AWD),
        ("FWD/Front-Wheel Drive", Drive.FWD),
        ("RWD/Rear-Wheel Drive", Drive.RWD),
        ("2.0T quattro Premium", Drive.AWD),
        ("Base (FWD) / 4 (4WD)", None),
        ("Limited", None),
        ("Super Duty - Single Rear Wheel", None),
    ],
)
def test_drive_counts_only_when_exactly_one_is_found(result: str, drive: Drive | None) -> None:
    assert drive_of(result) is drive


@pytest.mark.parametrize(
    ("liters", "cylinders", "text"),
    [(2.4, 4, "2.4L 4-cyl"), (2.359737, None, "2.4L"), (None, 6, "6-cyl"), (None, None, None)],
)
def test_engines_are_described_briefly(liters: float | None, cylinders: int | None, text: str | None) -> None:
    assert engine_text(liters, cylinders) == text
