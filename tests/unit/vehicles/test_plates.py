import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.vehicles.model import Plate
from repaircore.vehicles.plates import STATES, parse_plate, validate_number, validate_state


@pytest.mark.parametrize(
    ("number", "normalized"),
    [
        ("7ABC123", "7ABC123"),
        ("7abc123", "7ABC123"),
        (" 7abc-123 ", "7ABC123"),
        ("7ABC\u2011123\u00a0", "7ABC123"),
        ("1", "1"),
        ("A" * 10, "A" * 10),
        ("AAAAA - AAAAA", "A" * 10),
    ],
)
def test_plate_ignores_spaces_dashes_and_case(number: str, normalized: str) -> None:
    assert parse_plate(number, "ca") == Plate(state="CA", number=normalized)


@pytest.mark.parametrize(
    "number",
    ["", " ", "-", "A" * 11, "7ABC_123", "7ABC/123", "../etc", "7ABC\n", "ÄBC", "٧ABC", "ſ", "A\x00", "🚗"],
)
def test_plate_rejects_malformed_numbers(number: str) -> None:
    (text,) = validate_number(number)

    assert text.startswith("The plate field must ")
    assert parse_plate(number, "CA") is None


@pytest.mark.parametrize("state", ["CA", "ca", "Dc", "PR", "VI", "GU", "AS", "MP"])
def test_state_accepts_states_dc_and_territories(state: str) -> None:
    assert validate_state(state) == []


@pytest.mark.parametrize("state", ["", "C", "XX", "CAL", " CA", "CA\n", "California", "AE", "ON", "ſd"])
def test_state_rejects_other_text(state: str) -> None:
    (text,) = validate_state(state)

    assert text.startswith("The state field must ")
    assert parse_plate("7ABC123", state) is None


def test_there_are_50_states_dc_and_5_territories() -> None:
    assert len(STATES) == 56


@given(st.text(), st.text())
def test_plate_has_errors_exactly_when_it_is_malformed(number: str, state: str) -> None:
    sound = parse_plate(number, state) is not None

    assert sound is (not validate_number(number) and not validate_state(state))


@given(st.text(st.sampled_from("aZ09 -"), min_size=1, max_size=14), st.sampled_from(sorted(STATES)))
def test_plate_is_stable_once_normalized(number: str, state: str) -> None:
    plate = parse_plate(number, state)

    assert plate is None or parse_plate(plate.number, plate.state) == plate
