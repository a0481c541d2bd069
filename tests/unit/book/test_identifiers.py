import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.book import identifiers


@given(st.integers(1, identifiers.LARGEST_ID))
def test_parse_problem_id_reads_an_id(number: int) -> None:
    assert identifiers.parse_problem_id(str(number)) == number


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "+1", "1.0", " 1", "1e3", "٣", "²", "2147483648", "9" * 400, "1_0", "0x1"]
)
def test_parse_problem_id_rejects_other_text(text: str) -> None:
    assert identifiers.parse_problem_id(text) is None


@pytest.mark.parametrize("text", ["brake-pads-front", "a", "abs", "4wd-actuator", "a" * 100])
def test_parse_slug_reads_a_slug(text: str) -> None:
    assert identifiers.parse_slug(text) == text


@pytest.mark.parametrize(
    "text", ["", "-", "a-", "-a", "a--b", "Brake", "a b", "a_b", "ä", "a\n", "a" * 101, "a%", "a/b", "\x00"]
)
def test_parse_slug_rejects_other_text(text: str) -> None:
    assert identifiers.parse_slug(text) is None


@given(st.text(st.characters(codec=None), max_size=30))
def test_identifiers_accept_any_text(text: str) -> None:
    number = identifiers.parse_problem_id(text)

    assert number is None or int(text) == number
    assert identifiers.parse_slug(text) in {None, text}
