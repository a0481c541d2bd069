"""Checking a quote over HTTP, on both databases: verdicts, reasons, unmatched lines, and that nothing is stored."""

from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from tests.http.people import ACCORD, ASK, Person, bearer
from tests.http.prediction_shapes import FACTS
from tests.http.shape import money, nullable, number, shaped
from tests.http.test_predictions import record
from tests.writes import unwritten

from repaircore.core import Core
from repaircore.testing.models import CountingPanel

PATH = "/api/v1/predict/quote-check"
TESLA = "5YJ3E1EA7KF"
VERDICTS = {"fair", "high", "very_high", "low", "unknown"}
RANGE = {"low_total": money, "average_total": money, "high_total": money}
VERDICT: dict[str, Any] = {
    "percentile": nullable(lambda value: number(value) and 0 <= value <= 100),
    "verdict": lambda value: value in VERDICTS,
    "reason": {"factor": nullable(str), "amount": nullable(number), "text": str},
    "differences": [
        {"factor": str, "quoted": nullable(number), "expected": nullable(number), "amount": number}
    ],
}
PROBLEM = {"id": int, "slug": str, "display_name": str}
KINDS = {"repair", "part", "diagnosis", "supplies", "fee", "tax", "discount"}
LINE: dict[str, Any] = {
    "kind": lambda value: value in KINDS,
    "description": nullable(str),
    "parts": [str],
    "problem": nullable(PROBLEM),
    "quoted": {
        "total": number,
        "parts_total": nullable(money),
        "labor_hours": nullable(number),
        "labor_rate": nullable(money),
    },
    "expected": nullable(
        {
            **RANGE,
            "parts_total": nullable(money),
            "labor_hours": nullable(number),
            "labor_rate": nullable(money),
            "sample_size": int,
            "confidence": nullable(int),
            "aggregated_ai_average": nullable(money),
        }
    ),
    **VERDICT,
    "suggestions": [PROBLEM],
    "fit": nullable({"outcome": str, "reason": nullable(str)}),
    "questions": [str],
}
SUMS = {
    "subtotal": nullable(money),
    "tax": nullable(money),
    "total": nullable(money),
    "sums_meet": nullable(bool),
    "difference": nullable(number),
}
CHECKED = {
    "success": True,
    "data": {
        "currency": "USD",
        "vehicle": {
            "vin": nullable(str),
            "display_name": str,
            "make": str,
            "model": str,
            "year": int,
            "trim": nullable(str),
            **FACTS,
        },
        "region": {
            "zip_code": str,
            "state": str,
            "labor_rate": money,
            "labor_rate_source": str,
            "labor_rate_text": str,
        },
        "lines": [LINE],
        "whole": {
            "headline": str,
            "total": money,
            "compared_total": money,
            "compared_lines": int,
            "compared_share": number,
            "questioned_lines": int,
            "excess": money,
            "expected": nullable(RANGE),
            **VERDICT,
            "questions": [str],
        },
        "sums": nullable(SUMS),
        "unread": [str],
        "warnings": [str],
    },
}
PADS = {"problem_identifier": "brake-pads-front"}


def check(api: FlaskClient, token: str, *lines: dict[str, Any], **changes: Any) -> Any:
    body = {"vin": ACCORD, "zip_code": "90210", "lines": [*lines], **changes}
    answer = api.post(PATH, json=body, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    assert shaped(CHECKED, answer.json)
    return answer.get_json()["data"]


@pytest.fixture
def live(ada: Person) -> str:
    return ada.keys("live").secret_key


def test_our_own_estimate_is_fair(api: FlaskClient, live: str) -> None:
    payload = api.post("/api/v1/predict", json=ASK, headers=bearer(live)).get_json()
    local = payload["local_prediction"]
    data = check(api, live, {**PADS, "total": local["average_total_estimate"]})
    (line,) = data["lines"]
    assert line["verdict"] == data["whole"]["verdict"] == "fair"
    assert line["percentile"] == pytest.approx(50, abs=2)
    expected = line["expected"]
    assert [expected[name] for name in RANGE] == [
        local["low_total_estimate"],
        local["average_total_estimate"],
        local["high_total_estimate"],
    ]
    assert expected["aggregated_ai_average"] == payload["aggregated_ai_average"]
    assert data["whole"]["expected"] == {name: expected[name] for name in RANGE}


@pytest.mark.parametrize(
    ("line", "verdict", "factor"),
    [
        ({"total": 900, "labor_hours": 5, "labor_rate": 156.3, "parts_total": 79.2}, "very_high", "hours"),
        ({"total": 900, "labor_hours": 1.1, "labor_rate": 700, "parts_total": 79.2}, "very_high", "rate"),
        ({"total": 900, "labor_hours": 1.1, "labor_rate": 156.3, "parts_total": 700}, "very_high", "parts"),
        ({"total": 450, "labor_hours": 1.1, "labor_rate": 156.3}, "high", "parts"),
        ({"total": 90, "labor_hours": 0.2, "parts_total": 60}, "low", "hours"),
        ({"total": 900}, "very_high", None),
        ({"total": 251}, "fair", None),
    ],
)
def test_line_has_a_verdict_and_the_reason_for_it(
    api: FlaskClient, live: str, line: dict[str, Any], verdict: str, factor: str | None
) -> None:
    (result,) = check(api, live, {**PADS, **line})["lines"]
    assert (result["verdict"], result["reason"]["factor"]) == (verdict, factor)
    if factor:
        amounts = {one["factor"]: one["amount"] for one in result["differences"]}
        assert result["reason"]["amount"] == amounts[factor]
        assert sum(amounts.values()) == pytest.approx(
            result["quoted"]["total"] - result["expected"]["average_total"]
        )


def test_words_match_only_an_unambiguous_repair(api: FlaskClient, live: str) -> None:
    data = check(
        api,
        live,
        {"description": "Replace FRONT brake pads", "total": 300},
        {"description": "brake pads", "total": 300},
        {"description": "shop supplies", "total": 20},
    )
    first, second, third = data["lines"]
    assert first["problem"]["slug"] == "brake-pads-front"
    assert first["verdict"] == "fair"
    assert (second["verdict"], second["problem"], second["expected"]) == ("unknown", None, None)
    assert second["description"] in second["reason"]["text"]
    assert (third["kind"], third["verdict"], third["expected"]["labor_hours"]) == ("supplies", "fair", None)
    assert {"brake-pads-front", "brake-pads-rear"} <= {one["slug"] for one in second["suggestions"]}
    whole = data["whole"]
    assert (whole["total"], whole["compared_total"], whole["compared_lines"]) == (620, 320, 2)
    assert (whole["verdict"], whole["percentile"]) == ("unknown", first["percentile"])
    assert whole["headline"].startswith("$320 of $620 (51%) could be compared.")


def test_misfit_repair_is_rejected_unless_forced(api: FlaskClient, live: str) -> None:
    line = {"problem_identifier": "spark-plugs", "total": 300}
    body = {"vin": TESLA, "zip_code": "90210", "lines": [line]}
    answer = api.post(PATH, json=body, headers=bearer(live))
    assert answer.status_code == 422
    assert answer.get_json()["error_code"] == "PROBLEM_DOES_NOT_FIT"
    data = check(api, live, line, vin=TESLA, force=True)
    assert data["warnings"] == ["problem_does_not_fit_vehicle"]
    assert data["lines"][0]["verdict"] != "unknown"


def test_words_for_a_misfit_repair_are_not_compared(api: FlaskClient, live: str) -> None:
    data = check(api, live, {"description": "spark plugs", "total": 300}, vin=TESLA)
    assert (data["lines"][0]["verdict"], data["whole"]["verdict"]) == ("unknown", "high")
    assert data["lines"][0]["reason"]["text"].endswith("is electric: it has no spark plugs.")
    assert data["whole"]["expected"] is None


def test_expected_prices_follow_the_price_adjustment(api: FlaskClient, core: Core, live: str) -> None:
    (before,) = check(api, live, {**PADS, "total": 300})["lines"]
    core.predictions.adjust_prices(100)
    (after,) = check(api, live, {**PADS, "total": 600})["lines"]
    for name in RANGE:
        assert after["expected"][name] == pytest.approx(2 * before["expected"][name], abs=0.02)
    assert (after["verdict"], after["percentile"]) == (before["verdict"], before["percentile"])


def test_expected_prices_learn_from_invoices_of_the_environment(
    api: FlaskClient, core: Core, ada: Person, live: str
) -> None:
    vehicle_id = api.post("/api/v1/predict", json=ASK, headers=bearer(live)).get_json()["vehicle"]["id"]
    (before,) = check(api, live, {**PADS, "total": 500})["lines"]
    record(core, str(UUID(vehicle_id)), *[3.0] * 8)
    (after,) = check(api, live, {**PADS, "total": 500})["lines"]
    assert after["percentile"] < before["percentile"]
    assert after["expected"]["sample_size"] == 8
    (test,) = check(api, ada.keys("test").secret_key, {**PADS, "total": 500})["lines"]
    assert test["expected"] == before["expected"] | {"aggregated_ai_average": None}


def test_check_stores_nothing_and_calls_no_model(
    api: FlaskClient, live: str, panel: CountingPanel, database_url: str
) -> None:
    check(api, live, {**PADS, "total": 300})  # records the key's use
    with unwritten(database_url):
        check(api, live, {**PADS, "total": 300}, vin="1FTFW1ET5DF")
    assert panel.calls == 0


def test_unknown_vehicle_is_not_found(api: FlaskClient, live: str) -> None:
    body = {"vin": "ZZZZZ82633A", "zip_code": "90210", "lines": [{**PADS, "total": 5}]}
    answer = api.post(PATH, json=body, headers=bearer(live))
    assert answer.status_code == 404
    assert shaped({"success": False, "message": str, "error_code": "VEHICLE_NOT_FOUND"}, answer.json)


def test_wrong_check_digit_is_reported(api: FlaskClient, live: str) -> None:
    data = check(api, live, {**PADS, "total": 300}, vin="1HGCM82633A004353")
    assert data["warnings"] == ["vin_check_digit"]


GOOD = {**PADS, "total": 100}


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"lines": None}, {"lines"}),
        ({"lines": []}, {"lines"}),
        ({"lines": [GOOD] * 51}, {"lines"}),
        ({"lines": {}}, {"lines"}),
        ({"lines": [GOOD, 5]}, {"lines.1"}),
        ({"lines": [{}]}, {"lines.0.total", "lines.0.problem_identifier"}),
        ({"lines": [GOOD, {**GOOD, "total": "5"}, {**GOOD, "total": 0}]}, {"lines.1.total", "lines.2.total"}),
        ({"lines": [{**GOOD, "parts_total": 100.01}]}, {"lines.0.parts_total"}),
        (
            {"lines": [{"problem_identifier": "no-such", "total": True}]},
            {"lines.0.problem_identifier", "lines.0.total"},
        ),
        (
            {"lines": [{**GOOD, "labor_hours": -1, "labor_rate": 1e308}]},
            {"lines.0.labor_hours", "lines.0.labor_rate"},
        ),
        ({"lines": [{"description": " ", "total": 5}]}, {"lines.0.description"}),
        (
            {"vin": 5, "zip_code": "00000", "lines": [{**GOOD, "total": -1}]},
            {"vin", "zip_code", "lines.0.total"},
        ),
        ({"vin": "1HG", "lines": [{**GOOD, "total": None}]}, {"vin", "lines.0.total"}),
        ({"lines": [{**GOOD, "kind": "gift"}]}, {"lines.0.kind"}),
        ({"lines": [{"kind": "discount", "total": 20}]}, {"lines.0.total"}),
        ({"lines": [{"kind": "fee", "total": -20}]}, {"lines.0.total"}),
        ({"lines": [{**GOOD, "parts": ["x" * 201]}]}, {"lines.0.parts.0"}),
        ({"lines": [{**GOOD, "parts": "pads"}]}, {"lines.0.parts"}),
        ({"vin": None}, {"vin"}),
        ({"vin": None, "year": 2015}, {"make", "model"}),
        ({"vin": None, "year": 1700, "make": " ", "model": "Camry"}, {"year", "make"}),
        ({"vin": None, "year": 2015, "make": "Toyota", "model": "Camry", "engine": "6.7L V8"}, {"engine"}),
        ({"zip_code": "9021"}, {"zip_code"}),
        ({"text": "pads 300"}, {"text"}),
        ({"lines": None, "text": ""}, {"text"}),
        ({"lines": None, "text": "Hello, thank you!"}, {"text"}),
        ({"lines": None, "text": "x" * 20_001}, {"text"}),
        ({"lines": None, "text": "Front brake pads $300.00\n" * 51}, {"text"}),
        ({"lines": None, "text": 5, "vin": "1HG"}, {"text", "vin"}),
    ],
)
def test_every_bad_field_is_reported_by_its_dotted_path(
    api: FlaskClient, live: str, changes: dict[str, Any], fields: set[str]
) -> None:
    body = {"vin": ACCORD, "zip_code": "90210", "lines": [GOOD], **changes}
    answer = api.post(PATH, json=body, headers=bearer(live))
    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == fields


BRAKES = """Front brake pads   1.1 hrs @ $150.00   165.00
   Pad set   95.00
Shop supplies   12.00
Sales tax   9.03
Total   $281.03
"""
READ = {
    "success": True,
    "data": {
        "currency": "USD",
        "lines": [
            {
                "kind": lambda value: value in KINDS,
                "description": nullable(str),
                "parts": [str],
                "total": number,
                "parts_total": nullable(money),
                "labor_hours": nullable(number),
                "labor_rate": nullable(money),
                "problem": nullable(PROBLEM),
                "suggestions": [PROBLEM],
            }
        ],
        "sums": SUMS,
        "hints": {
            "vin": nullable(str),
            "zip_code": nullable(str),
            "odometer": nullable(int),
            "vehicle": nullable(str),
        },
        "unread": [str],
    },
}


def read(api: FlaskClient, token: str, text: str) -> Any:
    answer = api.post(f"{PATH}/read", json={"text": text}, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    assert shaped(READ, answer.json)
    return answer.get_json()["data"]


def test_text_is_read_into_lines_that_can_be_checked(api: FlaskClient, live: str) -> None:
    found = read(api, live, BRAKES)

    assert [(line["kind"], line["total"]) for line in found["lines"]] == [
        ("repair", 260),
        ("supplies", 12),
        ("tax", 9.03),
    ]
    assert found["lines"][0]["problem"]["slug"] == "brake-pads-front"
    assert found["sums"] == {
        "subtotal": None,
        "tax": 9.03,
        "total": 281.03,
        "sums_meet": True,
        "difference": 0,
    }
    fields = ("kind", "description", "parts", "total", "parts_total", "labor_hours", "labor_rate")
    sent = [{name: line[name] for name in fields} for line in found["lines"]]
    as_lines = check(api, live, *sent)
    as_text = check(api, live, lines=None, text=BRAKES)
    assert as_text["lines"] == as_lines["lines"]
    assert as_text["sums"] == found["sums"]
    assert as_text["whole"]["verdict"] == "fair"


def test_unread_lines_of_a_text_are_listed(api: FlaskClient, live: str) -> None:
    text = "Oil change 89.99\nCoolant flush 189.99 not today\nTax 7.20"

    found = read(api, live, text)
    body = {"vin": "1HGCM82633A004352", "zip_code": "90210", "text": text}
    checked = api.post(PATH, json=body, headers=bearer(live)).get_json()["data"]

    assert found["unread"] == checked["unread"] == ["Coolant flush 189.99 not today"]
    assert read(api, live, BRAKES)["unread"] == []


def test_text_without_prices_has_no_lines(api: FlaskClient, live: str) -> None:
    assert read(api, live, "Thank you for your business!")["lines"] == []


@pytest.mark.parametrize(
    "text",
    ["", "x" * 20_001, None, 5, "Front brake pads $300.00\n" * 51],
    ids=["empty", "long", "none", "number", "lines"],
)
def test_bad_text_is_reported(api: FlaskClient, live: str, text: object) -> None:
    answer = api.post(f"{PATH}/read", json={"text": text}, headers=bearer(live))

    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == {"text"}


@pytest.mark.parametrize(
    "piece", ["$1 ", "9" * 50, "pads 1.1 hrs @ ", "(((", "= 5 x 7 ", "\x07\x1b ", "🚗 $5\n", "1,", "- "]
)
def test_odd_text_of_twenty_thousand_characters_is_answered(api: FlaskClient, live: str, piece: str) -> None:
    text = (piece * 20_000)[:20_000]
    answer = api.post(f"{PATH}/read", json={"text": text}, headers=bearer(live))

    assert answer.status_code in {200, 422}


def test_vehicle_can_be_given_without_a_vin(api: FlaskClient, live: str) -> None:
    specs = {"vin": None, "year": 2015, "make": "Toyota", "model": "Camry"}
    data = check(api, live, {**PADS, "total": 270}, **specs)

    assert data["vehicle"]["vin"] is None
    assert data["vehicle"]["display_name"] == "2015 Toyota Camry"
    assert data["lines"][0]["verdict"] == "fair"


def test_unknown_model_is_not_found(api: FlaskClient, live: str) -> None:
    body = {
        "year": 2015,
        "make": "Toyota",
        "model": "Nonsense",
        "zip_code": "90210",
        "lines": [{**PADS, "total": 5}],
    }
    answer = api.post(PATH, json=body, headers=bearer(live))

    assert answer.status_code == 404


def test_mostly_unmatched_quote_is_not_fair(api: FlaskClient, live: str) -> None:
    data = check(
        api,
        live,
        {**PADS, "total": 279},
        {"description": "Power steering work, misc", "total": 1324},
    )

    assert data["whole"]["verdict"] == "unknown"
    assert data["whole"]["headline"].startswith("$279 of $1,603 (17%) could be compared.")


@pytest.mark.parametrize(
    ("line", "kind", "verdict"),
    [
        ({"description": "Spark plugs", "total": 40.0}, "part", "unknown"),
        ({"description": "Replace spark plugs", "total": 40.0}, "repair", "low"),
        ({"description": "Spark plugs", "total": 40.0, "labor_hours": 0.5}, "repair", "low"),
        ({"problem_identifier": "spark-plugs", "total": 40.0}, "repair", "low"),
        ({"description": "Spark plugs", "total": 180.0}, "repair", "low"),
    ],
)
def test_line_far_below_the_price_of_a_repair_is_a_part_unless_it_names_work(
    api: FlaskClient, live: str, line: dict[str, Any], kind: str, verdict: str
) -> None:
    (checked,) = check(api, live, line)["lines"]

    assert (checked["kind"], checked["verdict"]) == (kind, verdict)


def test_several_repairs_at_one_price_are_listed_and_not_compared(api: FlaskClient, live: str) -> None:
    (checked,) = check(api, live, {"description": "Rotate & balance", "total": 79.95})["lines"]

    assert checked["verdict"] == "unknown"
    assert "several repairs at one price" in checked["reason"]["text"]
    assert {each["slug"] for each in checked["suggestions"]} == {"tire-rotation", "tire-balance"}


def test_expensive_line_is_not_offset_by_a_cheap_one(api: FlaskClient, live: str) -> None:
    data = check(api, live, {**PADS, "total": 725}, {"problem_identifier": "alternator", "total": 600})

    assert data["whole"]["verdict"] == data["lines"][0]["verdict"] == "very_high"
    assert data["whole"]["questioned_lines"] == 1
    assert data["whole"]["headline"].startswith("1 line to question: $")


@pytest.mark.parametrize(
    ("line", "kind", "verdict"),
    [
        ({"description": "Sales tax", "total": 9}, "tax", "fair"),
        ({"description": "Sales tax", "total": 90}, "tax", "high"),
        ({"kind": "tax", "total": 9}, "tax", "fair"),
        ({"description": "Hazmat disposal", "total": 6}, "fee", "fair"),
        ({"description": "Shop supplies", "total": 95}, "supplies", "high"),
        ({"description": "Check engine light diagnosis", "total": 160}, "diagnosis", "fair"),
        ({"description": "Diagnostic fee", "total": 600}, "diagnosis", "high"),
        ({"description": "Coupon", "total": -20}, "discount", "fair"),
        ({"kind": "part", "description": "Front brake pads", "total": 90}, "part", "unknown"),
    ],
)
def test_charge_is_compared_with_the_usual_amount(
    api: FlaskClient, live: str, line: dict[str, Any], kind: str, verdict: str
) -> None:
    _, found = check(api, live, {**PADS, "total": 260, "parts_total": 90}, line)["lines"]

    assert (found["kind"], found["verdict"]) == (kind, verdict)


def test_tax_in_a_state_without_one_is_very_high(api: FlaskClient, live: str) -> None:
    data = check(api, live, {**PADS, "total": 260}, {"kind": "tax", "total": 5}, zip_code="97214")

    assert data["lines"][1]["verdict"] == data["whole"]["verdict"] == "very_high"


ODYSSEY = {"vin": None, "year": 2006, "make": "Honda", "model": "Odyssey"}


@pytest.mark.parametrize(
    ("first", "second", "twice"),
    [
        (("Timing belt", 1100), ("Water pump", 1200), 1),
        (("Front brake pads", 283), ("Front brake pads", 283), 1),
        (("Front brake pads", 283), ("Front rotors and pads", 450), 0),
    ],
)
def test_work_included_in_another_line_is_charged_twice(
    api: FlaskClient, live: str, first: tuple[str, int], second: tuple[str, int], twice: int
) -> None:
    lines = [{"description": words, "total": total} for words, total in (first, second)]
    data = check(api, live, *lines, **ODYSSEY)

    found, whole = data["lines"], data["whole"]
    assert [line["verdict"] for line in found] == ["fair", "high"][:: 1 if twice else -1]
    assert found[twice]["reason"]["text"].endswith("should be charged only once.")
    assert found[twice]["reason"]["text"] in whole["reason"]["text"]
    assert found[twice]["questions"]
    assert whole["verdict"] in {"high", "very_high"}
    assert whole["questioned_lines"] == 1
    assert whole["expected"]["average_total"] == pytest.approx(
        max(line["expected"]["average_total"] for line in found)
    )


def test_expected_total_equals_that_of_a_visit(api: FlaskClient, live: str) -> None:
    slugs = ["brake-pads-front", "brake-caliper-front", "timing-belt", "water-pump", "spark-plugs"]
    lines = [{"problem_identifier": slug, "total": 300} for slug in slugs]
    whole = check(api, live, *lines, **ODYSSEY)["whole"]

    specs = {name: value for name, value in ODYSSEY.items() if value is not None}
    body = {**specs, "zip_code": "90210", "lines": [{"problem_identifier": slug} for slug in slugs]}
    answer = api.post("/api/v1/predict/visit", json=body, headers=bearer(live))
    visit = answer.get_json()["data"]["lines"]
    together = sum(line["average_total"] for line in visit)
    assert whole["expected"]["average_total"] == pytest.approx(together, abs=0.01)
    assert together < sum(line["alone_total"] for line in visit)


def test_fifty_lines_are_checked(api: FlaskClient, live: str) -> None:
    data = check(
        api, live, *({"problem_identifier": str(number), "total": 250} for number in [101, 102] * 25)
    )
    assert data["whole"]["compared_lines"] == 50


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"kind": "discount", "description": "Coupon", "total": 0.5}, "total"),
        ({"kind": "discount", "description": "Coupon", "total": 0}, "total"),
        ({**PADS, "total": -0.5}, "total"),
        ({**PADS, "total": 0.5, "parts_total": 0.9}, "parts_total"),
        ({"description": "Coupon", "total": -10, "parts_total": 0.5}, "parts_total"),
    ],
)
def test_check_names_the_amount_that_cannot_be(
    api: FlaskClient, live: str, line: dict[str, Any], field: str
) -> None:
    body = {"vin": ACCORD, "zip_code": "90210", "lines": [line]}
    answer = api.post(PATH, json=body, headers=bearer(live))

    assert answer.status_code == 422
    assert list(answer.get_json()["errors"]) == [f"lines.0.{field}"]
