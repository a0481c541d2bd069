"""Passwords that are easy to guess, and those that are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.accounts.password_strength import is_common, normalize_password, resembles_email

COMMON = (
    "password passw0rd P@ssw0rd1! Passw0rd2024 pa55word 12345678 0987654321 147258369 20240131 qwertyui 1q2w3e4r q1w2e3r4"
    " 1qaz2wsx zaq1zaq1 iloveyou2 Summer2024! aaaaaaaa abababab abc12345 abcd1234 letmein1 trustno1 qwerty12 asdf1234"
    " dragon99 jesus777 monkey_123 welcome1 admin@123 football1 superman1 repaircore1 \uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44"
)
UNCOMMON = (
    "correct horse",
    "battery staple",
    "operator's choice",
    "mittens eat fog",
    "unhackable-otter",
    "rXq7pLm2",
    "tr0ub4dor&3x",
    "\u043a\u043e\u0440\u043e\u043b\u044c \u0438 \u0448\u0443\u0442",
)


@pytest.mark.parametrize("password", [*COMMON.split(), "pass word"])
def test_common_passwords_are_recognized(password: str) -> None:
    assert is_common(password)


@pytest.mark.parametrize("password", UNCOMMON)
def test_several_words_and_random_letters_are_not_common(password: str) -> None:
    assert not is_common(password)


@pytest.mark.parametrize(
    ("password", "common"),
    [
        ("vwxy7Kq9", True),
        ("vwxy12345", True),  # the longer of two runs counts
        ("yxwv7Kq9", True),
        ("vwxy7Kq9z", False),
        ("vwx7Kq9", False),
        ("x7Kqx7Kq", True),
        ("x7Kqx7Kqx", True),
        ("x7Kqx7Kqy", False),
        ("x7qx7q", True),
        ("x7Kqx7K", False),
        ("x7Kq2x7Kq2", False),
        ("aabbabba", True),
        ("aabbccab", False),
        ("1472583691", True),
        ("14725836914", False),
    ],
)
def test_patterns_are_common_up_to_their_limits(password: str, *, common: bool) -> None:
    assert is_common(password) is common


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=1024))
def test_normalize_password_is_idempotent(password: str) -> None:
    once = normalize_password(password)

    assert normalize_password(once) == once
    is_common(password)  # raises for no text


@pytest.mark.parametrize(
    ("password", "resembles"),
    [
        ("ada.lovelace@example.org", True),
        ("ADA.Lovelace", True),
        ("ada.lovelace2024!", True),
        ("123ada.lovelace", True),
        ("countess of lovelace", False),
        ("example.org", False),
    ],
)
def test_password_may_resemble_the_email_or_its_local_part(password: str, *, resembles: bool) -> None:
    assert resembles_email(password, "Ada.Lovelace@example.org") is resembles


def test_resembles_email_ignores_the_tag() -> None:
    assert resembles_email("lovelace99", "lovelace+shop@example.org")


def test_digits_resemble_no_email_of_digits() -> None:
    assert not resembles_email("8642097531", "123@45.67")
