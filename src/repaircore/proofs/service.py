"""Use cases for proofs: providers add them, partners list and fetch them, and old pictures are deleted."""

from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Annotated, BinaryIO, Final

from attrs import evolve, frozen

from repaircore.dispatch.requests import ProviderRequests
from repaircore.kernel.callers import PartnerCaller, ProviderCaller
from repaircore.kernel.deletions import delete_in_pieces
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.rules import PlainText, require_valid
from repaircore.kernel.timeline import PROVIDER, Step
from repaircore.kernel.types import Clock, NewId
from repaircore.proofs.errors import CannotProve, NoProof
from repaircore.proofs.model import Picture, Proof, ProofForm, Stage
from repaircore.proofs.ports import OpenWork, PictureReader
from repaircore.proofs.rules import require_takeable
from repaircore.proofs.views import ProofView
from repaircore.rides.model import RideKind
from repaircore.rides.ports import find_ride
from repaircore.rides.service import Rides

_AT_ONCE: Final = 200


@frozen(kw_only=True)
class AddPhoto:
    """The input for a photo: the stage at which it was taken."""

    stage: Stage


@frozen(kw_only=True)
class AddSignature:
    """The input for a signature: the stage at which it was given, and the name of the signer."""

    stage: Stage
    signed_by: Annotated[str, PlainText(1, 100)]


@frozen(kw_only=True)
class Proofs:
    """Use cases for proofs. Pictures are deleted after ``stored_for``."""

    transaction: OpenWork
    read: OpenWork
    rides: Mapping[RideKind, Rides]
    provider_requests: ProviderRequests
    pictures: PictureReader
    stored_for: timedelta
    new_id: NewId
    clock: Clock

    def add_photo(self, request_ref: str, data: AddPhoto, file: BinaryIO, caller: ProviderCaller) -> Proof:
        """Add a photo to the caller's job. Adding the same photo again returns the existing proof.

        Raises:
            NoRequest: the caller has no request with this reference.
            Invalid: ``photo`` is invalid.
            CannotProve: the job is not assigned to the caller, accepts no photos now, or has the maximum number.
            TooMany: other pictures are being read.
        """
        require_valid(data)
        self._require_takeable(request_ref, ProofForm.PHOTO, data.stage, caller)
        return self._add(request_ref, ProofForm.PHOTO, data.stage, self.pictures.photo(file), caller)

    def add_signature(
        self, request_ref: str, data: AddSignature, file: BinaryIO, caller: ProviderCaller
    ) -> Proof:
        """Add the only signature of a stage. Adding the same signature again returns the existing proof.

        Raises:
            NoRequest: the caller has no request with this reference.
            Invalid: ``signed_by`` or ``signature`` is invalid.
            CannotProve: the job is not assigned to the caller, accepts no signature now, or has one for the stage.
            TooMany: other pictures are being read.
        """
        require_valid(data)
        self._require_takeable(request_ref, ProofForm.SIGNATURE, data.stage, caller)
        picture = self.pictures.signature(file)
        return self._add(
            request_ref, ProofForm.SIGNATURE, data.stage, picture, caller, signed_by=data.signed_by.strip()
        )

    def list_for_provider(self, request_ref: str, caller: ProviderCaller) -> list[Proof]:
        """List the proofs that the caller has added to a job, oldest first.

        Raises:
            NoRequest: the caller has no request with this reference.
        """
        job = self.provider_requests.get(request_ref, caller)
        with self.read() as work:
            return [
                proof
                for proof in work.proofs.list_for(job.ride.ref)
                if proof.provider_ref == caller.provider_ref
            ]

    def list_for(self, kind: RideKind, ref: str, caller: PartnerCaller | None) -> list[Proof]:
        """List the proofs of a ride, oldest first. A ``caller`` of None means the operator.

        Raises:
            NoRide: the caller has no ride with this reference.
        """
        with self.read() as work:
            return [*work.proofs.list_for(find_ride(work, kind, ref, caller).ref)]

    def picture(self, kind: RideKind, ref: str, proof_ref: str, caller: PartnerCaller | None) -> Picture:
        """Return the picture of a proof. A ``caller`` of None means the operator.

        Raises:
            NoRide: the caller has no ride with this reference.
            NoProof: the ride has no such proof, or its picture was deleted.
        """
        with self.read() as work:
            picture = work.proofs.picture(find_ride(work, kind, ref, caller).ref, proof_ref)
        if picture is None:
            raise NoProof
        return picture

    def prune(self) -> int:
        """Delete expired pictures, and return how many; the proofs stay."""
        return delete_in_pieces(self._prune_piece)

    def _prune_piece(self) -> int:
        with self.transaction() as work:
            return work.proofs.delete_pictures(before=self.clock() - self.stored_for, limit=_AT_ONCE)

    def _require_takeable(
        self, request_ref: str, form: ProofForm, stage: Stage, caller: ProviderCaller
    ) -> None:
        """Raise CannotProve before a picture is decoded needlessly; duplicates are checked later, under the lock."""
        job = self.provider_requests.get(request_ref, caller)
        if not job.is_chosen:
            raise CannotProve("This job is not assigned to you.", str(job.ride.status), job.allowed_actions)
        require_takeable(job.ride, [], form, stage)

    def _add(
        self,
        request_ref: str,
        form: ProofForm,
        stage: Stage,
        picture: Picture,
        caller: ProviderCaller,
        *,
        signed_by: str | None = None,
    ) -> Proof:
        at, digest = self.clock(), sha256(picture.content).digest()
        found = self.provider_requests.get(request_ref, caller).ride
        with self.transaction() as work:
            # Only the ride's current provider finds it.
            ride = work.rides.lock(found.ref, found.kind, caller)
            if ride is None:
                raise CannotProve("This job is not assigned to you.", str(found.status))
            taken = work.proofs.list_for(ride.ref)
            same = (form, stage, digest, signed_by)
            for proof in taken:
                if (proof.form, proof.stage, proof.sha256, proof.signed_by) == same:
                    return proof
            require_takeable(ride, taken, form, stage)
            added = work.proofs.add(
                Proof(
                    ref=reference(Kind.PROOF, self.new_id()),
                    environment=ride.environment,
                    kind=ride.kind,
                    ride_ref=ride.ref,
                    provider_ref=caller.provider_ref,
                    stage=stage,
                    form=form,
                    signed_by=signed_by,
                    media_type=picture.media_type,
                    width=picture.width,
                    height=picture.height,
                    size=len(picture.content),
                    sha256=digest,
                    added_at=at,
                ),
                picture.content,
            )
            saved = work.rides.replace(ride, evolve(ride, updated_at=at))
            detail = {"form": str(form), "stage": str(stage), "proof": added.ref}
            step = Step.within(ride.status, "add_proof", at=at, actor=PROVIDER, detail=detail)
            work.timelines.add(ride.ref, step)
            self.rides[ride.kind].add_event(work, saved, "proof_added", proof=ProofView.of(added))
            return added
