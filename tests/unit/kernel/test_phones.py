"""Phone numbers in one spelling."""

import pytest

from repaircore.kernel.phones import e164


@pytest.mark.parametrize(
    ("result", "kept"),
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
def test_number_has_one_spelling(result: str, kept: str) -> None:
    assert e164(result) == kept
    assert e164(kept) == kept


@pytest.mark.parametrize(
    "result",
    ["", " ", "abc", "5550123", "12345", "310 555 0123 ext. 5", "+", "+999 12345678", "1" * 20, "\0"],
)
def test_what_cannot_be_a_number_is_none(result: str) -> None:
    assert e164(result) is None
