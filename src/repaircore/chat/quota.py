"""How many conversations a user may start in a day: any 24 hours, not each day of the calendar."""

from datetime import datetime, timedelta
from typing import Final

DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


def seconds_to_wait(oldest: datetime | None, now: datetime) -> int:
    """Say for how many whole seconds no further start fits; 0 when one does.

    ``oldest`` is the start that must have left the last 24 hours before one more fits: the N-th newest,
    of at most N; None when there are fewer. One that another process wrote with a clock a little ahead counts
    like any other.
    """
    if oldest is None:
        return 0
    left = oldest + DAY - now
    return max(0, -(-left // _SECOND))
