"""The rule for email addresses, and their folded form for comparison."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.emails import Email, email_errors, fold_email


@pytest.mark.parametrize("email", ["", "ada", "@example.org", "ada@", "a b@example.org", "ada@exa mple.org"])
def test_email_rejects_other_text(email: str) -> None:
    assert list(email_errors(email)) == ["email"]


def test_email_accepts_an_address_with_space_around_it() -> None:
    assert Email().broken_by(" ada@example.org ") is None


def test_email_rejects_a_very_long_address_before_parsing() -> None:
    errors = email_errors("a" * 300 + "@example.org")

    assert errors == {"email": ["The email field must not be longer than 255 characters."]}


@pytest.mark.parametrize("email", ["Ada@Example.ORG", "  ada@example.org ", "ADA@EXAMPLE.ORG"])
def test_fold_email_ignores_case_and_space_around(email: str) -> None:
    assert fold_email(email) == "ada@example.org"


def test_fold_email_ignores_the_spelling_of_an_accent() -> None:
    assert fold_email("jos\u00e9@example.org") == fold_email("jose\u0301@example.org")


@given(st.text(max_size=40))
def test_fold_email_is_idempotent(email: str) -> None:
    assert fold_email(fold_email(email)) == fold_email(email)
