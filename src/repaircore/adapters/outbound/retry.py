"""One retry within the deadline, if the failure allows it.

There is at most one, so there is no backoff; when it happens depends on the server's ``Retry-After`` and on the
deadline.
"""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from repaircore.adapters.outbound.deadline import Deadline
from repaircore.adapters.outbound.failures import NoAnswer

T = TypeVar("T")

Pause: TypeAlias = Callable[[float], None]
"""Sleep for the given number of seconds."""

WORTH_TRYING = 0.25
"""The share of the time that must be left for a retry: with less, it would hardly finish, and it may cost money."""


def call_with_retry(call: Callable[[], T], *, deadline: Deadline, pause: Pause) -> T:
    """Call a function, and retry once after a failure with ``NoAnswer.retry_after``, if time allows.

    Raises:
        NoAnswer: the last failure.
    """
    try:
        return call()
    except NoAnswer as failure:
        wait = failure.retry_after
        if wait is None or deadline.left - wait < deadline.seconds * WORTH_TRYING:
            raise
    pause(wait)
    return call()
