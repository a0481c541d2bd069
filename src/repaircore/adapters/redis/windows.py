"""Rate windows in Redis: one round trip per request (docs/decisions/rate-windows.md)."""

from collections.abc import Callable
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError
from redis.retry import Retry
from typing_extensions import override

from repaircore.adapters.forks import PerProcess
from repaircore.adapters.redis.script import DIGEST, PEEK, SCRIPT
from repaircore.addresses import redis_address
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.ports import Windows
from repaircore.limits.window import window_status

_TIMEOUT: Final = 0.25
"""Seconds that a connection or a reply may take, which a request waits for."""
_MICRO: Final = 1_000
"""Nanoseconds in a microsecond, the unit that Redis counts in."""
_SECOND: Final = 1_000_000


class RedisWindows(Windows):
    """Rate windows on a Redis server.

    ``secret`` returns the secret that window names are derived from, so that installations may share a server and the
    names reveal nothing. ``now`` returns the nanoseconds since 1970 on a clock that all processes share; the default is
    Redis's own clock.
    """

    def __init__(
        self, url: str, secret: Callable[[], bytes], *, now: Callable[[], int] | None = None
    ) -> None:
        address = redis_address(url)
        self._secret = secret
        self._now = now
        self._client = PerProcess(
            lambda: redis.Redis(
                **address,
                protocol=2,
                socket_timeout=_TIMEOUT,
                socket_connect_timeout=_TIMEOUT,
                socket_keepalive=True,
                retry=Retry(NoBackoff(), 0),  # a request waits once at most
            )
        )

    @override
    def acquire(self, subject: str, limit: Limit) -> Verdict:
        return self._run(subject, limit).verdict

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        return self._run(subject, limit)

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        return self._run(subject, limit, PEEK).verdict

    @override
    def close(self) -> None:
        self._client().close()

    def _run(self, subject: str, limit: Limit, mode: bytes | None = None) -> WindowStatus:
        client: Any = self._client()  # the package leaves the results of commands untyped
        # Each argument costs time, so those with their defaults are left out.
        args = [1, self._name(subject, limit), b"%d" % limit.count, b"%d" % (limit.seconds * _SECOND)]
        if mode is not None or self._now is not None:
            args += [b"" if self._now is None else b"%d" % (self._now() // _MICRO), mode or b""]
        try:
            try:
                found = client.execute_command("EVALSHA", DIGEST, *args)
            except NoScriptError:  # a new server, or one whose scripts were flushed
                found = client.execute_command("EVAL", SCRIPT, *args)
            admitted, count, oldest, now = map(int, found.split())
        except (RedisError, OSError) as error:
            raise Unavailable("Redis is not responding.") from error
        except (AttributeError, ValueError) as error:
            raise Unavailable("The server at REPAIRCORE_REDIS_URL is not a Redis server.") from error
        return window_status(
            admitted=bool(admitted),
            count=count,
            oldest=oldest * _MICRO,
            now=now * _MICRO,
            wall=now * _MICRO,
            limit=limit,
        )

    def _name(self, subject: str, limit: Limit) -> bytes:
        window = f"{subject}\n{limit.count}\n{limit.seconds}".encode()
        return b"repaircore:window:" + blake2b(window, key=self._key, digest_size=16).hexdigest().encode()

    @cached_property
    def _key(self) -> bytes:
        return self._secret()
