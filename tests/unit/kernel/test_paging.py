import pytest

from repaircore.kernel.paging import Page


@pytest.mark.parametrize(("total", "last"), [(0, 1), (1, 1), (10, 1), (11, 2), (20, 2), (21, 3)])
def test_last_page_is_the_one_with_the_last_item(total: int, last: int) -> None:
    page: Page[int] = Page(items=(), number=1, per_page=10, total=total)
    assert page.last == last


def test_page_is_gone_through_item_by_item() -> None:
    assert list(Page(items=(3, 1, 2), number=1, per_page=10, total=3)) == [3, 1, 2]
