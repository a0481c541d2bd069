import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli

PLACE = {"vin": "1HGCM82633A004352", "zip_code": "90210"}
LINE = {
    "description": "Front brake pads",
    "parts_total": 95,
    "labor_hours": 3.5,
    "labor_rate": 180,
    "total": 725,
}
CSV = """\ufeffDescription,Parts_total,Labor_hours,Labor_rate,Total
Front brake pads,$95.00,3.5,"$180.00","$725.00"
shop supplies,,,,20
"""


def _file(folder: Path, text: str | bytes, name: str = "quote.json") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_quote_in_json_and_csv_gives_the_same_result(cli: Cli, tmp_path: Path) -> None:
    lines = [LINE, {"description": "shop supplies", "total": 20}]
    result = cli("quote-check", _file(tmp_path, json.dumps({**PLACE, "lines": lines})), "--json")
    assert result.status == 0, result.err
    sheet = _file(tmp_path, CSV, "quote.CSV")
    same = cli("quote-check", sheet, "--vin", PLACE["vin"], "--zip", PLACE["zip_code"], "--json")
    assert same.json == result.json
    first, second = result.json["lines"]
    assert (first["verdict"], first["reason"]["factor"]) == ("very_high", "hours")
    assert (second["kind"], second["verdict"]) == ("supplies", "fair")


def test_page_shows_verdicts_and_reasons(cli: Cli, tmp_path: Path) -> None:
    file = _file(tmp_path, json.dumps({**PLACE, "lines": [LINE]}))
    result = cli("quote-check", file, "--json").json["lines"][0]
    page = cli("quote-check", file).out
    assert "VERY HIGH" in page
    assert f"${result['expected']['low_total']:,.2f} to ${result['expected']['high_total']:,.2f}" in page
    assert result["reason"]["text"] in " ".join(page.split())
    assert all(len(line) <= 80 for line in page.splitlines())


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{", ["file"]),
        ("[]", ["file"]),
        (b"\xff", ["file"]),
        ("{}", ["vin", "zip_code", "lines"]),
        ({"lines": [{"total": "much"}, 5, {}]}, ["lines.0.total", "lines.1", "lines.2.total"]),
        ({"lines": [{"total": True, "description": 5}]}, ["lines.0.total", "lines.0.description"]),
        ({"lines": []}, ["lines"]),
        ({"vin": "1HG", "lines": [{"total": 0}]}, ["vin", "lines.0.total", "lines.0.problem_identifier"]),
    ],
)
def test_every_error_of_a_file_has_a_line(
    cli: Cli, tmp_path: Path, content: str | bytes | dict[str, Any], named: list[str]
) -> None:
    text = json.dumps({**PLACE, **content}) if isinstance(content, dict) else content
    outcome = cli("quote-check", _file(tmp_path, text))
    assert (outcome.status, outcome.out) == (1, "")
    for name in named:
        assert name in outcome.err
    assert "Traceback" not in outcome.err


TEXT = """Front brake pads   3.5 hrs @ $180.00   630.00
   Pad set   95.00
Shop supplies   20.00
Total   745.00
"""


def test_text_of_a_quote_is_read(cli: Cli, tmp_path: Path) -> None:
    file = _file(tmp_path, TEXT, "quote.txt")
    result = cli("quote-check", file, "--vin", PLACE["vin"], "--zip", PLACE["zip_code"], "--json").json

    assert [(line["kind"], line["quoted"]["total"]) for line in result["lines"]] == [
        ("repair", 725),
        ("supplies", 20),
    ]
    assert result["sums"]["sums_meet"] is True


def test_page_lists_unread_lines(cli: Cli, tmp_path: Path) -> None:
    text = "Oil change 89.99\nCoolant flush 189.99 not today\nTax 7.20"

    page = cli("quote-check", _file(tmp_path, text, "q.txt"), "--vin", PLACE["vin"], "--zip", "90210").out

    assert "Not read\n   Coolant flush 189.99 not today\n" in page


def test_page_starts_with_the_overall_verdict_and_has_questions(cli: Cli, tmp_path: Path) -> None:
    specs = ("--year", "2015", "--make", "Toyota", "--model", "Camry", "--zip", "97214")
    page = cli("quote-check", _file(tmp_path, TEXT, "quote.txt"), *specs).out

    assert page.startswith("The whole quote: VERY HIGH")
    assert "1 line to question: $" in page
    assert "? Why 3.5 hours, when about 1." in page
    assert "Vehicle    2015 Toyota Camry\n" in page


def test_text_without_lines_is_an_error(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("quote-check", _file(tmp_path, "Hello!", "quote.txt"), "--zip", "97214")

    assert outcome.status == 1
    assert "text" in outcome.err
    assert "vin" in outcome.err


def test_missing_file_is_reported(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("quote-check", str(tmp_path / "none.json"))
    assert (outcome.status, outcome.out) == (1, "")
    assert "none.json" in outcome.err


def test_csv_without_a_header_is_refused_with_the_columns(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("quote-check", _file(tmp_path, "pads,5\n", "quote.csv"))
    assert outcome.status == 1
    assert "problem_identifier" in outcome.err


def _checked(cli: Cli, folder: Path, text: str, *vehicle: str) -> Any:
    year, make, model, engine = vehicle
    specs = ("--year", year, "--make", make, "--model", model, "--engine", engine)
    return cli("quote-check", _file(folder, text, "quote.txt"), "--zip", "43215", *specs, "--json").json


def test_work_the_vehicle_cannot_have_makes_a_quote_high(cli: Cli, tmp_path: Path) -> None:
    text = "Brake fluid exchange $139.99\nPower steering flush $129.99\n"
    found = _checked(cli, tmp_path, text, "2018", "Nissan", "Rogue", "2.5")

    flush = found["lines"][1]
    assert flush["verdict"] == "unknown"
    assert flush["questions"] == [
        "Why is “Power steering flush” on the quote, and is it meant for this vehicle?"
    ]
    assert (found["whole"]["verdict"], found["whole"]["excess"]) == ("high", 129.99)
    assert "electric power steering" in found["whole"]["reason"]["text"]


def test_part_count_that_differs_from_the_engine_is_questioned(cli: Cli, tmp_path: Path) -> None:
    few = _checked(cli, tmp_path, "4 ignition coils $790\n", "2015", "Chevrolet", "Silverado", "5.3")
    many = _checked(cli, tmp_path, "spark plugs 16 ct $489\n", "2016", "Ram", "1500", "3.6")

    assert few["lines"][0]["reason"]["text"].startswith("For 4 of its 8 ignition coils: ")
    assert few["lines"][0]["verdict"] == "fair"
    assert many["lines"][0]["questions"][0] == "Why 16 spark plugs, when this vehicle has 6?"
    assert many["lines"][0]["verdict"] == many["whole"]["verdict"] == "high"


def test_labor_on_its_own_line_is_not_low(cli: Cli, tmp_path: Path) -> None:
    text = "alternator replacement 395.00\nserp belt 45.00\nalternator labor 1.3h 175.00\n"
    found = _checked(cli, tmp_path, text, "2009", "Toyota", "Corolla", "1.8")

    assert [line["verdict"] for line in found["lines"]] != ["low"] * 3
    assert found["lines"][2]["verdict"] == "fair"
    assert found["lines"][2]["questions"] == []


def test_fluid_counts_with_its_repair(cli: Cli, tmp_path: Path) -> None:
    text = "Water pump - parts 289.00 labor 2.5hr 340.00\nCoolant (dexcool) 2 @ 21.99   43.98\n"
    found = _checked(cli, tmp_path, text, "2014", "Chevrolet", "Malibu", "2.5")

    coolant = found["lines"][1]
    assert (coolant["verdict"], coolant["expected"]) == ("fair", None)
    assert coolant["reason"]["text"] == "Our price for Water Pump includes this."
    assert found["whole"]["compared_share"] == 100
