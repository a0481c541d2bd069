"""Training, serialization and predictions of the word model."""

import math

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as some

from repaircore.adapters.shipped.complaints import (
    complaints,
    repair_groups,
    seen_repairs,
    stated_chances,
    word_model,
)
from repaircore.word_model.features import MOST_WORDS, features
from repaircore.word_model.model import WordModel
from repaircore.word_model.training import Example, accuracy, calibrated, fine_tuned, train
from repaircore.word_model.weights_text import dump, load

EXAMPLES = [
    Example(text, group)
    for text, group in (
        ("squeals when I brake", "brakes"),
        ("the brakes squeal and grind", "brakes"),
        ("grinding when braking", "brakes"),
        ("brake pedal squeal", "brakes"),
        ("battery is dead again", "battery"),
        ("dead battery every morning", "battery"),
        ("needs a jump start, battery dead", "battery"),
        ("battery will not hold a charge", "battery"),
    )
]
MODEL = train(EXAMPLES, ["brakes", "battery"], rounds=20)
SHIPPED = word_model()


def likeliest_group(text: str) -> str:
    chances = MODEL.log_chances(text)

    assert chances is not None
    return MODEL.groups[max(range(len(chances)), key=lambda at: chances[at])]


def test_text_like_the_examples_of_a_group_belongs_to_it() -> None:
    assert likeliest_group("it squeals whenever I am braking") == "brakes"
    assert likeliest_group("my battery is dead") == "battery"


def test_typing_error_is_read_as_the_intended_word() -> None:
    assert likeliest_group("batery") == "battery"


def test_log_chances_is_none_for_unknown_words() -> None:
    assert MODEL.log_chances("lorem ipsum") is None
    assert MODEL.log_chances("") is None


def test_same_examples_give_the_same_model() -> None:
    assert dump(train(EXAMPLES, ["brakes", "battery"], rounds=20)) == dump(MODEL)


def test_model_survives_writing_and_reading() -> None:
    assert dump(load(dump(MODEL))) == dump(MODEL)
    assert load(dump(MODEL)).log_chances("brakes") == MODEL.log_chances("brakes")


@pytest.mark.parametrize("text", ["", "word-model 0\n", "word-model 1\nnonsense\tx\n"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="word model"):
        load(text)


def test_twenty_cases_change_the_likeliest_group_and_leave_the_rest() -> None:
    cases = [Example("the frobnicator goes boing", "battery", repair="battery-replacement")] * 20
    after = fine_tuned(MODEL, cases)
    taught, untaught = after.log_chances("frobnicator boing"), after.log_chances("brakes squeal")

    assert MODEL.log_chances("frobnicator boing") is None
    assert taught is not None
    assert untaught is not None
    assert taught[1] > math.log2(0.8)
    assert untaught[0] > untaught[1]
    assert after.seen["battery-replacement"] == 20


def test_fine_tuned_unlearns_from_contradicting_cases() -> None:
    def chance_of_battery(*cases: tuple[str, int]) -> float:
        examples = [
            Example("the frobnicator goes boing", group) for group, number in cases for _ in range(number)
        ]
        chances = fine_tuned(taught, examples).log_chances("frobnicator boing")
        return 0.5 if chances is None else 2 ** chances[1]

    taught = fine_tuned(MODEL, [Example("the frobnicator goes boing", "battery")] * 20)
    agreeing, divided, against = (
        chance_of_battery(("battery", 30)),
        chance_of_battery(("battery", 30), ("brakes", 50)),
        chance_of_battery(("brakes", 50)),
    )

    assert agreeing > 0.8
    assert agreeing > divided > against
    assert divided < 0.8


def test_fine_tuned_returns_the_model_without_examples() -> None:
    assert fine_tuned(MODEL, []) == MODEL
    assert fine_tuned(MODEL, [Example("brakes", "no-such-group")]) == MODEL


def test_calibration_raises_the_likelihood_of_unseen_examples() -> None:
    held_out = [
        Example("battery squeal", "battery"),
        Example("brake grind", "brakes"),
        Example("brake dead", "battery"),
    ]
    sharp = calibrated(MODEL, held_out)

    def loss(model: WordModel) -> float:
        chances = [(model.log_chances(one.text) or ())[MODEL.groups.index(one.group)] for one in held_out]
        return -math.fsum(chances)

    assert loss(sharp) <= loss(MODEL) + 1e-6


@given(some.text(max_size=300))
def test_chances_add_up_to_one_for_any_text(text: str) -> None:
    chances = SHIPPED.log_chances(text)

    assert chances is None or math.isclose(math.fsum(2.0**one for one in chances), 1, abs_tol=1e-6)


def test_long_text_is_read_up_to_the_limit() -> None:
    assert features("squeal " * 20_000)["squeal"] <= MOST_WORDS


def test_shipped_model_knows_every_group_and_is_small() -> None:
    assert SHIPPED.groups == tuple(one.slug for one in repair_groups().listed)
    assert len(dump(SHIPPED)) < 5_000_000
    assert SHIPPED.seen == pytest.approx(seen_repairs())


def test_shipped_model_has_a_rising_calibration() -> None:
    assert list(SHIPPED.stated) == stated_chances()
    stated = [SHIPPED.stated_for(chance / 100) or 0.0 for chance in range(101)]

    assert stated == sorted(stated)
    assert 0 < stated[0] < stated[-1] < 1


@pytest.mark.parametrize(
    ("chance", "stated"),
    [
        (0.0, 0.1),
        (0.2, 0.1),
        (0.3, 0.2),
        (0.4, 0.3),
        (0.5, 0.4),
        (0.6, 0.5),
        (0.8, 0.7),
        (0.9, 0.7),
        (1.0, 0.7),
    ],
)
def test_stated_for_lies_on_the_line_between_two_points(chance: float, stated: float) -> None:
    model = evolve(MODEL, stated=((0.2, 0.1), (0.4, 0.3), (0.8, 0.7)))

    assert model.stated_for(chance) == pytest.approx(stated)


def test_stated_for_is_none_without_a_calibration() -> None:
    assert MODEL.stated_for(0.5) is None


def test_shipped_model_reads_complaints_it_was_not_trained_on() -> None:
    held_out = [Example(one.text, one.group) for one in complaints() if one.held_out][::5]
    first, whole = accuracy(SHIPPED, held_out, first=1)
    three, _ = accuracy(SHIPPED, held_out, first=3)

    assert first / whole > 0.45
    assert three / whole > 0.7


def test_equally_rare_words_share_a_number() -> None:
    rarities = SHIPPED.rarity.values()

    assert len({id(rarity) for rarity in rarities}) == len({*rarities})
