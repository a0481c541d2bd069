"""Partners at the command line."""

import io

import pytest
from tests.cli.conftest import Cli

NAME = "Roadside Inc"


def test_create_shows_the_secret_once(cli: Cli) -> None:
    created = cli("partners", "create", NAME, "--json").json

    assert (created["id"], created["name"], created["environment"]) == (1, NAME, "test")
    assert created["public_key"].startswith("ppk_test_")
    assert created["secret_key"].startswith("psk_test_")
    (listed,) = cli("partners", "list", "--json").json
    masked = f"psk_test_…{created['secret_key'][-4:]}"

    assert listed == {
        "id": 1,
        "name": NAME,
        "created_at": listed["created_at"],
        "suspended_at": None,
        "keys": [
            {
                "environment": "test",
                "public_key": created["public_key"],
                "secret_key": masked,
                "created_at": listed["created_at"],
                "revoked_at": None,
            }
        ],
    }
    assert created["secret_key"] not in cli("partners", "list").out


def test_create_refuses_a_second_key_of_an_environment(cli: Cli) -> None:
    failure = cli("partners", "create", NAME)

    assert (failure.status, failure.err) == (0, "Save the secret key now: it will not be shown again.\n")
    assert failure.out.startswith(f"Partner 1 ({NAME}, test)\n  public  ppk_test_")
    live = cli("partners", "create", NAME, "--environment", "live", "--json").json

    assert (live["id"], live["public_key"][:9]) == (1, "ppk_live_")
    again = cli("partners", "create", NAME)

    assert (again.status, again.err) == (
        1,
        f"Error: {NAME} already has test keys. Rotate them to get new ones.\n",
    )


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("create", " "), "The name field is required."),
        (("suspend", "Nobody", "--yes"), "There is no partner named Nobody."),
        (("resume", "Nobody"), "There is no partner named Nobody."),
        (("rotate-keys", "Nobody", "--yes"), "There is no partner named Nobody."),
    ],
)
def test_partners_prints_errors(cli: Cli, args: tuple[str, ...], says: str) -> None:
    outcome = cli("partners", *args)

    assert outcome.status == 1
    assert says in outcome.err


def test_suspend_and_resume_are_audited(cli: Cli) -> None:
    cli("partners", "create", NAME)

    assert cli("partners", "suspend", NAME, "--yes").out == f"{NAME} is suspended.\n"
    since = cli("partners", "suspend", NAME, "--yes", "--json").json["suspended_at"]

    assert since is not None
    assert "suspended" in cli("partners", "list").out
    assert cli("partners", "resume", NAME).out == f"{NAME} is active.\n"
    assert cli("partners", "resume", NAME, "--json").json["suspended_at"] is None
    entries = [(entry["action"], entry["subject"]) for entry in cli("audit", "--json").json]

    assert entries == [
        ("partner.resume", "partners/1"),
        ("partner.suspend", "partners/1"),
        ("partner.create", "partners/1"),
    ]


def test_suspend_and_rotate_keys_require_confirmation(cli: Cli) -> None:
    cli("partners", "create", NAME)

    assert cli("partners", "suspend", NAME).status == 2
    assert cli("partners", "rotate-keys", NAME).status == 2
    (listed,) = cli("partners", "list", "--json").json

    assert (listed["suspended_at"], len(listed["keys"])) == (None, 1)


def test_rotate_keys_revokes_at_once_or_after_the_overlap(cli: Cli) -> None:
    first = cli("partners", "create", NAME, "--json").json["public_key"]
    second = cli("partners", "rotate-keys", NAME, "--overlap-hours", "24", "--json").json["public_key"]
    third = cli("partners", "rotate-keys", NAME, "--yes", "--json").json

    assert third["secret_key"].startswith("psk_test_")
    (listed,) = cli("partners", "list", "--json").json
    ends = {key["public_key"]: key["revoked_at"] for key in listed["keys"]}

    assert list(ends) == [first, second, third["public_key"]]
    assert ends[first] == ends[second] is not None  # the second rotation revoked the first key at once
    assert ends[third["public_key"]] is None
    assert cli("partners", "rotate-keys", NAME, "--environment", "live", "--yes").err == (
        f"Error: {NAME} has no live keys. The operator can create them with `repaircore partners create`.\n"
    )


def test_member_is_added_listed_and_removed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse\n"))
    cli("partners", "create", NAME)
    unknown = cli("partners", "add-member", NAME, "ada@example.com")
    cli("users", "create", "ada@example.com", "--name", "Ada", "--password-stdin")

    assert unknown.status != 0
    assert "There is no account with the e-mail ada@example.com." in unknown.err
    assert cli("partners", "add-member", NAME, "ada@example.com").status == 0
    assert [each["email"] for each in cli("partners", "members", NAME, "--json").json] == ["ada@example.com"]
    assert cli("partners", "remove-member", NAME, "ada@example.com").status == 0
    assert cli("partners", "members", NAME, "--json").json == []
    assert cli("partners", "remove-member", NAME, "ada@example.com").status != 0


def test_partners_are_listed_in_pages(cli: Cli) -> None:
    for number in range(3):
        cli("partners", "create", f"Partner {number}")
    first = cli("partners", "list", "--json", "--limit", "2")
    second = cli("partners", "list", "--json", "--limit", "2", "--page", "2")

    assert [partner["name"] for partner in first.json] == ["Partner 0", "Partner 1"]
    assert [partner["name"] for partner in second.json] == ["Partner 2"]
    assert "1 more: use --page or --limit." in cli("partners", "list", "--limit", "2").err
    assert "No partners on this page." in cli("partners", "list", "--page", "9").err
