"""Priors at the command line."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta
from tests.cli.conftest import Cli
from tests.unit.pricing.test_priors import document

from repaircore.core import build
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.settings import Settings

STATUS = {"weight": 20, "repairs": 1, "cells": 11}


@pytest.fixture
def priors(tmp_path: Path) -> Path:
    priors_document = document()
    priors_document["repairs"][0]["parts"][0]["part"] = "front brake pad set"
    path = tmp_path / "priors.json"
    path.write_text(json.dumps(priors_document))
    return path


def _six_invoices(sqlite_url: str) -> None:
    core = build(Settings(database_url=sqlite_url))
    for day in range(1, 7):
        core.transactions.record(
            CreateTransaction(
                vehicle_id=core.vehicles.resolve("1HGCM82633A").id,
                problem_id=101,
                performed_on=date(2025, 11, day),
                labor_hours=1.0,
                labor_rate=150_00,
                parts_total=100_00,
            )
        )
    core.close()


def test_export_matches_its_schema_and_can_be_imported(cli: Cli, sqlite_url: str, tmp_path: Path) -> None:
    _six_invoices(sqlite_url)
    file = str(tmp_path / "out.json")
    result = cli("estimates", "export-priors", file, "--json").json

    assert result == {"file": file, "repairs": 1, "cells": result["cells"], "kept_back": result["kept_back"]}
    assert result["cells"] > 5
    schema = cli("estimates", "priors-schema").json

    assert meta.is_valid(schema)
    Draft202012Validator(schema).validate(json.loads(Path(file).read_text()))
    Draft202012Validator(schema).validate(document())

    assert cli("estimates", "import-priors", file, "--test").status == 0
    message = cli("estimates", "export-priors", file)

    assert "Left out because of too few invoices, cars or shops: " in message.err


def test_file_is_imported_replaced_shown_and_removed(cli: Cli, priors: Path) -> None:
    file = str(priors)
    nothing: dict[str, Any] = {"dry_run": True, **STATUS, "replaced": None, "unknown_repairs": []}

    assert cli("estimates", "import-priors", file, "--dry-run", "--json").json == nothing
    assert cli("estimates", "priors", "--json").json == {"imported": None}
    assert cli("estimates", "priors").out == "No priors were imported.\n"

    assert cli("estimates", "import-priors", file).out == (
        "11 cells of 1 repair were imported; each counts as at most 20 invoices.\n"
    )
    again = cli("estimates", "import-priors", file, "--weight", "1", "--json").json

    assert again == {**nothing, "dry_run": False, "weight": 1, "replaced": STATUS}
    assert "each counts as at most 1 invoice." in cli("estimates", "priors").out
    assert cli("estimates", "priors", "--test", "--json").json == {"imported": None}
    assert cli("estimates", "import-priors", "--remove", "--json").json == {
        "removed": {**STATUS, "weight": 1}
    }
    assert cli("estimates", "import-priors", "--remove").status == 1


def test_predictions_use_the_priors_and_say_so(cli: Cli, priors: Path) -> None:
    ask = ("predict", "1HGCM82633A004352", "89501", "brake-pads-front", "--json")
    before = cli(*ask).json
    cli("estimates", "import-priors", str(priors))
    refreshed = cli(*ask, "--mileage", "99000").json
    names = [one["name"] for one in _local(refreshed)["basis"]]
    average = "average_total_estimate"

    assert _local(refreshed)[average] > _local(before)[average]
    assert "another installation" in names
    assert _local(refreshed)["sample_size"] == 0


def test_import_says_that_cached_predictions_stay(cli: Cli, priors: Path) -> None:
    message = "Cached predictions stay unchanged for up to three days"

    assert message not in cli("estimates", "import-priors", str(priors), "--dry-run").err
    assert message in cli("estimates", "import-priors", str(priors)).err
    assert "There are no invoices to fit" in cli("estimates", "refit").err
    assert message in cli("estimates", "import-priors", "--remove").err


def test_export_without_invoices_or_a_folder_gives_a_readable_error(
    cli: Cli, sqlite_url: str, tmp_path: Path
) -> None:
    result = cli("estimates", "export-priors", str(tmp_path / "p.json"))

    assert (result.status, result.err) == (
        1,
        "Error: There is nothing to export: nothing has been learned from invoices yet.\n",
    )
    _six_invoices(sqlite_url)
    folder = tmp_path / "nodir"
    result = cli("estimates", "export-priors", str(folder / "p.json"))

    assert (result.status, result.err) == (1, f"Error: There is no such folder: {folder}\n")


def _local(fields: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = fields["local_prediction"]
    return found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "nested deeper than 32 levels"),
        ('{"format": NaN}', "not valid JSON"),
        ('{"format": 1, "format": 2}', "twice"),
        ("\xff", "not UTF-8 text"),
        ("[]", '"format" must be'),
        ('{"format": "repaircore-priors", "version": 99}', "Update the program first"),
        ('{"format": "repaircore-priors", "version": 1}', "labor_rates: It is required."),
        ('{"format": "repaircore-priors", "version": ' + "9" * 5_000 + "}", "not valid JSON"),
    ],
)
def test_hostile_file_gives_a_readable_error(cli: Cli, tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content.encode("latin-1"))
    result = cli("estimates", "import-priors", str(path))

    assert result.status == 1
    assert message in result.err
    assert "Traceback" not in result.err


def test_file_that_is_too_large_is_not_read(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(32_000_001)

    assert "larger than 32,000,000 bytes" in cli("estimates", "import-priors", str(path)).err


@pytest.mark.parametrize("args", [(), ("--remove", "FILE"), ("--remove", "--dry-run")])
def test_bad_arguments_are_a_usage_error(cli: Cli, priors: Path, args: tuple[str, ...]) -> None:
    result = [str(priors) if one == "FILE" else one for one in args]

    assert cli("estimates", "import-priors", *result).status == 2


@pytest.mark.parametrize("weight", ["0", "1001", "-3"])
def test_weight_out_of_bounds_is_refused(cli: Cli, priors: Path, weight: str) -> None:
    result = cli("estimates", "import-priors", str(priors), "--weight", weight)

    assert result.status == 1
    assert "The weight must be an integer from 1 to 1,000." in result.err
