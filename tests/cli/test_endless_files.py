"""Files with endless lines, for every command that reads a table."""

import gzip
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.conftest import Cli

MEGABYTE = 1 << 20
LINE = b"x" * MEGABYTE
SIZE = 48


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """A file of some kilobytes that unpacks to a header and one line of 48 MB."""
    path = tmp_path / "table.csv.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(b"vin,zip_code,problem_identifier,date,total\n")
        for _ in range(SIZE):
            file.write(LINE)
    return path


IMPORTS = (
    ["import", "vehicles"],
    ["import", "transactions"],
    ["import", "facilities"],
    ["import", "recalls"],
    ["import", "mechanics"],
    ["drivers", "import"],
    ["businesses", "import"],
)


@pytest.mark.parametrize("command", IMPORTS, ids=" ".join)
def test_endless_line_is_refused(cli: Cli, packed: Path, command: Sequence[str]) -> None:
    outcome = cli(*command, str(packed))

    assert outcome.status == 1
    assert "than 1,000,000 characters" in outcome.err or "column" in outcome.err


@pytest.mark.parametrize("kind", ["gz", "zip", "csv"])
def test_endless_first_line_is_refused_in_every_compression(cli: Cli, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"table.{kind}"
    content = LINE * 6
    if kind == "gz":
        path.write_bytes(gzip.compress(content))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("table.csv", content)
    else:
        path.write_bytes(content)
    for command in (["import", "recalls"], ["import", "transactions"]):
        outcome = cli(*command, str(path))

        assert outcome.status == 1
        assert "than 1,000,000 characters" in outcome.err


@pytest.mark.parametrize("command", [["predict", "--file"], ["garage", "import"]], ids=" ".join)
def test_endless_uncompressed_file_is_refused(cli: Cli, tmp_path: Path, command: Sequence[str]) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"vin,zip_code,problem_identifier\n" + LINE * 4)
    outcome = cli(*command, str(path))

    assert outcome.status == 1
    assert "Line 2 has more than 1,000,000 characters" in outcome.err
