"""The factors behind a result, each with its value, weight and effect."""

from attrs import frozen


@frozen(kw_only=True)
class Factor:
    """A factor behind a result; ``value`` is None if it is unknown. ``effect`` is in the unit of the result."""

    name: str
    value: int | float | str | None
    weight: float
    effect: float
