import pytest

from repaircore.adapters.shipped.vocabulary import lexicon, vocabulary
from repaircore.complaints.spelling import respelled


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("dies over nite, new battery alredy", "dies over night, new battery already"),
        ("Ruff idle in the mornin", "rough idle in the morning"),
        ("ruffle the night", "ruffle the night"),
        ("", ""),
    ],
)
def test_informal_spelling_becomes_the_usual_one(text: str, usual: str) -> None:
    assert respelled(text, lexicon().spellings) == usual


def test_search_knows_the_same_spellings() -> None:
    assert lexicon().spellings.items() <= vocabulary().misspelled.items()
