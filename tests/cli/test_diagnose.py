import pytest
from tests.cli.conftest import Cli

VIN = "1HGCM82633A004352"


def test_the_page_says_what_is_likely_needed_why_and_what_it_costs(cli: Cli) -> None:
    told = cli("diagnose", "squeals when I brake", "--vin", VIN, "--zip", "90210", "--mileage", "45000")
    assert told.status == 0, told.err
    assert "2003 Honda Accord" in told.out
    assert "1. Brakes > Front Brake Pads" in told.out
    assert "brake-pads-front" in told.out
    assert "on average" in told.out
    assert "bits: High-pitched squeal when braking" in told.out


def test_the_page_says_what_would_help_most(cli: Cli) -> None:
    told = cli("diagnose", "engine overheats and the coolant is low")
    assert told.status == 0, told.err
    assert "To narrow it down: " in told.out


def test_json_is_what_the_api_answers(cli: Cli) -> None:
    told = cli("diagnose", "scanner says P0420", "--json")
    assert told.status == 0, told.err
    assert told.json["recommendations"][0]["problem"]["slug"] == "catalytic-converter"
    assert told.json["understood"]["codes"] == ["P0420"]
    assert "estimate" not in told.json["recommendations"][0]


def test_a_description_that_says_nothing_is_answered_with_a_question(cli: Cli) -> None:
    told = cli("diagnose", "my car is sad")
    assert told.status == 0, told.err
    assert told.out.startswith("This is a first guess.")
    assert "To narrow it down: " in told.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("ab",), "at least 3 characters"),
        (("brakes squeal", "--zip", "1"), "zip code"),
        (("brakes squeal", "--vin", "1"), "VIN"),
    ],
)
def test_bad_input_is_told_in_a_sentence(cli: Cli, args: tuple[str, ...], said: str) -> None:
    told = cli("diagnose", *args)
    assert told.status == 1
    assert said in told.err
    assert told.out == ""


def test_what_the_driver_must_know_comes_first(cli: Cli) -> None:
    told = cli("diagnose", "flames under the hood", "--vin", VIN)
    assert told.status == 0, told.err
    assert told.out.startswith("STOP DRIVING\nFire or smoke: stop as soon as it is safe")
    assert cli("diagnose", "flames under the hood", "--json").json["safety"]["stop_driving"] is True


def test_without_danger_nothing_is_said_of_it(cli: Cli) -> None:
    assert "STOP" not in cli("diagnose", "the horn is dead, no smoke").out
