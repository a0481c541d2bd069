"""Resource limits for a child process that reads untrusted files."""

import os
import resource
from contextlib import suppress
from typing import Final

_NICE: Final = 10


def confine(*, memory: int) -> None:
    """Permanently limit the address space to ``memory`` bytes, disable writing to files, and lower the priority."""
    for limit, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _lower(limit, most)
    os.nice(_NICE)


def allow_memory(most: int) -> None:
    """Set the current limit on the address space to ``most`` bytes, but at most to the limit that ``confine`` set."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError, ValueError):  # some systems have no such limit
        resource.setrlimit(
            resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
        )


def grant_cpu_time(seconds: int) -> None:
    """Limit the CPU time that this process uses from now on to ``seconds``."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds, hard))


def _lower(limit: int, most: int) -> None:
    _, hard = resource.getrlimit(limit)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with suppress(OSError, ValueError):  # some systems have no such limit
        resource.setrlimit(limit, (most, most))
