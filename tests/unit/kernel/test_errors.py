import pytest

from repaircore.kernel.errors import Invalid, TooMany


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "The given data was invalid."),
        ({"a": ["One."]}, "One."),
        ({"a": ["One."], "b": ["Two."]}, "One. (and 1 more error)"),
        ({"a": ["One.", "Two."], "b": ["Three."]}, "One. (and 2 more errors)"),
    ],
)
def test_message_is_the_first_error_and_a_count_of_the_rest(
    fields: dict[str, list[str]], message: str
) -> None:
    assert Invalid(fields).message == message


def test_invalid_stores_errors_from_an_iterator() -> None:
    assert Invalid({"a": (text for text in ["One.", "Two."])}).fields == {"a": ("One.", "Two.")}


def test_too_many_says_when_to_retry() -> None:
    assert (TooMany(7).retry_after, TooMany(7).message) == (7, "Too Many Attempts.")
