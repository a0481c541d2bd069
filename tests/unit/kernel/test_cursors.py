"""Cursors, and pages of values in memory."""

from base64 import urlsafe_b64encode
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.cursors import Cursor
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import PageRequest, sort_by
from repaircore.kernel.value_lists import ValueOrders

KEYS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=50),
)


@given(KEYS, st.one_of(st.integers(0, 2**63 - 1), st.uuids().map(str)), st.booleans())
def test_cursor_round_trips(key: float | str, row_id: int | str, is_before: bool) -> None:  # noqa: FBT001
    cursor = Cursor(of="visits", sort="-total", key=key, id=row_id, is_before=is_before)

    assert Cursor.parse(cursor.to_text(), of="visits", sort="-total") == cursor


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "é",
        "====",
        "W" * 3000,
        *(
            urlsafe_b64encode(data).decode()
            for data in (
                b"[]",
                b"{}",
                b'["visits","-total",1,2]',
                b'["visits","-total",null,2,false]',
                b'["visits","-total",true,2,false]',
                b'["visits","-total",1e999,2,false]',
                b'["visits","-total",9223372036854775808,2,false]',
                b'["visits","-total",1,2.5,false]',
                b'["visits","-total",1,2,0]',
                b'["visits","-total","\\u0000",2,false]',
                b'["visits","-total","\\ud800",2,false]',
                b'["visits","total",1,2,false]',
                b'["rides","-total",1,2,false]',
                b'["-total",1,2,false]',
                b"[" * 900,
            )
        ),
    ],
)
def test_parse_rejects_other_text(text: str) -> None:
    with pytest.raises(Invalid) as error:
        Cursor.parse(text, of="visits", sort="-total")

    assert list(error.value.fields) == ["cursor"]


@given(st.text(max_size=200))
def test_parse_accepts_or_rejects_any_text(text: str) -> None:
    with suppress(Invalid):
        assert Cursor.parse(text, of="visits", sort="").sort == ""


def test_sort_by_allows_both_directions_of_a_field() -> None:
    rule = sort_by("name", "total")

    assert [rule.broken_by(order) for order in ("name", "-name", "-total")] == [None] * 3
    assert rule.broken_by("--name") == "must be one of: name, -name, total, -total"


ORDERS: ValueOrders[tuple[int, str]] = ValueOrders(
    of="words",
    keys={"id": lambda value: value[0], "word": lambda value: value[1]},
    id=lambda value: value[0],
    usual="id",
)


@given(
    st.lists(st.sampled_from("abc"), max_size=9),
    st.integers(1, 4),
    st.sampled_from(["", "-id", "word", "-word"]),
)
def test_pages_of_values_add_up_to_the_whole_list(words: list[str], per_page: int, sort: str) -> None:
    values = list(enumerate(words))
    whole = list(ORDERS.page(values, PageRequest(sort=sort, per_page=100)))
    pages = [ORDERS.page(values, PageRequest(sort=sort, per_page=per_page))]
    while (cursor := pages[-1].next_cursor) is not None:
        pages.append(ORDERS.page(values, PageRequest(sort=sort, per_page=per_page, cursor=cursor)))
    back = [pages[-1]]
    while (cursor := back[-1].previous_cursor) is not None:
        back.append(ORDERS.page(values, PageRequest(sort=sort, per_page=per_page, cursor=cursor)))

    assert sorted(whole) == values
    assert [value for page in pages for value in page] == whole
    assert [value for page in reversed(back) for value in page] == whole
    assert max(len(page.items) for page in (*pages, *back)) <= per_page


def test_cursor_with_a_key_of_another_type_is_rejected() -> None:
    cursor = Cursor(of="words", sort="id", key="word", id=1).to_text()

    with pytest.raises(Invalid):
        ORDERS.page([(1, "a")], PageRequest(cursor=cursor))
