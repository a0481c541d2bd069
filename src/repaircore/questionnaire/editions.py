"""Whose edition of the questionnaire is kept; asked at every start, so it imports nothing."""

from typing import Final

OPERATORS: Final = "operator"
"""The name of every edition that an operator brought in."""


def is_outdated(kept: str | None, shipped: str) -> bool:
    """Tell whether an upgrade takes the shipped edition over: never in the place of an operator's."""
    return kept not in {OPERATORS, shipped}
