"""Errors of a quote that lookups, or several fields together, reveal."""

from typing import Any

import pytest

from repaircore.quotes.validation import QuoteLookups, quote_errors

LOOKUPS = QuoteLookups(
    is_zip_in_use=lambda code: code == "43215",
    find_problem_id={"alternator": 1}.get,
)
LINE = {"description": "Alternator", "total": 500}
QUOTE = {"vin": "1HGCM82633A004352", "zip_code": "43215", "lines": [LINE]}
ODD_TOTAL = "must be at least 0.01; only a discount can be negative"


def errors(data: dict[str, Any]) -> dict[str, list[str]]:
    return dict(quote_errors(data, data, LOOKUPS))


def of_line(**fields: Any) -> dict[str, list[str]]:
    found = errors({**QUOTE, "lines": [LINE, fields]})
    return {name.removeprefix("lines.1."): texts for name, texts in found.items()}


def test_complete_quote_has_no_errors() -> None:
    assert errors(QUOTE) == {}


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"vin": None}, {"vin"}),
        ({"vin": None, "year": 2003, "make": "Honda", "model": "Accord"}, set()),
        ({"vin": None, "year": 2003}, {"make", "model"}),
        ({"vin": None, "make": "Honda", "model": "Accord"}, {"year"}),
        ({"year": 2003}, set()),
        ({"vin": "1HG"}, {"vin"}),
        ({"zip_code": "00000"}, {"zip_code"}),
        ({"zip_code": None}, set()),
        ({"lines": None}, {"lines"}),
        ({"lines": None, "text": "Alternator 500.00"}, set()),
        ({"text": "Alternator 500.00"}, {"text"}),
        ({"lines": "Alternator"}, set()),  # of the wrong type, which others report
        ({"lines": ["Alternator"]}, set()),
    ],
)
def test_vehicle_place_and_content_are_given_once(changes: dict[str, Any], fields: set[str]) -> None:
    assert set(errors({**QUOTE, **changes})) == fields


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ({"total": 500}, {"problem_identifier"}),
        ({"total": 500, "kind": "repair"}, {"problem_identifier"}),
        ({"total": 5, "kind": "tax"}, set()),
        ({"total": 500, "problem_identifier": "alternator"}, set()),
        ({"total": 500, "problem_identifier": "flux-capacitor"}, {"problem_identifier"}),
        ({"total": 500, "problem_identifier": 7, "description": "Alternator"}, set()),
        ({"total": 500, "description": "  "}, {"description"}),
        ({"total": 500, "description": 7}, set()),
    ],
)
def test_line_names_its_repair_or_is_a_charge(line: dict[str, Any], fields: set[str]) -> None:
    assert set(of_line(**line)) == fields


@pytest.mark.parametrize(
    ("amounts", "fields"),
    [
        ({"total": 0.01}, set()),
        ({"total": 0.005}, set()),
        ({"total": 0.0049}, {"total"}),
        ({"total": 0}, {"total"}),
        ({"total": -0.0049}, {"total"}),
        ({"total": -20}, set()),
        ({"total": -20, "problem_identifier": "alternator"}, {"total"}),
        ({"total": -20, "kind": "repair"}, {"total"}),
        ({"total": -20, "kind": "discount"}, set()),
        ({"total": 0, "kind": "discount"}, {"total"}),
        ({"total": 20, "kind": "discount"}, {"total"}),
        ({"total": -20, "kind": "discount", "problem_identifier": "alternator"}, set()),
        ({"total": 20, "parts_total": 20}, set()),
        ({"total": 20, "parts_total": 20.01}, {"parts_total"}),
        ({"total": -20, "parts_total": 0}, set()),
        ({"total": -20, "parts_total": 0.01}, {"parts_total"}),
        ({"total": True, "parts_total": 30}, set()),
        ({"total": "20", "parts_total": 30}, set()),
        ({"total": 20, "parts_total": "30"}, set()),
        ({"parts_total": 30}, set()),
    ],
)
def test_amounts_of_a_line_are_at_least_a_cent_unless_it_is_a_discount(
    amounts: dict[str, Any], fields: set[str]
) -> None:
    assert set(of_line(description="Alternator", **amounts)) == fields


@pytest.mark.parametrize(
    ("amounts", "text"),
    [
        ({"total": 0}, ODD_TOTAL),
        ({"total": 0, "kind": "discount"}, "must be less than 0 for a discount"),
        ({"total": -20, "kind": "repair"}, ODD_TOTAL),
    ],
)
def test_error_of_a_total_says_what_it_may_be(amounts: dict[str, Any], text: str) -> None:
    ((found,),) = of_line(description="Alternator", **amounts).values()

    assert text in found
