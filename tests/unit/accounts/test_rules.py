"""Validation of registrations and API keys."""

import pytest

from repaircore.accounts.rules import NewKey, Registration
from repaircore.kernel.rules import FieldErrors, field_errors

GOOD = {"name": "Ada", "email": "ada@example.org", "password": "correct horse"}


def registration_errors(**fields: str) -> FieldErrors:
    return field_errors(Registration, GOOD | fields)


def test_registration_accepts_good_fields() -> None:
    assert registration_errors() == {}


def test_registration_reports_every_bad_field() -> None:
    assert registration_errors(name=" ", email="ada", password="short") == {
        "name": ["The name field is required."],
        "email": ["The email field must be a valid email address."],
        "password": ["The password field must be at least 8 characters long."],
    }


@pytest.mark.parametrize(("length", "is_good"), [(7, False), (8, True), (1024, True), (1025, False)])
def test_password_has_8_to_1024_characters(*, length: int, is_good: bool) -> None:
    assert (registration_errors(password=("ä kettle, 73 foxes: " * 60)[:length]) == {}) is is_good


def test_accented_letter_counts_once() -> None:
    assert registration_errors(password="e\u0301" * 3 + "fog") == {
        "password": ["The password field must be at least 8 characters long."]
    }


def test_common_password_is_rejected() -> None:
    assert registration_errors(password="Sunshine1") == {
        "password": ["The password field is too easy to guess; choose another, such as several words."]
    }


@pytest.mark.parametrize(("length", "is_good"), [(1, True), (255, True), (256, False)])
def test_name_has_up_to_255_characters(*, length: int, is_good: bool) -> None:
    assert (registration_errors(name="n" * length) == {}) is is_good


@pytest.mark.parametrize(
    ("environment", "is_good"), [("test", True), ("live", True), ("Live", False), ("", False)]
)
def test_key_environment_is_test_or_live(*, environment: str, is_good: bool) -> None:
    assert (field_errors(NewKey, {"name": "shop", "environment": environment}) == {}) is is_good


def test_key_needs_a_name() -> None:
    errors = field_errors(NewKey, {"name": "", "environment": "prod"})

    assert errors == {
        "name": ["The name field is required."],
        "environment": ["The environment field must be one of: live, test."],
    }
