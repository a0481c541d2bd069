import pytest
import ultravin
from hypothesis import given
from hypothesis import strategies as st

from repaircore.vehicles.vin import (
    check_digit_holds,
    mask_tail,
    model_year,
    model_years,
    normalize,
    validate,
    validate_lookup,
)

ACCORD = "1HGCM82633A004352"
ALLOWED = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"

vins = st.text(ALLOWED, min_size=17, max_size=17)
# ultravin checks only makers and years that it knows.
hondas = st.builds(
    "1HG{}{}3A{}".format,
    st.text(ALLOWED, min_size=5, max_size=5),
    st.sampled_from("0123456789X"),
    st.text("0123456789", min_size=6, max_size=6),
)


def repaired(vin: str) -> str:
    return next(fixed for digit in "0123456789X" if check_digit_holds(fixed := vin[:8] + digit + vin[9:]))


def test_normalize_removes_spaces_dashes_and_case() -> None:
    assert normalize(" 1hg-cm826 33a\u2013004352\n") == ACCORD


def test_normalize_changes_nothing_else() -> None:
    assert normalize("ß_ı1") == "ß_ı1"


@pytest.mark.parametrize("vin", [ACCORD, ACCORD[:11], "1hg cm826 33a"])
def test_validate_accepts_11_and_17_characters(vin: str) -> None:
    assert validate(vin) == []


@pytest.mark.parametrize(("vin", "length"), [("", 0), (ACCORD[:12], 12), (ACCORD + "1", 18)])
def test_validate_rejects_another_length(vin: str, length: int) -> None:
    assert validate(vin) == [f"A VIN has 11 or 17 characters; this one has {length}."]


def test_validate_suggests_a_correction_for_the_letter_o() -> None:
    assert validate("1HGCM82633AOO4352") == [
        "The letter O is never used in a VIN: did you mean 1HGCM82633A004352?"
    ]


def test_validate_lists_several_letters_together() -> None:
    assert validate("IHGCM82633AOO4352") == [
        "The letters I and O are never used in a VIN: did you mean 1HGCM82633A004352?"
    ]


def test_validate_corrects_a_q_by_the_check_digit() -> None:
    assert check_digit_holds(nine := repaired("1HGCM82633A904352"))
    assert f"did you mean {nine}?" in validate(nine.replace("A9", "AQ"))[0]


def test_validate_corrects_up_to_six_qs_by_the_check_digit() -> None:
    guessed = validate("1HGCM8263QQQQQQ52")[0].removesuffix("?").rsplit(" ", 1)[1]

    assert check_digit_holds(guessed)
    assert guessed != "1HGCM826300000052"
    assert validate("1HGCM8263QQQQQQQ2")[0].endswith("did you mean 1HGCM826300000002?")
    assert not check_digit_holds("1HGCM826300000002")


def test_validate_suggests_nothing_for_another_length() -> None:
    assert validate("O")[1] == "The letter O is never used in a VIN."


def test_validate_lists_foreign_characters_once() -> None:
    assert validate("1HGCM8#633#") == ["A VIN has only the letters A to Z and the digits 0 to 9, not #."]


def test_validate_shows_unprintable_characters_as_codes() -> None:
    assert "U+0000" in validate("1HGCM8\x006331")[0]


@given(st.text(max_size=40))
def test_validate_accepts_only_allowed_characters(text: str) -> None:
    if not validate(text):
        assert set(normalize(text)) <= set(ALLOWED)
        assert len(normalize(text)) in {11, 17}


@given(st.text("1HGIOQ", min_size=17, max_size=17))
def test_validate_suggests_valid_corrections(text: str) -> None:
    for sentence in validate(text):
        assert validate(sentence.rsplit(" ", 1)[1].rstrip("?")) == []


@given(hondas)
def test_check_digits_agree_with_another_implementation(vin: str) -> None:
    assert check_digit_holds(vin) == ultravin.decode(vin)["check_digit_valid"]


@given(hondas)
def test_repaired_check_digit_agrees_with_another_implementation(vin: str) -> None:
    assert ultravin.decode(repaired(vin))["check_digit_valid"]


@given(vins, st.integers(0, 16), st.sampled_from("0123456789"))
def test_one_changed_digit_never_keeps_the_check_digit(vin: str, place: int, digit: str) -> None:
    good = repaired(vin)
    changed = good[:place] + digit + good[place + 1 :]
    if good[place].isdigit() and changed != good:
        assert not check_digit_holds(changed)


@given(st.text(max_size=20))
def test_validate_accepts_any_text(text: str) -> None:
    assert check_digit_holds(text) in {True, False}


@pytest.mark.parametrize("text", [ACCORD[:11], ACCORD.lower(), "1" * 16 + "\ud800", "1" * 16 + "I"])
def test_check_digit_fails_for_anything_but_a_vin(text: str) -> None:
    assert not check_digit_holds(text)


@pytest.mark.parametrize(
    ("vin", "year"),
    [
        (ACCORD, 2003),
        ("1FTFW1E50JKC66708", 2018),
        ("5YJ3E1EA7KF317000", 2019),
        ("2GCEC19Z0S1245490", 1995),
    ],
)
def test_model_year_follows_the_seventh_character(vin: str, year: int) -> None:
    assert model_year(vin, latest=2026) == year


def test_model_year_is_never_in_the_future() -> None:
    assert model_years("1HGCM8A633A", latest=2026) == (2003,)
    assert model_years("1HGCM8A633A", latest=2033) == (2033, 2003)


@pytest.mark.parametrize("code", "UZ0")
def test_model_year_is_none_for_u_z_and_0(code: str) -> None:
    assert model_year(f"1HGCM8263{code}A", latest=2026) is None


def test_mask_tail_keeps_the_descriptive_characters() -> None:
    assert mask_tail(ACCORD) == "1HGCM8263********"
    assert mask_tail(ACCORD[:11]) == "1HGCM8263********"


@pytest.mark.parametrize("length", range(11, 18))
def test_lookup_accepts_11_to_17_characters(length: int) -> None:
    assert validate_lookup("1hgcm-8263 3A004352"[: length + 2]) == []


@pytest.mark.parametrize("vin", ["", "1HGCM82633", "1HGCM82633A0043521", "1HGCM82633Ä", "x" * 1_000_000])
def test_lookup_rejects_other_lengths(vin: str) -> None:
    assert validate_lookup(vin)
    assert sum(map(len, validate_lookup(vin))) < 400


def test_lookup_rejects_forbidden_characters_at_any_length() -> None:
    (text,) = validate_lookup("1HGCM82633AOO")

    assert "never used in a VIN" in text
