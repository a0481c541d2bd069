"""How an outside party fails us, in words that an end user may read.

A reason is a piece of a sentence ("no connection"). It names neither key, address, path nor code.
"""

from typing import Final

from repaircore.kernel.errors import Unavailable

BROKEN: Final = "the connection broke"

SOON: Final = 0.1
"""Seconds after which a broken connection or a busy server is worth another try."""


class NoAnswer(Unavailable):
    """An outside party gave no answer that can be used.

    ``again_after`` is the number of seconds after which the same request may be worth another try;
    None when it is not.
    """

    def __init__(self, reason: str, *, again_after: float | None = None) -> None:
        super().__init__(reason)
        self.again_after = again_after


class DeadlineExceeded(NoAnswer):
    """The time was up before the answer was there; ``seconds`` is how long the caller waited in all."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:.3g} s")


class NotPermitted(NoAnswer):
    """The host leads to an address that no connection may be made to, and none was."""

    def __init__(self) -> None:
        super().__init__("it leads to an address that is not public")


class CircuitOpen(NoAnswer):
    """The party failed too often in a row, and was not asked."""

    def __init__(self) -> None:
        super().__init__("resting after repeated failures")
