"""Proofs of jobs as clients see them."""

from datetime import datetime
from typing import Self

from repaircore.kernel.views import Count, view
from repaircore.proofs.model import Proof, ProofForm, Stage


@view
class ProofView:
    """A photo or signature of a job. ``available`` is false once the picture is deleted; ``sha256`` is its digest."""

    ref: str
    form: ProofForm
    stage: Stage
    signed_by: str | None
    media_type: str
    width: Count
    height: Count
    size: Count
    sha256: str
    available: bool
    added_at: datetime

    @classmethod
    def of(cls, proof: Proof) -> Self:
        """Return the view of a proof."""
        return cls(
            ref=proof.ref,
            form=proof.form,
            stage=proof.stage,
            signed_by=proof.signed_by,
            media_type=proof.media_type,
            width=proof.width,
            height=proof.height,
            size=proof.size,
            sha256=proof.sha256.hex(),
            available=proof.is_available,
            added_at=proof.added_at,
        )
