"""``repaircore visit``."""

import pytest
from tests.cli.conftest import Cli

ACCORD = ("1HGCM82633A004352", "90210")

CAMRY = ("--year", "2016", "--make", "Toyota", "--model", "Camry")


def test_page_shows_savings_per_line_and_the_range(cli: Cli) -> None:
    result = cli("visit", *ACCORD, "brake-pads-front", "brake-rotors-front", "--line", "Towing=80")

    assert result.status == 0, result.err
    text = " ".join(result.out.split())
    assert "with line 2: Front Brake Rotors and Pads already includes new pads and their labor." in text
    assert "3. Towing $80.00" in text
    assert "eight out of ten such visits cost" in text
    assert all(len(line) <= 80 for line in result.out.splitlines())


def test_json_equals_the_answer_of_the_api(cli: Cli) -> None:
    result = cli(
        "visit",
        *ACCORD,
        "brake-pads-front",
        "oil-change-synthetic",
        "--parts-tier",
        "brake-pads-front=oem",
        "--json",
    ).json

    assert [line["problem_identifier"] for line in result["lines"]] == [
        "brake-pads-front",
        "oil-change-synthetic",
    ]
    assert result["lines"][0]["parts_tier"] == "oem"
    assert result["totals"]["sales_tax"]["state"] == "CA"


def test_vehicle_is_specified_by_its_specs(cli: Cli) -> None:
    result = cli("visit", "90210", "brake-pads-front", *CAMRY, "--json").json

    assert (result["vehicle"]["vin"], result["vehicle"]["display_name"]) == (None, "2016 Toyota Camry")


def test_charges_can_be_set_by_options(cli: Cli) -> None:
    totals = cli(
        "visit",
        *ACCORD,
        "brake-pads-front",
        *("--line", "part:Bolts=$1,000.50", "--line", "labor:Rust=0.5h"),
        *("--supplies", "usual", "--discount", "10%", "--tax", "10"),
        "--json",
    ).json["totals"]

    assert totals["shop_supplies_text"] == "7% of labor, up to $45.00"
    assert totals["discount"] == pytest.approx((totals["parts"] + totals["labor"]) / 10, abs=0.01)
    assert totals["sales_tax"]["percent"] == 10
    plain = cli("visit", *ACCORD, "brake-pads-front", "--no-tax", "--supplies", "12.50", "--json").json[
        "totals"
    ]
    assert (plain["sales_tax"], plain["shop_supplies"]) == (None, 12.5)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((*ACCORD, "brake-pad-front"), "Did you mean brake-pads-front?"),
        ((*ACCORD, "muffler", "--line", "=5"), "lines.1.description: "),
        ((*ACCORD, "muffler", "--line", "Towing"), "line: "),
        ((*ACCORD, "muffler", "--line", "Towing=1.2.3"), "line: "),
        ((*ACCORD, "muffler", "--discount", "much"), "discount: "),
        ((*ACCORD, "muffler", "--supplies", "-1"), "supplies: "),
        ((*ACCORD, "muffler", "--parts-tier", "gold"), "parts_tier"),
        ((*ACCORD, "muffler", "--parts-tier", "radiator=oem"), "radiator"),
        ((*ACCORD, "muffler", "muffler"), "already"),
        (("5YJ3E1EA7KF317000", "90210", "muffler"), "Line 1: "),
        (("90210", "muffler", "--year", "2016"), "make: "),
    ],
)
def test_bad_arguments_are_reported(cli: Cli, arguments: tuple[str, ...], text: str) -> None:
    result = cli("visit", *arguments)

    assert result.status == 1
    assert text in " ".join(result.err.split())


def test_every_bad_option_is_named_at_once(cli: Cli) -> None:
    result = cli(
        *("visit", *ACCORD, "muffler", "--line", "Towing=x", "--line", "Fees=5", "--line", "Disposal"),
        *("--supplies", "2x", "--discount", "much"),
    )

    assert result.status == 1
    assert [line.split(": ")[1] for line in result.err.splitlines()] == [
        "supplies",
        "discount",
        "line",
        "line",
    ]
    assert 'not "Towing=x".' in result.err
    assert 'not "Disposal".' in result.err


@pytest.mark.parametrize("arguments", [(ACCORD[0],), ACCORD, ("90210", "--year", "2016", "--make", "Honda")])
def test_missing_arguments_are_a_usage_error(cli: Cli, arguments: tuple[str, ...]) -> None:
    result = cli("visit", *arguments)

    assert result.status == 2
    assert "at least one PROBLEM" in " ".join(result.err.split())


def test_vehicle_has_the_engine_of_a_prediction(cli: Cli) -> None:
    visit = cli("visit", *ACCORD, "brake-pads-front", "--json").json
    prediction = cli("predict", *ACCORD, "brake-pads-front", "--json").json

    assert visit["vehicle"]["engine"] == prediction["vehicle"]["engine"]["name"] == "3.0L V6 (J-series V6)"
