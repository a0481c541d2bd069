import json
import os
import zipfile
from pathlib import Path

from tests.cli.conftest import Cli

PREDICT = ("predict", "1HGCM82633A004352", "90210", "brake-pads-front")


def test_backup_is_written_verified_and_restored(cli: Cli, tmp_path: Path) -> None:
    cli(*PREDICT)
    file = str(tmp_path / "shop.zip")
    backup = cli("backup", file, "--json")
    assert (backup.status, backup.err) == (0, "")
    assert backup.json["tables"]["predictions"]["rows"] == 1
    assert backup.json["tables"]["predictions"]["sums"]["local_average"] > 0
    assert cli("backup", file, "--verify", "--json").json == backup.json
    other = f"sqlite:///{tmp_path / 'other.db'}"

    assert cli("restore", file, "--database", other, "--json").json == backup.json
    assert cli("doctor", "--deep", "--database", other).status == 0
    assert cli(*PREDICT, "--database", other, "--json").json["memory_source"] == "cached"


def test_backup_lists_its_tables(cli: Cli, tmp_path: Path) -> None:
    cli(*PREDICT)
    backup = cli("backup", str(tmp_path / "shop.zip"))
    assert "predictions\t1\tlocal_low " in backup.out
    assert backup.err.startswith(f"{tmp_path / 'shop.zip'} was written: ")
    again = cli("restore", str(tmp_path / "shop.zip"), "--replace", "--yes")

    assert again.out.endswith("UTC, verified against the backup.\n")


def test_restore_requires_replace_to_replace_data(cli: Cli, tmp_path: Path) -> None:
    cli(*PREDICT)
    file = str(tmp_path / "shop.zip")
    cli("backup", file)
    refused = cli("restore", file)
    assert refused.status == 1
    assert "already holds data; nothing was changed" in refused.err
    unasked = cli("restore", file, "--replace")

    assert unasked.status == 2
    assert "use --yes" in unasked.err


def test_backup_reports_a_foreign_file_in_one_line(cli: Cli, tmp_path: Path) -> None:
    foreign = tmp_path / "letter.zip"
    with zipfile.ZipFile(foreign, "w") as archive:
        archive.writestr("letter.txt", "Dear all")
    for call in (("backup", "--verify", str(foreign)), ("restore", str(foreign))):
        outcome = cli(*call)
        assert outcome.status == 1
        assert (
            outcome.err
            == "Error: file: The file is not a repaircore backup, or is truncated. Choose another file.\n"
        )
    missing = cli("restore", str(tmp_path / "none.zip"))

    assert missing.err == f"Error: No such file or directory: {tmp_path / 'none.zip'}\n"


def test_restore_reports_a_backup_of_a_newer_version(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "shop.zip"
    cli("backup", str(file))
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"]) | {"revision": "9999", "version": "99.0"}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (members | {"manifest.json": json.dumps(manifest).encode()}).items():
            archive.writestr(name, data)
    outcome = cli("restore", str(file))

    assert outcome.status == 1
    assert "was made by a newer version of repaircore (99.0, revision 9999)" in outcome.err


def test_backup_requires_a_database(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("backup", str(tmp_path / "shop.zip"), "--database", f"sqlite:///{tmp_path / 'none.db'}")

    assert (outcome.status, outcome.err) == (1, "Error: There is no database to back up yet.\n")
    assert list(tmp_path.glob("*")) == [tmp_path / "repaircore.db"]


def test_backup_replaces_only_regular_files(cli: Cli, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    cli("problems", "show", "brake-pads-front")
    outcome = cli("backup", str(pipe))

    assert outcome.status == 1
    assert outcome.err == f"Error: file: {pipe} is not a regular file. Choose another file for the backup.\n"
    assert pipe.is_fifo()
