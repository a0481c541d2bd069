"""What a route declares of itself: the shapes that it reads and tells, and the failures that are its own.

    @keys.post("", asks=NewKey, tells=Made[KeyMade], status=201, refuses=(Conflict,))

Readers compare the shape that a view asks for with the one that its route declares, and the document of the API is
made of the declarations: neither can say anything else than what is done.
"""

from collections.abc import Mapping
from typing import Any, Final

from attrs import field, frozen

from repaircore.kernel.errors import Failure


@frozen(kw_only=True)
class File:
    """A file in a form: its field, what it may be, and whether it must be there.

    Where it need not be there, the same may also be sent as JSON.
    """

    field: str
    kinds: str
    required: bool = True


@frozen(kw_only=True)
class Raw:
    """An answer that is no JSON."""

    kind: str
    says: str


@frozen(kw_only=True)
class Declared:
    """What is read and told by one route.

    ``asks`` is the shape of the JSON body, ``query`` that of the query string; one shape may be both. ``partial`` says that a
    change need not name what the shape demands. ``tells`` is the shape of the answer with ``status``, ``others`` those of
    other answers. ``refuses`` are kinds of failures beyond those that follow from the rest (a credential, a body, a
    path). ``headers`` are request headers, described by the document's words.
    """

    asks: type[Any] | None = None
    partial: bool = False
    query: type[Any] | None = None
    file: File | None = None
    tells: Any = None
    status: int = 200
    others: Mapping[int, Any] = field(factory=dict)
    refuses: tuple[type[Failure], ...] = ()
    headers: tuple[str, ...] = ()
    tag: str | None = None

    @property
    def is_made(self) -> bool:
        """Tell whether the route says what it tells."""
        return self.tells is not None

    def require(self, shape: type[Any], *, query: bool = False) -> None:
        """Stop a view that reads another shape than its route declares.

        Raises:
            RuntimeError: it does.
        """
        declared = self.query if query else self.asks
        if self.is_made and declared is not shape:
            msg = f"A view reads {shape.__name__}, and its route declares {declared!r}."
            raise RuntimeError(msg)


UNDECLARED: Final = Declared()
