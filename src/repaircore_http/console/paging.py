"""Lists in pages, of a length that suits a screen: what is asked in the address."""

from typing import Annotated, Final

from attrs import frozen

from repaircore.kernel.rules import Range

PER_PAGE: Final = 20
"""So many rows stand on a page; unlike programs, people are not asked how many they want."""


@frozen(kw_only=True)
class WhichPage:
    """Which page, from 1."""

    page: Annotated[int, Range(1)] = 1
