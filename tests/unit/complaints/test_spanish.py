"""Translation of Spanish complaints."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from repaircore.adapters.shipped.complaints import complaints
from repaircore.adapters.shipped.vocabulary import lexicon
from repaircore.complaints.spanish import Glossary

GLOSSARY = lexicon().spanish
_MISREAD_SHARE = 0.001


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mi carro no prende", "car won't start"),
        ("Sale humo blanco del escape", "white smoke exhaust"),
        ("El pedal del freno se va hasta el fondo", "brake pedal goes to the floor"),
        ("se prendió la luz del aceite", "oil pressure light comes on"),
        ("Hace ruido cuando paso topes", "noise when bumps"),
        ("¿Por qué se apaga? El código es P0420, tiene 90000 millas", "stalls P0420 90000"),
    ],
)
def test_in_english_translates_word_for_word(text: str, words: str) -> None:
    assert set(words.split()) <= set(GLOSSARY.in_english(text).replace(",", " ").replace("?", " ").split())


@pytest.mark.parametrize(
    "text",
    [
        "My El Camino won't start",
        "Los Angeles car, no sensor, brakes squeal",
        "click click when I turn the key",
        "2018 Santa Fe, tic tac noise",
        "",
    ],
)
def test_in_english_leaves_english_unchanged(text: str) -> None:
    assert GLOSSARY.in_english(text) == text


def test_in_english_changes_almost_no_shipped_complaint() -> None:
    texts = [each.text for each in complaints()]
    changed = [text for text in texts if GLOSSARY.in_english(text) != text]

    assert len(changed) <= _MISREAD_SHARE * len(texts), changed


def test_longest_phrase_wins_then_the_first() -> None:
    glossary = Glossary(
        phrases={"luz": "light", "luz de freno/frenos": "brake light", "luz freno": "other"},
        grammar={"de", "la"},
    )

    assert glossary.in_english("la luz de frenos") == "brake light"
    assert glossary.in_english("luz de freno") == "brake light"
    assert glossary.in_english("la luz") == "light"


@given(some.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(GLOSSARY.in_english(text), str)
