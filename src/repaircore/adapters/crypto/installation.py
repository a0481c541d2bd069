"""An installation's secret, and the keys that are derived from it.

The secret is a setting, or is generated once and stored in a file that only its owner can read.
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
_REQUIRED: Final = "REPAIRCORE_SECRET_KEY is required with PostgreSQL."
_UNREADABLE: Final = "The secret key in {} cannot be read; restore the original file, or remove it."
_UNWRITABLE: Final = "The secret key cannot be stored in {}: {}."


def installation_secret(setting: str | None, file: Path | None) -> str:
    """Return the secret from the setting, or else from the file, which is created on first use.

    Several processes may create it at once; all get the same secret.

    Raises:
        Invalid: ``secret_key`` is missing: there is neither a setting nor a file.
        Unavailable: the file cannot be read or created, or its secret is too short.
    """
    if setting is not None:
        return setting
    if file is None:
        raise Invalid({"secret_key": [_REQUIRED]})
    try:
        if not file.exists():
            _create(file)
        secret = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise Unavailable(_UNWRITABLE.format(file, reason) if reason else _UNREADABLE.format(file)) from error
    if len(secret) < _SHORTEST:
        raise Unavailable(_UNREADABLE.format(file))
    return secret


def _create(file: Path) -> None:
    """Write a new secret to a temporary file, then link it, so that no process reads a partial one."""
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
            return  # another process was faster: use its secret
    finally:
        draft.unlink()


def derived(secret: str, purpose: str) -> bytes:
    """Derive 32 bytes for a purpose; they reveal neither the secret nor the bytes for other purposes."""
    kdf = HKDF(algorithm=SHA256(), length=_LENGTH, salt=None, info=f"repaircore {purpose}".encode())
    return kdf.derive(secret.encode())
