"""Ids of model-years, and matching a few typed words to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.catalog.model_years import ModelYear, model_year_id, parse_model_query, parse_model_year_id
from repaircore.kernel.spelling import key, make_key


def agreement(text: str, make: str, model: str) -> int:
    return parse_model_query(text, first=1984, last=2027).agreement(make, model)


@pytest.mark.parametrize(
    "text", ["hon", "HONDA accord", "accord honda", "acc", "hondaaccord", "ccor", "2003 acc", ""]
)
def test_model_query_matches_words_and_beginnings_in_any_order(text: str) -> None:
    assert agreement(text, "Honda", "Accord") > 0


@pytest.mark.parametrize("text", ["accords", "honda civic", "x", "1950 accord"])
def test_model_query_requires_every_word(text: str) -> None:
    assert agreement(text, "Honda", "Accord") == 0


@pytest.mark.parametrize(
    ("text", "make", "model"),
    [
        ("chevy silverado", "Chevrolet", "Silverado 1500"),
        ("f150", "Ford", "F-150"),
        ("f-150", "Ford", "F-150"),
    ],
)
def test_short_names_and_punctuation_do_not_matter(text: str, make: str, model: str) -> None:
    assert agreement(text, make, model) > 0


def test_whole_words_count_more_than_beginnings() -> None:
    assert agreement("ram 1500", "Ram", "1500") > agreement("ram 1500", "Ram", "ProMaster 1500 Rambler") - 1
    assert agreement("honda", "Honda", "Accord") > agreement("hond", "Honda", "Accord")


@pytest.mark.parametrize(
    ("text", "year"), [("accord 2003", 2003), ("2003", 2003), ("1983 x", None), ("2500 ram", None)]
)
def test_number_is_a_year_within_the_range(text: str, year: int | None) -> None:
    assert parse_model_query(text, first=1984, last=2027).year == year


_NAME = st.text(min_size=1, max_size=20).filter(key)


@given(make=_NAME, model=_NAME, year=st.integers(1984, 2100))
def test_model_year_id_is_parsed_back(make: str, model: str, year: int) -> None:
    sold = ModelYear(make=make, model=model, year=year)

    assert sold.id == model_year_id(year, make, model)
    assert parse_model_year_id(sold.id) == (year, make_key(make), key(model))


@pytest.mark.parametrize(
    "text", ["", "2003", "2003-honda", "2003-honda-accord-ex", "03-honda-accord", "٢٠٠٣-a-b", "2003--x"]
)
def test_model_year_id_rejects_other_text(text: str) -> None:
    assert parse_model_year_id(text) is None
