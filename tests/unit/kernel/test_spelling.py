import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.spelling import key, make_key, make_name, model_name, words_key


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        ("HONDA", "Honda"),
        ("honda", "Honda"),
        ("BMW", "BMW"),
        ("bmw", "BMW"),
        ("GMC", "GMC"),
        ("MERCEDES-BENZ", "Mercedes-Benz"),
        ("RAM", "Ram"),
        ("LAND ROVER", "Land Rover"),
        ("ROLLS ROYCE", "Rolls-Royce"),
        ("MCLAREN", "McLaren"),
        ("ALFA ROMEO", "Alfa Romeo"),
        (" Seagrave ", "Seagrave"),
        ("Polestar", "Polestar"),
    ],
)
def test_make_name_has_the_makers_spelling(make: str, expected: str) -> None:
    assert make_name(make) == expected


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("Accord", "Accord"),
        ("COROLLA iM", "Corolla iM"),
        ("4-Runner", "4Runner"),
        ("F-150", "F-150"),
        ("GTI", "GTI"),
        ("MDX", "MDX"),
        ("ARIYA", "Ariya"),
        ("CR-V", "CR-V"),
    ],
)
def test_model_name_is_not_all_capitals(model: str, expected: str) -> None:
    assert model_name(model) == expected


def test_key_ignores_case_and_punctuation() -> None:
    assert key("F-150") == key("f 150") == "f150"
    assert key("CITROËN C_4") == key("Citroën C4") == "citroënc4"
    assert key("日産") != key("三菱")


@given(st.text())
def test_words_of_a_text_make_up_its_key(text: str) -> None:
    assert "".join(words_key(text)) == key(text)


@pytest.mark.parametrize(
    ("short_name", "make_in_full"),
    [("Chevy", "CHEVROLET"), ("vw", "Volkswagen"), ("Mercedes", "Mercedes-Benz")],
)
def test_make_key_understands_short_names(short_name: str, make_in_full: str) -> None:
    assert make_key(short_name) == make_key(make_in_full)
