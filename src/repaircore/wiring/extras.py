"""Import packages that only some settings need."""

from collections.abc import Iterator
from contextlib import contextmanager

from repaircore.kernel.errors import Invalid


@contextmanager
def requiring_extra(setting: str, *, package: str, extra: str) -> Iterator[None]:
    """Raise an error that names the missing extra if the block cannot import a setting's package.

    Raises:
        Invalid: the package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise Invalid(
            {setting: [f"{setting} requires an extra. Run: pip install 'repaircore[{extra}]'"]}
        ) from error
