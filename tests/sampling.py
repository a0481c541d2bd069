"""Which long tests a run leaves out: what is tried in many ways is tried in a few of them, unless everything is wanted.

A variant is a test function with one set of parameters. The same variants run each time: a hash of the
name chooses them, so that a test that fails has not been drawn by chance. ``@pytest.mark.every_variant``
exempts a test, and ``@pytest.mark.thorough`` leaves one out unless everything is wanted.
"""

import os
import zlib
from collections import defaultdict
from collections.abc import Iterable

import pytest

SHARE = 4
"""One variant in so many runs."""

_SERVERS = ("postgres", "redis", "pgbouncer")
_WHOLE_SERVERS = ("tests/e2e/", "tests/stress/")
"""Tests that start servers and kill them: each runs on one of the databases, on which is drawn, too."""


def everything_is_wanted() -> bool:
    """Tell whether no variant may be left out: the sessions of nox set REPAIRCORE_TEST_EVERYTHING."""
    return bool(os.environ.get("REPAIRCORE_TEST_EVERYTHING"))


def is_drawn(name: str, share: int = SHARE) -> bool:
    """Tell whether a name belongs to the share that runs."""
    return zlib.crc32(name.encode()) % share == 0


def left_out(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return the thorough tests, and all but a share of the variants of the long ones.

    One variant stays for each database, or just one if the test starts whole servers.
    """
    variants: defaultdict[tuple[str, frozenset[str]], list[pytest.Item]] = defaultdict(list)
    thorough: list[pytest.Item] = []
    for item in items:
        if item.get_closest_marker("thorough"):
            thorough.append(item)
        elif item.get_closest_marker("long") and not item.get_closest_marker("every_variant"):
            is_whole_server = item.nodeid.startswith(_WHOLE_SERVERS)
            servers = frozenset(
                name for name in _SERVERS if not is_whole_server and item.get_closest_marker(name)
            )
            variants[item.nodeid.partition("[")[0], servers].append(item)
    return [*thorough, *(item for group in variants.values() for item in _but_a_share(group))]


def _but_a_share(variants: list[pytest.Item]) -> list[pytest.Item]:
    drawn = [item for item in variants if is_drawn(item.nodeid)]
    running = drawn or [min(variants, key=lambda item: (zlib.crc32(item.nodeid.encode()), item.nodeid))]
    return [item for item in variants if item not in running]
