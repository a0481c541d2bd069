import csv
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli, Outcome

from repaircore.providers.businesses import BUSINESS
from repaircore.providers.csv_file import header
from repaircore.providers.drivers import DRIVER

DRIVERS = """name,phone,services,latitude,longitude,radius_miles,time_zone,hours,active,vehicle
Sam Reyes,(614) 555-0123,tire_change towing,39.96,-83.0,30,America/New_York,mon-fri 08:00-17:00,yes,"A van, white"
Bo,+16145550124,towing,40,-83.1,,UTC,,,
"""
SAM = ("--latitude", "39.96", "--longitude", "-83", "--time-zone", "America/New_York")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "directory.csv"


def add(cli: Cli, *more: str, phone: str = "(614) 555-0123") -> Outcome:
    return cli("drivers", "add", "Sam Reyes", phone, "--services", "towing", *SAM, *more)


def import_text(cli: Cli, file: Path, text: str, *more: str) -> Any:
    file.write_text(text, encoding="utf-8-sig")
    result = cli("drivers", "import", str(file), "--json", *more)
    assert result.status == 0, result.err
    return result.json


def counts(added: int = 0, updated: int = 0, known: int = 0, refused: int = 0) -> dict[str, int | bool]:
    read = added + updated + known + refused
    return {
        "read": read,
        "added": added,
        "updated": updated,
        "known": known,
        "refused": refused,
        "kept": True,
    }


def list_drivers(cli: Cli, *more: str) -> list[dict[str, Any]]:
    drivers: list[dict[str, Any]] = cli("drivers", "list", "--json", *more).json
    return drivers


def test_drivers_add_adds_to_one_environment(cli: Cli) -> None:
    driver = add(cli, "--hours", "mon-fri 08:00-17:00", "--vehicle", "A van", "--json").json

    assert driver["ref"].startswith("drv_")
    assert (driver["phone"], driver["environment"], driver["hours"]) == (
        "+16145550123",
        "live",
        "mon-fri 08:00-17:00",
    )

    again = add(cli, phone="614-555-0123")

    assert (again.status, "There is already a driver" in again.err) == (1, True)
    assert add(cli, "--environment", "test", "--inactive").status == 0
    assert list_drivers(cli) == [driver]

    (other,) = list_drivers(cli, "--environment", "test")

    assert (other["environment"], other["active"], other["hours"]) == ("test", False, "always")

    (line,) = cli("drivers", "list").out.splitlines()

    assert line.split("\t")[:3] == [driver["ref"], "1", "Sam Reyes"]


def test_drivers_add_reports_every_bad_field(cli: Cli) -> None:
    result = add(cli, "--radius", "9999", "--hours", "never", phone="12")

    assert result.status == 1
    assert all(name in result.err for name in ("radius miles", "hours", "phone"))
    assert add(cli, "--environment", "nowhere").status == 2
    assert list_drivers(cli) == []


def test_drivers_remove_writes_the_audit_log(cli: Cli) -> None:
    ref = add(cli, "--json").json["ref"]

    assert cli("drivers", "remove", ref, "--yes", "--environment", "test").status == 1
    assert cli("drivers", "remove", ref).status == 2
    assert cli("drivers", "remove", ref, "--yes").out == "Sam Reyes was removed.\n"
    assert cli("drivers", "remove", ref, "--yes").status == 1
    assert cli("drivers", "remove", "drv_x", "--yes").status == 1
    assert list_drivers(cli) == []

    entries = cli("audit", "--json").json

    assert [(entry["action"], entry["subject"]) for entry in entries] == [
        ("driver.remove", f"drivers/{ref}"),
        ("driver.add", f"drivers/{ref}"),
    ]


def test_drivers_import_adds_once_and_updates(cli: Cli, file: Path) -> None:
    assert import_text(cli, file, DRIVERS) == counts(added=2)
    assert import_text(cli, file, DRIVERS) == counts(known=2)

    changed = (
        "phone,name,services,latitude,longitude,time_zone,active\n614 555 0124,Bo,hook,40,-83.1,UTC,no\n"
    )

    assert cli("drivers", "import", str(file), "--dry-run", "--json").json["kept"] is False

    changed = changed.replace("hook", "towing lockout_assistance")

    assert import_text(cli, file, changed) == counts(updated=1)

    sam, bo = list_drivers(cli)

    assert (sam["vehicle"], sam["radius_miles"], sam["hours"]) == (
        "A van, white",
        30.0,
        "mon-fri 08:00-17:00",
    )
    assert (bo["services"], bo["active"], bo["radius_miles"]) == (
        ["lockout_assistance", "towing"],
        False,
        25.0,
    )

    change = cli("audit", "--json").json[1]

    assert (change["action"], change["subject"]) == ("driver.change", f"drivers/{bo['ref']}")
    assert change["after"] == {"services": ["lockout_assistance", "towing"], "active": False}


def test_drivers_import_is_for_one_environment(cli: Cli, file: Path) -> None:
    import_text(cli, file, DRIVERS, "--environment", "test")

    assert list_drivers(cli) == []
    assert [driver["environment"] for driver in list_drivers(cli, "--environment", "test")] == [
        "test",
        "test",
    ]


def test_drivers_import_reports_bad_rows_with_every_reason(cli: Cli, file: Path, tmp_path: Path) -> None:
    bad_rows = ["Cy,1,flying,91,x,0,Ohio,never,perhaps,", "Cy,,,,,,,,,", "Cy,+16145550125", "C\xff,,,,,,,,,"]
    file.write_bytes(DRIVERS.encode() + "\n".join(bad_rows).encode("latin-1"))
    errors = tmp_path / "rejected.csv"
    result = cli("drivers", "import", str(file), "--errors", str(errors))

    assert (result.status, result.out) == (1, "6 rows read: 2 good, 4 rejected; nothing was saved.\n")
    assert list_drivers(cli) == []

    with errors.open(newline="", encoding="utf-8") as written:
        reasons = {row["line"]: row["reasons"] for row in csv.DictReader(written)}

    assert list(reasons) == ["4", "5", "6", "7"]
    assert reasons["4"].count("field must") == 8
    assert reasons["5"].count("is required") == 5
    assert reasons["7"] == "The row is not UTF-8 text."
    assert import_text(cli, file, DRIVERS, "--keep-good") == counts(added=2)


@pytest.mark.parametrize("content", [b"", b"name,phone\nSam,1\n", b"PK"])
def test_drivers_import_refuses_another_file(cli: Cli, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    result = cli("drivers", "import", str(file))

    assert (result.status, result.out) == (1, "")
    assert "no column" in result.err


@pytest.mark.parametrize(("plural", "trade"), [("drivers", DRIVER), ("businesses", BUSINESS)])
def test_export_is_imported_as_unchanged(cli: Cli, tmp_path: Path, plural: str, trade: Any) -> None:
    ability = ("--services", "towing") if plural == "drivers" else ("--ride-types", "hook,Wheel-Lift")
    cli(
        plural,
        "add",
        'Ünï, "quoted"',
        "+49 30 901820",
        *ability,
        *SAM,
        "--hours",
        "sat 09:00-12:00,13:00-24:00",
    )
    cli(plural, "add", "Bo", "+16145550199", *ability, *SAM, "--inactive", "--radius", "7.5")
    out = tmp_path / "out.csv"

    assert cli("export", plural, str(out)).out == f"2 rows written to {out}.\n"
    assert out.read_text(encoding="utf-8").splitlines()[0] == ",".join(header(trade))
    assert cli(plural, "import", str(out), "--json").json == counts(known=2)

    before = cli(plural, "list", "--json").json

    assert cli(plural, "import", str(out), "--json", "--environment", "test").json == counts(added=2)

    after = cli(plural, "list", "--json", "--environment", "test").json
    changing = {"id", "ref", "environment", "created_at", "updated_at"}

    assert [{k: v for k, v in row.items() if k not in changing} for row in after] == [
        {k: v for k, v in row.items() if k not in changing} for row in before
    ]


def test_businesses_add_accepts_ride_types_in_any_case(cli: Cli) -> None:
    driver = cli(
        "businesses", "add", "Capital Towing", "614 555 0150", "--ride-types", "flatbed HOOK", *SAM, "--json"
    ).json

    assert (driver["ride_types"], driver["id"]) == (["Flatbed", "Hook"], 1)
    assert driver["ref"].startswith("biz_")
    assert cli("audit", "--json").json[0]["subject"] == f"businesses/{driver['ref']}"
