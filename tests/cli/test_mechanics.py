"""``repaircore mechanics``, and the import and export of the directory."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli

from repaircore.mechanics.csv_file import HEADER

ADD = ("mechanics", "add", "Main Street Garage", "--zip", "43215", "--json")


def add(cli: Cli, *more: str) -> dict[str, Any]:
    outcome = cli(*ADD, *more)
    assert outcome.status == 0, outcome.err
    mechanic: dict[str, Any] = outcome.json
    return mechanic


def refs(cli: Cli, *more: str) -> list[str]:
    return [one["ref"] for one in cli("mechanics", "list", "--json", *more).json]


def test_mechanics_are_added_listed_shown_and_removed(cli: Cli) -> None:
    added = add(
        cli,
        "--service",
        "Oil change",
        "--service",
        "Brakes",
        "--hours",
        "mon-sat 09:00-18:00",
        "--capacity",
        "2",
    )

    assert (added["state"], added["timezone"], added["services"]) == (
        "OH",
        "America/New_York",
        ["brakes", "oil_change"],
    )
    assert (added["hours"], added["capacity"], added["slot_minutes"]) == ("mon-sat 09:00-18:00", 2, 60)
    assert refs(cli) == [added["ref"]]
    assert refs(cli, "--state", "oh") == [added["ref"]]
    assert refs(cli, "--state", "CA") == []
    assert cli("mechanics", "show", added["ref"], "--json").json == added
    output = cli("mechanics", "show", added["ref"]).out

    assert "mon-sat 09:00-18:00 (America/New_York)" in output
    assert "60 minutes, 2 at a time" in output
    assert cli("mechanics", "remove", added["ref"], "--yes", "--json").json == {
        "ref": added["ref"],
        "removed": True,
    }
    assert refs(cli) == []
    assert cli("mechanics", "show", added["ref"]).status == 1


def test_environments_have_separate_mechanics(cli: Cli) -> None:
    added = add(cli, "--environment", "test")

    assert refs(cli) == []
    assert refs(cli, "--environment", "test") == [added["ref"]]
    assert cli("mechanics", "list", "--environment", "moon").status == 2


def test_add_prints_every_bad_field(cli: Cli) -> None:
    outcome = cli("mechanics", "add", "Garage", "--hours", "whenever", "--slot-minutes", "7")

    assert outcome.status == 1
    for word in ("state", "time zone", "hours", "slot minutes"):
        assert word in outcome.err


@pytest.mark.parametrize("command", ["import", "mechanics"])
def test_import_recognizes_an_export(cli: Cli, tmp_path: Path, command: str) -> None:
    file = tmp_path / "mechanics.csv"
    added = add(cli, "--exceptions", "2026-12-25 closed")

    assert cli("export", "mechanics", str(file), "--json").json == {"file": str(file), "rows": 1}

    named = ("import", "mechanics") if command == "import" else ("mechanics", "import")
    outcome = cli(*named, str(file), "--json")

    assert outcome.json == {"read": 1, "added": 0, "updated": 0, "known": 1, "refused": 0, "kept": True}
    assert refs(cli) == [added["ref"]]


def test_import_writes_rejected_rows_with_reasons(cli: Cli, tmp_path: Path) -> None:
    file, errors = tmp_path / "mechanics.csv", tmp_path / "rejected.csv"
    file.write_text("name,zip_code,hours\nGood,43215,\nBad,43215,whenever\n")

    outcome = cli("mechanics", "import", str(file), "--errors", str(errors))

    assert outcome.status == 1
    assert "nothing was saved" in outcome.out
    assert "mon-fri 08:00-17:00" in errors.read_text()
    assert cli("mechanics", "import", str(file), "--keep-good").status == 0
    assert len(refs(cli)) == 1


def test_export_of_an_empty_directory_has_the_header(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mechanics.csv"
    cli("export", "mechanics", str(file))

    assert file.read_text() == ",".join(HEADER) + "\n"
