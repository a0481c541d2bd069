import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.spelling import key, make_key, make_name, model_name, words_key


@pytest.mark.parametrize(
    ("shouted", "spelled"),
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
def test_makes_are_spelled_as_their_makers_do(shouted: str, spelled: str) -> None:
    assert make_name(shouted) == spelled


@pytest.mark.parametrize(
    ("result", "spelled"),
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
def test_shouted_models_are_calmed(result: str, spelled: str) -> None:
    assert model_name(result) == spelled


def test_case_and_punctuation_do_not_matter_to_a_key() -> None:
    assert key("F-150") == key("f 150") == "f150"
    assert key("CITROËN C_4") == key("Citroën C4") == "citroënc4"
    assert key("日産") != key("三菱")


@given(st.text())
def test_words_of_a_text_make_up_its_key(text: str) -> None:
    assert "".join(words_key(text)) == key(text)


@pytest.mark.parametrize(
    ("said", "meant"), [("Chevy", "CHEVROLET"), ("vw", "Volkswagen"), ("Mercedes", "Mercedes-Benz")]
)
def test_short_names_mean_their_make(said: str, meant: str) -> None:
    assert make_key(said) == make_key(meant)
