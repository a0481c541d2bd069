"""The query parameters of a paginated list."""

from typing import Annotated

from attrs import frozen

from repaircore.kernel.paging import MOST_PER_PAGE, PER_PAGE
from repaircore.kernel.rules import Range


@frozen(kw_only=True)
class PageQuery:
    """The page number, from 1, and the number of items per page."""

    page: Annotated[int, Range(1)] = 1
    per_page: Annotated[int, Range(1, MOST_PER_PAGE)] = PER_PAGE
