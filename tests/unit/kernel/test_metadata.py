import pytest

from repaircore.kernel.metadata import LONGEST_KEY, LONGEST_VALUE, MOST_KEYS, FewTexts


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"a": ""},
        {"a" * LONGEST_KEY: "b" * LONGEST_VALUE},
        {str(number): "" for number in range(MOST_KEYS)},
        {"two words": "two\nlines"},
    ],
)
def test_metadata_within_its_limits_is_accepted(value: dict[str, str]) -> None:
    assert FewTexts().broken_by(value) is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({str(number): "" for number in range(MOST_KEYS + 1)}, "more than 20 keys"),
        ({"a" * (LONGEST_KEY + 1): ""}, "1 to 40 printable"),
        ({"": ""}, "1 to 40 printable"),
        ({" ": ""}, "1 to 40 printable"),
        ({"a\n": ""}, "1 to 40 printable"),
        ({"a": "", "b\t": ""}, "1 to 40 printable"),
        ({"a": "b" * (LONGEST_VALUE + 1)}, "at most 500"),
        ({"a": "\0"}, "at most 500"),
        ({"a": "", "b": "\0"}, "at most 500"),
    ],
)
def test_metadata_beyond_its_limits_is_refused(value: dict[str, str], words: str) -> None:
    assert words in (FewTexts().broken_by(value) or "")
