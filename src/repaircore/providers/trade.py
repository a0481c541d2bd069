"""The differences between kinds of providers."""

from typing import Generic

from attrs import frozen

from repaircore.kernel.references import Kind
from repaircore.providers.model import P


@frozen(kw_only=True)
class Trade(Generic[P]):
    """A kind of provider: its names, its class (``make``) and the columns that only it has.

    ``abilities`` are the words allowed in the column ``abilities_column``, such as ``services``; ``text_column`` has
    free text, such as ``vehicle``.
    """

    word: str
    plural: str
    kind: Kind
    make: type[P]
    abilities: tuple[str, ...]
    abilities_column: str
    text_column: str
