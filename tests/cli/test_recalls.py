import gzip
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli
from tests.writes import rows

FLAT = Path(__file__).parents[1] / "data" / "flat_rcl_made_up.txt"
REAL = os.environ.get("REPAIRCORE_TEST_RECALLS", "")


def import_recalls(cli: Cli, file: Path | str) -> Any:
    outcome = cli("import", "recalls", str(file), "--json")
    assert outcome.status == 0, outcome.err
    return outcome.json


def counts(added: int = 0, updated: int = 0, known: int = 0) -> dict[str, int | bool]:
    read = added + updated + known
    return {"read": read, "added": added, "updated": updated, "known": known, "refused": 0, "kept": True}


def list_recalls(cli: Cli, *arguments: str) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = cli("recalls", "list", *arguments, "--json").json["recalls"]
    return result


def test_import_recalls_reads_the_published_form_once(cli: Cli, sqlite_url: str) -> None:
    assert import_recalls(cli, FLAT) == counts(added=5, updated=1)  # a second component of the first
    assert import_recalls(cli, FLAT) == counts(known=6)
    assert (rows(sqlite_url)["recall_campaigns"], rows(sqlite_url)["recalled_vehicles"]) == (4, 5)


@pytest.mark.parametrize("packed", ["txt.gz", "zip"])
def test_import_recalls_reads_a_compressed_file(cli: Cli, tmp_path: Path, packed: str) -> None:
    path = tmp_path / f"FLAT_RCL.{packed}"
    if packed == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as folder:
            folder.write(FLAT, "FLAT_RCL.txt")
    else:
        path.write_bytes(gzip.compress(FLAT.read_bytes()))

    assert import_recalls(cli, path) == counts(added=5, updated=1)


def test_import_recalls_updates_a_known_recall(cli: Cli, tmp_path: Path) -> None:
    import_recalls(cli, FLAT)
    newer = tmp_path / "newer.txt"
    lines = FLAT.read_bytes().replace(b"Dealers will inspect", b"Dealers replace").splitlines(keepends=True)
    newer.write_bytes(b"".join(lines[3:4]))
    assert import_recalls(cli, newer) == counts(updated=1)
    (result,) = list_recalls(cli, "Chevy", "Silverado 1500", "2019")

    assert result["remedy"] == "Dealers replace the cable."
    assert (result["park_it"], result["park_outside"], result["reported_on"]) == (True, True, "2024-02-20")


def test_recalls_list_finds_by_make_model_and_year(cli: Cli) -> None:
    import_recalls(cli, FLAT)
    assert [one["model"] for one in list_recalls(cli, "HONDA", "accord", "2019")] == [
        "Accord",
        "Accord Hybrid",
    ]
    line, _ = cli("recalls", "list", "Honda", "Accord", "2019").out.splitlines()

    assert line.split("\t")[:3] == ["24V901000", "2024-01-15", "Accord 2019"]
    assert "do not drive, park outside" in cli("recalls", "list", "Chevrolet", "Silverado", "2019").out
    assert [one["year"] for one in list_recalls(cli, "BMW", "brake fluid res cap", "2021")] == [None]


def test_recalls_list_distinguishes_no_match_from_no_imported_recalls(cli: Cli) -> None:
    empty = cli("recalls", "list", "Honda", "Accord", "2019")
    assert (empty.status, empty.out) == (1, "")
    assert "import recalls" in empty.err
    import_recalls(cli, FLAT)
    none = cli("recalls", "list", "Honda", "Accord", "2018")
    assert (none.status, none.out) == (0, "")
    assert none.err.startswith("No imported recall covers this vehicle.\nCampaigns of 2025")
    result = cli("recalls", "list", "Honda", "Accord", "2018", "--json").json

    assert (result["coverage"], result["campaign_years"]["covered"]) == ("partial", list(range(2017, 2025)))
    assert result["campaign_years"]["missing"][0] == 2025
    assert list_recalls(cli, "Nobody", "Nothing", "2018") == []


def test_export_recalls_writes_what_import_reads(cli: Cli, tmp_path: Path) -> None:
    import_recalls(cli, FLAT)
    out = tmp_path / "recalls.csv"
    assert cli("export", "recalls", str(out), "--json").json == {"file": str(out), "rows": 5}
    assert import_recalls(cli, out) == counts(known=5)
    other = tmp_path / "other.db"
    assert cli("import", "recalls", str(out), "--database", f"sqlite:///{other}").status == 0
    again = tmp_path / "again.csv"

    assert cli("export", "recalls", str(again), "--database", f"sqlite:///{other}").status == 0
    assert again.read_bytes() == out.read_bytes()


def test_import_recalls_rejects_the_file_unless_good_rows_are_kept(cli: Cli, tmp_path: Path) -> None:
    path, errors = tmp_path / "odd.txt", tmp_path / "rejected.csv"
    shutil.copyfile(FLAT, path)
    with path.open("ab") as file:
        file.write(b"7\tnone" + b"\t" * 27 + b"\r\n")
    refused = cli("import", "recalls", str(path), "--errors", str(errors))

    assert (refused.status, refused.out) == (1, "7 rows read: 6 good, 1 rejected; nothing was saved.\n")
    assert "7,The campaign must be a number" in errors.read_text()
    assert cli("import", "recalls", str(path), "--keep-good", "--json").json["added"] == 5


@pytest.mark.parametrize("year", ["x", "1899", "2101", "9" * 30])
def test_recalls_list_with_an_impossible_year_exits_with_2(cli: Cli, year: str) -> None:
    assert cli("recalls", "list", "Honda", "Accord", year).status == 2


@pytest.mark.skipif(not REAL, reason="REPAIRCORE_TEST_RECALLS names no file of recalls")
def test_import_recalls_reads_a_real_file_once(cli: Cli) -> None:
    first = import_recalls(cli, REAL)
    assert first["added"] > 0
    again = import_recalls(cli, REAL)

    assert (again["added"], again["updated"], again["known"]) == (0, 0, first["read"])
