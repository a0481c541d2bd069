"""What led to a result: each factor with its value, its weight, and what it did."""

from attrs import frozen


@frozen(kw_only=True)
class Factor:
    """A factor of a result; a ``value`` of None is not known. ``effect`` is what it did to the result, in the result's own unit."""

    name: str
    value: int | float | str | None
    weight: float
    effect: float
