import io
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.conftest import Cli

ADA = ("--email", "ada@example.com")


@pytest.fixture
def ada(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> str:
    _set_input(monkeypatch, "correct horse\n")
    created = cli("users", "create", "Ada@example.com", "--name", "Ada", "--password-stdin", "--json")
    email: str = created.json["email"]
    return email


def _set_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (("predict",), "Enter VIN, ZIP and PROBLEM, or --file."),
        (("predict", "1HGCM82633A004352", "90210", "brake-pads-front", "--mileage", "many"), "--mileage"),
        (("predct",), "Did you mean 'predict'?"),
        (("users", "promot", "x"), "Did you mean 'promote'?"),
        (("price-adjustment", "set", "much"), "percent"),
        (("keys", "create", "shop"), "--email"),
        (("keys", "create", "shop", *ADA, "--environment", "prod"), "must be test or live"),
        (("vehicles", "plate", "CA", "X", "--environment", "prod"), "must be test or live"),
        (("keys", "revoke", "one", *ADA, "--yes"), "ID"),
        (("keys", "revoke", "9" * 23, *ADA, "--yes"), "ID"),
        (("audit", "--before", "9" * 23), "--before"),
        (("serve", "--port", "66000"), "--port"),
        (("serve", "--workers", "0"), "--workers"),
        (("serve", "--host", ""), "--host"),
        (("problems", "search", "brakes", "--limit", "51"), "--limit"),
        (("--nonsense",), "--nonsense"),
    ],
)
def test_usage_error_exits_with_2(cli: Cli, call: tuple[str, ...], result: str) -> None:
    outcome = cli(*call)
    assert outcome.status == 2
    assert result in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (("vehicles", "decode", "1HG"), "Error: vin: A VIN has 11 or 17 characters"),
        (("vehicles", "decode", "IHGCM82633A004352"), "did you mean 1HGCM82633A004352?"),
        (("vehicles", "lookup", "1HG"), "Error: vin: A VIN to look up must have 11 to 17"),
        (("vehicles", "lookup", "ZZZZZZZZZZZ"), "Error: This VIN cannot be decoded."),
        (("vehicles", "plate", "XX", "A" * 11), "Error: state: The state field must be"),
        (("vehicles", "plate", "CA", "TESTDOWN", "--environment", "test"), "Error: The plate provider"),
        (("problems", "show", "brake-pad-frnt"), "Did you mean brake-pads-front?"),
        (("problems", "show", "1"), "Brakes is a main category; brake-pads-front is a repair in it."),
        (("problems", "show", "brakes"), "Brakes is a main category"),
        (("users", "promote", "bob@example.com"), "Error: There is no user with the e-mail"),
        (("keys", "list", "--email", "bob@example.com"), "Error: There is no user with the e-mail"),
        (("price-adjustment", "set", "501"), "Error: percent: "),
        (("price-adjustment", "set", "nan"), "Error: percent: "),
        (("users", "promote", "\udcff@example.com"), "Error: "),
        (("db", "downgrade", "nope", "--yes"), "Error: revision: "),
        (("db", "status", "--database", "mysql://x"), "Error: REPAIRCORE_DATABASE_URL must be "),
        (("problems", "list", "--database", "sqlite:////dev/null/x/y.db"), "Error: "),
    ],
)
def test_failure_prints_one_line_and_exits_with_1(cli: Cli, call: tuple[str, ...], result: str) -> None:
    outcome = cli(*call)
    assert outcome.status == 1
    assert result in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_file_that_is_no_database_gives_a_readable_error(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("dear diary " * 100)
    outcome = cli("problems", "list", "--database", f"sqlite:///{path}")
    assert (outcome.status, outcome.err) == (
        1,
        "Error: The database file is not an SQLite database. Check the address of the database.\n",
    )


def test_users_are_created_listed_promoted_and_demoted(cli: Cli, ada: str) -> None:
    assert cli("users", "promote", ada, "--json").json["role"] == "admin"
    assert cli("users", "demote", ada, "--json").json["role"] == "user"
    assert [user["email"] for user in cli("users", "list", "--json").json] == [ada]
    assert cli("users", "list").out.split("\t")[1] == ada


def test_operator_actions_on_an_account_are_in_the_audit_log(
    cli: Cli, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _set_input(monkeypatch, "battery staple\n")
    for call in (("promote", ada), ("promote", ada), ("demote", ada)):
        cli("users", *call)
    assert cli("users", "reset-password", ada, "--password-stdin").status == 0
    result = cli("audit", "--json").json
    assert [(entry["action"], entry["before"], entry["after"]) for entry in result] == [
        ("user.reset_password", None, None),
        ("user.set_role", {"role": "admin"}, {"role": "user"}),
        ("user.set_role", {"role": "user"}, {"role": "admin"}),
        ("user.create", None, {"role": "user"}),
    ]


def test_every_bad_field_of_an_account_is_reported(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    _set_input(monkeypatch, "short\n")
    outcome = cli("users", "create", "nobody", "--name", "", "--password-stdin")
    assert outcome.status == 1
    assert [line.split(":")[1].strip() for line in outcome.err.splitlines()] == ["name", "email", "password"]


def test_password_is_not_prompted_for_without_a_terminal(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    _set_input(monkeypatch, "")
    outcome = cli("users", "create", "ada@example.com", "--name", "Ada")
    assert outcome.status == 2
    assert "--password-stdin" in outcome.err


def test_invalid_utf8_gives_a_readable_error(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    _set_input(monkeypatch, "correct \udcff horse\n")
    outcome = cli("users", "create", "ada@example.com", "--name", "Ada", "--password-stdin")
    assert (outcome.status, outcome.err) == (1, "Error: The input is not valid UTF-8.\n")


def test_new_password_is_read_from_the_input(cli: Cli, ada: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _set_input(monkeypatch, "another horse\n")
    assert cli("users", "reset-password", ada, "--password-stdin").status == 0
    _set_input(monkeypatch, "tiny\n")
    assert cli("users", "reset-password", ada, "--password-stdin").status == 1


def test_users_reset_password_counts_the_keys_that_still_work(
    cli: Cli, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = []
    for keys in range(3):
        _set_input(monkeypatch, "another horse\n")
        outcome = cli("users", "reset-password", ada, "--password-stdin", "--json")
        assert outcome.json["email"] == ada
        results.append(outcome.err)
        cli("keys", "create", f"shop {keys}", "--email", ada)
    assert results[0] == ""
    assert results[1].startswith(
        "Its API key still works: list keys with `repaircore keys list --email ada@example.com`"
    )
    assert results[2].startswith("Its 2 API keys still work: ")


def test_secret_key_is_shown_once(cli: Cli, ada: str) -> None:
    new_key = cli("keys", "create", "shop", "--email", ada, "--environment", "live", "--json").json
    assert new_key["secret_key"].startswith("sk_live_")
    listed = cli("keys", "list", "--email", ada)
    assert new_key["public_key"] in listed.out
    assert new_key["secret_key"] not in listed.out


def test_key_is_revoked_only_after_confirmation(cli: Cli, ada: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = str(cli("keys", "create", "shop", "--email", ada, "--json").json["id"])
    _set_input(monkeypatch, "")
    assert cli("keys", "revoke", key, "--email", ada).status == 2
    assert cli("keys", "list", "--email", ada, "--json").json
    assert cli("keys", "revoke", key, "--email", ada, "--yes").status == 0
    assert cli("keys", "list", "--email", ada, "--json").json == []
    assert cli("keys", "revoke", key, "--email", ada, "--yes").status == 1


def test_key_is_renamed(cli: Cli, ada: str) -> None:
    key = str(cli("keys", "create", "shop", "--email", ada, "--json").json["id"])
    assert (
        cli("keys", "rename", key, "front desk", "--email", ada).out
        == f"Key {key} is now named front desk.\n"
    )
    assert [one["name"] for one in cli("keys", "list", "--email", ada, "--json").json] == ["front desk"]
    assert cli("keys", "rename", "999", "x", "--email", ada).status == 1


def test_key_is_rotated_only_after_confirmation(cli: Cli, ada: str, monkeypatch: pytest.MonkeyPatch) -> None:
    new_key = cli("keys", "create", "shop", "--email", ada, "--json").json
    key = str(new_key["id"])
    _set_input(monkeypatch, "")
    assert cli("keys", "rotate", key, "--email", ada).status == 2
    at_once = cli("keys", "rotate", key, "--email", ada, "--yes", "--json").json
    assert at_once["secret_key"] != new_key["secret_key"]
    assert at_once["public_key"] == new_key["public_key"]
    assert at_once["old_secret_ends_at"] is None
    overlapping = cli("keys", "rotate", key, "--email", ada, "--overlap-hours", "24")
    assert "The old secret key works until " in overlapping.out
    assert cli("keys", "rotate", key, "--email", ada, "--overlap-hours", "25").status == 2


def test_repairs_are_listed_one_per_line_into_a_pipe(cli: Cli) -> None:
    lines = cli("problems", "list").out.splitlines()
    assert len(lines) == len(cli("problems", "list", "--json").json)
    assert all(line.count("\t") == 3 for line in lines)


def test_repair_is_found_by_words_and_shown_by_slug_and_by_id(cli: Cli) -> None:
    found = cli("problems", "search", "front brake pads", "--limit", "1", "--json").json
    assert [problem["slug"] for problem in found] == ["brake-pads-front"]
    by_slug = cli("problems", "show", "brake-pads-front", "--json").json
    assert by_slug == cli("problems", "show", str(by_slug["id"]), "--json").json
    assert by_slug["parent"]["name"] in cli("problems", "show", "brake-pads-front").out


def test_vin_is_decoded(cli: Cli) -> None:
    about = cli("vehicles", "decode", "1hgcm82633a004352", "--json").json
    assert (about["make"], about["year"], about["check_digit_holds"]) == ("Honda", 2003, True)
    assert "may be mistyped" in cli("vehicles", "decode", "1HGCM82633A004353").out


def test_vehicle_is_looked_up_and_stored(cli: Cli) -> None:
    found = cli("vehicles", "lookup", "1hgcm82633a00", "--json").json
    assert (found["vin"], found["make"], found["plate_no"]) == ("1HGCM82633A00", "Honda", None)
    assert found["check_digit_holds"] is None
    again = cli("vehicles", "lookup", "1HGCM82633A004352", "--json").json
    assert (again["id"], again["check_digit_holds"]) == (found["id"], True)


def test_sandbox_plate_finds_a_vehicle(cli: Cli) -> None:
    plate = ("vehicles", "plate", "ca", "test-123")
    found = cli(*plate, "--environment", "test", "--json").json
    assert (found["vin"], found["plate"], found["state"]) == ("1HGCM82633A004352", "TEST123", "CA")
    assert "2003 Honda Accord" in cli(*plate, "--environment", "test").out
    assert "no plate provider is configured" in cli(*plate).err


def test_price_adjustment_is_set_and_shown(cli: Cli) -> None:
    assert cli("price-adjustment", "show", "--json").json == {"percent": 0.0}
    assert cli("price-adjustment", "set", "-5").out == "All prices are adjusted by -5%.\n"
    assert cli("price-adjustment", "show", "--json").json == {"percent": -5.0}


def test_schema_is_downgraded_and_upgraded(cli: Cli) -> None:
    assert cli("db", "status", "--json").json["up_to_date"] is True
    downgraded = cli("db", "downgrade", "base", "--yes", "--json").json
    assert (downgraded["revision"], downgraded["up_to_date"]) == (None, False)
    assert cli("db", "upgrade", "--json").json["up_to_date"] is True
    assert cli("problems", "show", "brake-pads-front").status == 0


def test_doctor_passes_a_healthy_installation_and_hides_secrets(cli: Cli) -> None:
    outcome = cli("doctor", "--json")
    assert outcome.status == 0
    assert outcome.json["ok"] is True
    names = {finding["name"] for finding in outcome.json["findings"]}
    assert {"database revision", "journal_mode", "synchronous", "clock", "models"} <= names
    away = cli("doctor", "--database", "postgresql+psycopg://me:hush@127.0.0.1:1/none")
    assert away.status == 1
    assert "hush" not in away.out + away.err


def test_doctor_reports_an_outdated_schema(cli: Cli, sqlite_url: str) -> None:
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0000'")
        connection.commit()
    outcome = cli("doctor")
    assert outcome.status == 1
    assert "repaircore db upgrade" in outcome.out


@pytest.mark.parametrize("call", [("db", "upgrade"), ("problems", "list"), ("doctor",)])
def test_database_of_a_newer_version_gives_a_readable_error(
    cli: Cli, sqlite_url: str, call: tuple[str, ...]
) -> None:
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    outcome = cli(*call)
    assert outcome.status == 1
    assert "The database is from a newer version of repaircore" in outcome.out + outcome.err
    assert "db upgrade" not in outcome.out + outcome.err


@pytest.mark.parametrize("table", ["users", "moz_places"])
@pytest.mark.parametrize("call", [("db", "upgrade"), ("problems", "list"), ("doctor",)])
def test_database_of_another_program_is_reported_and_left_alone(
    cli: Cli, tmp_path: Path, call: tuple[str, ...], table: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as connection:
        connection.execute(f"CREATE TABLE {table} (id INTEGER)")
        outcome = cli(*call, "--database", f"sqlite:///{tmp_path / 'theirs.db'}")
        tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert outcome.status == 1
    assert "The database belongs to another program" in outcome.out + outcome.err
    assert tables == [(table,)]


@pytest.mark.parametrize("name", ["repaircore", "repaircore/deeper"])
def test_doctor_reports_a_file_in_place_of_a_folder(cli: Cli, tmp_path: Path, name: str) -> None:
    (tmp_path / "repaircore").write_text("mine")
    outcome = cli("doctor", "--database", f"sqlite:///{tmp_path / name}/shop.db")
    assert outcome.status == 1
    assert f"{tmp_path / 'repaircore'}: no - it is a file" in outcome.out


@pytest.mark.parametrize(
    ("name", "value", "result"),
    [
        ("REPAIRCORE_TRUSTED_PROXY", "1", "there is no such setting"),
        ("REPAIRCORE_MODEL_A_URL", "http://127.0.0.1:1", "while REPAIRCORE_MODEL_A_KIND is offline"),
        ("REPAIRCORE_VISION_URL", "http://127.0.0.1:1", "while REPAIRCORE_VISION_KIND is off"),
    ],
)
def test_doctor_reports_settings_without_effect(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str, value: str, result: str
) -> None:
    monkeypatch.setenv(name, value)
    outcome = cli("doctor")
    assert outcome.status == 1
    (line,) = (line for line in outcome.out.splitlines() if line.startswith("!!"))
    assert name in line
    assert result in line


def test_doctor_creates_no_database(cli: Cli, tmp_path: Path) -> None:
    cli("doctor", "--database", f"sqlite:///{tmp_path / 'none.db'}")
    assert not (tmp_path / "none.db").exists()


def test_doctor_reports_an_outdated_repair_book(cli: Cli, sqlite_url: str) -> None:
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        connection.execute("UPDATE settings SET value = 'older' WHERE name = 'book_edition'")
        connection.commit()
    outcome = cli("doctor")
    assert outcome.status == 1
    assert "!! repair book edition: older of " in outcome.out


def test_version_is_printed(cli: Cli) -> None:
    assert cli("--version").out.startswith("repaircore ")


def test_price_adjustments_are_audited(cli: Cli) -> None:
    cli("price-adjustment", "set", "-5")
    cli("price-adjustment", "set", "7.5")
    newest, first = cli("audit", "--json").json
    assert (newest["before"], newest["after"]) == ({"percent": -5.0}, {"percent": 7.5})
    assert newest["user_id"] is None
    assert cli("audit", "--before", str(newest["id"]), "--json").json == [first]
    assert cli("audit", "--limit", "1").out.split("\t")[2:4] == [
        "the installation",
        "price_adjustment.set price_adjustment",
    ]


def test_json_failures_are_json(cli: Cli) -> None:
    missing = cli("problems", "show", "brake-pad", "--json")
    invalid = cli("predict", "1HGCM82633A004352", "00000", "brake-pads-front", "--json")
    misfit = cli("predict", "5YJ3E1EA7KF317000", "90210", "oil-change", "--json")

    assert [(outcome.status, outcome.out) for outcome in (missing, invalid, misfit)] == [(1, "")] * 3
    assert json.loads(missing.err)["message"].startswith("There is no repair 'brake-pad'.")
    assert json.loads(invalid.err)["errors"].keys() == {"zip_code"}
    assert json.loads(misfit.err)["error_code"] == "PROBLEM_DOES_NOT_FIT"
    assert json.loads(misfit.err)["alternatives"]


def test_doctor_and_lists_report_a_missing_database_alike(cli: Cli, tmp_path: Path) -> None:
    nothing = ("--database", f"sqlite:///{tmp_path / 'nothing.db'}")

    (finding,) = [
        one for one in cli("doctor", "--json", *nothing).json["findings"] if one["name"] == "database"
    ]

    assert finding["value"].startswith("There is no database yet: ")
    assert cli("users", "list", *nothing).err.startswith(f"Error: {finding['value']}. ")


def test_server_does_not_start_without_a_folder_for_its_limits(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper", Path("/proc/none")):
        monkeypatch.setenv("REPAIRCORE_STATE_FOLDER", str(folder))
        outcome = cli("serve", "--port", "0")
        assert (outcome.status, outcome.out) == (1, "")
        assert str(folder) in outcome.err
        assert "Set REPAIRCORE_STATE_FOLDER to another folder." in outcome.err


def test_agents_are_not_served_without_their_sdk(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("repaircore_http.mcp", "mcp."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    outcome = cli("mcp")
    assert outcome.status == 1
    assert outcome.err == "Error: The MCP SDK is not installed. Run: pip install 'repaircore[mcp]'\n"
