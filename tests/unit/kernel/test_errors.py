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
def test_first_sentence_stands_for_all_and_the_rest_are_counted(
    fields: dict[str, list[str]], message: str
) -> None:
    assert Invalid(fields).message == message


def test_sentences_are_kept_by_field_even_when_they_come_once_only() -> None:
    assert Invalid({"a": (text for text in ["One.", "Two."])}).fields == {"a": ("One.", "Two.")}


def test_too_many_tells_when_to_come_back() -> None:
    assert (TooMany(7).retry_after, TooMany(7).message) == (7, "Too Many Attempts.")
