"""Leases: whether one is in force, and renewing it in the background while the leased work is in progress."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Final

from repaircore.kernel.errors import Failure

RENEWAL_SECONDS: Final = 15.0
"""How often a lease is renewed; it outlasts a few failed renewals."""


def latest_end(now: datetime, lasts: timedelta) -> datetime:
    """Return the latest end that a valid lease can have; a later one was set before the clock was set back.

    A lease ends at most ``lasts`` after it was acquired or renewed. Twice that allows for a lease that was acquired
    after ``now`` was read, and for another machine's clock being ahead.
    """
    return now + 2 * lasts


def is_in_force(held_until: datetime | None, now: datetime, *, lasts: timedelta) -> bool:
    """Return whether a lease that lasts for ``lasts`` unless it is renewed is held at ``now``."""
    return held_until is not None and now < held_until <= latest_end(now, lasts)


@contextmanager
def renewed_lease(
    renew: Callable[[], object], *, subject: str, log: logging.Logger, seconds: float = RENEWAL_SECONDS
) -> Iterator[None]:
    """Call ``renew`` every ``seconds`` seconds in a thread until the block ends; failures are only logged.

    ``subject`` is what the lease is for ("job prune").
    """
    finished = Event()

    def keep_renewing() -> None:
        while not finished.wait(seconds):
            try:
                renew()
            except Failure as failure:
                log.warning("The lease of the %s could not be renewed: %s", subject, failure.message)
            except Exception:
                log.exception("The lease of the %s could not be renewed", subject)

    thread = Thread(target=keep_renewing, daemon=True, name=f"repaircore-lease-{subject}")
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
