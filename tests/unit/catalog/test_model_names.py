import pytest

from repaircore.catalog.model_names import closest_name, match_names, unique_names

FORD = ["F-150", "F-250", "Explorer", "Explorer Sport Trac", "Escape"]
CHEVROLET = ["Silverado 1500", "Silverado 2500HD", "S-10"]


@pytest.mark.parametrize(
    ("names", "entered", "found"),
    [
        (FORD, "f150", ["F-150"]),
        (FORD, "EXPLORER", ["Explorer"]),
        (CHEVROLET, "silverado", ["Silverado 1500", "Silverado 2500HD"]),
        (FORD, "F150 Pickup 2WD", ["F-150"]),
        (FORD, "explorer sport trac 4wd", ["Explorer Sport Trac"]),
        (FORD, "Accord", []),
        (FORD, "", []),
        (FORD, "%", []),
        (FORD, "-", []),
    ],
)
def test_match_names_ignores_case_punctuation_and_surrounding_words(
    names: list[str], entered: str, found: list[str]
) -> None:
    assert match_names(names, entered) == found


@pytest.mark.parametrize(
    ("names", "entered", "make", "found"),
    [
        (
            ["Grand Cherokee", "Cherokee"],
            "Grand Cherokee Laredo 4WD",
            "Jeep",
            ("Grand Cherokee", "Laredo 4WD"),
        ),
        (["C-Class", "CLS-Class"], "C300 4matic", "Mercedes-Benz", ("C-Class", "C300 4matic")),
        (["Mazda3", "Mazda6"], "6 Sport", "Mazda", ("Mazda6", "Sport")),
        (["MX-5 Miata", "MX-3"], "MX-5", "Mazda", ("MX-5 Miata", "")),
        (["Town & Country"], "Town and Country 2WD", "Chrysler", ("Town & Country", "2WD")),
        (["240", "740", "760"], "740/760 Wagon", "Volvo", ("740", "760 Wagon")),
        (CHEVROLET, "Silverado 2500 4WD", "Chevrolet", ("Silverado 2500HD", "4WD")),
        (CHEVROLET, "Silverado C15", "Chevrolet", None),
        (["300"], "3", "BMW", None),
    ],
)
def test_closest_name_returns_the_remaining_words(
    names: list[str], entered: str, make: str, found: tuple[str, str] | None
) -> None:
    assert closest_name(names, entered, make=make) == found


def test_unique_names_are_alphabetical() -> None:
    assert unique_names(["iX", "X5", "i3", "x-5", "M3", " "]) == ["i3", "iX", "M3", "X5"]
