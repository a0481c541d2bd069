import csv
import gzip
from pathlib import Path

import pytest
from tests.cli.conftest import Cli
from tests.writes import rows

HEAD = "make,model,year,class,trans,drive,cyl,displ,fuel"
GOOD = "Honda,Accord,2015,Midsize Cars,Auto,Front-Wheel Drive,4,2.4,Regular"
OTHER = "Honda,Accord,2015,Midsize Cars,Auto,Front-Wheel Drive,6,3.5,Regular"
BAD = "Honda,,x,Midsize Cars,Auto,Front-Wheel Drive,4,2.4,Coal"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "vehicles.csv"
    path.write_text(f"{HEAD}\n{GOOD}\n{OTHER}\n{GOOD}\n{BAD}\n", encoding="utf-8-sig")
    return path


def stored_invoices(url: str) -> int:
    return rows(url)["catalog_entries"]


def test_valid_rows_are_added_once(cli: Cli, file: Path, sqlite_url: str) -> None:
    first = cli("import", "vehicles", str(file), "--keep-good", "--json")
    assert first.status == 0
    assert first.json == {"read": 4, "added": 2, "known": 1, "refused": 1, "kept": True}
    assert cli("import", "vehicles", str(file), "--keep-good", "--json").json["added"] == 0
    assert stored_invoices(sqlite_url) == 2


def test_rejected_row_rejects_the_whole_file(cli: Cli, file: Path, sqlite_url: str) -> None:
    outcome = cli("import", "vehicles", str(file))
    assert (outcome.status, outcome.out) == (1, "4 rows read: 3 good, 1 rejected; nothing was saved.\n")
    assert "--errors" in outcome.err
    assert "--keep-good" in outcome.err
    assert stored_invoices(sqlite_url) == 0


def test_dry_run_reports_errors_and_stores_nothing(cli: Cli, file: Path, sqlite_url: str) -> None:
    result = cli("import", "vehicles", str(file), "--dry-run", "--keep-good")
    assert (result.status, result.out) == (1, "4 rows read: 3 good, 1 rejected; nothing was saved.\n")
    assert stored_invoices(sqlite_url) == 0


def test_rejected_rows_are_written_with_every_reason(cli: Cli, file: Path, tmp_path: Path) -> None:
    errors = tmp_path / "rejected.csv"
    assert cli("import", "vehicles", str(file), "--errors", str(errors)).status == 1
    with errors.open(encoding="utf-8", newline="") as written:
        (refused,) = csv.DictReader(written)
    assert (refused["line"], refused["row"]) == ("5", BAD)
    assert all(word in refused["reasons"] for word in ("model", "year", "fuel"))


def test_dash_prints_rejected_rows(
    cli: Cli, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = cli("import", "vehicles", str(file), "--errors", "-")

    assert not (tmp_path / "-").exists()
    assert outcome.status == 1
    (refused,) = csv.DictReader(outcome.out.splitlines())
    assert (refused["line"], refused["row"]) == ("5", BAD)
    assert "4 rows read: 3 good, 1 rejected" in outcome.err
    assert (
        "cannot both go to standard output"
        in cli("import", "vehicles", str(file), "--errors", "-", "--json").err
    )


def test_compressed_file_is_read(cli: Cli, file: Path) -> None:
    packed = file.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert cli("import", "vehicles", str(packed), "--keep-good", "--json").json["added"] == 2


def test_truncated_file_imports_nothing(cli: Cli, tmp_path: Path, sqlite_url: str) -> None:
    many = "\n".join(GOOD.replace("2015", str(year)) for year in range(1984, 2024))
    whole = gzip.compress(f"{HEAD}\n{(many + chr(10)) * 5000}".encode())
    packed = tmp_path / "cut.csv.gz"
    packed.write_bytes(whole[: len(whole) - 200])
    outcome = cli("import", "vehicles", str(packed))
    assert (outcome.status, outcome.out) == (1, "")
    assert "gzip" in outcome.err
    assert stored_invoices(sqlite_url) == 0


@pytest.mark.parametrize(
    ("content", "result"),
    [
        (b"", "no column make"),
        (b"make,model\n", "no column year"),
        (b"\xff\xfe\x00", "UTF-8"),
        (f'{HEAD}\n"Honda'.encode(), "line 2"),
    ],
)
def test_other_files_give_a_readable_error(cli: Cli, tmp_path: Path, content: bytes, result: str) -> None:
    path = tmp_path / "odd.csv"
    path.write_bytes(content)
    outcome = cli("import", "vehicles", str(path))
    assert (outcome.status, outcome.out) == (1, "")
    assert result in outcome.err
    assert "Traceback" not in outcome.err


def test_missing_file_is_reported(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("import", "vehicles", str(tmp_path / "none.csv"))
    assert (outcome.status, "No such file" in outcome.err) == (1, True)
