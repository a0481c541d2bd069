import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.trouble_codes.model import normalize_code
from repaircore.trouble_codes.structure import structure_of

_CODES = st.builds(
    lambda area, digit, rest: f"{area}{digit}{rest:03X}",
    st.sampled_from("PCBU"),
    st.integers(0, 3),
    st.integers(0, 0xFFF),
)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("P0999", "powertrain codes with the same meaning for every make"),
        ("P1234", "the manufacturer decides"),
        ("P3100", "the manufacturer decides"),
        ("P3400", "same meaning"),
        ("B1000", "body codes whose meaning the manufacturer decides"),
        ("C0FFF", "chassis codes with the same"),
        ("U3000", "network codes with the same"),
    ],
)
def test_first_characters_of_a_code_have_a_meaning(code: str, expected: str) -> None:
    assert expected in structure_of(code).sentence


@pytest.mark.parametrize(
    ("code", "title"),
    [
        ("P0399", "Standard powertrain code for the ignition system or misfires"),
        ("P1799", "Manufacturer powertrain code for the transmission"),
        ("P0AFF", "Standard powertrain code for the hybrid drive"),
        ("U0199", "Standard network code for communication between the computers"),
        ("C1999", "Manufacturer chassis code"),
        ("P3100", "Manufacturer powertrain code"),
    ],
)
def test_third_character_names_the_subsystem_where_the_standard_defines_it(code: str, title: str) -> None:
    assert structure_of(code).title == title


@given(_CODES)
def test_every_well_formed_code_has_a_structure(code: str) -> None:
    assert normalize_code(code) == code

    structure = structure_of(code)

    assert structure.sentence.startswith(f"{code[:2]} codes are {structure.area} codes ")
    assert structure.title.startswith("Standard" if structure.standard else "Manufacturer")
