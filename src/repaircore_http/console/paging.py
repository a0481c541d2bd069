"""Pagination of lists, with as many rows as suit a screen."""

from typing import Annotated, Final

from attrs import frozen

from repaircore.kernel.rules import Range

PER_PAGE: Final = 20
"""Rows on a page; unlike programs, visitors do not choose how many."""


@frozen(kw_only=True)
class PageQuery:
    """The number of a page, from 1."""

    page: Annotated[int, Range(1)] = 1
