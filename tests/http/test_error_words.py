"""Errors of forms name their fields by label, not by JSON path."""

import pytest

from repaircore.kernel.rules import sentence
from repaircore_http.console.error_words import relabel
from repaircore_http.console.public.quote_form import renamed

LABELS = {
    "zip_code": "ZIP code",
    "lines.*.price": "Line {}: the price",
    "lines.*.labor_hours": "Line {}: the hours",
    "lines.*.parts.*": "Line {}: the parts",
    "lines.7.price": "Price of {braces}",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("zip_code", "ZIP code is required."),
        ("lines.0.price", "Line 1: the price is required."),
        ("lines.11.labor_hours", "Line 12: the hours is required."),
        ("lines.2.parts.5", "Line 3: the parts is required."),
        ("lines.7.price", "Price of {braces} is required."),
        ("lines.0.color", "The lines.0.color field is required."),
        ("lines", "The lines field is required."),
    ],
)
def test_relabel_replaces_the_path_of_a_field(path: str, expected: str) -> None:
    found = relabel({path: [sentence(path, "is required")]}, LABELS)

    assert found == {path: [expected]}


def test_relabel_leaves_other_sentences() -> None:
    errors = {"zip_code": ["Choose a state.", "The zip code fields differ."], "form": ["It is too long."]}

    assert relabel(errors, LABELS) == errors


def test_quote_form_has_a_label_for_every_column() -> None:
    columns = (
        *("description", "kind", "problem_identifier", "parts.0", "parts_total"),
        *("labor_hours", "labor_rate", "total"),
    )
    found = renamed({f"lines.2.{each}": [sentence(f"lines.2.{each}", "is bad")] for each in columns})

    assert [text for (text,) in found.values() if not text.startswith("Line 3: the ")] == []
    assert found["line-2-labor_rate"] == ["Line 3: the hourly rate is bad."]
    assert found["line-2-words"] == ["Line 3: the description is bad."]
