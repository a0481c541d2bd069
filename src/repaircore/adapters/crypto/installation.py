"""The secret of an installation, and the keys that are derived from it.

It is told by a setting, or made once and kept in a file that only its owner reads.
"""

import os
from pathlib import Path
from secrets import token_urlsafe
from typing import Final
from uuid import uuid4

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from repaircore.kernel.errors import Invalid, Unavailable

_LENGTH: Final = 32
_SHORTEST: Final = 32
_NEEDED: Final = "REPAIRCORE_SECRET_KEY is required with PostgreSQL."
_UNREADABLE: Final = "The secret key in {} cannot be read; put back the file that was there, or remove it."
_UNWRITABLE: Final = "The secret key cannot be kept in {}: {}."


def installation_secret(told: str | None, file: Path | None) -> str:
    """Return the secret: as it was told, else from the file, which is made when it is not there.

    Several processes may make it at once; they all get the same one.

    Raises:
        Invalid: on ``secret_key``: neither is there.
        Unavailable: the file cannot be read, or not be made.
    """
    if told is not None:
        return told
    if file is None:
        raise Invalid({"secret_key": [_NEEDED]})
    try:
        if not file.exists():
            _make(file)
        secret = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise Unavailable(_UNWRITABLE.format(file, reason) if reason else _UNREADABLE.format(file)) from error
    if len(secret) < _SHORTEST:
        raise Unavailable(_UNREADABLE.format(file))
    return secret


def _make(file: Path) -> None:
    """Write it whole beside its place, then give it its name: nobody ever reads half of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{uuid4().hex}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as opened:
            opened.write(token_urlsafe(_LENGTH) + "\n")
            opened.flush()
            os.fsync(opened.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            return  # another process was faster: theirs counts
    finally:
        draft.unlink()


def derived(secret: str, purpose: str) -> bytes:
    """Return 32 bytes that tell nothing about the secret, nor about those of another purpose."""
    made = HKDF(algorithm=SHA256(), length=_LENGTH, salt=None, info=f"repaircore {purpose}".encode())
    return made.derive(secret.encode())
