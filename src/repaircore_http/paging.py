"""The query of a list in pages, and the position of a page in its list."""

from typing import Annotated, Any

from attrs import frozen

from repaircore.kernel.paging import MOST_PER_PAGE, PER_PAGE, Page
from repaircore.kernel.rules import Range


@frozen(kw_only=True)
class PageQuery:
    """Which page, from 1, and how many items each has."""

    page: Annotated[int, Range(1)] = 1
    per_page: Annotated[int, Range(1, MOST_PER_PAGE)] = PER_PAGE


def meta(page: Page[Any]) -> dict[str, int]:
    """Return the position of a page in its list."""
    return {
        "current_page": page.number,
        "per_page": page.per_page,
        "total": page.total,
        "last_page": page.last,
    }
