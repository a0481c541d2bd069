"""``repaircore book`` on its own database."""

import csv
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Cli


@pytest.fixture
def corrections(tmp_path: Path) -> str:
    path = tmp_path / "corrections.json"
    path.write_text(json.dumps([{"slug": "alternator", "labor_hours": 2.9, "source": "our guide"}]))
    return str(path)


def test_correction_is_imported_listed_exported_and_reset(cli: Cli, corrections: str, tmp_path: Path) -> None:
    assert cli("book", "import", corrections).out == "1 repair changed.\n"
    assert cli("book", "changes", "--json").json == [
        {"slug": "alternator", "figure": "labor_hours", "value": 2.9, "source": "our guide"}
    ]
    out = tmp_path / "book.csv"
    assert cli("book", "export", str(out)).status == 0
    with out.open(newline="") as file:
        own = [row for row in csv.DictReader(file) if row["source"] == "our guide"]

    assert [(row["slug"], row["figure"], row["value"]) for row in own] == [
        ("alternator", "labor_hours", "2.9")
    ]
    assert cli("book", "reset", "alternator").out == "1 change reset.\n"
    assert cli("book", "changes", "--json").json == []


def test_json_option_prints_json(cli: Cli) -> None:
    result = cli("book", "export", "-").json

    assert (result["license"], len(result["repairs"])) == ("CC0-1.0", 329)


def test_export_has_the_data_of_vehicles_with_sources(cli: Cli, tmp_path: Path) -> None:
    vehicles = cli("book", "export", "-").json["vehicles"]
    assert {*("segments", "tiers", "makes", "models", "exotic_models", "grades", "amounts", "jobs")} == {
        *vehicles
    }
    assert vehicles["jobs"][0]["source"].startswith("poweringautos.com")
    out = tmp_path / "book.csv"
    cli("book", "export", str(out))
    with out.open(newline="") as file:
        rows = {(row["slug"], row["figure"]): row for row in csv.DictReader(file)}

    job = rows["battery-replacement", "vehicle_parts:tesla model3,modely -2021"]

    assert (job["value"], job["unit"], job["source"]) == ("0.33", "times", vehicles["jobs"][0]["source"])
    assert rows["", "tier_parts:luxury"]["value"] == str(vehicles["tiers"]["luxury"]["parts"])
    assert rows["", "grade_price:oem"]["value"] == "1.45"
    assert rows["", "usual_oil_for_each_liter:6"]["unit"] == "quarts"
    assert rows["", "plugs_per_cylinder:dodge 5.7L 2003-"]["source"] == "maker"


@pytest.mark.parametrize("text", ["{", "7", '{"repairs": 7}'])
def test_import_rejects_a_file_without_repairs(cli: Cli, tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    result = cli("book", "import", str(path))

    assert result.status != 0
    assert result.err.startswith("Error: file: The file")


def test_export_requires_a_known_format(cli: Cli, tmp_path: Path) -> None:
    assert "must end in .json or .csv" in cli("book", "export", str(tmp_path / "book.xml")).err
