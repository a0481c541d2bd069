"""What led to a figure, as every answer about a vehicle tells it."""

from typing import TypeAlias

from attrs import frozen

__all__ = ["Factor", "FactorValue"]

FactorValue: TypeAlias = str | int | float | None


@frozen(kw_only=True)
class Factor:
    """Something that a figure depends on.

    ``value`` is what is known of it (None: nothing, and something usual was taken), ``weight`` how much it counts and
    ``effect`` what it did to the figure; each answer says in which unit.
    """

    name: str
    value: FactorValue
    weight: float
    effect: float
