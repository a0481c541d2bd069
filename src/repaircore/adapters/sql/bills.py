"""How the bill of a job is kept with the job: as JSON."""

from typing import Final

import msgspec

from repaircore.adapters.decoding import decoder_of
from repaircore.transactions.job_invoice import Bill

_decoded: Final = decoder_of(Bill)


def bill_kept(bill: Bill | None) -> str | None:
    """Give the text that is kept for a bill."""
    return None if bill is None else msgspec.json.encode(bill).decode()


def bill_of(kept: str | None) -> Bill | None:
    """Give the bill that a text was kept for."""
    return None if kept is None else _decoded(kept)
