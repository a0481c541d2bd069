import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
from repaircore.problems import search

REPAIRS = book().problems


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("front brake pads", "brake-pads-front"),
        ("brake pad front", "brake-pads-front"),
        ("BRAKE-PADS-FRONT", "brake-pads-front"),
        ("spark plugs", "spark-plugs"),
        ("water pump", "water-pump"),
        ("alternator", "alternator"),
        ("catalytic converter", "catalytic-converter"),
        ("wheel alignment", "wheel-alignment"),
        ("cracked windshield", "windshield-replacement"),
        ("timing belt", "timing-belt"),
    ],
)
def test_everyday_words_find_the_repair_they_mean(text: str, slug: str) -> None:
    assert search.ranked(REPAIRS, text, limit=10)[0].slug == slug


@pytest.mark.parametrize("text", ["", "the car is", "%", "zzyzx", "\x00", "ölöl"])
def test_words_that_no_repair_carries_find_nothing(text: str) -> None:
    assert search.ranked(REPAIRS, text, limit=10) == []
    assert search.suggestion(REPAIRS, text) is None


@pytest.mark.parametrize(
    ("mistyped", "slug"), [("front-brake-pad", "brake-pads-front"), ("spark-plug", "spark-plugs")]
)
def test_a_mistyped_slug_suggests_the_repair(mistyped: str, slug: str) -> None:
    found = search.suggestion(REPAIRS, mistyped)
    assert found is not None
    assert found.slug == slug


@given(st.text(max_size=40), st.integers(0, 12))
def test_any_text_is_searched_and_no_more_is_given_than_asked_for(text: str, limit: int) -> None:
    assert len(search.ranked(REPAIRS[:20], text, limit=limit)) <= limit


def test_a_repair_is_found_first_by_its_own_name() -> None:
    some = REPAIRS[::3]
    assert [search.ranked(REPAIRS, repair.name, limit=1)[0].slug for repair in some] == [
        repair.slug for repair in some
    ]
