"""VIN masks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.vehicles.validation import validate_mask
from repaircore.vehicles.vin import normalize, validate

_VIN = st.text("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", min_size=17, max_size=17)


@pytest.mark.parametrize(
    "text",
    [
        "1HGCM82633A",
        "1hgcm82633a004352",
        "1HG-CM826 33A",
        "1HGCM82633A******",
        "1HGCM82633A**43",
        "1HGCM82633A0",
    ],
)
def test_mask_accepts_11_to_17_characters(text: str) -> None:
    assert validate_mask(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1HGCM82633",
        "1HGCM82633A0043522",
        "1HGCM826*3A",
        "***********",
        "1HGCM82633I",
        "1HGCM82633A00I352",
        "1HGCM82633A?",
        "1HGCM82633Ä",
        "1HGCM82633A\n",
        "１HGCM82633A",
        "1HGCM82633A\0",
    ],
)
def test_mask_rejects_malformed_text(text: str) -> None:
    errors = validate_mask(text)

    assert bool(errors) is (normalize(text) != "1HGCM82633A")


@given(vin=_VIN, length=st.integers(11, 17), stars=st.sets(st.integers(11, 16)))
def test_mask_made_from_a_vin_is_accepted(vin: str, length: int, stars: set[int]) -> None:
    mask = "".join("*" if place in stars else char for place, char in enumerate(vin[:length]))

    assert validate_mask(mask) == []


@given(st.text(max_size=20))
def test_mask_begins_with_a_valid_vin(text: str) -> None:
    if not validate_mask(text):
        assert not validate(normalize(text)[:11])
