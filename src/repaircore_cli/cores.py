"""The number of CPU cores that this process may use; containers are often limited to a few."""

import os
from collections.abc import Iterator
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Final

_ROOT: Final = Path("/")
_GROUPS: Final = Path("sys/fs/cgroup")


def usable_cores(root: Path = _ROOT) -> int:
    """Return the number of cores that this process may run on, or its CPU quota, rounded up, if that is lower."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = quota(root)
    return available if limit is None else max(1, min(available, ceil(limit)))


def quota(root: Path = _ROOT) -> float | None:
    """Return this process's CPU quota in cores, or None if it has none.

    This is the lowest quota of its control groups and their ancestors. ``root`` contains proc and sys. A process in a
    container may see its group's name on the host, but no folder of that name; its quota is then at the root of the
    tree, which is always read, too.
    """
    return min(_quotas(root), default=None)


def _quotas(root: Path) -> Iterator[float]:
    groups = root / _GROUPS
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        path = Path(group.lstrip("/"))
        for folder in (path, *path.parents):
            if not controllers:  # control groups version 2 has a single tree
                yield from _version_2(groups / folder)
            elif "cpu" in controllers.split(","):
                for tree in dict.fromkeys(("cpu", controllers)):
                    yield from _version_1(groups / tree / folder)


def _version_2(folder: Path) -> Iterator[float]:
    yield from _cores(*_read(folder / "cpu.max").split())


def _version_1(folder: Path) -> Iterator[float]:
    figures = [_read(folder / name).strip() for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us")]
    yield from _cores(*filter(None, figures))


def _cores(quota: str = "", period: str = "") -> Iterator[float]:
    """Yield how many cores a quota and a period allow.

    Yield nothing if there is no limit: the quota is ``max`` or negative.
    """
    if quota.isdecimal() and period.isdecimal() and int(quota) and int(period):
        yield int(quota) / int(period)


def _read(file: Path) -> str:
    """Return the contents of a file, or "" if it is missing, as it is outside Linux."""
    with suppress(OSError):
        return file.read_text(encoding="utf-8")
    return ""
