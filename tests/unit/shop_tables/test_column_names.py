import pytest

from repaircore.shop_tables.column_names import includes_tax, name_scores, name_words
from repaircore.shop_tables.model import Field


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("LBR HRS", "labor hours"),
        ("RO #", "ro number"),
        ("laborHours", "labor hours"),
        ("VINNumber", "vin number"),
        ("Labor $", "labor amount"),
        ("total_amt", "total amount"),
        ("opCode", "operation code"),
        ("--", ""),
    ],
)
def test_words_of_a_name_are_spelled_out(name: str, words: str) -> None:
    assert name_words(name) == tuple(words.split())


@pytest.mark.parametrize(
    ("name", "field", "score"),
    [
        ("Labor Hours", Field.LABOR_HOURS, 1.0),
        ("Hours (Labor)", Field.LABOR_HOURS, 0.8),
        ("VIN here", Field.VIN, 0.375),
        ("VIN of it", Field.VIN, 0.283),
        ("VIN of it all", Field.VIN, 0.0),
        ("invoice.make", Field.MAKE, 1.0),
        ("Zip", Field.ZIP, 1.0),
        ("Customer Zip", Field.ZIP, 0.1125),
        ("Date", Field.DATE, 1.0),
        ("Date Opened", Field.DATE, 0.495),
        ("created.date", Field.DATE, 0.72),
        ("Opened", Field.DATE, 0.0),
        ("Closed", Field.DATE, 1.0),
        ("Closed By", Field.DATE, 0.1125),
    ],
)
def test_score_falls_with_each_word_that_is_not_of_the_field(name: str, field: Field, score: float) -> None:
    assert name_scores(name).get(field, 0.0) == pytest.approx(score, abs=0.001)


def test_fields_that_a_name_does_not_name_have_no_score() -> None:
    assert name_scores("Labor Rate") == {
        Field.LABOR_RATE: 1.0,
        Field.LABOR: pytest.approx(0.375),
    }


@pytest.mark.parametrize(
    ("name", "is_included"),
    [
        ("Grand Total", True),
        ("Amt Paid", True),
        ("Invoice Total", True),
        ("Total", False),
        ("Subtotal", False),
    ],
)
def test_total_includes_taxes_if_its_name_says_what_was_paid(name: str, *, is_included: bool) -> None:
    assert includes_tax(name) is is_included
