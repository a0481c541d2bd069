"""Rules for proofs: when each may be taken, and how many."""

from collections.abc import Mapping, Sequence
from typing import Final

from repaircore.proofs.errors import CannotProve
from repaircore.proofs.model import MOST_PHOTOS, Proof, ProofForm, Stage
from repaircore.rides.model import Ride, Status

_TAKEN: Final[Mapping[Stage, frozenset[Status]]] = {
    Stage.PICKUP: frozenset({Status.DRIVER_ARRIVED, Status.PROVIDER_ARRIVED, Status.IN_PROGRESS}),
    Stage.DROPOFF: frozenset({Status.IN_PROGRESS}),
}
"""The statuses in which proofs may be taken: for pickup, from the arrival on; for dropoff, once the job has started."""


def stages(ride: Ride) -> list[Stage]:
    """List the stages whose proofs may be taken now."""
    return [stage for stage, statuses in _TAKEN.items() if ride.status in statuses]


def require_takeable(ride: Ride, taken: Sequence[Proof], form: ProofForm, stage: Stage) -> None:
    """Raise CannotProve if a job does not accept this proof now, or has reached the limit."""
    status = str(ride.status)
    if stage not in stages(ride):
        since = "you have arrived" if stage is Stage.PICKUP else "the job has started"
        raise CannotProve(
            f"Proof of {stage} can only be added after {since} and before the job is closed.", status
        )
    if form is ProofForm.PHOTO and sum(proof.form is form for proof in taken) >= MOST_PHOTOS:
        raise CannotProve(f"A job can have at most {MOST_PHOTOS} photos.", status)
    if form is ProofForm.SIGNATURE and any(proof.form is form and proof.stage is stage for proof in taken):
        raise CannotProve(f"The {stage} already has a signature.", status)
