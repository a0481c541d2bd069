import pytest

from repaircore.kernel.paging import MOST_PER_PAGE, Page, PageRequest, every_page


@pytest.mark.parametrize(("total", "last"), [(0, 1), (1, 1), (10, 1), (11, 2), (20, 2), (21, 3)])
def test_last_page_is_the_one_with_the_last_item(total: int, last: int) -> None:
    page: Page[int] = Page(items=(), number=1, per_page=10, total=total)
    assert page.last == last


def test_page_is_gone_through_item_by_item() -> None:
    assert list(Page(items=(3, 1, 2), number=1, per_page=10, total=3)) == [3, 1, 2]


def test_whole_list_is_fetched_by_cursors_in_its_order_and_is_not_counted() -> None:
    asked: list[PageRequest] = []
    nexts = {None: "a", "a": "b", "b": None}

    def fetch(request: PageRequest) -> Page[str | None]:
        asked.append(request)
        here = request.cursor
        return Page(items=(here,), number=0, per_page=1, total=0, next_cursor=nexts[here])

    pages = every_page(fetch, "-name")
    next(pages)
    assert len(asked) == 1
    assert [item for page in pages for item in page] == ["a", "b"]
    assert {(one.sort, one.per_page, one.is_counted) for one in asked} == {("-name", MOST_PER_PAGE, False)}
