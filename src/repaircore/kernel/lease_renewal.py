"""Renewal of a lease in the background, while the leased work is going on."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from repaircore.kernel.errors import Failure

RENEWAL_SECONDS: Final = 15.0
"""How often a lease is renewed: it outlasts a few failures."""


@contextmanager
def renewed_lease(
    renew: Callable[[], object], *, subject: str, log: logging.Logger, seconds: float = RENEWAL_SECONDS
) -> Iterator[None]:
    """Call ``renew`` every few ``seconds`` in a thread until the block ends; a failure is logged, and the next call is made.

    ``subject`` is what the lease is for ("job prune").
    """
    finished = Event()

    def keep_renewing() -> None:
        while not finished.wait(seconds):
            try:
                renew()
            except Failure as failure:
                log.warning("The lease of the %s could not be renewed: %s", subject, failure.message)

    thread = Thread(target=keep_renewing, daemon=True, name=f"repaircore-lease-{subject}")
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
