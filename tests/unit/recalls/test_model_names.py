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
