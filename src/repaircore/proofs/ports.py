"""Ports for proofs."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import BinaryIO, Protocol, TypeAlias

from repaircore.dispatch.ports import DispatchWork
from repaircore.proofs.model import Picture, Proof


class PictureReader(Protocol):
    """Reads uploaded pictures."""

    def photo(self, file: BinaryIO) -> Picture:
        """Decode an untrusted photo; return it upright, scaled down and without metadata, as a JPEG.

        This takes bounded time and memory; call it outside a unit of work.

        Raises:
            Invalid: ``photo`` is not a JPEG, PNG or WebP within the limits, or is damaged.
            TooMany: other pictures are being read.
        """

    def signature(self, file: BinaryIO) -> Picture:
        """Decode an untrusted image of a signature; return it in black on white, scaled down, as a PNG.

        Raises:
            Invalid: ``signature`` is not a PNG within the limits, is damaged, or has nothing drawn on it.
            TooMany: other pictures are being read.
        """


class ProofRecords(Protocol):
    """The stored proofs. Lists do not include the pictures."""

    def add(self, proof: Proof, content: bytes) -> Proof:
        """Store a new proof with its picture, and return it with its id."""

    def list_for(self, ride_ref: str) -> Sequence[Proof]:
        """List the proofs of a job, oldest first."""

    def picture(self, ride_ref: str, ref: str) -> Picture | None:
        """Return the picture of a job's proof, or None if there is no such proof or its picture was deleted."""

    def delete_pictures(self, *, before: datetime, limit: int) -> int:
        """Delete up to ``limit`` pictures added before ``before``, oldest first; return how many. The proofs stay."""


class ProofsWork(DispatchWork, Protocol):
    """The part of a unit of work that proofs need."""

    @property
    def proofs(self) -> ProofRecords:
        """The stored proofs."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[ProofsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
