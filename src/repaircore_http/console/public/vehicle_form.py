"""Forms with a vehicle, which a VIN or year, make and model describe."""

from collections.abc import Callable
from typing import Final, TypeVar

from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors
from repaircore_http.console.forms import partly_filled

NUMBERS: Final = ("year", "mileage")

T = TypeVar("T")


def read_form(shape: type[T], validate: Callable[..., FieldErrors], **also: object) -> T:
    """Return the form as a shape.

    Raises:
        Invalid: with every bad field; ``validate`` gets those that keep the rules of their types, and what the types
            say of the others takes precedence.
    """
    good, errors = partly_filled(shape, numbers=NUMBERS, **also)
    errors = {**validate(**good), **errors}
    if errors:
        raise Invalid(errors)
    return shape(**good)
