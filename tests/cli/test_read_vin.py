"""The VIN in a photo, at the command line."""

from pathlib import Path

from tests import photos
from tests.cli.conftest import Cli

VIN = "1HGCM82633A004352"


def _photo(folder: Path, text: str) -> str:
    path = folder / "photo.png"
    path.write_bytes(photos.png(photos.on_table(photos.code("QR", text), size=400)))
    return str(path)


def test_vin_in_a_photo_is_printed(cli: Cli, tmp_path: Path) -> None:
    file = _photo(tmp_path, VIN)

    assert cli("vehicles", "read-vin", file).out == f"{VIN}\n"
    assert cli("vehicles", "read-vin", file, "--json").json == {"vin": VIN, "warnings": []}


def test_file_without_a_vin_is_a_failure(cli: Cli, tmp_path: Path) -> None:
    none = cli("vehicles", "read-vin", _photo(tmp_path, "HELLO"))
    assert (none.status, none.out) == (1, "")
    assert none.err == "Error: No valid 17-character VIN was found in the image.\n"
    missing = cli("vehicles", "read-vin", str(tmp_path / "nothing.png"))

    assert missing.status == 1
    assert "No such file" in missing.err
