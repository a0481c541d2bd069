"""Partners at the command line."""

import pytest
from tests.cli.conftest import Cli

NAME = "Roadside Inc"


def test_create_shows_the_secret_once(cli: Cli) -> None:
    made = cli("partners", "create", NAME, "--json").json

    assert (made["id"], made["name"], made["environment"]) == (1, NAME, "test")
    assert made["public_key"].startswith("ppk_test_")
    assert made["secret_key"].startswith("psk_test_")
    (listed,) = cli("partners", "list", "--json").json
    masked = f"psk_test_…{made['secret_key'][-4:]}"

    assert listed == {
        "id": 1,
        "name": NAME,
        "created_at": listed["created_at"],
        "suspended_at": None,
        "keys": [
            {
                "environment": "test",
                "public_key": made["public_key"],
                "secret_key": masked,
                "created_at": listed["created_at"],
                "revoked_at": None,
            }
        ],
    }
    assert made["secret_key"] not in cli("partners", "list").out


def test_create_refuses_a_second_key_of_an_environment(cli: Cli) -> None:
    said = cli("partners", "create", NAME)

    assert (said.status, said.err) == (0, "Save the secret key now: it is not shown again.\n")
    assert said.out.startswith(f"Partner 1 ({NAME}, test)\n  public  ppk_test_")
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
        (("create", NAME, "--environment", "prod"), "must be one of: live, test"),
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


def test_suspend_and_rotate_keys_ask_for_confirmation(cli: Cli) -> None:
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
    assert ends[first] == ends[second] is not None  # the second rotation did not leave the first key a day
    assert ends[third["public_key"]] is None
    assert cli("partners", "rotate-keys", NAME, "--environment", "live", "--yes").err == (
        f"Error: {NAME} has no live keys.\n"
    )
