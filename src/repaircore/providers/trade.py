"""What tells one kind of provider from another."""

from typing import Generic

from attrs import frozen

from repaircore.kernel.references import Kind
from repaircore.providers.model import P


@frozen(kw_only=True)
class Trade(Generic[P]):
    """A kind of provider: ``word`` and ``plural`` name it, ``make`` makes one.

    ``abilities`` are what it can do, told in the column ``abilities_column`` (``services``); ``text`` is what is told
    of it in words (``vehicle``).
    """

    word: str
    plural: str
    kind: Kind
    make: type[P]
    abilities: tuple[str, ...]
    abilities_column: str
    text: str
