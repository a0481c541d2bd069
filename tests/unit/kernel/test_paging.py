import pytest

from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import LARGEST_KEPT
from repaircore.kernel.paging import FURTHEST_PAGE, MOST_PER_PAGE, Page, demand_page


@pytest.mark.parametrize(("total", "last"), [(0, 1), (1, 1), (10, 1), (11, 2), (20, 2), (21, 3)])
def test_the_last_page_is_the_one_with_the_last_item(total: int, last: int) -> None:
    page: Page[int] = Page(items=(), number=1, per_page=10, total=total)
    assert page.last == last


def test_a_page_is_gone_through_item_by_item() -> None:
    assert list(Page(items=(3, 1, 2), number=1, per_page=10, total=3)) == [3, 1, 2]


@pytest.mark.parametrize("number", [0, -1, FURTHEST_PAGE + 1, LARGEST_KEPT])
def test_what_cannot_be_a_page_is_refused(number: int) -> None:
    with pytest.raises(Invalid) as refused:
        demand_page(number, MOST_PER_PAGE)
    assert [*refused.value.fields] == ["page"]


def test_what_is_skipped_before_the_furthest_page_can_be_told_to_a_database() -> None:
    demand_page(FURTHEST_PAGE, MOST_PER_PAGE)
    assert (FURTHEST_PAGE - 1) * MOST_PER_PAGE <= LARGEST_KEPT
