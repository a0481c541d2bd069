from datetime import date
from typing import Annotated

import pytest
from attrs import asdict, frozen

from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import (
    DateRange,
    Described,
    Length,
    NotBlank,
    OneOf,
    Pattern,
    PlainText,
    Range,
    Rule,
    WholeCents,
    YearRange,
    broken,
    field_errors,
    is_valid,
    require_valid,
    rules_of,
)

ZIP = Pattern(r"\d{5}", "must be a ZIP code")
YEAR = DateRange(date(2026, 1, 1), date(2026, 12, 31))


@frozen(kw_only=True)
class Visit:
    name: Annotated[str, Length(1, 5)]
    zip_code: Annotated[str | None, Length(1), ZIP] = None
    miles: Annotated[int, Described("The odometer."), Range(0, 100)] = 0
    note: str = ""


@frozen(kw_only=True)
class Route:
    visits: Annotated[tuple[Visit, ...] | None, Length(0, 2)] = None
    codes: tuple[Annotated[str, ZIP], ...] = ()
    first: Visit | None = None
    on: Annotated[date, YEAR] | None = None


@pytest.mark.parametrize(
    ("rule", "value", "predicate"),
    [
        (Length(2), "a", "must be at least 2 characters long"),
        (Length(1), "", "must not be empty"),
        (Length(1), [], "must not be empty"),
        (Length(2), [1], "must have at least 2 items"),
        (Length(0, 1), "ab", "must not be longer than 1 character"),
        (Length(0, 2), [1, 2, 3], "must not have more than 2 items"),
        (Length(1, 2), "ab", None),
        (PlainText(3), " ab ", "must be at least 3 characters long"),
        (PlainText(1), "  ", "must not be empty"),
        (PlainText(0, 3), "abcd", "must not be longer than 3 characters"),
        (PlainText(), "a\tb", "must not contain control characters"),
        (PlainText(), "a\ud800", "must not contain control characters"),
        (PlainText(lines=True), "a\n\tb", None),
        (PlainText(lines=True), "a\x00b", "must not contain control characters"),
        (PlainText(), "Ça grince – “fort”", None),
        (Range(0, 5), -0.1, "must be at least 0"),
        (Range(0, 5), 6, "must not be greater than 5"),
        (Range(0, 5_000), 5_001, "must not be greater than 5,000"),
        (YearRange(1900, 2100), 1899, "must be at least 1900"),
        (YearRange(1900, 2100), 2101, "must not be greater than 2100"),
        (YearRange(1900, 2100), 2100, None),
        (YEAR, date(2026, 12, 31), None),
        (YEAR, date(2027, 1, 1), "must be a date from 2026-01-01 to 2026-12-31"),
        (Range(), 1e9, None),
        (WholeCents(), 1.005, "must have at most two decimals"),
        (WholeCents(), 1e-9, "must have at most two decimals"),
        (WholeCents(), 19.99, None),
        (WholeCents(), 999_999.99, None),
        (WholeCents(), 5, None),
        (ZIP, "90210", None),
        (ZIP, "90210\n", "must be a ZIP code"),
        (ZIP, "٩٠٢١٠", "must be a ZIP code"),
        (OneOf("red", "blue"), "green", "must be one of: red, blue"),
        (OneOf("red", "blue"), "blue", None),
    ],
)
def test_rule_returns_the_broken_predicate(rule: Rule, value: object, predicate: str | None) -> None:
    assert rule.broken_by(value) == predicate


def test_broken_yields_every_predicate_and_none_for_none() -> None:
    rules = (Length(6), ZIP)

    assert [*broken(rules, "x")] == ["must be at least 6 characters long", "must be a ZIP code"]
    assert [*broken(rules, None)] == []


def test_rules_of_ignores_other_annotations() -> None:
    assert rules_of(Annotated[int, Described("x"), Range(0), "note"]) == (Range(0),)
    assert rules_of(int) == ()


def test_field_errors_reports_every_field_in_a_sentence() -> None:
    errors = field_errors(Visit, {"name": "", "zip_code": "x", "miles": 101, "note": "x" * 999, "other": 1})

    assert errors == {
        "name": ["The name field must not be empty."],
        "zip_code": ["The zip code field must be a ZIP code."],
        "miles": ["The miles field must not be greater than 100."],
    }


def test_field_errors_accepts_good_and_absent_values() -> None:
    assert field_errors(Visit, {"zip_code": None, "miles": 100}) == {}


@pytest.mark.parametrize(
    "value",
    [
        Visit(name="Ada"),
        Visit(name="Ada", zip_code="90210", miles=100),
        Visit(name=""),
        Visit(name="Ada", miles=101),
        Route(),
        Route(visits=(Visit(name="Ada"),), codes=("90210",), first=Visit(name="Eve")),
        Route(codes=("90210", "x")),
        Route(first=Visit(name="")),
        Route(visits=(Visit(name="Ada"),) * 3),
    ],
)
def test_object_is_valid_if_no_field_has_an_error(value: Visit | Route) -> None:
    assert is_valid(value) is (not field_errors(type(value), asdict(value, recurse=False)))


def test_require_valid_checks_nested_fields_and_items() -> None:
    good = Visit(name="Ada")
    bad = Visit(name="", zip_code="x")
    route = Route(visits=(good, bad), codes=("90210", "x"), first=bad, on=date(2027, 1, 1))

    with pytest.raises(Invalid) as error:
        require_valid(route)

    assert set(error.value.fields) == {
        *("visits.1.name", "visits.1.zip_code", "codes.1", "first.name", "first.zip_code", "on"),
    }


def test_require_valid_skips_the_items_of_an_invalid_list() -> None:
    with pytest.raises(Invalid) as error:
        require_valid(Route(visits=(Visit(name=""),) * 3))

    assert list(error.value.fields) == ["visits"]


def test_require_valid_accepts_a_good_object() -> None:
    require_valid(Route(visits=(Visit(name="Ada"),), codes=("90210",), on=date(2026, 1, 1)))


def test_described_compares_its_schema() -> None:
    assert Described("A time.") != Described("A time.", pattern="x")


@pytest.mark.parametrize(
    ("value", "predicate"),
    [(" ", "is required"), ("ab", None), ("abc", "must not be longer than 2 characters")],
)
def test_not_blank_rejects_white_space_and_long_text(value: str, predicate: str | None) -> None:
    assert NotBlank(most=2).broken_by(value) == predicate


def test_field_errors_applies_custom_rules() -> None:
    class Even:
        def broken_by(self, value: int) -> str | None:
            return "must be even" if value % 2 else None

    @frozen
    class Pair:
        count: Annotated[int, Even()]

    assert field_errors(Pair, {"count": 3}) == {"count": ["The count field must be even."]}
