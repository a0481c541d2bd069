"""Errors for proofs."""

from collections.abc import Sequence

from repaircore.kernel.errors import Conflict, Invalid, NotFound
from repaircore.proofs.model import MAX_PHOTO_BYTES, MAX_SIGNATURE_BYTES


class NoProof(NotFound):
    """The job has no such proof, or its picture was deleted."""

    def __init__(self) -> None:
        super().__init__("Not Found.")


class CannotProve(Conflict):
    """The job does not accept this proof in its current status."""

    def __init__(self, message: str, status: str, allowed: Sequence[str] = ()) -> None:
        super().__init__(message, details={"status": status, "allowed": [*allowed]})


def photo_too_large() -> Invalid:
    """Return the error for a photo that is too large."""
    return Invalid({"photo": [f"The photo must not be larger than {MAX_PHOTO_BYTES // 1_000_000} MB."]})


def signature_too_large() -> Invalid:
    """Return the error for a signature that is too large."""
    return Invalid(
        {"signature": [f"The signature must not be larger than {MAX_SIGNATURE_BYTES // 1_000} KB."]}
    )
