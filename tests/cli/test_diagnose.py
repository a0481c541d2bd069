import pytest
from tests.cli.conftest import Cli

VIN = "1HGCM82633A004352"


def test_diagnose_prints_repairs_reasons_and_prices(cli: Cli) -> None:
    result = cli("diagnose", "squeals when I brake", "--vin", VIN, "--zip", "90210", "--mileage", "45000")

    assert result.status == 0, result.err
    assert "2003 Honda Accord" in result.out
    assert "1. Brakes > Front Brake Pads" in result.out
    assert "brake-pads-front" in result.out
    assert "on average" in result.out
    assert "bits: High-pitched squeal when braking" in result.out


def test_diagnose_prints_the_best_question(cli: Cli) -> None:
    result = cli("diagnose", "engine overheats and the coolant is low")

    assert result.status == 0, result.err
    assert "To narrow it down: " in result.out


def test_json_is_what_the_api_answers(cli: Cli) -> None:
    result = cli("diagnose", "scanner says P0420", "--json")

    assert result.status == 0, result.err
    assert result.json["recommendations"][0]["problem"]["slug"] == "catalytic-converter"
    assert result.json["understood"]["codes"] == ["P0420"]
    assert "estimate" not in result.json["recommendations"][0]


def test_description_that_says_nothing_is_answered_with_a_question(cli: Cli) -> None:
    result = cli("diagnose", "my car is sad")

    assert result.status == 0, result.err
    assert result.out.startswith("This is a first guess.")
    assert "To narrow it down: " in result.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("ab",), "at least 3 characters"),
        (("brakes squeal", "--zip", "1"), "zip code"),
        (("brakes squeal", "--vin", "1"), "VIN"),
    ],
)
def test_diagnose_reports_bad_input(cli: Cli, args: tuple[str, ...], said: str) -> None:
    result = cli("diagnose", *args)

    assert result.status == 1
    assert said in result.err
    assert result.out == ""


def test_diagnose_prints_safety_first(cli: Cli) -> None:
    result = cli("diagnose", "flames under the hood", "--vin", VIN)

    assert result.status == 0, result.err
    assert result.out.startswith("STOP DRIVING\nFire or smoke: stop as soon as it is safe")
    assert cli("diagnose", "flames under the hood", "--json").json["safety"]["stop_driving"] is True


def test_without_danger_nothing_is_said_of_it(cli: Cli) -> None:
    assert "STOP" not in cli("diagnose", "the horn is dead, no smoke").out
