"""Static files (styles, scripts, images), served under URLs that contain a hash of their content.

Since the content at a URL never changes, browsers may cache it forever. Therefore a file is read when a browser
requests it, and not kept in memory, where those of the documentation would take 2 MB in each worker.
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
    """A file: its source, its content type, and the hash in its URL."""

    source: Traversable
    content_type: str
    digest: str


@frozen
class StaticFiles:
    """Static files by name."""

    by_name: Mapping[str, StaticFile]

    @classmethod
    def load(cls, files: Iterable[Traversable]) -> "StaticFiles":
        """Hash files, whose extensions must be in ``CONTENT_TYPES``, and return them by name."""
        return cls({file.name: _static_file(file) for file in files})

    def digest(self, name: str) -> str:
        """Return the hash in a file's URL."""
        return self.by_name[name].digest

    def response(self, digest: str, name: str) -> Response:
        """Return the response with a file.

        Raises:
            HTTPException: 404 if no file has this name and this hash.
        """
        file = self.by_name.get(name)
        if file is None or file.digest != digest:
            raise NotFound
        content = file.source.read_bytes()
        if _digest(content) != digest:  # an upgrade has replaced the file since this process started
            raise NotFound
        return Response(content, content_type=file.content_type, headers={"Cache-Control": _FOREVER})


def _static_file(source: Traversable) -> StaticFile:
    return StaticFile(
        source=source,
        content_type=CONTENT_TYPES[source.name.rpartition(".")[2]],
        digest=_digest(source.read_bytes()),
    )


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:16]
