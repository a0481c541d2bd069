"""Rate windows in Redis: one round trip for each place (docs/decisions/rate-windows.md)."""

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
from repaircore.limits.window import standing

_PATIENCE: Final = 0.25
"""How long a connection, or an answer, may take, in seconds: a request waits for it."""
_MICRO: Final = 1_000
"""Nanoseconds in a microsecond, which is what Redis counts in."""
_SECOND: Final = 1_000_000


class RedisWindows(Windows):
    """Windows on a Redis server.

    ``secret`` gives what the names of the windows are derived from, so that installations may share a server and
    nobody reads in it whose windows they are. ``now`` gives nanoseconds since 1970 on a clock that all share; without
    it that is Redis's own.
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
                socket_timeout=_PATIENCE,
                socket_connect_timeout=_PATIENCE,
                socket_keepalive=True,
                retry=Retry(NoBackoff(), 0),  # who waits for windows waits once
            )
        )

    @override
    def take(self, subject: str, limit: Limit) -> Verdict:
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

    def _run(self, subject: str, limit: Limit, what: bytes | None = None) -> WindowStatus:
        client: Any = self._client()  # the package leaves what a command gives untyped
        # Each argument takes its time on the way: what is usual is left out.
        told = [1, self._name(subject, limit), b"%d" % limit.count, b"%d" % (limit.seconds * _SECOND)]
        if what is not None or self._now is not None:
            told += [b"" if self._now is None else b"%d" % (self._now() // _MICRO), what or b""]
        try:
            try:
                found = client.execute_command("EVALSHA", DIGEST, *told)
            except NoScriptError:  # a new server, or one whose scripts were flushed
                found = client.execute_command("EVAL", SCRIPT, *told)
            admitted, count, oldest, now = map(int, found.split())
        except (RedisError, OSError) as error:
            raise Unavailable("Redis does not answer.") from error
        except (AttributeError, ValueError) as error:
            raise Unavailable("What answers is no Redis.") from error
        return standing(
            admitted=bool(admitted),
            count=count,
            oldest=oldest * _MICRO,
            now=now * _MICRO,
            wall=now * _MICRO,
            limit=limit,
        )

    def _name(self, subject: str, limit: Limit) -> bytes:
        told = f"{subject}\n{limit.count}\n{limit.seconds}".encode()
        return b"repaircore:window:" + blake2b(told, key=self._key, digest_size=16).hexdigest().encode()

    @cached_property
    def _key(self) -> bytes:
        return self._secret()
