"""Training, serialization and predictions of the line model."""

import pytest
from bench.line_weights import digest, examples
from hypothesis import given
from hypothesis import strategies as some

from repaircore.adapters.shipped.job_names import line_weights_text
from repaircore.line_model.features import Line, features
from repaircore.line_model.model import NO_OPINION, OTHER_WORK
from repaircore.line_model.training import Example, train
from repaircore.line_model.weights_text import dump, load, training_digest_of


def line(done: str, context: str = "") -> Line:
    return Line(done=done, words=frozenset(done.split()), context=frozenset(context.split()))


EXAMPLES = [
    Example(line(text), meaning)
    for text, meaning in (
        ("front struts replaced", "struts-front"),
        ("new front strut", "struts-front"),
        ("strut front left", "struts-front"),
        ("brake caliper seized", "brake-caliper-front"),
        ("caliper replaced", "brake-caliper-front"),
        ("new caliper", "brake-caliper-front"),
        ("trailer hitch", OTHER_WORK),
        ("hitch install", OTHER_WORK),
        ("trailer wiring", OTHER_WORK),
    )
]
MODEL = train(EXAMPLES)


def likeliest_repair(found: Line) -> str:
    chances = MODEL.chances(found)
    return max(chances, key=lambda name: chances[name])


def test_model_learns_what_lines_mean() -> None:
    assert likeliest_repair(line("both front struts")) == "struts-front"
    assert likeliest_repair(line("caliper left")) == "brake-caliper-front"
    assert likeliest_repair(line("trailer hitch wiring")) == OTHER_WORK


def test_abbreviation_shares_pieces_with_the_word_it_means() -> None:
    assert likeliest_repair(line("calip")) == "brake-caliper-front"


def test_complaint_counts_less_than_the_work_done() -> None:
    assert likeliest_repair(line("caliper replaced", context="strut")) == "brake-caliper-front"


def test_line_without_a_known_feature_has_no_meaning() -> None:
    assert MODEL.chances(Line(done="42", words=frozenset())) == {} or "42" not in features(line("42"))
    assert NO_OPINION.chances(line("caliper")) == {}


@given(words=some.lists(some.sampled_from(["front", "strut", "caliper", "hitch", "zzz"]), max_size=12))
def test_chances_belong_to_the_likely_meanings(words: list[str]) -> None:
    chances = MODEL.chances(line(" ".join(words)))

    assert set(chances) <= set(MODEL.meanings)
    assert all(0 < chance <= 1 for chance in chances.values())
    assert sum(chances.values()) <= 1 + 1e-9


def test_same_lines_give_the_same_weights_after_other_training() -> None:
    assert dump(train(EXAMPLES)) == dump(MODEL)


def test_weights_survive_writing_and_reading() -> None:
    assert load(dump(MODEL)) == MODEL


@pytest.mark.parametrize("text", ["", "line-model 1\n1.0\na\n", "line-model 2\n\n1.0\na\nhitch\t1.0"])
def test_text_of_another_format_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - which of its parts is wrong does not matter
        load(text)


@pytest.mark.long
def test_shipped_weights_were_trained_with_the_lines_of_now() -> None:
    assert digest(list(examples())) == training_digest_of(line_weights_text())


@pytest.mark.long
@pytest.mark.thorough
def test_shipped_weights_are_those_that_the_lines_teach() -> None:
    found = list(examples())
    assert dump(train(found), digest(found)) == line_weights_text()
