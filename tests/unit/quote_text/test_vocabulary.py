import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
from repaircore.quote_text.vocabulary import vocabulary_of
from repaircore.quotes.text_match import names_of

VOCABULARY = vocabulary_of(names_of(book().problems))


@pytest.mark.parametrize(
    ("glued", "split"),
    [
        ("Alternatorreplacement", "Alternator replacement"),
        ("FRONTBRAKEPADS", "FRONT BRAKE PADS"),
        ("Oilchange5W30", "Oil change 5W30"),
        ("Frontbrakepadsandrotors", "Front brake pads and rotors"),
        ("CabinAirFilter", "Cabin Air Filter"),
        ("cvaxle", "cv axle"),
        ("Tierodend", "Tie rod end"),
        ("4wheelalignment", "4 wheel alignment"),
        ("Salestax", "Sales tax"),
        ("FRONTPADS249.95", "FRONT PADS 249.95"),
        ("Brakef1uidflush", "Brake fluid flush"),
    ],
)
def test_repaired_splits_glued_words(glued: str, split: str) -> None:
    assert VOCABULARY.repaired(glued) == split


@pytest.mark.parametrize(
    ("misread", "word"),
    [
        ("Altemator", "Alternator"),
        ("rnotor", "motor"),
        ("transmissi0n", "transmission"),
        ("oiI fiIter", "oil filter"),
        ("cIutch", "clutch"),
        ("RADlATOR", "Radiator"),
        ("Steerlng", "Steering"),
        ("\\/iper", "\\/iper"),
    ],
)
def test_repaired_corrects_misread_words(misread: str, word: str) -> None:
    assert VOCABULARY.repaired(misread) == word


@pytest.mark.parametrize(
    "text",
    [
        "alternator",
        "4Runner",
        "Fiat 500",
        "Maplewood Crossroads Springfield",
        "Goodyear Firestone Interstate",
        "VIN 1HGCM82633A004352",
        "service@oilfilter.com",
        "www.brakepads.com",
        "R134a 5W30 DOT4 P0420",
        "moderate overheating, everybody fails",
        "0.85 1158 18.50",
    ],
)
def test_repaired_leaves_other_words(text: str) -> None:
    assert VOCABULARY.repaired(text) == text


@given(st.text(max_size=200))
def test_repaired_adds_only_spaces_to_words_without_lookalikes(text: str) -> None:
    plain = text.translate(dict.fromkeys(map(ord, "0158|iIlLmMnNrRwWvVoOsSbB")))

    assert VOCABULARY.repaired(plain).replace(" ", "") == plain.replace(" ", "")
