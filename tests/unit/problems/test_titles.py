import pytest

from repaircore.problems.questions import Question, Reading
from repaircore.problems.titles import Title, TitleQuery

WORTH = {"water": 3.0, "pump": 2.0, "brake": 1.0}


def word(*stems: str, weight: float = 1.0) -> Question:
    return Question(readings=tuple(Reading((stem,)) for stem in stems), weight=weight)


def likeness(questions: list[Question], *titles: Title, whole: float = 5.0) -> float:
    return TitleQuery(questions, WORTH, whole).likeness(titles)


def title(*stems: str, worth: float = 1.0) -> Title:
    return Title(frozenset(stems), worth)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (title("water", "pump"), 1.0),
        (title("water", "pump", "brake"), (5 + 5) / (6 + 5)),
        (title("pump"), (2 + 2) / (2 + 5)),
        (title("water", "brake"), (3 + 3) / (4 + 5)),
        (title("water", "pump", worth=0.5), 0.5),
        (title("brake"), 0.0),
        (title(), 0.0),
    ],
)
def test_likeness_is_the_share_of_worth_in_common(found: Title, expected: float) -> None:
    assert likeness([word("water"), word("pump")], found) == pytest.approx(expected)


def test_likeness_is_that_of_the_best_title() -> None:
    questions = [word("water"), word("pump")]

    assert likeness(questions, title("pump"), title("water", "pump"), title("brake")) == pytest.approx(1.0)
    assert likeness(questions) == 0.0


def test_best_reading_of_each_question_counts() -> None:
    question = word("water", "pump")
    both = Question(readings=(Reading(("water", "pump")),))

    assert likeness([question], title("water", "pump")) == pytest.approx((5 + 3) / (5 + 5))
    assert likeness([both], title("water", "pump")) == pytest.approx(1.0)


def test_doubtful_readings_count_less() -> None:
    doubtful = Question(readings=(Reading(("water",), weight=0.5),), weight=0.5)

    assert likeness([doubtful], title("water")) == pytest.approx((0.75 + 0.75) / (3 + 5))
    assert likeness([doubtful, word("water")], title("water")) == pytest.approx((3 + 0.75 + 3) / (3 + 5))
