"""Bounds of the figures in a priors file, and the counts and names that it may have."""

import math
from copy import deepcopy
from typing import Any

import pytest
from tests.unit.pricing.test_priors import document

from repaircore.kernel.errors import Invalid
from repaircore.learning.priors_file import parse_priors, priors_document, rounded_count, shareable

RATIOS = ("spread", "book", "make", "model", "years", "make_index", "model_index", "off_book")


def _document(path: str, value: Any) -> dict[str, Any]:
    """Return a valid document with one other value."""
    changed: Any = deepcopy(document())
    *within, name = path.split(".")
    at = changed
    for step in within:
        at = at[int(step)] if step.isdecimal() else at[step]
    at[int(name) if name.isdecimal() else name] = value
    return dict(changed)


def _errors(data: Any) -> dict[str, Any]:
    with pytest.raises(Invalid) as caught:
        parse_priors(data)
    return dict(caught.value.fields)


@pytest.mark.parametrize(
    ("path", "least", "most"),
    [
        ("spread.spread", 0.01, 4.5),
        ("spread.book", 0.02, 30.0),
        ("spread.make", 0.01, 4.0),
        ("spread.model", 0.01, 4.0),
        ("spread.years", 0.01, 4.0),
        ("spread.make_index", 0.002, 2.0),
        ("spread.model_index", 0.002, 2.0),
        ("spread.off_book", -7.0, 7.0),
        ("repairs.0.book.hours", 0.0, 1_000.0),
        ("repairs.0.book.price", 0.01, 1_000_000.0),
        ("repairs.0.spread", 0.01, 3.0),
        ("repairs.0.off_book", -7.0, 7.0),
        ("repairs.0.prices.0.mean", -7.0, 7.0),
        ("repairs.0.hours.0.mean", -7.0, 7.0),
        ("repairs.0.labor_share.mean", 0.0, 1.0),
        ("repairs.0.parts.0.book_price", 0.01, 1_000_000.0),
        ("vehicles.1.mean", -7.0, 7.0),
        ("labor_rates.1.mean", -7.0, 7.0),
    ],
)
def test_figures_are_accepted_up_to_their_bounds(path: str, least: float, most: float) -> None:
    for value in (least, most):
        assert priors_document(parse_priors(_document(path, value))) == _document(path, value)
    for value in (math.nextafter(least, -math.inf), math.nextafter(most, math.inf), math.nan, math.inf):
        assert _errors(_document(path, value)) == {path: (f"It must be between {least:,g} and {most:,g}.",)}


@pytest.mark.parametrize(
    "path",
    [
        "repairs.0.prices.1.invoices",
        "repairs.0.hours.0.invoices",
        "repairs.0.labor_share.invoices",
        "repairs.0.parts.0.invoices",
        "vehicles.0.invoices",
        "labor_rates.0.invoices",
    ],
)
def test_cells_have_from_five_to_ten_million_invoices(path: str) -> None:
    for count in (5, 10_000_000):
        assert priors_document(parse_priors(_document(path, count))) == _document(path, count)
    for count in (4, 10_000_001):
        assert _errors(_document(path, count)) == {path: ("It must be between 5 and 10,000,000.",)}


@pytest.mark.parametrize("year", [1900, 2100])
def test_first_year_is_accepted_up_to_its_bounds(year: int) -> None:
    path = "repairs.0.prices.3.first_year"

    assert priors_document(parse_priors(_document(path, year))) == _document(path, year)


@pytest.mark.parametrize(
    ("path", "value", "errors"),
    [
        ("made_in", "", {"made_in": "must be a non-empty string"}),
        ("made_in", "   ", {"made_in": "must be a non-empty string"}),
        ("made_in", "x" * 81, {"made_in": "must be at most 80 printable characters without |"}),
        ("vehicles.1.make", "a|b", {"vehicles.1.make": "must be at most 80 printable characters without |"}),
        ("vehicles.1.make", "a\tb", {"vehicles.1.make": "must be at most 80 printable characters without |"}),
        ("version", 0, {"version": "must be 1"}),
        ("version", True, {"version": "must be 1"}),
        ("version", None, {"version": "must be 1"}),
        ("spread", {}, dict.fromkeys((f"spread.{name}" for name in RATIOS), "is required")),
        ("spread", [], {"spread": "must be an object"}),
        ("repairs", {}, {"repairs": "must be a list"}),
        ("vehicles", [7], {"vehicles.0": "must be an object"}),
        ("vehicles.0.mean", True, {"vehicles.0.mean": "must be a number"}),
        ("vehicles.0.invoices", True, {"vehicles.0.invoices": "must be an integer"}),
        ("repairs.0.labor_share", [], {"repairs.0.labor_share": "must be an object or null"}),
        (
            "vehicles.0",
            {"model": "accord", "invoices": 5, "mean": 0},
            {"vehicles.0.make": "is required with a model"},
        ),
        (
            "vehicles.0",
            {"make": "honda", "first_year": 2012, "invoices": 5, "mean": 0},
            {"vehicles.0.model": "is required with a first year"},
        ),
        (
            "vehicles.0",
            {"make": "acura"},
            {"vehicles.0.invoices": "is required", "vehicles.0.mean": "is required"},
        ),
    ],
)
def test_bad_value_is_refused_with_its_reason(path: str, value: Any, errors: dict[str, str]) -> None:
    found = _errors(_document(path, value))

    assert found == {field: (f"It {text}.",) for field, text in errors.items()}


@pytest.mark.parametrize("path", ["made_in", "version", "spread", "repairs", "vehicles", "labor_rates"])
def test_missing_value_is_required(path: str) -> None:
    data = document()
    del data[path]
    text = "It must be 1." if path == "version" else "It is required."

    assert _errors(data) == {path: (text,)}


def test_name_of_eighty_letters_and_a_missing_labor_share_are_accepted() -> None:
    for data in (_document("made_in", "x" * 80), _document("repairs.0.labor_share", None)):
        assert priors_document(parse_priors(data)) == data


def test_labor_share_counts_as_a_cell() -> None:
    assert parse_priors(document()).cells == 11
    assert parse_priors(_document("repairs.0.labor_share", None)).cells == 10


@pytest.mark.parametrize("most", [10, 11])
def test_file_may_have_no_more_cells_than_the_limit(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr("repaircore.learning.priors_file.MOST_CELLS", most)

    if most == 11:
        assert parse_priors(document()).cells == 11
    else:
        assert _errors(document()) == {"file": ("It must not have more than 10 cells; it has 11.",)}


@pytest.mark.parametrize(("wrong", "more"), [(50, 0), (51, 1)])
def test_bad_fields_beyond_fifty_are_counted(wrong: int, more: int) -> None:
    found = _errors(document(vehicles=[{"make": f"make {n}", "mean": 0} for n in range(wrong)]))

    assert found.pop("file", ()) == ((f"{more:,} more fields are invalid.",) if more else ())
    assert len(found) == 50


@pytest.mark.parametrize(
    ("invoices", "rounded"),
    [(4, 0), (5, 5), (19, 15), (20, 20), (21, 21), (100, 100), (109, 100), (1_999, 1_900)],
)
def test_counts_have_two_digits(invoices: int, rounded: int) -> None:
    assert rounded_count(invoices) == rounded


@pytest.mark.parametrize("name", ["ram|12345|2016", "12345", "part|x|123456789"])
def test_names_with_five_digits_may_be_shared(name: str) -> None:
    assert shareable(name)


@pytest.mark.parametrize("name", ["ram|123456|2016", "ram 12|3456|2016", "a@b"])
def test_names_with_six_digits_or_an_at_sign_are_not_shared(name: str) -> None:
    assert not shareable(name)
