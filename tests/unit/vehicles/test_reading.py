"""Choosing a VIN from readings."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from repaircore.vehicles.vin import check_digit_holds
from repaircore.vehicles.vin_readings import (
    CHECK_DIGIT,
    SEVERAL,
    ExtractedVin,
    Reading,
    ReadingSource,
    best_vin,
    has_valid_vin,
)

ACCORD = "1HGCM82633A004352"
EUROPEAN = "WVWZZZ1KZAW123456"
ALLOWED = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
_VALUES = {
    **{digit: int(digit) for digit in "0123456789"},
    **dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True)),
}
_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


@st.composite
def vins(draw: st.DrawFn) -> str:
    """Generate VINs of North American vehicles with valid check digits."""
    head = draw(st.sampled_from("12345")) + draw(st.sampled_from("GFTHNC"))
    middle = draw(st.text(ALLOWED, min_size=6, max_size=6))
    year = draw(st.sampled_from("ABCDEFGHJKLMNPRSTVWXY123456789"))
    tail = draw(st.text(ALLOWED, min_size=2, max_size=2)) + draw(
        st.text("0123456789", min_size=5, max_size=5)
    )
    total = sum(
        _VALUES[char] * weight for char, weight in zip(f"{head}{middle}0{year}{tail}", _WEIGHTS, strict=True)
    )
    made = f"{head}{middle}{'0123456789X'[total % 11]}{year}{tail}"
    assume(sum(char.isalpha() for char in made) > 1)  # fewer letters are a long number
    return made


def text(content: str, scan: int = 0) -> Reading:
    return Reading(text=content, source=ReadingSource.TEXT, scan=scan)


def bar(content: str, scan: int = 0) -> Reading:
    return Reading(text=content, source=ReadingSource.BAR_CODE, scan=scan)


def never(_: str) -> bool:
    return False


def always(_: str) -> bool:
    return True


@given(vins(), st.sampled_from(ReadingSource))
def test_best_vin_accepts_one_reading_with_a_valid_check_digit(vin: str, source: ReadingSource) -> None:
    reading = Reading(text=vin, source=source)

    assert best_vin([reading], never) == ExtractedVin(vin=vin)
    assert has_valid_vin([reading])


@pytest.mark.parametrize(
    "content",
    [
        f"VIN: {ACCORD}",
        f"VIN{ACCORD}",
        f"VIN NO.{ACCORD} MADE IN USA",
        f"*{ACCORD}*",
        f"I{ACCORD}",
        ACCORD.lower(),
        "1HG CM826 33A 004352",
        "1HGCM826-33A004352",
        f"https://example.org/?vin={ACCORD}&lot=7",
        "\uff11HGCM82633A004352",
        "IHGCM82633AOO4352",
        "1HGCM82633AQ04352",
    ],
)
def test_best_vin_ignores_spacing_and_surrounding_text(content: str) -> None:
    assert best_vin([text(content)], never) == ExtractedVin(vin=ACCORD)


@given(vins(), st.data())
def test_best_vin_replaces_letters_that_no_vin_contains(vin: str, data: st.DataObject) -> None:
    letters = {"1": "I", "0": "OQ", "9": "Q"}
    places = [at for at, char in enumerate(vin) if char in letters]
    assume(places)
    at = data.draw(st.sampled_from(places))
    content = vin[:at] + data.draw(st.sampled_from(letters[vin[at]])) + vin[at + 1 :]

    assert best_vin([text(content)], never) == ExtractedVin(vin=vin)


@pytest.mark.parametrize(
    "content",
    ["1HGCMB2633A004352", "1HGCM8Z633A004352", "1HGCM82633A0043S2", "1HGCMBZ633A004352", "1H6CM82633A0043S2"],
)
def test_best_vin_resolves_look_alikes_by_the_check_digit(content: str) -> None:
    found = best_vin([text(content)], never)

    assert found == (None if content.startswith("1H6") else ExtractedVin(vin=ACCORD))


@given(vins(), st.data())
def test_best_vin_corrects_only_look_alikes(vin: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, 16))
    content = vin[:at] + data.draw(st.sampled_from(ALLOWED)) + vin[at + 1 :]
    found = best_vin([text(content)], never)
    if found is not None:
        assert check_digit_holds(found.vin)
        assert found.vin[0] == content[0]
        assert sum(a != b for a, b in zip(found.vin, content, strict=True)) <= 2


@pytest.mark.parametrize("content", ["1HGCM82633AD04352", "1H6CM82633A004352", "1HGCM82G33A004352"])
def test_best_vin_rejects_ambiguous_corrections(content: str) -> None:
    assert best_vin([text(content)], never) is None
    assert best_vin([text(content), text(ACCORD, scan=1)], never) == ExtractedVin(vin=ACCORD)


def test_best_vin_never_corrects_a_bar_code() -> None:
    assert best_vin([bar("1HGCMB2633A004352")], never) is None
    assert best_vin([text("1HGCMB2633A004352")], never) == ExtractedVin(vin=ACCORD)


@given(vins(), st.sampled_from("SWVYZJKL"))
def test_best_vin_corrects_only_vins_of_north_america(vin: str, region: str) -> None:
    content = region + vin[1:]

    assert best_vin([text(content)], never) == (
        ExtractedVin(vin=content) if check_digit_holds(content) else None
    )


@pytest.mark.parametrize(
    "readings",
    [
        [bar(EUROPEAN), text(EUROPEAN, scan=1)],
        [text(EUROPEAN), text(EUROPEAN)],
        [text(f"VIN {EUROPEAN}"), Reading(text=EUROPEAN, source=ReadingSource.MODEL)],
    ],
)
def test_best_vin_warns_when_two_readings_agree_on_a_wrong_check_digit(readings: list[Reading]) -> None:
    assert best_vin(readings, always) == ExtractedVin(vin=EUROPEAN, warnings=("vin_check_digit",))
    assert best_vin(readings, never) is None
    assert not has_valid_vin(readings)


@pytest.mark.parametrize(
    "readings",
    [
        [text(EUROPEAN)],
        [bar(EUROPEAN)],
        [text(EUROPEAN), text(EUROPEAN, scan=1)],
        [bar(EUROPEAN), bar(EUROPEAN, 1)],
    ],
)
def test_best_vin_counts_repeated_scans_of_one_source_once(readings: list[Reading]) -> None:
    assert best_vin(readings, always) is None


def test_best_vin_prefers_a_valid_check_digit_to_two_agreeing_readings() -> None:
    readings = [bar(EUROPEAN), text(EUROPEAN, scan=1), text(ACCORD, scan=1)]

    assert best_vin(readings, always) == ExtractedVin(vin=ACCORD)


def test_best_vin_prefers_the_most_frequent_and_then_the_first() -> None:
    other = "5YJSA1DG9DFP14705"

    assert check_digit_holds(other)
    assert best_vin([bar(other), bar(ACCORD), text(ACCORD, scan=1)], never) == ExtractedVin(
        vin=ACCORD, warnings=("several_vins",), others=(other,)
    )
    assert best_vin([bar(other), bar(ACCORD)], never) == ExtractedVin(
        vin=other, warnings=("several_vins",), others=(ACCORD,)
    )


@pytest.mark.parametrize(
    "content",
    [
        "",
        "VIN",
        "11111111111111111",
        "12345678901234567",
        "MADE IN USA 2003 HONDA",
        "INTERNATIONALIZED",
        "1HGCM82633A00435",
        "1HGCM82633A0043522",
        "QQQQQQQQQQQQQQQQQ",
        "*" * 5000,
        "A" * 100_000,
    ],
)
def test_best_vin_returns_none_without_a_vin(content: str) -> None:
    assert best_vin([text(content), bar(content), text(content, scan=1)], always) is None


@given(
    st.lists(
        st.builds(Reading, text=st.text(), source=st.sampled_from(ReadingSource), scan=st.integers(0, 3))
    )
)
def test_best_vin_always_has_the_form_of_a_vin(readings: list[Reading]) -> None:
    found = best_vin(readings, always)
    if found is not None:
        assert len(found.vin) == 17
        assert set(found.vin) <= set(ALLOWED)
        assert bool(found.warnings) is not check_digit_holds(found.vin)


def test_best_vin_warns_about_another_vin_in_the_photo() -> None:
    other = "1HGCV1F34JA000010"
    other = next(vin for digit in "0123456789X" if check_digit_holds(vin := f"{other[:8]}{digit}{other[9:]}"))

    found = best_vin([bar(ACCORD), text(ACCORD), text(other)], never)

    assert found == ExtractedVin(vin=ACCORD, warnings=("several_vins",), others=(other,))


def test_best_vin_joins_a_vin_that_a_card_breaks_at_the_end_of_a_line() -> None:
    card = [text("STATE OF OHIO 2003"), text("VIN 1HGCM826"), text("33A004352 HONDA")]

    assert best_vin(card, never) == ExtractedVin(vin=ACCORD)
    assert best_vin([text("1HGCM826", scan=0), text("33A004352", scan=1)], never) is None


def test_best_vin_reads_the_element_of_a_registration_card() -> None:
    assert best_vin([bar("@\n\x1e\rANSI 636023\nRGVAD1HGCM82633A004352\nVAKHOND")], never) is None
    assert best_vin([bar("ANSI 636023\nVAD1HGCM82633A004352\nVAKHOND")], never) == ExtractedVin(vin=ACCORD)


def test_doubt_names_other_vins_before_a_wrong_check_digit() -> None:
    wrong = ExtractedVin(vin="1HGCM82633A004353", warnings=(CHECK_DIGIT,))
    several = ExtractedVin(vin="1HGCM82633A004352", warnings=(SEVERAL,), others=("2T1BURHE0JC123456",))

    assert ExtractedVin(vin="1HGCM82633A004352").doubt is None
    assert wrong.doubt == "A VIN was found, but its check digit is wrong. Compare it with the vehicle."
    assert several.doubt == "There are several VINs in the photo. Compare this one with the vehicle."
