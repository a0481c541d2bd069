"""Wiring of rate limits and idempotency keys."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from repaircore.adapters.fast_path.shared_files import SharedFileWindows
from repaircore.adapters.sql.engine.storage import HEAD
from repaircore.adapters.sql.rate_windows import SqlWindows
from repaircore.addresses import shown_server
from repaircore.checkup.model import WindowStore
from repaircore.idempotency.service import Idempotency
from repaircore.kernel.callers import Environment
from repaircore.limits.model import Limit
from repaircore.limits.service import Limits
from repaircore.settings import DATABASE, PREFIX
from repaircore.wiring.extras import requiring_extra

if TYPE_CHECKING:
    from repaircore.adapters.redis.windows import RedisWindows
    from repaircore.core import Core
    from repaircore.limits.ports import Windows


def limits(core: "Core") -> Limits:
    """Wire rate limits."""
    settings = core.settings
    return Limits(
        windows=core.windows,
        requests=Limit(settings.requests_per_minute),
        predictions=Limit(settings.predictions_per_minute),
        logins=Limit(settings.login_failures_per_minute),
        all_logins=Limit(settings.login_failures_per_minute * 10),
        registrations=Limit(settings.registrations_per_hour, seconds=3600),
        resets=Limit(5, seconds=3600),
        all_resets=Limit(20, seconds=3600),
        visitors=Limit(settings.public_requests_per_minute),
        partner_windows=core.partner_windows,
        partners={
            Environment.TEST: Limit(settings.partner_requests_per_minute_test),
            Environment.LIVE: Limit(settings.partner_requests_per_minute_live),
        },
        anonymous=Limit(settings.partner_requests_per_minute_unknown),
        wall=time.time_ns,
    )


def idempotency(core: "Core") -> Idempotency:
    """Wire idempotency keys."""
    return Idempotency(
        transaction=core.storage.transaction,
        read=core.storage.read,
        outer_transaction=core.storage.outer_transaction,
        clock=core.clock,
    )


def windows(core: "Core") -> "Windows":
    """Wire the rate windows for keys and logins."""
    return _windows_in(core, core.settings.main_windows)


def partner_windows(core: "Core") -> "Windows":
    """Wire the rate windows for partners."""
    place = core.settings.partner_windows
    return core.windows if place == core.settings.main_windows else _windows_in(core, place)


def machine_windows(core: "Core") -> SharedFileWindows:
    """Wire rate windows in files on this machine."""
    return SharedFileWindows(core.settings.state / "windows")


def database_windows(core: "Core") -> SqlWindows:
    """Wire rate windows in the database."""
    return SqlWindows(lambda: core.storage.database, driver=core.storage.driver)


def redis_windows(core: "Core") -> "RedisWindows":
    """Wire rate windows in Redis.

    Raises:
        Invalid: the Redis client is not installed.
    """
    from repaircore.adapters.crypto.installation import derived

    with requiring_extra(PREFIX + "REDIS_URL", package="redis", extra="redis"):
        from repaircore.adapters.redis.windows import RedisWindows
    return RedisWindows(core.settings.redis_url or "", lambda: derived(core.secret, "rate windows"))


def window_stores(core: "Core") -> Sequence[WindowStore]:
    """Return the stores of rate windows in use, each with a function that pings it."""
    settings = core.settings
    if settings.redis_url is not None:
        redis = f"Redis at {shown_server(settings.redis_url)}"
        return [
            WindowStore("rate windows", redis, _ping(core.redis_windows)),
            _window_store(core, "rate windows while Redis is lost", settings.main_windows),
        ]
    main = _window_store(core, "rate windows", settings.main_windows)
    if settings.main_windows == settings.partner_windows:
        return [main]
    return [main, _window_store(core, "rate windows of partners", settings.partner_windows)]


def _windows_in(core: "Core", place: str) -> "Windows":
    local = core.database_windows if place == DATABASE else core.machine_windows
    if core.settings.redis_url is None:
        return local
    from repaircore.adapters.redis.fallback import FallbackWindows

    return FallbackWindows(core.redis_windows, local, name="Redis")


def _window_store(core: "Core", name: str, place: str) -> WindowStore:
    if place == DATABASE:
        return WindowStore(name, "the database", lambda: _ping_database(core))
    remedy = f"Check that {PREFIX}STATE_FOLDER is a folder that can be written to"
    return WindowStore(name, "this machine's files", _ping(core.machine_windows), remedy)


def _ping(windows: "Windows") -> Callable[[], object]:
    return lambda: windows.peek("checkup", Limit(1))


def _ping_database(core: "Core") -> None:
    if core.storage.revision() == HEAD:  # otherwise, there may be no table
        _ping(core.database_windows)()
