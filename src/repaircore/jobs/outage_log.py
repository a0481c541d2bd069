"""Log one line when an outage begins and one when it is over, however many threads notice it."""

import logging
from threading import Lock

from attrs import define, field

from repaircore.kernel.errors import Failure


@define(kw_only=True)
class OutageLog:
    """Logs database outages."""

    log: logging.Logger
    _is_out: bool = field(init=False, default=False)
    _lock: Lock = field(init=False, factory=Lock, repr=False)

    def failed(self, failure: Failure) -> None:
        """Log a failure, unless the outage is already known."""
        with self._lock:
            is_known, self._is_out = self._is_out, True
        if not is_known:
            self.log.warning("Jobs are paused until the database is available again: %s", failure.message)

    def succeeded(self) -> None:
        """Log that an outage is over, if there was one."""
        with self._lock:
            was_out, self._is_out = self._is_out, False
        if was_out:
            self.log.warning("The database is available again; jobs are running.")
