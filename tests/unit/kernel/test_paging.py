from datetime import date

import pytest

from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import MOST_PER_PAGE, Page, PageRequest, every_page, require_days, require_page


@pytest.mark.parametrize(("total", "last"), [(0, 1), (1, 1), (10, 1), (11, 2), (20, 2), (21, 3)])
def test_last_page_has_the_last_item(total: int, last: int) -> None:
    page: Page[int] = Page(items=(), number=1, per_page=10, total=total)
    assert page.last == last


def test_page_iterates_over_its_items() -> None:
    assert list(Page(items=(3, 1, 2), number=1, per_page=10, total=3)) == [3, 1, 2]


def test_every_page_fetches_by_cursor_in_order_without_counting() -> None:
    requests: list[PageRequest] = []
    next_cursors = {None: "a", "a": "b", "b": None}

    def fetch(request: PageRequest) -> Page[str | None]:
        requests.append(request)
        cursor = request.cursor
        return Page(items=(cursor,), number=0, per_page=1, total=0, next_cursor=next_cursors[cursor])

    pages = every_page(fetch, "-name")
    next(pages)
    assert len(requests) == 1
    assert [item for page in pages for item in page] == ["a", "b"]
    assert {(one.sort, one.per_page, one.is_counted) for one in requests} == {("-name", MOST_PER_PAGE, False)}


EARLY, LATE = date(2026, 1, 1), date(2026, 1, 2)


@pytest.mark.parametrize(
    ("first", "last"), [(EARLY, LATE), (EARLY, EARLY), (None, EARLY), (LATE, None), (None, None)]
)
def test_require_days_accepts_open_and_ordered_days(first: date | None, last: date | None) -> None:
    require_days(first, last)


def test_require_days_refuses_an_end_before_the_start() -> None:
    with pytest.raises(Invalid) as refused:
        require_days(LATE, EARLY)

    assert [*refused.value.fields] == ["date_to"]


@pytest.mark.parametrize(
    ("number", "per_page", "fields"),
    [
        (1, 1, []),
        (1, MOST_PER_PAGE, []),
        (0, 1, ["page"]),
        (1, 0, ["per_page"]),
        (1, MOST_PER_PAGE + 1, ["per_page"]),
        (0, 0, ["page", "per_page"]),
    ],
)
def test_require_page_refuses_what_is_out_of_bounds(number: int, per_page: int, fields: list[str]) -> None:
    errors: dict[str, object] = {}
    try:
        require_page(number, per_page)
    except Invalid as refused:
        errors |= refused.fields

    assert [*errors] == fields
