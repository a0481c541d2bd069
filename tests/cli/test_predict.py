import csv
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli

ASK = ("predict", "1HGCM82633A004352", "90210", "brake-pads-front")

BY_SPECS = ("predict-by-specs", "2015", "toyota", "camry", "90210", "brake-pads-front")


def _cents(amount: float) -> Decimal:
    return Decimal(str(amount))


def _require_adds_up(body: dict[str, Any]) -> None:
    lines = body["repair_breakdown"]
    for part in lines["parts"]:
        assert _cents(part["unit_price"]) * part["quantity"] == _cents(part["total_price"])
    parts = sum((_cents(part["total_price"]) for part in lines["parts"]), Decimal(0))
    assert parts == _cents(lines["total_parts_cost"])
    assert parts + _cents(lines["total_labor_cost"]) == _cents(lines["total_estimate"])
    assert body["local_prediction"]["average_total_estimate"] == lines["total_estimate"]


def test_json_has_the_specified_body_and_adds_up_to_the_cent(cli: Cli) -> None:
    body = cli(*ASK, "--json").json
    assert body["success"] is True
    assert body["memory_source"] == "fresh"
    assert body["memory_decay_remaining"] == 100
    assert body["vehicle"]["make"] == "Honda"
    assert body["region"]["state"] == "CA"
    assert {"step", "text", "value"} == set(body["explanation"][0])
    _require_adds_up(body)


def test_grade_of_parts_may_be_written_in_any_case(cli: Cli) -> None:
    assert cli(*ASK, "--json", "--parts-tier", "OEM").json["parts_tier"] == "oem"
    refused = cli(*ASK, "--parts-tier", "OEMS")

    assert refused.status == 1
    assert "economy, aftermarket, oem" in refused.err


def test_same_question_returns_the_cached_session(cli: Cli) -> None:
    first, second = cli(*ASK, "--json").json, cli(*ASK, "--json").json
    assert second["memory_source"] == "cached"
    assert second["session_id"] == first["session_id"]


@pytest.mark.parametrize("percent", ["-90", "-3.33", "17.5", "500"])
def test_lines_add_up_after_a_price_adjustment(cli: Cli, percent: str) -> None:
    assert cli("price-adjustment", "set", percent).status == 0
    body = cli(*ASK, "--json").json
    _require_adds_up(body)
    assert "price adjustment" in [step["step"] for step in body["explanation"]]


def test_page_shows_the_range_the_lines_and_the_models(cli: Cli) -> None:
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
    assert "cached" in page
    assert "How this was made" not in page


def test_steps_are_numbered(cli: Cli) -> None:
    steps = cli(*ASK, "--json").json["explanation"]
    page = cli(*ASK, "--explain").out
    assert f"{len(steps):>3}. " in page
    assert f"{len(steps) + 1:>3}. " not in page


def test_mistyped_problem_gives_a_suggestion(cli: Cli) -> None:
    outcome = cli("predict", "1HGCM82633A004352", "90210", "brake-pad-frnt")
    assert outcome.status == 1
    assert "Did you mean brake-pads-front?" in outcome.err


def test_every_bad_field_is_reported_on_its_own_line(cli: Cli) -> None:
    outcome = cli("predict", "1HG", "902", "no-such-thing", "--mileage", "9000000")
    assert outcome.status == 1
    assert outcome.out == ""
    for field in ("vin", "zip_code", "problem_identifier", "mileage"):
        assert f"Error: {field}: " in outcome.err


def test_vin_with_a_wrong_check_digit_is_answered_with_a_warning(cli: Cli) -> None:
    outcome = cli("predict", "1HGCM82633A004353", "90210", "brake-pads-front")
    assert outcome.status == 0
    assert "check digit" in outcome.out


def test_rate_entered_for_a_shop_is_the_rate_of_its_zip_code(cli: Cli) -> None:
    assert cli("regions", "add", "Ada's", "--zip", "89501", "--rate", "180").status == 0

    body = cli("predict", "1HGCM82633A004352", "89501", "brake-pads-front", "--json").json

    assert body["region"]["labor_rate"] == 180.0
    assert body["repair_breakdown"]["labor_rate"] == 180.0


def test_year_make_and_model_are_answered_like_a_vin(cli: Cli) -> None:
    result = cli(*BY_SPECS, "--engine", "2.5 hybrid", "--json").json
    page = cli(*BY_SPECS, "--engine", "2.5 hybrid", "--explain")

    _require_adds_up(result)
    assert result["vehicle_match"]["source"] == "catalog"
    assert result["vehicle"]["powertrain"] == "hybrid"
    assert page.status == 0
    assert "2015 Toyota Camry" in page.out
    assert "How this was made" in page.out


@pytest.mark.parametrize("engine", ["9.9", "V99", "Power Stroke", "e" * 1000])
def test_impossible_engine_lists_the_possible_ones(cli: Cli, engine: str) -> None:
    outcome = cli(*BY_SPECS, "--engine", engine)

    assert (outcome.status, outcome.out) == (1, "")
    assert "Error: engine: " in outcome.err
    assert "3.5L V6" in outcome.err


def test_options_that_do_not_fit_specs_are_refused_with_a_reason(cli: Cli) -> None:
    ask = ("predict-by-specs", "2021", "Tesla", "Model 3", "90210", "oil-change")
    outcome = cli(*ask)
    forced = cli(*ask, "--force", "--json")

    assert outcome.status == 1
    assert "2021 Tesla Model 3" in outcome.err
    assert outcome.err.count("Error: ") == 1
    assert outcome.err.endswith("Add --force to estimate it anyway.\n")
    assert forced.json["fit"]["outcome"] == "does_not_fit"
    assert cli("predict-by-specs", *ask[1:5], "oil-chnge").err.count("Did you mean") == 1


def test_changed_shop_rate_replaces_cached_predictions(
    cli: Cli,
) -> None:
    def rate() -> float:
        prediction = cli("predict", "1HGCM82633A004352", "89501", "brake-pads-front", "--json").json
        return float(prediction["repair_breakdown"]["labor_rate"])

    unstated = rate()
    shop = str(cli("regions", "add", "Ada's", "--zip", "89501", "--rate", "180", "--json").json["id"])
    assert rate() == 180.0
    assert cli("regions", "change", shop, "--rate", "195").status == 0
    assert rate() == 195.0
    assert cli("regions", "change", shop, "--zip", "10001").status == 0
    assert rate() == unstated
    assert cli("regions", "change", shop, "--zip", "89502").status == 0
    assert rate() == 195.0
    assert cli("regions", "remove", shop, "--yes").status == 0
    assert rate() == unstated


CARS = "unit,year,make,model,zip,repair\n7,2015,Toyota,Camry,60601,brake-pads-front\n8,,,,,\n"


def test_file_is_written_with_a_price_or_an_error_for_each_row(cli: Cli, tmp_path: Path) -> None:
    cars, prices = tmp_path / "cars.csv", tmp_path / "prices.csv"
    cars.write_text(CARS)
    assert "1 of 2 rows estimated" in cli("predict", "--file", str(cars), "--out", str(prices)).out
    priced, failed = csv.DictReader(prices.read_text().splitlines())
    assert (priced["unit"], priced["vehicle"], priced["error"]) == ("7", "2015 Toyota Camry", "")
    assert float(priced["low"]) < float(priced["average"]) < float(priced["high"])
    assert failed["average"] == ""
    assert "zip code" in failed["error"]
    body = cli("predict", "--file", str(cars), "--out", str(prices), "--json").json
    assert body == {"file": str(prices), "estimated": 1, "failed": 1}


def test_unreadable_file_leaves_the_older_result_alone(cli: Cli, tmp_path: Path) -> None:
    cars, prices = tmp_path / "cars.csv", tmp_path / "prices.csv"
    prices.write_text("older")
    cars.write_text("unit,zip,repair\n7,60601,alternator\n")
    assert cli("predict", "--file", str(cars), "--out", str(prices)).status == 1
    assert prices.read_text() == "older"


@pytest.mark.parametrize("args", [("--out", "x.csv"), ("X", "--file", "x.csv"), (), ("X",)])
def test_predict_requires_either_a_file_or_all_arguments(cli: Cli, args: tuple[str, ...]) -> None:
    assert cli("predict", *args).status == 2


def test_words_match_a_repair_that_fits_the_vehicle(cli: Cli) -> None:
    vehicle = ("--year", "2018", "--make", "Ram", "--model", "2500", "--engine", "6.7 diesel")
    found = cli("predict", *vehicle, "43215", "oil change", "--json")

    assert found.json["problem"]["slug"] == "oil-change-diesel"
    assert "using oil-change-diesel for 'oil change'." in found.err
    assert cli("predict", *vehicle, "43215", "oil-change").status == 1  # a slug names only that repair


def test_words_of_a_repair_that_does_not_fit_match_the_same_work_on_the_vehicle(cli: Cli) -> None:
    vehicle = ("--year", "2021", "--make", "Tesla", "--model", "Model 3")
    found = cli("predict", *vehicle, "43215", "ac compressor", "--json")

    assert found.json["problem"]["slug"] == "electric-ac-compressor"
    assert "on this vehicle, that is electric-ac-compressor." in found.err


@pytest.mark.parametrize(
    ("car", "words", "slug"),
    [
        (("2015", "Kia", "Soul"), "oil change", "oil-change-synthetic"),
        (("2006", "Mercedes-Benz", "E-Class"), "Oil Change", "oil-change-synthetic"),
        (("2006", "Chevrolet", "Cobalt"), "oil change", "oil-change"),
        (("2015", "Kia", "Soul"), "conventional oil change", "oil-change"),
        (("2015", "Kia", "Soul"), "high mileage oil change", "oil-change-high-mileage"),
        (("2013", "Toyota", "Camry"), "oil and filter change", "oil-change-synthetic"),
    ],
)
def test_oil_that_words_leave_open_is_the_cars_own(
    cli: Cli, car: tuple[str, str, str], words: str, slug: str
) -> None:
    year, make, model = car
    found = cli("predict", "--year", year, "--make", make, "--model", model, "43215", words, "--json")

    assert found.json["problem"]["slug"] == slug
    assert f"using {slug} for" in found.err


def test_oil_change_of_a_visit_is_the_cars_own(cli: Cli) -> None:
    found = cli("visit", "1G1ZD5ST8JF130000", "43215", "oil change", "tire-rotation", "--json")

    assert "using oil-change-synthetic for" in found.err


@pytest.mark.parametrize(
    ("words", "slug"), [("clutch", "clutch-replacement"), ("front coil springs", "coil-spring")]
)
def test_everyday_words_match_a_repair(cli: Cli, words: str, slug: str) -> None:
    found = cli("predict", "--year", "2009", "--make", "MINI", "--model", "Cooper", "43215", words, "--json")

    assert found.json["problem"]["slug"] == slug
    assert f"using {slug} for" in found.err


@pytest.mark.parametrize("word", ["battery", "tires", "brakes", "bumper"])
def test_ambiguous_word_matches_no_repair(cli: Cli, word: str) -> None:
    assert cli(*ASK[:3], word).status == 1
