"""Readiness: what prevents serving requests, and warnings about problems that do not."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import Final

from attrs import define, field

from repaircore.checkup.model import WindowStore
from repaircore.checkup.ports import DatabaseHealth, Machine
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.kernel.types import Clock, Timer
from repaircore.kernel.wording import counted

CACHE_SECONDS: Final = 10.0
"""How long warnings are cached: load balancers probe every second, and anyone else may do so too."""

_LOW_DISK: Final = 200 * 1024 * 1024
_FULL_DISK: Final = 16 * 1024 * 1024
_CLOCK_SKEW: Final = timedelta(minutes=1)
_OVERDUE: Final = timedelta(minutes=10)


@define(kw_only=True)
class Readiness:
    """Checks whether requests can be served. No sentence names a host, a path or a person: the probe is public.

    ``database_obstacles`` is called every time, but warnings are cached. ``unreadable_secrets`` returns how many
    webhook secrets cannot be decrypted, and how many there are.
    """

    database_obstacles: Callable[[], Sequence[str]]
    database: DatabaseHealth
    machine: Machine
    folders: Sequence[Path]
    windows: Callable[[], Sequence[WindowStore]]
    unreadable_secrets: Callable[[], tuple[int, int]]
    clock: Clock
    timer: Timer
    _lock: Lock = field(init=False, factory=Lock, repr=False)
    _cached: tuple[float, Sequence[str]] | None = field(init=False, default=None, repr=False)

    def obstacles(self) -> Sequence[str]:
        """List what prevents serving requests, one sentence each; the list is empty if nothing does."""
        return [*self.database_obstacles(), *self._disk_obstacles()]

    def warnings(self) -> Sequence[str]:
        """List problems that do not prevent serving requests, one sentence each."""
        with self._lock:
            if self._cached is None or self.timer() - self._cached[0] >= CACHE_SECONDS:
                self._cached = self.timer(), [*self._find_warnings()]
            return self._cached[1]

    def _disk_obstacles(self) -> Iterator[str]:
        """Yield a sentence if the disk of the database is full."""
        file = self.database.file
        if file is not None and self._free(file.parent) < _FULL_DISK:
            yield "The database's disk is full."

    def _find_warnings(self) -> Iterator[str]:
        for folder in self.folders:
            if self._free(folder) < _LOW_DISK:
                yield "Less than 200 MB is free on a disk."
                break
        yield from self._window_warnings()
        try:
            yield from self._database_warnings()
        except (Unavailable, ModuleNotFoundError):
            return  # reported as an obstacle instead

    def _free(self, folder: Path) -> int:
        return self.machine.free_bytes(self.machine.nearest_existing(folder))

    def _window_warnings(self) -> Iterator[str]:
        try:
            stores = self.windows()
        except Invalid:
            yield "The rate limit store is misconfigured."
            return
        for store in stores:
            try:
                store.ping()
            except (Unavailable, ModuleNotFoundError):
                kind = store.location.partition(" at ")[0]
                yield f"The rate limit store is not responding: {kind}."

    def _database_warnings(self) -> Iterator[str]:
        if self.database.revision() != self.database.head:
            return
        for setting in () if self.database.file is not None else self.database.durability(deep=False):
            if not setting.is_ok:
                yield f"PostgreSQL's {setting.name} is {setting.value}, not {' or '.join(setting.accepted)}."
        now, theirs = self.clock(), self.database.clock()
        if theirs is not None and abs(theirs - now) > _CLOCK_SKEW:
            yield f"The clock differs from the database's by {abs(theirs - now).total_seconds():.0f} seconds."
        connections = self.database.server_connections()
        if connections is not None and connections.are_nearly_used_up:
            yield (
                "The database server's connections are nearly used up"
                f" ({connections.used:,} of {connections.most:,})."
            )
        if self.database.running_jobs(now=now).have_stopped:
            yield "No process is running background jobs: the last one ended unexpectedly."
        backlog = self.database.backlog(now=now)
        if backlog.oldest is not None and now - backlog.oldest > _OVERDUE:
            yield f"{backlog.due:,} webhooks are due, some for more than ten minutes. Check that `repaircore jobs run` is running."
        unreadable, _ = self.unreadable_secrets()
        if unreadable:
            yield f"The secret key was replaced or lost: the secrets of {counted(unreadable, 'webhook')} cannot be decrypted."
        for name in self.database.failed_jobs():
            yield f"The last run of the job {name} failed."
