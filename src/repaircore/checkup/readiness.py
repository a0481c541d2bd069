"""Whether requests can be served, and what is not as it should be although they can."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import Final

from attrs import define, field

from repaircore.checkup.model import WindowPlace
from repaircore.checkup.ports import DatabaseCondition, Machine
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.kernel.types import Clock, Timer

REMEMBERED: Final = 10.0
"""For so many seconds nothing is looked at again: balancers ask every second, and anybody may."""

_SCARCE: Final = 200 * 1024 * 1024
_FULL: Final = 16 * 1024 * 1024
_APART: Final = timedelta(minutes=1)
_LATE: Final = timedelta(minutes=10)


@define(kw_only=True)
class Readiness:
    """The use case. No sentence names a host, a path or a person: anybody may read them.

    ``asked_each_time`` gives the obstacles that the database tells of.
    """

    asked_each_time: Callable[[], Sequence[str]]
    database: DatabaseCondition
    machine: Machine
    folders: Sequence[Path]
    windows: Callable[[], Sequence[WindowPlace]]
    clock: Clock
    timer: Timer
    _lock: Lock = field(init=False, factory=Lock, repr=False)
    _found: tuple[float, Sequence[str]] | None = field(init=False, default=None, repr=False)

    def obstacles(self) -> Sequence[str]:
        """List what stands in the way of serving, a sentence each; empty when nothing does."""
        return [*self.asked_each_time(), *self._full()]

    def warnings(self) -> Sequence[str]:
        """List what is not as it should be; requests are served all the same."""
        with self._lock:
            if self._found is None or self.timer() - self._found[0] >= REMEMBERED:
                found = [*self._looked()]
                self._found = self.timer(), found
            return self._found[1]

    def _full(self) -> Iterator[str]:
        """Tell of a full disk, where there is a database on it: nothing can be kept then."""
        file = self.database.file
        if file is not None and self._free(file.parent) < _FULL:
            yield "The disk of the database is full."

    def _looked(self) -> Iterator[str]:
        for folder in self.folders:
            if self._free(folder) < _SCARCE:
                yield "Less than 200 MB are free on a disk."
                break
        yield from self._counting()
        try:
            yield from self._asked()
        except (Unavailable, ModuleNotFoundError):
            return  # an obstacle says so

    def _free(self, folder: Path) -> int:
        return self.machine.free(self.machine.nearest(folder))

    def _counting(self) -> Iterator[str]:
        try:
            places = self.windows()
        except Invalid:
            yield "Where requests are counted is not set as it should be."
            return
        for place in places:
            try:
                place.ask()
            except (Unavailable, ModuleNotFoundError):
                where = place.place.partition(" at ")[0]
                yield f"{where[:1].upper()}{where[1:]}, where requests are counted, does not answer."

    def _asked(self) -> Iterator[str]:
        if self.database.standing() != self.database.head:
            return
        for durable in () if self.database.file is not None else self.database.durability(deep=False):
            if not durable.holds:
                yield f"PostgreSQL's {durable.name} is {durable.value}, not {' or '.join(durable.fine)}."
        now, theirs = self.clock(), self.database.clock()
        if theirs is not None and abs(theirs - now) > _APART:
            yield f"The clock is {abs(theirs - now).total_seconds():.0f} seconds from the database's."
        backlog = self.database.backlog(now=now)
        if backlog.oldest is not None and now - backlog.oldest > _LATE:
            yield f"{backlog.due:,} webhooks are due, some for more than ten minutes: is `repaircore jobs run` running?"
        for name in self.database.failed_jobs():
            yield f"The job {name} failed when it was done last."
