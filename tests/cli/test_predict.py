from decimal import Decimal
from typing import Any

import pytest
from tests.cli.conftest import Cli

ASK = ("predict", "1HGCM82633A004352", "90210", "brake-pads-front")


def _cents(amount: float) -> Decimal:
    return Decimal(str(amount))


def _adds_up(body: dict[str, Any]) -> None:
    lines = body["repair_breakdown"]
    for part in lines["parts"]:
        assert _cents(part["unit_price"]) * part["quantity"] == _cents(part["total_price"])
    parts = sum((_cents(part["total_price"]) for part in lines["parts"]), Decimal(0))
    assert parts == _cents(lines["total_parts_cost"])
    assert parts + _cents(lines["total_labor_cost"]) == _cents(lines["total_estimate"])
    assert body["local_prediction"]["average_total_estimate"] == lines["total_estimate"]


def test_the_json_is_the_specified_body_and_adds_up_to_the_cent(cli: Cli) -> None:
    body = cli(*ASK, "--json").json
    assert body["success"] is True
    assert body["memory_source"] == "fresh"
    assert body["memory_decay_remaining"] == 100
    assert body["vehicle"]["make"] == "Honda"
    assert body["region"]["state"] == "CA"
    assert {"step", "text", "value"} == set(body["explanation"][0])
    _adds_up(body)


def test_asked_again_the_same_session_comes_from_memory(cli: Cli) -> None:
    first, second = cli(*ASK, "--json").json, cli(*ASK, "--json").json
    assert second["memory_source"] == "cached"
    assert second["session_id"] == first["session_id"]


@pytest.mark.parametrize("percent", ["-90", "-3.33", "17.5", "500"])
def test_lines_still_add_up_when_prices_are_moved(cli: Cli, percent: str) -> None:
    assert cli("price-adjustment", "set", percent).status == 0
    body = cli(*ASK, "--json").json
    _adds_up(body)
    assert "price adjustment" in [step["step"] for step in body["explanation"]]


def test_the_page_tells_the_range_the_lines_and_the_models(cli: Cli) -> None:
    body = cli(*ASK, "--json").json
    page = cli(*ASK).out
    local = body["local_prediction"]
    for figure in (
        local["low_total_estimate"],
        local["average_total_estimate"],
        local["high_total_estimate"],
        body["repair_breakdown"]["total_labor_cost"],
        body["model_b_prediction"]["ai_average_estimate"],
    ):
        assert f"${figure:,.2f}" in page
    assert "remembered" in page
    assert "How this was made" not in page


def test_the_steps_are_numbered(cli: Cli) -> None:
    steps = cli(*ASK, "--json").json["explanation"]
    page = cli(*ASK, "--explain").out
    assert f"{len(steps):>3}. " in page
    assert f"{len(steps) + 1:>3}. " not in page


def test_a_mistyped_problem_is_suggested(cli: Cli) -> None:
    outcome = cli("predict", "1HGCM82633A004352", "90210", "brake-pad-frnt")
    assert outcome.status == 1
    assert "Did you mean brake-pads-front?" in outcome.err


def test_every_bad_field_has_a_line(cli: Cli) -> None:
    outcome = cli("predict", "1HG", "902", "no-such-thing", "--mileage", "9000000")
    assert outcome.status == 1
    assert outcome.out == ""
    for field in ("vin", "zip_code", "problem_identifier", "mileage"):
        assert f"Error: {field}: " in outcome.err


def test_a_vin_with_a_wrong_check_digit_is_answered_with_a_warning(cli: Cli) -> None:
    outcome = cli("predict", "1HGCM82633A004353", "90210", "brake-pads-front")
    assert outcome.status == 0
    assert "check digit" in outcome.out
