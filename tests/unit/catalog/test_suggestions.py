"""Models that a misspelled make or model may mean."""

import pytest

from repaircore.catalog.suggestions import similar_models

SOLD = {
    "BMW": ["328i", "X5"],
    "Chevrolet": ["Silverado 2500HD", "Silverado 1500", "Malibu"],
    "Honda": ["Accord", "Accord Crosstour", "Civic"],
    "Hyundai": ["Elantra", "Sonata"],
    "Mercedes-Benz": ["C-Class", "E-Class"],
    "Toyota": ["4Runner", "Camry", "Corolla"],
    "Zimmer": ["Camry"],
}


def similar(make: str, model: str) -> list[str]:
    return [*similar_models(make, model, makes=SOLD, models=SOLD.__getitem__)]


@pytest.mark.parametrize(
    ("make", "model", "meant"),
    [
        ("Hundai", "Sonata", ["Hyundai Sonata"]),
        ("hundai", "sonatta", ["Hyundai Sonata"]),
        ("Toyota", "Camery", ["Toyota Camry"]),
        ("Toyota", "4-runer", ["Toyota 4Runner"]),
        ("Honda", "Acord", ["Honda Accord", "Honda Accord Crosstour"]),
        ("Hnda", "ACCORD", ["Honda Accord"]),
        ("Chevy", "Silvarado", ["Chevrolet Silverado 1500", "Chevrolet Silverado 2500HD"]),
        ("Mercades", "C300", ["Mercedes-Benz"]),
        ("Honda", "Camry", ["Toyota Camry"]),
        ("Honda", "C", []),
        ("Toyota", "Model T", []),
        ("Foo", "Bar", []),
        ("Foo", "Civic", ["Honda Civic"]),
        ("", "", []),
    ],
)
def test_similar_names_are_suggested(make: str, model: str, meant: list[str]) -> None:
    assert sorted(similar(make, model)) == sorted(meant)


def test_closest_come_first_and_three_are_enough() -> None:
    models = ["Abcdefgxyy", "Abcdefghyz", "Abcdefgxyz", "Abcdefghiz"]
    found = similar_models("Honda", "Abcdefghij", makes=["Honda"], models=lambda _: models)
    assert found == ["Honda Abcdefghiz", "Honda Abcdefghyz", "Honda Abcdefgxyy"]


def test_similarity_has_a_limit() -> None:
    def suggested(model: str) -> bool:
        return bool(similar_models("Honda", model, makes=["Honda"], models=lambda _: ["Abcdefghij"]))

    assert suggested("abcdefgxyz")
    assert not suggested("abcdefwxyz")
