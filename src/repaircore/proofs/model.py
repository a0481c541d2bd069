"""Photos and signatures of a job."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.rides.model import RideKind

MAX_PHOTO_BYTES: Final = 10_000_000
MAX_SIGNATURE_BYTES: Final = 200_000
MOST_PHOTOS: Final = 12
"""The maximum number of photos for a job."""


class ProofForm(StrEnum):
    """The form of a proof: a photo or a signature."""

    PHOTO = "photo"
    SIGNATURE = "signature"


class Stage(StrEnum):
    """When a proof was taken: before the work or the drive, or after it."""

    PICKUP = "pickup"
    DROPOFF = "dropoff"


@frozen(kw_only=True)
class Picture:
    """A re-encoded picture: only the pixels of the uploaded file remain."""

    content: bytes
    media_type: str
    width: int
    height: int


@frozen(kw_only=True)
class Proof:
    """A photo or a signature of a job; its picture is stored separately, until it expires.

    ``signed_by`` is the name that the signer gave. ``sha256`` is the digest of the stored picture.
    """

    id: int = 0
    ref: str
    environment: Environment
    kind: RideKind
    ride_ref: str
    provider_ref: str
    stage: Stage
    form: ProofForm
    signed_by: str | None = None
    media_type: str
    width: int
    height: int
    size: int
    sha256: bytes
    added_at: datetime
    is_available: bool = True
