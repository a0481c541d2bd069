"""Numbers that records are told apart by."""

from typing import Final

__all__ = ["LARGEST_KEPT", "may_be_id"]

LARGEST_KEPT: Final = 2**63 - 1
"""The largest whole number that a database keeps."""


def may_be_id(number: int) -> bool:
    """Tell whether a database could have given the number; beyond, it cannot even be asked."""
    return 0 < number <= LARGEST_KEPT
