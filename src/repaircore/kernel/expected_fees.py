"""Fees that a client saw in a preview and accepts."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias

from repaircore.kernel.errors import Conflict
from repaircore.kernel.money import Cents, cents
from repaircore.kernel.rules import Range, WholeCents
from repaircore.kernel.wording import money

ExpectedFee: TypeAlias = Annotated[float | None, Range(0, 999_999.99), WholeCents()]
"""The previewed fee in dollars; None accepts any fee."""


class FeeChanged(Conflict):
    """The fee is no longer the one that was previewed; ``details.preview`` is the current preview."""

    def __init__(
        self, expected: Cents, fee: Cents, *, status: str, allowed: Sequence[str], preview: Mapping[str, Any]
    ) -> None:
        super().__init__(
            f"Canceling now costs {money(fee)} instead of {money(expected)}. Nothing was canceled. Confirm the new fee.",
            details={"status": status, "allowed": [*allowed], "preview": dict(preview)},
        )


def require_expected_fee(
    expected: float | None, fee: Cents, *, status: str, allowed: Sequence[str], preview: Mapping[str, Any]
) -> None:
    """Require that a cancellation costs what the client expects, in dollars; None accepts any fee.

    ``status`` and ``allowed`` are the record's, and ``preview`` is the current one; all three are for the error.

    Raises:
        FeeChanged: it costs more or less.
    """
    if expected is not None and cents(expected) != fee:
        raise FeeChanged(cents(expected), fee, status=status, allowed=allowed, preview=preview)
