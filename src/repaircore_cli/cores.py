"""How many cores this process may use: a container is often given a few of many."""

import os
from collections.abc import Iterator
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Final

_ROOT: Final = Path("/")
_GROUPS: Final = Path("sys/fs/cgroup")


def usable(root: Path = _ROOT) -> int:
    """Return the number of cores that this process may run on, or that its quota comes to where that is less."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    given = quota(root)
    return allowed if given is None else max(1, min(allowed, ceil(given)))


def quota(root: Path = _ROOT) -> float | None:
    """Return the cores that this process's control group, and those it lies in, let it have; None is as many as there are.

    ``root`` is where proc and sys lie. A container may be shown its group's name on the machine, and have no folder
    of that name: what it has then is at the top, which is always asked too.
    """
    return min(_quotas(root), default=None)


def _quotas(root: Path) -> Iterator[float]:
    groups = root / _GROUPS
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        path = Path(group.lstrip("/"))
        for folder in (path, *path.parents):
            if not controllers:  # version 2: one tree
                yield from _version_2(groups / folder)
            elif "cpu" in controllers.split(","):
                for tree in dict.fromkeys(("cpu", controllers)):
                    yield from _version_1(groups / tree / folder)


def _version_2(folder: Path) -> Iterator[float]:
    yield from _share(*_read(folder / "cpu.max").split())


def _version_1(folder: Path) -> Iterator[float]:
    told = [_read(folder / name).strip() for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us")]
    yield from _share(*filter(None, told))


def _share(quota: str = "", period: str = "") -> Iterator[float]:
    """Tell what share of a core, or how many, two figures allow; ``max`` and negative ones are no limit."""
    if quota.isdecimal() and period.isdecimal() and int(quota) and int(period):
        yield int(quota) / int(period)


def _read(file: Path) -> str:
    """Return what a file holds; nothing where there is none, as on other systems."""
    with suppress(OSError):
        return file.read_text(encoding="utf-8")
    return ""
