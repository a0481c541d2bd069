import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.accounts import rules

GOOD = {"name": "Ada", "email": "ada@example.org", "password": "correct horse"}


def validate_test_a_good_registration_has_no() -> None:
    assert rules.validate(**GOOD) == {}


def test_every_bad_field_is_named() -> None:
    faults = rules.validate(name=" ", email="ada", password="short")
    assert faults == {
        "name": ["The name field is required."],
        "email": ["The email field must be a valid email address."],
        "password": ["The password field must be at least 8 characters long."],
    }


@pytest.mark.parametrize("email", ["", "ada", "@example.org", "ada@", "a b@example.org", "ada@exa mple.org"])
def test_what_is_no_email_is_refused(email: str) -> None:
    assert list(rules.validate(**{**GOOD, "email": email})) == ["email"]


@pytest.mark.parametrize(("length", "fine"), [(7, False), (8, True), (1024, True), (1025, False)])
def test_a_password_has_8_to_1024_characters(*, length: int, fine: bool) -> None:
    assert (rules.validate(password="ä" * length) == {}) is fine


@pytest.mark.parametrize(("length", "fine"), [(1, True), (255, True), (256, False)])
def test_a_name_has_up_to_255_characters(*, length: int, fine: bool) -> None:
    assert (rules.validate(**{**GOOD, "name": "n" * length}) == {}) is fine


def test_a_very_long_email_is_refused_before_it_is_parsed() -> None:
    faults = rules.validate(**{**GOOD, "email": "a" * 300 + "@example.org"})
    assert faults == {"email": ["The email field must not be longer than 255 characters."]}


@pytest.mark.parametrize(
    ("environment", "fine"), [("test", True), ("live", True), ("Live", False), ("", False)]
)
def test_a_key_is_for_test_or_live(*, environment: str, fine: bool) -> None:
    assert (rules.validate(name="shop", environment=environment) == {}) is fine


def test_a_key_needs_a_name() -> None:
    assert list(rules.validate(name="", environment="prod")) == ["name", "environment"]


@pytest.mark.parametrize("email", ["Ada@Example.ORG", "  ada@example.org ", "ADA@EXAMPLE.ORG"])
def test_case_and_space_around_do_not_tell_emails_apart(email: str) -> None:
    assert rules.fold(email) == "ada@example.org"


def test_two_spellings_of_an_accent_are_one_email() -> None:
    assert rules.fold("jos\u00e9@example.org") == rules.fold("jose\u0301@example.org")


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing_more(email: str) -> None:
    assert rules.fold(rules.fold(email)) == rules.fold(email)


def test_only_the_fields_that_are_given_are_judged() -> None:
    assert rules.validate() == {}
    assert list(rules.validate(password="")) == ["password"]
