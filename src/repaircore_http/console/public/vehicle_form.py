"""Forms that identify a vehicle by VIN, or by year, make and model."""

from collections.abc import Callable
from typing import Final, TypeVar

from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors
from repaircore_http.console.forms import partly_filled

NUMBERS: Final = ("year", "mileage")

T = TypeVar("T")


def read_form(shape: type[T], validate: Callable[..., FieldErrors], **also: object) -> T:
    """Return the form as an instance of ``shape``.

    Raises:
        Invalid: with every bad field. ``validate`` is called with the fields whose types are valid; type errors take
            precedence over those that it reports.
    """
    good, errors = partly_filled(shape, numbers=NUMBERS, **also)
    errors = {**validate(**good), **errors}
    if errors:
        raise Invalid(errors)
    return shape(**good)
