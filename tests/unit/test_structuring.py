import math
from datetime import date, timedelta
from typing import Annotated, Any
from uuid import UUID

import pytest
from attrs import asdict, frozen
from hypothesis import given
from tests.http.example import Answer, Ask, Filter, Mood
from tests.unit.test_strict_json import JSON_VALUES

from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import Length, field_errors
from repaircore.kernel.views import UNSET, UnsetType
from repaircore.structuring import MOST_ERRORS, from_query, structure, structure_partially

GOOD: dict[str, Any] = {"vin": "1HGCM82633A004352", "zip_code": "90210"}


def errors_of(**fields: Any) -> dict[str, list[str]]:
    return structure_partially(Ask, {**GOOD, **fields})[1]


def test_good_object_is_structured() -> None:
    structured = structure(
        Ask,
        {
            **GOOD,
            "mileage": 84000,
            "rate": 5,
            "urgent": True,
            "rating": "wrong",
            "color": "blue",
            "session_id": "0190a5be-0000-7000-8000-00000000000A",
            "performed_on": "2026-02-28",
            "answers": [{"question_id": 1, "answer": "yes", "unknown": "ignored"}],
            "pressures": {"front_left": 32.5},
        },
    )
    assert structured == Ask(
        vin="1HGCM82633A004352",
        zip_code="90210",
        mileage=84000,
        rate=5.0,
        urgent=True,
        rating=Mood.WRONG,
        color="blue",
        session_id=UUID("0190a5be-0000-7000-8000-00000000000a"),
        performed_on=date(2026, 2, 28),
        answers=[Answer(question_id=1, answer="yes")],
        pressures={"front_left": 32.5},
    )
    assert type(structured.rate) is float


def test_absent_fields_get_defaults_and_unknown_ones_are_ignored() -> None:
    assert structure(Ask, {**GOOD, "colour": 5}) == Ask(**GOOD)


def test_missing_field_is_reported_by_its_name() -> None:
    with pytest.raises(Invalid) as error:
        structure(Ask, {})
    assert error.value.fields == {
        "vin": ("The vin field is required.",),
        "zip_code": ("The zip code field is required.",),
    }
    assert error.value.message == "The vin field is required. (and 1 more error)"


@pytest.mark.parametrize(
    ("name", "value", "predicate"),
    [
        ("vin", 5, "must be a string"),
        ("vin", None, "must be a string"),
        ("vin", ["1HGCM82633A"], "must be a string"),
        ("vin", "short", "must be at least 11 characters long"),
        ("vin", "x" * 18, "must not be longer than 17 characters"),
        ("zip_code", "9021", "must be a ZIP code"),
        ("zip_code", "90210\n", "must be a ZIP code"),
        ("zip_code", "٩٠٢١٠", "must be a ZIP code"),
        ("mileage", "5", "must be an integer"),
        ("mileage", True, "must be an integer"),
        ("mileage", 5.0, "must be an integer"),
        ("mileage", -1, "must be at least 0"),
        ("mileage", 2_000_001, "must not be greater than 2,000,000"),
        ("rate", True, "must be a number"),
        ("rate", "1.5", "must be a number"),
        ("rate", 10**400, "must be a finite number"),
        ("rate", math.nan, "must be a finite number"),
        ("rate", -0.01, "must be at least 0"),
        ("urgent", 1, "must be true or false"),
        ("urgent", "true", "must be true or false"),
        ("urgent", None, "must be true or false"),
        ("rating", "bad", "must be one of: good, wrong"),
        ("rating", 1, "must be one of: good, wrong"),
        ("rating", [], "must be one of: good, wrong"),
        ("color", "green", "must be one of: red, blue"),
        ("color", 1, "must be a string"),
        ("session_id", "{0190a5be-0000-7000-8000-000000000000}", "must be a UUID"),
        ("session_id", "0190a5be000070008000000000000000", "must be a UUID"),
        ("session_id", 5, "must be a UUID"),
        ("performed_on", "2026-02-30", "must be a date such as 2026-01-31"),
        ("performed_on", "20260228", "must be a date such as 2026-01-31"),
        ("performed_on", 5, "must be a date such as 2026-01-31"),
        ("answers", "yes", "must be a list"),
        ("answers", {}, "must be a list"),
        ("answers", [{"question_id": 1, "answer": "y"}] * 501, "must not have more than 500 items"),
        ("pressures", [], "must be an object"),
    ],
)
def test_bad_value_is_reported_and_never_coerced(name: str, value: object, predicate: str) -> None:
    assert errors_of(**{name: value}) == {name: [f"The {name.replace('_', ' ')} field {predicate}."]}


def test_bad_members_are_reported_by_dotted_names() -> None:
    answers = [{"question_id": "1", "answer": ""}, {"question_id": 2, "answer": "ok"}, 5, {}]
    assert errors_of(answers=answers, pressures={"front": "high"}) == {
        "answers.0.question_id": ["The answers.0.question id field must be an integer."],
        "answers.0.answer": ["The answers.0.answer field must not be empty."],
        "answers.2": ["The answers.2 field must be an object."],
        "answers.3.question_id": ["The answers.3.question id field is required."],
        "answers.3.answer": ["The answers.3.answer field is required."],
        "pressures.front": ["The pressures.front field must be a number."],
    }


def test_good_fields_are_returned_along_with_errors() -> None:
    good, errors = structure_partially(Ask, {"vin": 5, "zip_code": "90210", "answers": [1]})
    assert good == {"zip_code": "90210"}
    assert list(errors) == ["vin", "answers.0"]


def test_number_of_errors_is_limited() -> None:
    assert len(errors_of(answers=[None] * 10_000)) == MOST_ERRORS


def test_type_without_a_strict_hook_is_rejected_on_use() -> None:
    @frozen
    class Lax:
        pause: timedelta

    with pytest.raises(TypeError, match="No strict hook"):
        structure(Lax, {"pause": 5})


@given(JSON_VALUES)
def test_any_value_is_accepted_or_reported(value: Any) -> None:
    for name in asdict(Ask(**GOOD)):
        good, errors = structure_partially(Ask, {**GOOD, name: value})
        assert (name in good) != any(path.split(".")[0] == name for path in errors)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"page": ["5"]}, {"page": 5}),
        ({"page": ["-5"]}, {"page": -5}),
        ({"page": ["5.0"]}, {"page": "5.0"}),
        ({"page": [" 5"]}, {"page": " 5"}),
        ({"page": ["٥"]}, {"page": "٥"}),
        ({"page": [""]}, {"page": ""}),
        ({"page": ["9223372036854775808"]}, {"page": "9223372036854775808"}),
        ({"page": ["1", "2"]}, {"page": ["1", "2"]}),
        ({"make": ["5"]}, {"make": "5"}),
        ({"most": ["1.5"]}, {"most": 1.5}),
        ({"most": ["1e5"]}, {"most": "1e5"}),
        ({"most": ["nan"]}, {"most": "nan"}),
        ({"most": ["9" * 300 + "0" * 10]}, {"most": "9" * 300 + "0" * 10}),
        ({"active": ["true"]}, {"active": True}),
        ({"active": ["yes"]}, {"active": "yes"}),
        ({"years": ["2001", "2002"]}, {"years": [2001, 2002]}),
        ({"unknown": ["5"]}, {}),
    ],
)
def test_query_text_is_converted_to_the_type_of_its_field(
    query: dict[str, list[str]], expected: dict[str, object]
) -> None:
    assert from_query(Filter, query) == expected


@frozen(kw_only=True)
class Change:
    title: Annotated[str, Length(1)] | UnsetType | None = UNSET


@pytest.mark.parametrize(
    ("body", "title"), [({}, UNSET), ({"title": None}, None), ({"title": "Brakes"}, "Brakes")]
)
def test_structure_distinguishes_absent_from_null(body: dict[str, object], title: object) -> None:
    assert structure(Change, body).title == title


def test_structure_applies_the_rules_of_a_field_that_may_be_absent() -> None:
    with pytest.raises(Invalid) as error:
        structure(Change, {"title": ""})

    assert error.value.fields == {"title": ("The title field must not be empty.",)}
    assert field_errors(Change, {"title": ""}) == {"title": ["The title field must not be empty."]}
