"""One more try inside the time, after a failure that says when.

There is one at most, so that there is no curve of delays to draw; when to make it depends on the
server's own word and on the deadline.
"""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from repaircore.adapters.outbound.deadline import Deadline
from repaircore.adapters.outbound.failures import NoAnswer

T = TypeVar("T")

Pause: TypeAlias = Callable[[float], None]
"""Let so many seconds pass."""

WORTH_TRYING = 0.25
"""The share of the time that must be left for another try: it may cost money, and would hardly be in time."""


def ask_twice(ask: Callable[[], T], *, deadline: Deadline, pause: Pause) -> T:
    """Ask, and once more after a failure that says when (``NoAnswer.again_after``), if time allows.

    Raises:
        NoAnswer: the last one.
    """
    try:
        return ask()
    except NoAnswer as failure:
        wait = failure.again_after
        if wait is None or deadline.left - wait < deadline.seconds * WORTH_TRYING:
            raise
    pause(wait)
    return ask()
