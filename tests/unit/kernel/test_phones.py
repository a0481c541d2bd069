"""Normalization of phone numbers."""

import pytest

from repaircore.kernel.phones import e164


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("(310) 555-0123", "+13105550123"),
        ("310.555.0123", "+13105550123"),
        ("1 310 555 0123", "+13105550123"),
        ("+1 310 555 0123", "+13105550123"),
        ("+15551234567", "+15551234567"),
        ("+49 (0)30 901820", "+4930901820"),
        ("+44 20 7946 0958", "+442079460958"),
    ],
)
def test_e164_normalizes_a_number(text: str, number: str) -> None:
    assert e164(text) == number
    assert e164(number) == number


@pytest.mark.parametrize(
    "text",
    ["", " ", "abc", "5550123", "12345", "310 555 0123 ext. 5", "+", "+999 12345678", "1" * 20, "\0"],
)
def test_e164_returns_none_for_other_text(text: str) -> None:
    assert e164(text) is None
