import io

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


def test_json_equals_the_answer_of_the_api(cli: Cli) -> None:
    result = cli("diagnose", "scanner says P0420", "--json")

    assert result.status == 0, result.err
    assert result.json["recommendations"][0]["problem"]["slug"] == "catalytic-converter"
    assert result.json["understood"]["codes"] == ["P0420"]
    assert "estimate" not in result.json["recommendations"][0]


def test_vague_description_is_answered_with_a_question(cli: Cli) -> None:
    result = cli("diagnose", "my car is sad")

    assert result.status == 0, result.err
    assert result.out.startswith("This is a first guess.")
    assert "To narrow it down: " in result.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("ab",), "at least 3 characters"),
        (("brakes squeal", "--zip", "1"), "zip code"),
        (("brakes squeal", "--vin", "1"), "VIN"),
    ],
)
def test_diagnose_reports_bad_input(cli: Cli, args: tuple[str, ...], message: str) -> None:
    result = cli("diagnose", *args)

    assert result.status == 1
    assert message in result.err
    assert result.out == ""


def test_diagnose_prints_safety_first(cli: Cli) -> None:
    result = cli("diagnose", "flames under the hood", "--vin", VIN)

    assert result.status == 0, result.err
    assert result.out.startswith("STOP DRIVING\nFire or smoke: stop as soon as it is safe")
    assert cli("diagnose", "flames under the hood", "--json").json["safety"]["stop_driving"] is True


def test_no_danger_prints_no_warning(cli: Cli) -> None:
    assert "STOP" not in cli("diagnose", "the horn is dead, no smoke").out


def test_question_is_printed_with_the_options_to_answer_it(cli: Cli) -> None:
    plain = cli("diagnose", "squeals when I brake").out
    opened = cli("diagnose", "my car shakes").out

    assert "=yes|no|unsure\n" in plain
    assert "   when I brake: --answer brake-vibration=yes\n" in opened


def test_printed_answer_changes_the_ranking(cli: Cli) -> None:
    before = cli("diagnose", "my car shakes", "--json").json
    after = cli("diagnose", "my car shakes", "--answer", "brake-vibration=yes", "--json").json

    first = after["recommendations"][0]
    assert first["problem"]["slug"] == "brake-rotors-front"
    assert first["confidence"] > before["recommendations"][0]["confidence"]
    assert after["question"]["text"] != before["question"]["text"]


def test_dangerous_answer_prints_a_warning(cli: Cli) -> None:
    result = cli("diagnose", "my car shakes", "--answer", "brake-pedal-sinks=yes")

    assert result.out.startswith("STOP DRIVING\nThe brakes may fail")


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("brake-vibration", "must end in =yes, =no or"),
        ("brake-vibration=perhaps", "must end in =yes, =no or"),
        ("no-such-symptom=yes", "is not a known symptom"),
        ("=", "is not a known symptom"),
    ],
)
def test_malformed_answer_is_refused(cli: Cli, answer: str, result: str) -> None:
    outcome = cli("diagnose", "my car shakes", "--answer", answer)

    assert outcome.status == 2
    assert result in " ".join(outcome.err.split())
    assert outcome.out == ""


def test_answers_at_a_terminal_change_the_ranking(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = io.StringIO("2\nbanana\nunsure\n\n")
    monkeypatch.setattr(typed, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdin", typed)
    monkeypatch.setattr("repaircore_cli.diagnose._is_interactive", lambda: True)
    result = cli("diagnose", "my car shakes")

    assert result.status == 0, result.err
    assert "   2. when I brake\n" in result.out
    assert "1. Brakes > Front Brake Rotors and Pads" in result.out.split("When do you feel it?")[1]
    assert "(was " in result.out
    assert "Type the number of an answer, 1 to 3." in result.err
    assert result.err.count("Your answer") == 4


def test_vehicle_outside_the_book_is_reported(cli: Cli) -> None:
    result = cli("diagnose", "motorcycle chain is loose and skips")

    assert result.out.startswith("This seems to be about a motorcycle.")


def test_mentioned_year_excludes_newer_parts(cli: Cli) -> None:
    result = cli("diagnose", "1967 Mustang 289 carburetor stumbles when I floor it", "--json").json

    assert "fuel-injector" not in {each["problem"]["slug"] for each in result["recommendations"]}
