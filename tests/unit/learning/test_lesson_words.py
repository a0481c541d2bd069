from repaircore.learning.appraisal import percentages, review_sentence, sentences
from repaircore.transactions.evidence import Evidence, Lineage, PartEvidence
from repaircore.transactions.model import Lesson
from repaircore.transactions.tally import Surprise

LESSON = Lesson(
    evidence=Evidence(
        problem_id=101,
        lineage=Lineage(make="Honda", model="Accord", year=2018),
        price=9_531,
        hours=-10_536,
        share=61_000,
        parts=(PartEvidence(key="front brake pad set", price=0),),
    ),
    surprise=Surprise(bin=60, generation=0, generation_of_all=0, alpha_step=-160),
)


def test_lesson_is_described_in_percent() -> None:
    result = percentages(LESSON)

    assert (result.price, result.hours, result.labor_share) == (10.0, -10.0, 61.0)


def test_lesson_is_described_in_sentences() -> None:
    price, hours, share, part, surprise = sentences(LESSON)

    assert "10% more than the book expects" in price
    assert "10% fewer than the book's" in hours
    assert share == "Labor is 61% of the total."
    assert part == "Part front brake pad set: 0% more than in the book."
    assert surprise == "Its price was about 1.2 spreads above what was expected before this invoice."


def test_free_repair_teaches_nothing() -> None:
    assert sentences(None) == ("Nothing was learned from this invoice, because nothing was charged.",)


def test_outlying_price_needs_review() -> None:
    assert review_sentence(review=True) != review_sentence(review=False)
