import csv
import gzip
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli

from repaircore.facilities.csv_file import HEAD

TWO = """facility_name,city,state,zip_code,country,avg_labor_rate
Ada's Garage,Beverly Hills,California,90210,US,150.25
"Bo, Sons & Co",Reno,NV,89501-1234,,
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "shops.csv"


def import_facilities(cli: Cli, file: Path, text: str, *more: str) -> Any:
    file.write_text(text, encoding="utf-8-sig")
    outcome = cli("import", "facilities", str(file), "--json", *more)

    assert outcome.status == 0, outcome.err
    return outcome.json


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


def listed(cli: Cli) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = cli("regions", "list", "--json").json
    return result


def test_shops_are_added_once(cli: Cli, file: Path) -> None:
    assert import_facilities(cli, file, TWO) == counts(added=2)
    assert import_facilities(cli, file, TWO) == counts(known=2)
    ada, bo = listed(cli)

    assert (ada["facility_name"], ada["state"], ada["avg_labor_rate"]) == ("Ada's Garage", "CA", 150.25)
    assert (bo["facility_name"], bo["zip_code"], bo["avg_labor_rate"]) == (
        "Bo, Sons & Co",
        "89501-1234",
        None,
    )


def test_known_shop_with_other_values_is_updated(cli: Cli, file: Path) -> None:
    import_facilities(cli, file, TWO)
    changed = "name,zip,city,rate\nADAS GARAGE,90210-9999,,151\nBo Sons & Co,89501,Sparks,\n"

    assert import_facilities(cli, file, changed) == counts(updated=2)
    assert import_facilities(cli, file, changed) == counts(known=2)
    ada, bo = listed(cli)

    assert (ada["city"], ada["avg_labor_rate"], ada["state"]) == ("Beverly Hills", 151.0, "CA")
    assert (bo["city"], bo["avg_labor_rate"], bo["country"]) == ("Sparks", None, None)
    result = cli("import", "facilities", str(file)).out

    assert result == "2 rows read: 0 added, 0 updated, 2 already known or repeated, 0 rejected.\n"


def test_same_name_elsewhere_is_another_shop(cli: Cli, file: Path) -> None:
    rows = ["name,city,zip", "Bo,,90210", "Bo,,89501", "Bo,Reno,", "Bo,Sparks,", "bo,RENO,", "Bo,,90210-1234"]

    assert import_facilities(cli, file, "\n".join(rows)) == counts(added=4, updated=2)


def test_shop_twice_in_a_file_counts_once(cli: Cli, file: Path) -> None:
    assert import_facilities(cli, file, TWO + TWO.split("\n", 1)[1]) == counts(added=2, known=2)


def test_every_change_of_a_file_is_audited(cli: Cli, file: Path) -> None:
    import_facilities(cli, file, TWO)
    import_facilities(cli, file, TWO.replace("150.25", "99"))
    result = cli("audit", "--json").json

    assert [one["action"] for one in result] == [
        "facilities.import",
        "region.change",
        "facilities.import",
        "region.add",
        "region.add",
    ]
    change = result[1]

    assert (change["before"], change["after"]) == ({"avg_labor_rate": 150.25}, {"avg_labor_rate": 99.0})


def test_bad_rows_are_reported_with_every_reason_and_reject_the_file(
    cli: Cli, file: Path, tmp_path: Path
) -> None:
    bad = [
        f"{'x' * 256},{'y' * 256},,,,",
        ",,,,,-5",
        "Cy,,,,,much",
        "Cy,,,,",
        f"Cy,,,{'9' * 21},,",
        "Cy,,,,,1000001",
    ]
    file.write_bytes(TWO.encode() + "\n".join(bad).encode() + b"\nC\xff,,,,,\n")
    errors = tmp_path / "rejected.csv"
    outcome = cli("import", "facilities", str(file), "--errors", str(errors))

    assert (outcome.status, outcome.out) == (1, "9 rows read: 2 good, 7 rejected; nothing was saved.\n")
    assert listed(cli) == []
    with errors.open(newline="", encoding="utf-8") as written:
        result = {row["line"]: row["reasons"] for row in csv.DictReader(written)}

    assert list(result) == ["4", "5", "6", "7", "8", "9", "10"]
    assert "facility name" in result["4"]
    assert "city" in result["4"]
    assert "facility name field is required" in result["5"]
    assert "avg labor rate" in result["5"]
    assert result["10"] == "The row is not UTF-8 text."
    imported = cli("import", "facilities", str(file), "--keep-good", "--json").json

    assert imported == {**counts(added=2, refused=7)}


@pytest.mark.parametrize(
    ("content", "expected"), [(b"", "no column"), (b"city,state\nReno,NV\n", "no column facility_name")]
)
def test_other_files_give_a_readable_error(cli: Cli, file: Path, content: bytes, expected: str) -> None:
    file.write_bytes(content)
    outcome = cli("import", "facilities", str(file))

    assert (outcome.status, outcome.out) == (1, "")
    assert expected in outcome.err


def test_exported_file_is_imported_as_known(cli: Cli, file: Path, tmp_path: Path) -> None:
    import_facilities(cli, file, TWO)
    cli("regions", "add", 'Ünï, "quoted"\nname', "--country", "Canada", "--state", "Ontario", "--rate", "0")
    for out in (tmp_path / "out.csv", tmp_path / "out.csv.gz"):
        assert cli("export", "facilities", str(out)).out == f"3 rows written to {out}.\n"
        again = cli("import", "facilities", str(out), "--json").json

        assert again == counts(known=3)
    text = gzip.decompress(out.read_bytes()).decode()

    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == text
    assert text.splitlines()[0] == ",".join(HEAD)
    assert cli("export", "facilities", "-").out == text
    assert sorted(path.name for path in tmp_path.glob("*out*")) == ["out.csv", "out.csv.gz"]


def test_zip_must_contain_exactly_one_file(cli: Cli, tmp_path: Path) -> None:
    def packed(**files: str) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as folder:
            for name, text in files.items():
                folder.writestr(name, text)
        return buffer.getvalue()

    path = tmp_path / "shops.ZIP"
    path.write_bytes(packed(one=TWO))

    assert cli("import", "facilities", str(path), "--json").json == counts(added=2)
    for content, result in (
        (packed(one=TWO, two=TWO), "exactly one file, not 2"),
        (packed(), "exactly one file, not 0"),
        (b"PK", "not a complete zip file"),
        (packed(one=TWO * 9)[:60], "not a complete zip file"),
    ):
        path.write_bytes(content)
        outcome = cli("import", "facilities", str(path))

        assert (outcome.status, outcome.out) == (1, "")
        assert result in outcome.err


def test_failed_export_leaves_no_file(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("export", "facilities", str(tmp_path / "none" / "out.csv"))

    assert (outcome.status, "No such file" in outcome.err) == (1, True)


def test_state_that_differs_from_the_zip_code_is_rejected(cli: Cli, file: Path, tmp_path: Path) -> None:
    errors = tmp_path / "errors.csv"
    file.write_text("name,state,zip\nElm Garage,CA,43215\nOak Garage,Ohio,43215\nRue Garage,QC,43215\n")

    outcome = cli("import", "facilities", str(file), "--keep-good", "--json", "--errors", str(errors))

    assert outcome.json["refused"] == 2
    assert [each["facility_name"] for each in listed(cli)] == ["Oak Garage"]
    assert errors.read_text().count("must match the ZIP code 43215, which is in OH") == 2
