"""What pages are made of (styles, scripts, pictures), read once and served under addresses that name their content.

As an address never has another content, browsers may keep what they have for ever.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.resources.abc import Traversable
from typing import Final

from attrs import frozen
from flask import Response
from werkzeug.exceptions import NotFound

KINDS: Final[Mapping[str, str]] = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "png": "image/png",
    "svg": "image/svg+xml",
}
"""The types of what is served, by the end of its name."""

_FOR_EVER: Final = "public, max-age=31536000, immutable"


@frozen(kw_only=True)
class Piece:
    """A file: its content, its type, and what its address calls that content."""

    content: bytes
    kind: str
    digest: str


@frozen
class Pieces:
    """Files by their name."""

    named: Mapping[str, Piece]

    @classmethod
    def read(cls, files: Iterable[Traversable]) -> "Pieces":
        """Read files whose names end as in ``KINDS``."""
        return cls({file.name: _piece(file.name, file.read_bytes()) for file in files})

    def digest(self, name: str) -> str:
        """Give what the address of a file calls its content."""
        return self.named[name].digest

    def answer(self, digest: str, name: str) -> Response:
        """Answer with a file.

        Raises:
            HTTPException: 404, when there is none of this name with this content.
        """
        found = self.named.get(name)
        if found is None or found.digest != digest:
            raise NotFound
        return Response(found.content, content_type=found.kind, headers={"Cache-Control": _FOR_EVER})


def _piece(name: str, content: bytes) -> Piece:
    return Piece(
        content=content, kind=KINDS[name.rpartition(".")[2]], digest=sha256(content).hexdigest()[:16]
    )
