"""Sample invoices, imported and exported at the command line."""

import csv
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Cli
from tests.programs import printed
from tests.writes import rows

HEAD = "vin,problem,date,labor_hours,labor_rate,total"
GOOD = "1HGCM82633A004352,brake-pads-front,2025-12-01,1.5,150,225.00"
BAD = "1HGCM82633A004352,brake-pads,12-1-2025,x,150,225.00"

PEAK = """
import resource, sys
from repaircore_cli.main import run
try:
    run(sys.argv[1:])
except SystemExit:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
MANY = 100_000
FEW = 1_000
EXTRA_MEMORY = 24 * 1024
"""KiB: enough for the overhead of an allocator, not for a hundred thousand rows."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "invoices.csv"
    path.write_text(f"{HEAD}\n{GOOD}\n{BAD}\n{GOOD}\n")
    return path


def test_sample_is_created_imported_and_exported(cli: Cli, tmp_path: Path, sqlite_url: str) -> None:
    sample, out = tmp_path / "sample.csv", tmp_path / "out.csv.gz"

    assert cli("sample", "transactions", str(sample), "--count", "60").status == 0
    with sample.open(newline="") as written:
        assert {row["notes"] for row in csv.DictReader(written)} == {"made up"}
    first = cli("import", "transactions", str(sample), "--json")

    assert first.json == {"read": 60, "added": 60, "known": 0, "refused": 0, "kept": True}
    assert cli("export", "transactions", str(out)).out == f"60 rows written to {out}.\n"
    assert cli("import", "transactions", str(out), "--json").json["known"] == 60
    assert rows(sqlite_url)["transactions"] == 60


def test_import_is_in_the_audit_log(cli: Cli, file: Path) -> None:
    cli("import", "transactions", str(file), "--keep-good")
    (result,) = cli("audit", "--json").json

    assert (result["action"], result["after"]) == (
        "transactions.import",
        {"file": "invoices.csv", "read": 3, "added": 1, "known": 1, "updated": 0, "refused": 1, "kept": True},
    )


def test_same_seed_gives_the_same_invoices(cli: Cli) -> None:
    first, again, other = (
        cli("sample", "transactions", "--count", "20", "--seed", seed).out for seed in ("1", "1", "2")
    )

    assert first == again != other
    assert len(first.splitlines()) == 21


def test_rejected_row_rejects_the_file_unless_good_rows_are_kept(
    cli: Cli, file: Path, tmp_path: Path, sqlite_url: str
) -> None:
    errors = tmp_path / "rejected.csv"
    refused = cli("import", "transactions", str(file), "--errors", str(errors))

    assert (refused.status, refused.out) == (1, "3 rows read: 2 good, 1 rejected; nothing was saved.\n")
    assert errors.read_text().splitlines()[1].startswith('3,"The problem must be')
    assert rows(sqlite_url)["transactions"] == 0
    imported = cli("import", "transactions", str(file), "--keep-good")

    assert (imported.status, imported.out) == (
        0,
        "3 rows read: 1 added, 1 already known or repeated, 1 rejected.\n",
    )


def test_dry_run_validates_and_stores_nothing(cli: Cli, file: Path, sqlite_url: str) -> None:
    before = rows(sqlite_url)

    assert cli("import", "transactions", str(file), "--dry-run").status == 1
    assert rows(sqlite_url) == before


def test_environment_option_selects_the_environment(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text(f"{HEAD}\n{GOOD}\n")
    cli("import", "transactions", str(path), "--test")
    out = tmp_path / "out.csv"

    assert cli("export", "transactions", str(out)).out.startswith("0 rows")
    assert cli("export", "transactions", str(out), "--test").out.startswith("1 row ")


def test_file_without_the_columns_is_reported(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("a,b\n1,2\n")
    outcome = cli("import", "transactions", str(path))

    assert outcome.status == 1
    assert "no problem column" in outcome.err


@pytest.mark.long
def test_hundred_thousand_bad_rows_are_reported_in_the_memory_of_a_thousand(
    tmp_path: Path, sqlite_url: str
) -> None:
    def lines(count: int) -> Iterator[str]:
        yield f"{HEAD}\n"
        yield from (f"1HGCM82633A004352,brake-pads-{number},x,{number}h,150,1\n" for number in range(count))

    def peak(count: int) -> int:
        path, errors = tmp_path / f"{count}.csv", tmp_path / f"{count}-rejected.csv"
        with path.open("w") as file:
            file.writelines(lines(count))
        result = printed(
            PEAK, "--database", sqlite_url, "import", "transactions", str(path), "--errors", str(errors)
        ).splitlines()

        assert result[0] == f"{count:,} rows read: 0 good, {count:,} rejected; nothing was saved."
        with errors.open() as written:
            assert sum(1 for _ in written) == count + 1
        return int(result[1])

    assert peak(MANY) - peak(FEW) < EXTRA_MEMORY


def test_rejected_rows_do_not_overwrite_the_imported_file(cli: Cli, file: Path) -> None:
    result = file.read_text()
    outcome = cli("import", "transactions", str(file), "--errors", str(file))

    assert outcome.status == 1
    assert (
        outcome.err
        == "Error: errors: The rejected rows would overwrite the file being imported. Name another file with --errors.\n"
    )
    assert file.read_text() == result


def test_unclosed_quote_is_reported_with_the_line_of_its_row(cli: Cli, tmp_path: Path) -> None:
    open_ended = tmp_path / "open.csv"
    open_ended.write_text(f'{HEAD},notes\n{GOOD},fine\n{GOOD},"open\n{GOOD},fine\n{GOOD},fine\n')
    outcome = cli("import", "transactions", str(open_ended), "--keep-good")

    assert outcome.status == 1
    assert "Check the row that starts at line 3 for an unclosed quotation mark." in outcome.err


def test_export_to_a_pipe_writes_into_it(cli: Cli, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert cli("sample", "transactions", str(pipe), "--count", "2").status == 0
        assert len(os.read(reader, 10_000).splitlines()) == 3
    finally:
        os.close(reader)

    assert pipe.is_fifo()


def test_export_to_a_symlink_writes_its_target(cli: Cli, tmp_path: Path) -> None:
    link = tmp_path / "latest.csv"
    link.symlink_to(tmp_path / "sample.csv")

    assert cli("sample", "transactions", str(link), "--count", "2").status == 0
    assert link.is_symlink()
    assert len((tmp_path / "sample.csv").read_text().splitlines()) == 3
