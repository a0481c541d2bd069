"""Stored vehicles at the command line, and the exported catalog."""

import csv
from pathlib import Path

import pytest
from tests.cli.conftest import Cli

MASK = "1HGCM82633A"
HEAD = "make,model,year,VClass,drive,cylinders,displ,fuelType1,atvType"
ROWS = [
    "Ford,F150 Pickup 2WD,2015,Pickup Trucks,Rear-Wheel Drive,6,2.7,Regular Gasoline,",
    "Honda,Insight,2019,Cars,Front-Wheel Drive,4,1.5,Regular Gasoline,Hybrid",
    "Tesla,Model 3,2020,,All-Wheel Drive,,,Electricity,EV",
]


def add(cli: Cli, *more: str) -> str:
    result = cli(
        "vehicles", "add", MASK, "--make", "Honda", "--model", "Accord", "--year", "2003", *more, "--json"
    )
    assert result.status == 0, result.err
    vehicle_id: str = result.json["id"]
    return vehicle_id


def test_vehicles_are_added_listed_changed_and_removed(cli: Cli) -> None:
    one = add(cli, "--plate", "7ABC123", "--mileage", "5")
    (listed,) = cli("vehicles", "list", "--search", "acc 2003", "--json").json
    assert listed == cli("vehicles", "show", one, "--json").json
    assert (listed["id"], listed["plate_no"], listed["current_mileage"]) == (one, "7ABC123", 5)
    changed = cli("vehicles", "change", one, "--plate", "", "--type", "Sedan", "--json").json

    assert changed == {**listed, "plate_no": None, "motor_vehicle_type": "Sedan"}
    assert cli("vehicles", "stats", "--json").json["total"] == 1
    assert cli("vehicles", "remove", one).status == 2
    assert cli("vehicles", "remove", one, "--yes").status == 0
    assert cli("vehicles", "list").out == ""
    assert [entry["action"] for entry in cli("audit", "--json").json] == [
        "vehicle.remove",
        "vehicle.change",
        "vehicle.add",
    ]


def test_add_accepts_an_id_of_the_catalog(cli: Cli) -> None:
    result = cli("vehicles", "add", MASK, "--model-id", "2003-honda-accord", "--json").json

    assert (result["make"], result["model"], result["year"]) == ("Honda", "Accord", 2003)


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (("add", "1HG", "--model-id", "2003-honda-accord"), "Error: vin_mask: "),
        (("add", MASK, "--model-id", "x"), "Error: vehicle_model_id: "),
        (("add", MASK, "--model-id", "2003-honda-accord", "--mileage", "-1"), "Error: current_mileage: "),
        (("add", MASK, "--model-id", "2003-honda-accord", "--mileage", "9" * 30), "Error: current_mileage: "),
        (("show", "x"), "Error: Vehicle not found."),
        (("change", "x", "--mileage", "1"), "Error: Vehicle not found."),
        (("remove", "00000000-0000-0000-0000-000000000000", "--yes"), "Error: Vehicle not found."),
    ],
)
def test_errors_are_one_line(cli: Cli, call: tuple[str, ...], result: str) -> None:
    outcome = cli("vehicles", *call)

    assert (outcome.status, outcome.out) == (1, "")
    assert result in outcome.err


def test_remove_keeps_a_vehicle_with_references(cli: Cli) -> None:
    assert cli("predict", "1HGCM82633A004352", "90210", "brake-pads-front").status == 0
    (one,) = cli("vehicles", "list", "--json").json
    outcome = cli("vehicles", "remove", one["id"], "--yes")

    assert (outcome.status, outcome.err) == (1, "Error: 1 prediction refers to it.\n")


def test_exported_catalog_can_be_imported(cli: Cli, tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("\n".join([HEAD, *ROWS]) + "\n", encoding="utf-8")
    assert cli("import", "vehicles", str(source)).status == 0
    assert cli("export", "vehicles", str(out), "--json").json["rows"] == len(ROWS)
    assert sorted(out.read_text(encoding="utf-8").splitlines()[1:]) == sorted(ROWS)
    assert cli("import", "vehicles", str(out), "--json").json["added"] == 0
    with out.open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == HEAD.split(",")


def test_show_lists_the_invoices_of_a_repair(cli: Cli) -> None:
    result = cli("problems", "show", "brake-pads-front", "--json").json

    assert (result["transactions_count"], result["average_total"]) == (0, None)
