"""Static files (styles, scripts, images), read once and served under addresses that contain a hash of their content.

As the content behind an address never changes, browsers may cache it forever.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.resources.abc import Traversable
from typing import Final

from attrs import frozen
from flask import Response
from werkzeug.exceptions import NotFound

CONTENT_TYPES: Final[Mapping[str, str]] = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "png": "image/png",
    "svg": "image/svg+xml",
}
"""Content types by file extension."""

_FOREVER: Final = "public, max-age=31536000, immutable"


@frozen(kw_only=True)
class StaticFile:
    """A file: its content, its type, and the hash in its address."""

    content: bytes
    content_type: str
    digest: str


@frozen
class StaticFiles:
    """Static files by name."""

    by_name: Mapping[str, StaticFile]

    @classmethod
    def load(cls, files: Iterable[Traversable]) -> "StaticFiles":
        """Read files with the extensions of ``CONTENT_TYPES``."""
        return cls({file.name: _static_file(file.name, file.read_bytes()) for file in files})

    def digest(self, name: str) -> str:
        """Return the hash in a file's address."""
        return self.by_name[name].digest

    def response(self, digest: str, name: str) -> Response:
        """Return the response with a file.

        Raises:
            HTTPException: 404, when there is none of this name with this content.
        """
        file = self.by_name.get(name)
        if file is None or file.digest != digest:
            raise NotFound
        return Response(file.content, content_type=file.content_type, headers={"Cache-Control": _FOREVER})


def _static_file(name: str, content: bytes) -> StaticFile:
    return StaticFile(
        content=content,
        content_type=CONTENT_TYPES[name.rpartition(".")[2]],
        digest=sha256(content).hexdigest()[:16],
    )
