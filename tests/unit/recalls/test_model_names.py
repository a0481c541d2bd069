"""Matching NHTSA's model names with our vehicles."""

import pytest

from repaircore.recalls.model_names import matches_model

LISTED = {
    "BMW": ["330i", "330e", "530i", "X5"],
    "Chevrolet": ["Equinox", "Equinox EV", "Silverado 1500", "Silverado 2500HD"],
    "Ford": ["Explorer", "F-150", "F-250"],
    "Jeep": ["Cherokee", "Grand Cherokee"],
    "Lexus": ["GX", "RX"],
    "Mazda": ["Mazda3", "CX-3", "CX-30"],
    "Mercedes-Benz": ["C-Class", "E-Class"],
    "Toyota": ["RAV4", "RAV4 Prime", "Corolla", "Corolla Cross"],
    "Volvo": ["S60", "V60"],
}


@pytest.mark.parametrize(
    ("make", "model", "named"),
    [
        ("Ford", "F-150", "F150"),
        ("Ford", "F-250", "F-250 SD"),
        ("Ford", "Explorer", "EXPLORER HYBRID"),
        ("Ford", "Explorer Hybrid", "EXPLORER"),
        ("Chevrolet", "Silverado 1500", "SILVERADO"),
        ("Chevrolet", "Silverado 2500HD", "SILVERADO 2500"),
        ("Mercedes-Benz", "C-Class", "AMG C63 S"),
        ("Mercedes-Benz", "E-Class", "E 450 4MATIC"),
        ("Mazda", "Mazda3", "3"),
        ("BMW", "330i", "3 SERIES"),
        ("BMW", "330i", "330XI"),
        ("BMW", "3 Series", "330XI"),
        ("BMW", "X5", "X5 SAV"),
        ("Lexus", "RX", "RX350"),
        ("Volvo", "V60", "V60CC"),
        ("Toyota", "RAV4", "RAV4 HYBRID"),
        ("Nobody", "One", "ONE"),
        ("Nobody", "One", ""),
    ],
)
def test_matches_model_accepts_variants_of_a_name(make: str, model: str, named: str) -> None:
    assert matches_model(model, named, make=make, listed=LISTED.get(make, []))


@pytest.mark.parametrize(
    ("make", "model", "named"),
    [
        ("Jeep", "Cherokee", "GRAND CHEROKEE"),
        ("Chevrolet", "Equinox", "EQUINOX EV"),
        ("Chevrolet", "Silverado 1500", "SILVERADO 2500"),
        ("Toyota", "Corolla", "COROLLA CROSS HYBRID"),
        ("Toyota", "RAV4", "RAV4 PRIME"),
        ("Mazda", "CX-3", "CX-30"),
        ("BMW", "530i", "3 SERIES"),
        ("BMW", "330i", "530XI"),
        ("Mercedes-Benz", "E-Class", "C300"),
        ("Ford", "F-150", "AIR BAG"),
        ("Nobody", "One", "TWO"),
    ],
)
def test_matches_model_rejects_another_model(make: str, model: str, named: str) -> None:
    assert not matches_model(model, named, make=make, listed=LISTED.get(make, []))


@pytest.mark.parametrize(
    ("listed", "matches"),
    [
        (["RAV4", "RAV4 Prime"], False),
        (["RAV4", "RAV4 Prime", "Corolla"], False),
        (["RAV4"], True),
        ([], True),
    ],
)
def test_matches_model_rejects_a_name_only_if_both_are_listed(listed: list[str], *, matches: bool) -> None:
    assert matches_model("RAV4", "RAV4 PRIME", make="Toyota", listed=listed) is matches


def test_matches_model_knows_the_vehicles_own_model_even_if_it_is_not_listed() -> None:
    for listed in ([], ["E-Class"]):
        assert matches_model("C-Class", "AMG C63 S", make="Mercedes-Benz", listed=listed)


@pytest.mark.parametrize(
    ("model", "named", "matches"),
    [
        ("RX", "RX350", True),
        ("RX", "RX350h", False),
        ("RX", "RX 350 HYBRID", True),
        ("RX", "X350", False),
        ("328i", "328XI", True),
        ("328i", "329XI", False),
        ("328i", "3 SERIES", True),
        ("3 Series", "328I", True),
        ("3 Series", "5 SERIES", False),
        ("3 Series", "528I", False),
        ("Prime", "EV", False),
    ],
)
def test_matches_model_of_an_unlisted_make_compares_beginnings_and_series(
    model: str, named: str, *, matches: bool
) -> None:
    assert matches_model(model, named, make="Nobody", listed=[]) is matches
