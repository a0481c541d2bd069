"""Editions of the questionnaire. They are checked at every start, so this module imports nothing."""

from typing import Final

OPERATORS: Final = "operator"
"""The name of every edition that an operator imported."""


def is_outdated(stored: str | None, shipped: str) -> bool:
    """Return whether an upgrade should import the shipped edition, which never replaces an operator's edition."""
    return stored not in {OPERATORS, shipped}
