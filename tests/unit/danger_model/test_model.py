"""The danger model: training, serialization, and use together with phrases."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from repaircore.adapters.shipped.dangers import danger_model
from repaircore.danger_model.features import MOST_SENTENCES, candidates
from repaircore.danger_model.model import AGREES, ALONE, DangerModel, present_dangers
from repaircore.danger_model.training import LabeledText, judged, train_dangers
from repaircore.danger_model.weights_text import dump_dangers, load_dangers
from repaircore.danger_model.wording import Wording

WORDING = Wording(
    {"FUEL": "gas fuel", "PAST": "was were ago", "NEG": "no not"},
    {"FUEL": "(?:gas|fuel)"},
    {"fuel": [r"(?:smell|leak)\w*.{0,20}{FUEL}", r"{FUEL}.{0,20}leak"], "brakes": [r"brakes? (?:fail|gone)"]},
)
TEXTS = [
    *(
        LabeledText(text, frozenset({"fuel"}))
        for text in ("it smells of gas", "gas is leaking", "I smell fuel now", "fuel leaks on the ground", "it leaks gas")
    ),
    *(
        LabeledText(text)
        for text in (
            "it smelled of gas years ago",
            "there was a gas leak, fixed years ago",
            "the fuel leak was fixed years ago",
            "years ago it leaked fuel",
            "a smell of gas was fixed years ago",
        )
    ),
]  # fmt: skip
MODEL = train_dangers(TEXTS, WORDING)
SHIPPED = danger_model()


def test_present_danger_scores_above_a_past_one() -> None:
    assert MODEL.scores("it smells of fuel")["fuel"] > 0 > MODEL.scores("years ago it leaked gas")["fuel"]


def test_text_without_a_suspicious_phrase_has_no_score() -> None:
    assert MODEL.scores("the radio is quiet") == {}


def test_six_words_before_and_after_a_suspicion_are_features_of_their_own() -> None:
    said = "red tan gray black pink gold teal gas is leaking on the old dirt road by day"
    ((danger, features),) = candidates(said, WORDING)
    before, after = (
        [name.removeprefix(tag) for name in features if name.startswith(tag) and " " not in name]
        for tag in ("pre:", "post:")
    )

    assert danger == "fuel"
    assert before == ["tan", "gray", "black", "pink", "gold", "teal"]
    assert after == ["ing", "on", "the", "old", "dirt", "road"]  # the wording ends within the word


def test_surest_sentence_counts() -> None:
    assert (
        MODEL.scores("It leaked gas years ago. Gas is leaking")["fuel"]
        > MODEL.scores("It leaked gas years ago.")["fuel"]
    )


def test_training_is_deterministic() -> None:
    assert dump_dangers(train_dangers(TEXTS, WORDING)) == dump_dangers(MODEL)


def test_model_round_trips_as_text() -> None:
    assert load_dangers(dump_dangers(MODEL), WORDING) == MODEL


@pytest.mark.parametrize("text", ["", "word-model 1\n", "danger-model 0\nbias\t0\n"])
def test_load_dangers_rejects_other_text(text: str) -> None:
    with pytest.raises(ValueError, match="danger model"):
        load_dangers(text, WORDING)


def test_judged_counts_dangers_and_harmless_texts() -> None:
    assert judged(MODEL, TEXTS, 0.0) == (5, 5, 5, 0)


@pytest.mark.parametrize(
    ("text", "around"),
    [
        ("It smells of gas.", set()),
        ("Years ago. It smells of gas.", {"<<PAST"}),
        ("It was. No. It smells of gas.", {"<<NEG"}),
        ("It smells of gas. No. It was.", {">>NEG"}),
        ("It was. It smells of gas. No leak of gas.", {"<<PAST", ">>NEG", ">>FUEL"}),
    ],
)
def test_features_have_the_classes_of_the_sentences_next_to_a_suspicion(text: str, around: set[str]) -> None:
    _, features = next(iter(candidates(text, WORDING)))

    assert {name for name in features if name[:2] in {"<<", ">>"}} == around


def test_model_without_weights_has_no_scores() -> None:
    assert DangerModel(wording=WORDING).scores("it smells of gas") == {}


def test_danger_needs_an_agreeing_phrase_or_a_sure_model() -> None:
    scores = {"fuel": AGREES, "brakes": ALONE, "fire": AGREES - 1, "wheel": ALONE - 0.1}

    assert present_dangers(["fuel", "fire", "steering"], (), scores) == ("fuel", "steering", "brakes")


def test_dismissed_phrase_outweighs_the_model() -> None:
    assert present_dangers([], ["brakes"], {"brakes": ALONE + 10}) == ()


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("Pushed the brake and nothing happened, rolled right through the light", "brakes"),
        ("There is a strong smell of gas inside and it drips under the tank", "fuel"),
        ("Thick smoke pours from the fuse box", "fire"),
        ("Two of the lug nuts are gone and the wheel wobbles", "wheel"),
    ],
)
def test_shipped_model_is_sure_of_plain_dangers(text: str, danger: str) -> None:
    assert SHIPPED.scores(text)[danger] >= ALONE


@pytest.mark.parametrize(
    "text",
    [
        "Two years ago the fuel line leaked, it was replaced",
        "What would happen if the brakes failed?",
        "How much are new lug nuts?",
        "I'm afraid the engine might overheat on the trip",
    ],
)
def test_shipped_model_is_not_sure_of_harmless_texts(text: str) -> None:
    assert all(score < ALONE for score in SHIPPED.scores(text).values())


@given(some.text(max_size=400))
def test_any_text_can_be_scored(text: str) -> None:
    assert all(danger in SHIPPED.wording.dangers for danger in SHIPPED.scores(text))


def test_later_sentences_of_a_long_text_are_not_read() -> None:
    text = "It is cold. " * MOST_SENTENCES + "It smells of gas."

    assert list(candidates(text, WORDING)) == []
