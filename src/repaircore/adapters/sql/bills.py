"""How the bill of a job is kept with the job: as JSON."""

from typing import Final

from repaircore.json_text import decoder_of, encode_text
from repaircore.transactions.job_invoice import JobBill

_decoded: Final = decoder_of(JobBill)


def bill_kept(bill: JobBill | None) -> str | None:
    """Return the text that is kept for a bill."""
    return None if bill is None else encode_text(bill)


def bill_of(kept: str | None) -> JobBill | None:
    """Return the bill that a text was kept for."""
    return None if kept is None else _decoded(kept)
